package badger

// committer is the one goroutine that runs write transactions. While one group
// is written and synced it runs the next one over it.
type committer struct {
	db     *DB
	group  *group   // gathers; nil if nothing has run since the last group left
	flight *flight  // the group on its way to the disk, at most one
	held   *request // runs now, or found no room and goes first into the next group
}

// loop runs until the queue is closed and everything in it is answered.
func (c *committer) loop() {
	clean := false
	defer func() {
		if !clean { // runtime.Goexit inside a transaction
			c.db.fail(errGoexit)
		}
		c.abandon()
		close(c.db.launches)
	}()
	for !c.finished() {
		c.gather()
		if c.flight == nil && c.pending() {
			c.launch()
			continue
		}
		if c.finished() {
			break
		}
		select {
		case <-c.db.queue.wake:
		case <-c.db.landed:
			c.flight = nil
		}
	}
	clean = true
}

func (c *committer) finished() bool {
	if c.db.failure() != nil {
		return true
	}
	return c.flight == nil && c.held == nil && !c.pending() && c.db.queue.ended()
}

func (c *committer) pending() bool { return c.group != nil && len(c.group.overlay.entries) > 0 }

// gather runs requests until none waits or the group is closed.
func (c *committer) gather() {
	for c.group == nil || !c.group.closed() {
		if c.held == nil {
			c.held = c.db.queue.pop()
		}
		if c.held == nil {
			break
		}
		if c.held.start() && !c.serve(c.held) {
			return
		}
		c.held = nil
	}
	if c.group != nil && !c.pending() {
		c.drop()
	}
}

// serve runs one request. It reports false if the group has no room for it.
func (c *committer) serve(r *request) bool {
	if c.group == nil {
		g, err := c.db.newGroup(c.flight)
		if err != nil {
			r.refuse(err)
			return true
		}
		c.group = g
	}
	if !c.group.run(r) {
		return false
	}
	if c.pending() {
		c.group.requests = append(c.group.requests, r)
		return true
	}
	// It wrote nothing and saw nothing of this group: what it may have seen is
	// durable once the group in flight is.
	if c.flight != nil && c.flight.join(r) {
		return true
	}
	if err := c.db.failure(); err != nil {
		r.refuse(err)
		return true
	}
	r.answer(c.db.callbackPanicked)
	return true
}

// launch sends the group to the disk.
func (c *committer) launch() {
	c.flight = &flight{group: c.group}
	c.drop()
	c.db.launches <- c.flight
}

// drop lets go of the gathering group and of the snapshot it reads.
func (c *committer) drop() {
	c.group.snapshot.txn.Discard()
	c.db.epochs.release(c.group.epoch)
	c.group.inFlight, c.group.undo = nil, nil
	c.group = nil
}

// abandon refuses everything that is left after a failure.
func (c *committer) abandon() {
	err := c.db.failure()
	if err == nil {
		return
	}
	if c.group != nil {
		for _, r := range c.group.requests {
			r.refuse(err)
		}
		c.drop()
	}
	if c.held != nil && c.held.start() {
		c.held.refuse(err)
	}
	for r := c.db.queue.pop(); r != nil; r = c.db.queue.pop() {
		if r.start() {
			r.refuse(err)
		}
	}
}
