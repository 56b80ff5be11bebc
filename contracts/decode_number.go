package contracts

import (
	"math"
	"strconv"
	"strings"
)

// number reads a number by the grammar of JSON. YAML alone would also take
// 010 for eight, 1_000 and .nan.
func (d *decoder) number(n *node, what string) (decimal, bool) {
	switch n.kind {
	case numberNode, plainNode:
		if value, ok := parseJSONNumber(n.text); ok {
			return value, true
		}
		d.complain(n.at, "%s must be a number%s, not %s", what, numberAdvice(n.text), d.shown(n))
	case quotedNode:
		d.complain(n.at, "%s must be a number; take %s out of its quotes", what, d.shown(n))
	case specialNode:
		d.complain(n.at, "%s must be a finite number, not %s", what, d.shown(n))
	default:
		d.complain(n.at, "%s must be a number, not %s", what, d.shown(n))
	}
	return decimal{}, false
}

// numberAdvice rewrites the spellings that readers of YAML disagree about.
func numberAdvice(text string) string {
	negative := strings.HasPrefix(text, "-")
	plain := strings.TrimLeft(strings.ReplaceAll(strings.TrimLeft(text, "+-"), "_", ""), "0")
	if plain == "" || strings.Trim(plain, "0123456789") != "" {
		return ""
	}
	if negative {
		plain = "-" + plain
	}
	return "; write " + plain
}

// whole reads a whole number that fits 64 bits.
func (d *decoder) whole(n *node, what string) (int64, bool) {
	value, ok := d.number(n, what)
	if !ok {
		return 0, false
	}
	count, err := strconv.ParseInt(value.String(), 10, 64)
	if err != nil {
		d.complain(n.at, "%s must be a whole number of at most %d, not %s", what, int64(math.MaxInt64), d.shown(n))
		return 0, false
	}
	return count, true
}

// count reads a whole number that is at least one.
func (d *decoder) count(n *node, what string) (int64, bool) {
	value, ok := d.whole(n, what)
	if ok && value < 1 {
		d.complain(n.at, "%s must be at least 1, not %d", what, value)
		return 0, false
	}
	return value, ok
}

// sizeUnits are the units of sizes. Decimal units are refused because half the
// world means 1024 by them.
var sizeUnits = map[string]int64{"KiB": 1 << 10, "MiB": 1 << 20}

// size reads a number of bytes: a whole number, or one with KiB or MiB.
func (d *decoder) size(n *node, what string) (int64, bool) {
	if n.kind != plainNode && n.kind != quotedNode {
		return d.whole(n, what)
	}
	digits := n.text[:digitPrefix([]byte(n.text))]
	unit := n.text[len(digits):]
	value, err := strconv.ParseInt(digits, 10, 64)
	factor := sizeUnits[unit]
	switch {
	case n.kind == plainNode && (unit == "" || unit[0] == 'e' || unit[0] == 'E' || digits == ""):
		return d.whole(n, what)
	case err != nil || strings.HasPrefix(digits, "0"):
		d.complain(n.at, "%s must be a size such as 2048, 10KiB or 8MiB, not %s", what, d.shown(n))
	case unit == "":
		d.complain(n.at, "%s must be a number; take %s out of its quotes", what, d.shown(n))
	case factor == 0:
		d.complain(n.at, "%s: unknown unit in %s%s", what, d.shown(n), sizeAdvice(value, unit))
	case value > math.MaxInt64/factor:
		d.complain(n.at, "%s is out of range: %s", what, d.shown(n))
	default:
		return value * factor, true
	}
	return 0, false
}

// sizeAdvice spells out what may have been meant: "write 10KiB (10240) or
// 10000" for 10KB.
func sizeAdvice(value int64, unit string) string {
	unit = strings.ToLower(strings.TrimSpace(unit))
	var name string
	switch unit {
	case "b", "byte", "bytes":
		return "; write " + strconv.FormatInt(value, 10)
	case "k", "kb", "kib":
		name = "KiB"
	case "m", "mb", "mib":
		name = "MiB"
	default:
		return "; sizes are bytes, KiB or MiB"
	}
	factor := sizeUnits[name]
	if value > math.MaxInt64/factor {
		return "; sizes are bytes, KiB or MiB"
	}
	number := strconv.FormatInt(value, 10)
	advice := "; write " + number + name + " (" + strconv.FormatInt(value*factor, 10) + ")"
	if strings.HasSuffix(unit, "ib") {
		return advice
	}
	decimal := int64(1000)
	if name == "MiB" {
		decimal = 1_000_000
	}
	return advice + " or " + strconv.FormatInt(value*decimal, 10)
}
