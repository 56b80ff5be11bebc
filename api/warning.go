package api

import (
	"strconv"
	"strings"

	"keypact/service"
)

// What fits into the Contract-Warning headers of one answer.
const (
	maxWarnings     = 8
	maxWarningBytes = 512 // of one of them
)

// warn sets one Contract-Warning header per violation of contracts in mode
// warn, up to a few, and says how many more there are. They take the form of
// the Warning header's 299. The text is ASCII without control characters,
// whatever names the request held.
func (x *exchange) warn(warnings []service.Violation, src source) {
	if len(warnings) == 0 {
		return
	}
	list, count := src.violations(warnings)
	var lines []string
	for _, v := range list[:min(len(list), maxWarnings)] {
		contract := v.Contract
		if !mixed(warnings) {
			contract = warnings[0].Contract
		}
		lines = append(lines, warningLine(contract, v))
	}
	if more := count - len(lines); more > 0 {
		lines = append(lines, `299 keypact "and `+strconv.Itoa(more)+` more"`)
	}
	x.Header()["Contract-Warning"] = lines
}

// warningLine is one violation in one line.
func warningLine(contract string, v violation) string {
	if contract == "" {
		contract = "no contract"
	}
	at := v.Pointer
	if v.Parameter != "" {
		at = v.Parameter
	}
	text := contract + ": " + v.Code
	if at != "" {
		text += " at " + at
	}
	return `299 keypact "` + quotable(text+": "+v.Detail) + `"`
}

// quotable makes text fit for a quoted string in a header.
func quotable(text string) string {
	if len(text) > maxWarningBytes {
		text = text[:maxWarningBytes] + "..."
	}
	return strings.Map(func(r rune) rune {
		switch {
		case r == '"':
			return '\''
		case r < ' ' || r >= 0x7f || r == '\\':
			return '?'
		}
		return r
	}, text)
}
