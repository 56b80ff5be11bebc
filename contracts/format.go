package contracts

import (
	"bytes"
	"net/netip"
	"time"

	"github.com/go-playground/validator/v10"
)

// format is a named form of text.
type format struct {
	name   string
	code   string
	detail string
	valid  func([]byte) bool
}

// formats are the names a contract can use. An unknown name refuses the load.
var formats = []*format{
	{"url", CodeFormatURL, "must be an http or https URL such as https://example.com/a.png", validURL},
	{"iso8601-date", CodeFormatDate, "must be an ISO 8601 date such as 2027-04-23", validDate},
	{"iso8601-datetime", CodeFormatDateTime, "must be an ISO 8601 date and time such as 2027-04-23T09:30:00Z", validDateTime},
	{"email", CodeFormatEmail, "must be an e-mail address such as ada@example.com", validated("email")},
	{"uuid", CodeFormatUUID, "must be a UUID such as 123e4567-e89b-42d3-a456-426614174000", validated("uuid")},
	{"ipv4", CodeFormatIPv4, "must be an IPv4 address such as 192.0.2.1", validIPv4},
	{"ipv6", CodeFormatIPv6, "must be an IPv6 address such as 2001:db8::1", validIPv6},
	{"hostname", CodeFormatHostname, "must be a host name such as www.example.com", validated("hostname_rfc1123")},
	{"e164", CodeFormatE164, "must be a telephone number such as +15551234567", validated("e164")},
}

// otherFormatNames are what other vocabularies call the formats above.
var otherFormatNames = map[string]string{
	"uri": "url", "date": "iso8601-date", "date-time": "iso8601-datetime", "datetime": "iso8601-datetime",
	"ip": "ipv4", "mail": "email",
}

func formatNamed(name string) *format {
	for _, f := range formats {
		if f.name == name {
			return f
		}
	}
	return nil
}

func formatNames() []string {
	names := make([]string, len(formats))
	for i, f := range formats {
		names[i] = f.name
	}
	return names
}

// formatValidator judges the formats for which the validator library is the
// authority. It sees the fixed tags below only, never one made from input.
var formatValidator = validator.New()

// longestValidated bounds what is handed to the validator; no value of these
// formats is longer.
const longestValidated = 512

func validated(tag string) func([]byte) bool {
	return func(value []byte) bool {
		if len(value) == 0 || len(value) > longestValidated {
			return false
		}
		return formatValidator.Var(string(value), tag) == nil
	}
}

// validDate reads a calendar date of the years 0001 to 9999.
func validDate(value []byte) bool {
	if len(value) != len(time.DateOnly) || value[4] != '-' || value[7] != '-' {
		return false
	}
	year, ok1 := digits(value[:4])
	month, ok2 := digits(value[5:7])
	day, ok3 := digits(value[8:])
	if !ok1 || !ok2 || !ok3 || year == 0 || month < 1 || month > 12 || day < 1 {
		return false
	}
	return day <= daysIn(year, month)
}

func digits(text []byte) (n int, ok bool) {
	if digitPrefix(text) != len(text) {
		return 0, false
	}
	for _, ch := range text {
		n = n*10 + int(ch-'0')
	}
	return n, true
}

func daysIn(year, month int) int {
	switch month {
	case 4, 6, 9, 11:
		return 30
	case 2:
		if year%4 == 0 && (year%100 != 0 || year%400 == 0) {
			return 29
		}
		return 28
	}
	return 31
}

// validDateTime reads a time stamp as RFC 3339 writes it. The standard parser
// alone would also take a comma before the fraction and the year 0000.
func validDateTime(value []byte) bool {
	if len(value) < len("2006-01-02T15:04:05Z") || len(value) > 64 || !validDate(value[:10]) || bytes.IndexByte(value, ',') >= 0 {
		return false
	}
	_, err := time.Parse(time.RFC3339, string(value))
	return err == nil
}

func validIPv4(value []byte) bool {
	addr, err := netip.ParseAddr(string(value))
	return err == nil && addr.Is4()
}

func validIPv6(value []byte) bool {
	addr, err := netip.ParseAddr(string(value))
	return err == nil && addr.Is6() && addr.Zone() == ""
}
