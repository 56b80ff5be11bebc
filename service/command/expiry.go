package command

import (
	"math"
	"strings"

	"keypact/store"
)

// expiry is a time at which a key expires, as the words of a command give it.
type expiry struct {
	given    bool
	absolute bool
	ms       int64 // since the epoch, or from now on
	invalid  Error // what to say of a time that cannot be told
}

// parseExpiry takes the number behind EX, PX, EXAT or PXAT. A time that is not
// positive, or beyond what can be told in milliseconds, is an error.
func parseExpiry(a *Args, unit string) (expiry, error) {
	n, err := a.Int()
	if err != nil {
		return expiry{}, err
	}
	if n <= 0 {
		return expiry{}, a.invalidExpiry()
	}
	e := expiry{given: true, invalid: a.invalidExpiry(), absolute: unit == "EXAT" || unit == "PXAT", ms: n}
	if unit == "EX" || unit == "EXAT" {
		if n > math.MaxInt64/1000 {
			return expiry{}, a.invalidExpiry()
		}
		e.ms = n * 1000
	}
	return e, nil
}

func (a *Args) invalidExpiry() Error {
	return Error("ERR invalid expire time in '" + strings.ToLower(a.name) + "' command")
}

// at is the time in ms since the epoch; 0 is never. A time that cannot be told
// is an error.
func (e expiry) at(tx *store.Tx) (int64, error) {
	if !e.given || e.absolute {
		return e.ms, nil
	}
	if e.ms > math.MaxInt64-tx.Now() {
		return 0, fail(e.invalid)
	}
	return tx.Now() + e.ms, nil
}
