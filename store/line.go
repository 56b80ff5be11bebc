package store

// InLine reports whether the running list holds up the line of writers, so that
// an operation that takes long had better call Heavy.
func (tx *Tx) InLine() bool { return tx.meter.tx != nil && tx.meter.ctx == nil && tx.abort == nil }

// Heavy asks for the running list to run anew beside the line of writers. The
// error is for the operation to return; it is nil where the list runs there
// already, or has to run in the line after all.
func (tx *Tx) Heavy() error {
	if tx.InLine() {
		tx.abort = errHeavy
	}
	return tx.abort
}

// Published has fn called once what the list writes is durable and visible, if
// the running operation succeeds. It must not block.
func (tx *Tx) Published(fn func()) { tx.op.did.published = append(tx.op.did.published, fn) }
