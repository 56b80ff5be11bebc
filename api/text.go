package api

import (
	"encoding"
	"errors"
	"reflect"

	"keypact/service"
)

// setter fills a field in from the text of a path segment or a query member.
type setter func(field reflect.Value, text string) error

var (
	errInteger = errors.New("must be a whole number of at most 64 bits")
	errBoolean = errors.New("must be true or false")
)

// setterOf picks the setter for a type, and says whether the type is a list to
// which each text adds one element. The setter is nil for a type that text
// cannot say.
func setterOf(t reflect.Type) (set setter, list bool) {
	if t == reflect.TypeFor[service.Bytes]() {
		return setBytes, false
	}
	if reflect.PointerTo(t).Implements(textType) {
		return setText, false
	}
	switch t.Kind() {
	case reflect.Pointer:
		inner, list := setterOf(t.Elem())
		if inner == nil || list {
			return nil, false
		}
		return setPointer(inner), false
	case reflect.Slice:
		inner, list := setterOf(t.Elem())
		if inner == nil || list {
			return nil, false
		}
		return appendTo(inner), true
	case reflect.String:
		return func(field reflect.Value, text string) error { field.SetString(text); return nil }, false
	case reflect.Bool:
		return setBool, false
	case reflect.Int, reflect.Int64:
		return setInteger, false
	}
	return nil, false
}

// setBytes is setText for the type of nearly all members of paths, without the
// detour.
func setBytes(field reflect.Value, text string) error {
	field.SetBytes(append(make([]byte, 0, len(text)), text...))
	return nil
}

func setText(field reflect.Value, text string) error {
	return field.Addr().Interface().(encoding.TextUnmarshaler).UnmarshalText([]byte(text))
}

func setPointer(inner setter) setter {
	return func(field reflect.Value, text string) error {
		field.Set(reflect.New(field.Type().Elem()))
		return inner(field.Elem(), text)
	}
}

func appendTo(inner setter) setter {
	return func(field reflect.Value, text string) error {
		element := reflect.New(field.Type().Elem()).Elem()
		if err := inner(element, text); err != nil {
			return err
		}
		field.Set(reflect.Append(field, element))
		return nil
	}
}

func setBool(field reflect.Value, text string) error {
	if text != "true" && text != "false" {
		return errBoolean
	}
	field.SetBool(text == "true")
	return nil
}

// setInteger reads a whole number by its mathematical value, as in bodies:
// 1e3 is 1000, 05 and +5 are no numbers.
func setInteger(field reflect.Value, text string) error {
	n, err := parseInteger(text)
	if err != nil {
		return err
	}
	field.SetInt(n)
	return nil
}

func parseInteger(text string) (int64, error) {
	number, err := service.ParseNumber(text)
	if err != nil {
		return 0, errInteger
	}
	n, ok := number.Int64()
	if !ok {
		return 0, errInteger
	}
	return n, nil
}
