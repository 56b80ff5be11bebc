package command

import (
	"math"
	"strconv"

	"keypact/service"
)

// errInfinite is the error of a sum that is no finite number.
const errInfinite = Error("ERR increment would produce NaN or Infinity")

// stringIncr is INCR and DECR key, INCRBY and DECRBY key number.
func stringIncr(a *Args) (Call, error) {
	key, by := a.Next(), int64(1)
	if a.More() {
		n, err := a.Int()
		if err != nil {
			return Call{}, err
		}
		by = n
	}
	if down := a.name == "DECR" || a.name == "DECRBY"; down {
		if by == -by && by != 0 {
			return Call{}, Error("ERR decrement would overflow")
		}
		by = -by
	}
	op := &service.StringIncr{Key: key, By: service.NumberOf(by)}
	return Call{Op: op, Reply: counted}, nil
}

// counted is the reply to operations that count whole numbers.
func counted(r service.Result) Reply {
	n, err := strconv.ParseInt(string(r.Value.(service.Counted).Value), 10, 64)
	if err != nil {
		return ErrInternal
	}
	return Int(n)
}

// stringIncrFloat is INCRBYFLOAT key number.
func stringIncrFloat(a *Args) (Call, error) {
	key := a.Next()
	by, err := a.decimal(errInfinite)
	if err != nil {
		return Call{}, err
	}
	op := &service.StringIncr{Key: key, By: by, Decimal: true}
	return Call{Op: op, Reply: countedDecimal, Errors: map[string]Error{"overflow": errInfinite}}, nil
}

// countedDecimal is the reply to operations that count decimal numbers: all
// digits and no exponent.
func countedDecimal(r service.Result) Reply { return Text(r.Value.(service.Counted).Value) }

// decimal takes a finite decimal number. infinite is the error of a number that
// is not finite.
func (a *Args) decimal(infinite Error) (service.Number, error) {
	word := a.Next()
	f, err := parseFloat(word)
	if err != nil {
		return "", err
	}
	if math.IsInf(f, 0) {
		return "", infinite
	}
	by, ok := service.ReadNumber(string(word))
	if !ok {
		return "", errNotFloat
	}
	return by, nil
}
