// Package contracts holds the rules that data must obey: which keys a contract
// governs, what such a key may hold, how long it lives and which commands may
// change it.
//
// The package is pure. It reads bytes that were handed to it, never a file; it
// keeps no state besides the immutable [Set] that [Parse] returns; it knows no
// store and no transport. A set is read-only after it was built, so any number
// of goroutines may match and check against it without a lock, and a reload is
// the exchange of one pointer.
//
// A caller asks [Set.Match] for the one contract that governs a key and then
// calls the Check methods of that [Contract] with what an operation would
// leave behind. A check answers with every [Violation] it finds, in an order
// that depends on nothing but the input; it returns nil, without allocating,
// when the data is in order. Whether a violation rejects the write or only
// warns is for the caller to decide by the violation's Mode; only contracts
// that are off are silent here already.
package contracts
