package contracts

import "fmt"

// The largest things the service takes where a contract sets no limit, and
// the size of one key beyond which no single request or response carries it.
const (
	largestValue  = 8 << 20
	largestMember = 4 << 10
	largestWhole  = 16 << 20
)

// worstCase computes how much one key may hold. Collections without maxItems
// have a finding of their own.
func (l *linter) worstCase(c *Contract) {
	size, how := worstCaseBytes(c)
	if size > largestWhole {
		l.find(c, c.marks.maxItems, SeverityWarning, LintWorstCaseSize,
			"one key of contract '%s' may hold %s (%s), more than one request or response carries (%s)",
			c.Name, sizeText(size), how, sizeText(largestWhole))
	}
}

func worstCaseBytes(c *Contract) (size int64, how string) {
	switch c.Type {
	case TypeString:
		return longestBytes(c.value, largestValue), "its value"
	case TypeHash:
		return worstCaseHash(c)
	}
	largest := int64(largestMember)
	if c.Type == TypeList {
		largest = largestValue
	}
	each := longestBytes(c.items, largest)
	if c.Type == TypeZSet {
		each += 8
	}
	return times(c.maxItems, each), fmt.Sprintf("%d x %d bytes", c.maxItems, each)
}

func worstCaseHash(c *Contract) (size int64, how string) {
	for _, name := range c.fieldNames {
		size += int64(len(name)) + longestBytes(c.fields[name], largestValue)
	}
	how = plural(int64(len(c.fieldNames)), "declared field")
	if more := c.maxItems - int64(len(c.fieldNames)); c.additional && more > 0 {
		each := int64(largestMember + largestValue)
		size = times(more, each) + size
		how += fmt.Sprintf(" and %d more of %d bytes", more, each)
	}
	return size, how
}

// longestBytes is the length of the longest value a rule accepts, as far as
// its limits tell; otherwise the given one. With a fallback of 0 it is 0 for a
// rule without limits.
func longestBytes(r *rule, fallback int64) int64 {
	longest := int64(-1)
	narrow := func(n int64) {
		if longest < 0 || n < longest {
			longest = n
		}
	}
	if r == nil {
		return fallback
	}
	if r.maxBytes.set {
		narrow(r.maxBytes.n)
	}
	if r.maxLength.set {
		narrow(times(r.maxLength.n, 4))
	}
	if r.enum != nil {
		most := 0
		for _, text := range r.enum {
			most = max(most, len(text))
		}
		narrow(int64(most))
	}
	if r.kind == kindInteger && r.minimum != nil && r.maximum != nil {
		narrow(int64(max(len(r.minimum.String()), len(r.maximum.String()))))
	}
	if r.format != nil && r.format.code == CodeFormatDate {
		narrow(int64(len("2006-01-02")))
	}
	switch {
	case longest < 0:
		return fallback
	case fallback > 0:
		return min(longest, fallback)
	}
	return longest
}

// mostBytes keeps sums of products within 64 bits.
const mostBytes = 1 << 60

func times(a, b int64) int64 {
	if b > 0 && a > mostBytes/b {
		return mostBytes
	}
	return a * b
}

func sizeText(n int64) string {
	switch {
	case n >= mostBytes:
		return "more bytes than can be counted"
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	}
	return plural(n, "byte")
}
