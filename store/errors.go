package store

import (
	"errors"
	"fmt"

	"keypact/contracts"
	"keypact/store/kv"
)

// Errors of the engine under the store, for rooms that must not know it. kv
// documents them.
var (
	ErrTransactionTooBig = kv.ErrTooBig
	ErrConflict          = kv.ErrConflict
	ErrFull              = kv.ErrFull
	ErrReadOnly          = kv.ErrReadOnly
	ErrOutcomeUnknown    = kv.ErrOutcomeUnknown
	ErrClosed            = kv.ErrClosed
)

// Errors of operations. They arrive wrapped with context; compare with
// errors.Is.
var (
	// ErrNotFound says that the key or the element is absent.
	ErrNotFound = errors.New("not found")
	// ErrWrongType says that the key holds another type.
	ErrWrongType = errors.New("the key holds another type")
	// ErrPrecondition says that a condition of the operation is not met.
	ErrPrecondition = errors.New("the condition is not met")
	// ErrTooBig says that the operation would exceed a limit on size.
	ErrTooBig = errors.New("too big")
	// ErrOverflow says that a number would leave its range.
	ErrOverflow = errors.New("the number would overflow")
	// ErrNotInteger says that a stored value is no 64-bit integer.
	ErrNotInteger = errors.New("the value is not a 64-bit integer")
	// ErrNotNumber says that a stored value is no decimal number.
	ErrNotNumber = errors.New("the value is not a number")
	// ErrRange says that an index or an offset points outside the value.
	ErrRange = errors.New("out of range")
	// ErrWatched says that a key is not as the list of operations wants it.
	ErrWatched = errors.New("a watched key has changed")
	// ErrNoNamespace says that there is no namespace of that name.
	ErrNoNamespace = errors.New("there is no such namespace")
	// ErrFormat says that the directory holds no store of this format.
	ErrFormat = errors.New("unknown format")
	// ErrDenied says that the operation wrote to a key that it had not declared.
	// It is a fault of the program, never of the request.
	ErrDenied = errors.New("write to an undeclared key")
)

// Violation is a broken rule of a contract with its place in the list of
// operations.
type Violation struct {
	contracts.Violation
	Operation int    // index in the list
	Verb      string // canonical command that was judged
	DataKey   []byte // the key that was judged
}

// ContractError says that contracts reject the write. Nothing was written.
type ContractError struct {
	Violations []Violation // in the order of the request, then by code
}

// Error names the first violation and counts the rest.
func (e *ContractError) Error() string {
	first := e.Violations[0]
	if len(e.Violations) == 1 {
		return fmt.Sprintf("contract %q: %s: %s", first.Contract, first.Code, first.Detail)
	}
	return fmt.Sprintf("contract %q: %s: %s (and %d more)", first.Contract, first.Code, first.Detail, len(e.Violations)-1)
}

// OperationError says which operation of an atomic list failed.
type OperationError struct {
	Operation int
	Err       error
}

// Error says the operation's index and its own error.
func (e *OperationError) Error() string { return fmt.Sprintf("operation %d: %v", e.Operation, e.Err) }

// Unwrap returns the operation's own error.
func (e *OperationError) Unwrap() error { return e.Err }
