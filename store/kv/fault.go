package kv

import (
	"errors"
	"fmt"
)

// ErrInvalid says that a record cannot be stored whatever the state: its key
// is empty, too long or reserved by the engine, or its value is empty. Nothing
// was written.
var ErrInvalid = errors.New("kv: invalid record")

// PanicError is what View's or Update's caller gets in place of a panic that
// happened inside a transaction on another goroutine. The transaction's writes
// are undone and the engine lives on.
type PanicError struct {
	Value any    // what was passed to panic
	Stack []byte // of the goroutine that panicked
}

// Error tells the panic's value, without the stack.
func (e *PanicError) Error() string { return fmt.Sprintf("kv: transaction panicked: %v", e.Value) }

// Unwrap returns the panic's value if it is an error.
func (e *PanicError) Unwrap() error {
	err, _ := e.Value.(error)
	return err
}
