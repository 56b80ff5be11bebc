package contracts

import (
	"net/url"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// formatCases are texts that are, and are not, of a format.
var formatCases = map[string]struct{ good, bad []string }{
	"url": {
		good: []string{"http://a", "https://example.com/a.png", "HTTPS://EXAMPLE.com:443/a?b=c#d", "http://192.0.2.1:8080/", "http://[2001:db8::1]:80/x",
			"http://[::1]", "https://a.b.c./", "https://a/%20%C3%A9", "http://a?x", "http://a#x", "http://localhost:0", "http://a_b.c"},
		bad: []string{"", " ", "http:", "http://", "//host", "/path", "example.com", "javascript:alert(1)", "ftp://a", "file:///etc/passwd",
			"http:///path", "http://?x", "https://user@host/", "https://user:pass@host/", "http://a b/", "http://a/b c", "http://a/\n", "\thttp://a",
			"http://a/\x00", "http://a:x", "http://a:", "http://a:99999", "http://a:123456", "http://a/%2", "http://a/%zz", "http://é.de/",
			"http://a/é", "http://[::1", "http://[fe80::1%25eth0]/", "http://[1.2.3.4]/", "http://a..b/", "http://.a/", "http://a/#b#c", "http://a/<b>",
			"http://a/\\b", "http://a\\b/", "http://" + strings.Repeat("a", 254), "https:example.com", "http://a/\u00a0", "null"},
	},
	"iso8601-date": {
		good: []string{"2027-04-23", "0001-01-01", "9999-12-31", "2024-02-29", "2000-02-29", "2025-02-28"},
		bad: []string{"", " ", "2025-02-29", "1900-02-29", "0000-01-01", "2025-00-01", "2025-13-01", "2025-01-00", "2025-01-32", "2025-04-31",
			"2025-1-1", "25-01-01", "2025/01/01", "20250101", "2025-01-01T00:00:00Z", "2025-01-01 ", "２０２５-01-01", "+2025-01-1", "10000-01-01", "null"},
	},
	"iso8601-datetime": {
		good: []string{"2027-04-23T09:30:00Z", "2027-04-23T09:30:00.123456Z", "2027-04-23T09:30:00+02:00"},
		bad: []string{"", "2027-04-23", "2027-04-23 09:30:00Z", "2027-04-23T09:30:00", "2027-04-23T09:30:00,5Z", "2025-02-29T00:00:00Z",
			"0000-01-01T00:00:00Z", "2027-04-23T24:00:00Z", "2027-04-23T09:30:00Z\n", "2027-04-23T09:30:00." + strings.Repeat("0", 100) + "Z"},
	},
	"email": {
		good: []string{"ada@example.com", "a.b+c@example.co.uk"},
		bad:  []string{"", "ada", "@example.com", "ada@", "ada@@example.com", "ada @example.com", strings.Repeat("a", 600) + "@example.com"},
	},
	"uuid": {
		good: []string{"123e4567-e89b-42d3-a456-426614174000", "123E4567-E89B-42D3-A456-426614174000"},
		bad:  []string{"", "123e4567e89b42d3a456426614174000", "123e4567-e89b-42d3-a456-42661417400g", "{123e4567-e89b-42d3-a456-426614174000}"},
	},
	"ipv4":     {good: []string{"192.0.2.1", "0.0.0.0"}, bad: []string{"", "192.0.2", "256.0.0.1", "192.0.2.01", "::1", "192.0.2.1 "}},
	"ipv6":     {good: []string{"2001:db8::1", "::"}, bad: []string{"", "192.0.2.1", "2001:db8::1%eth0", "2001:db8:::1"}},
	"hostname": {good: []string{"a", "www.example.com"}, bad: []string{"", "a b", "-a.com", "a_b", "http://a"}},
	"e164":     {good: []string{"+15551234567"}, bad: []string{"", "+0555123", "12-34", "+1 555 1234567"}},
}

func TestFormats(t *testing.T) {
	for name, tt := range formatCases {
		c := value(t, "{format: "+name+"}")
		for _, text := range tt.good {
			expect(t, name+" "+text, c.CheckValue([]byte(text)), "")
		}
		for _, text := range tt.bad {
			expect(t, name+" "+text, c.CheckValue([]byte(text)), formatNamed(name).code)
		}
	}
	if len(formats) != 9 {
		t.Error("a format has no test")
	}
}

// Whatever passes as a URL is one to the standard library too, with a host
// and without a user.
func FuzzURL(f *testing.F) {
	for _, seed := range []string{"http://a", "https://example.com:443/%20?a=b#c", "http://[::1]:80/", "http://a@b", "http:// "} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !validURL([]byte(text)) {
			return
		}
		u, err := url.Parse(text)
		if err != nil || u.Host == "" || u.User != nil || u.Scheme != "http" && u.Scheme != "https" {
			t.Errorf("%q passes, but: %+v, %v", text, u, err)
		}
	})
}

func TestDatesAreThoseOfTheCalendar(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringMatching(`(000|19[0-9]|20[0-9])[0-9]-(0[0-9]|1[0-3])-([0-2][0-9]|3[0-3])`).Draw(t, "date")
		_, err := time.Parse(time.DateOnly, text)
		want := err == nil && !strings.HasPrefix(text, "0000")
		if got := validDate([]byte(text)); got != want {
			t.Fatalf("%s: got %v", text, got)
		}
	})
}
