package contracts

import (
	"bytes"
	"net/netip"
	"strings"
)

// validURL reads an absolute http or https URL by the grammar of RFC 3986,
// stricter than the standard parser where that one is lenient: there must be a
// host, there must be no user name, and every byte must be one that a URL may
// hold, so no control character, no space and nothing beyond ASCII.
func validURL(value []byte) bool {
	rest, ok := cutScheme(value)
	if !ok {
		return false
	}
	end := bytes.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	return validAuthority(rest[:end]) && validTail(rest[end:])
}

var urlSchemes = []string{"https://", "http://"}

func cutScheme(value []byte) ([]byte, bool) {
	for _, scheme := range urlSchemes {
		if len(value) > len(scheme) && strings.EqualFold(string(value[:len(scheme)]), scheme) {
			return value[len(scheme):], true
		}
	}
	return nil, false
}

func validAuthority(authority []byte) bool {
	if len(authority) > 0 && authority[0] == '[' {
		end := bytes.IndexByte(authority, ']')
		return end > 0 && validIPv6Literal(authority[1:end]) && validPort(authority[end+1:])
	}
	host, port := authority, []byte(nil)
	if i := bytes.IndexByte(authority, ':'); i >= 0 {
		host, port = authority[:i], authority[i:]
	}
	if len(host) == 0 || len(host) > 253 || !validPort(port) {
		return false
	}
	for i, ch := range host {
		dot := ch == '.' && i > 0 && host[i-1] != '.'
		if !dot && !alphanumeric(ch) && ch != '-' && ch != '_' {
			return false
		}
	}
	return true
}

// validPort reads nothing, or a colon and a port number.
func validPort(port []byte) bool {
	if len(port) == 0 {
		return true
	}
	if port[0] != ':' || len(port) < 2 || len(port) > 6 {
		return false
	}
	n, ok := digits(port[1:])
	return ok && n <= 65535
}

func validIPv6Literal(host []byte) bool {
	addr, err := netip.ParseAddr(string(host))
	return err == nil && addr.Is6() && addr.Zone() == ""
}

// validTail checks path, query and fragment: allowed bytes, whole percent
// escapes, and at most one number sign.
func validTail(tail []byte) bool {
	fragment := false
	for i := 0; i < len(tail); i++ {
		switch ch := tail[i]; {
		case ch == '%':
			if i+2 >= len(tail) || !isHex(tail[i+1]) || !isHex(tail[i+2]) {
				return false
			}
			i += 2
		case ch == '#':
			if fragment {
				return false
			}
			fragment = true
		case !alphanumeric(ch) && strings.IndexByte("-._~:/?@!$&'()*+,;=[]", ch) < 0:
			return false
		}
	}
	return true
}

func alphanumeric(ch byte) bool {
	return 'a' <= ch && ch <= 'z' || 'A' <= ch && ch <= 'Z' || '0' <= ch && ch <= '9'
}

func isHex(ch byte) bool {
	return '0' <= ch && ch <= '9' || 'a' <= ch && ch <= 'f' || 'A' <= ch && ch <= 'F'
}
