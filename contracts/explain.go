package contracts

// Explanation says what holds for one key and why.
type Explanation struct {
	Contract    string             // the governing contract, empty if none matches
	Governed    bool               // a declared contract governs the key
	Key         string             // its key pattern
	Type        Type               // empty if none is prescribed
	Mode        Mode               // for unmatched keys: off = allow, warn, enforce = deny
	Revision    uint64             // of the contract
	Variables   []Variable         // what the pattern's variables stand for, in order
	RunnersUp   []Candidate        // contracts that match too but are less specific, nearest first
	Operations  []AllowedOperation // the writes that may be used, sorted
	Reads       []AllowedOperation // the reads that may be used if they are limited; nil = all
	MaxKeyBytes int                // limit on the length of the key, in bytes
	Limits      any                // the contract's Document
	Violations  []Violation        // of the key itself
}

// Variable is one variable of a pattern and the bytes it stands for, which
// need not be UTF-8.
type Variable struct {
	Name  string
	Value string
}

// Candidate is a contract whose pattern matches a key.
type Candidate struct {
	Contract string
	Key      string
}

// AllowedOperation is a permitted command and the ranges of its arguments.
type AllowedOperation struct {
	Verb    string
	Timeout *TimeoutRange
	Count   *CountRange
}

// Explain tells which contract governs a key and what follows from that.
func (s *Set) Explain(key []byte) Explanation {
	c := s.Match(key)
	e := Explanation{
		Contract: c.Name, Governed: c.Governed(), Key: c.Key, Type: c.Type, Mode: c.Mode, Revision: c.Revision,
		MaxKeyBytes: s.maxKeyBytes,
		Limits:      c.Document(),
		Violations:  c.CheckKey(key),
	}
	bind(c.segments, key, func(seg *segment, value []byte) {
		e.Variables = append(e.Variables, Variable{seg.text, string(value)})
	})
	s.trie.matchAll(key, func(other *Contract) {
		if other != c {
			e.RunnersUp = append(e.RunnersUp, Candidate{other.Name, other.Key})
		}
	})
	e.Operations, e.Reads = c.allowed()
	return e
}

// allowed lists the writes, and the reads if those are limited.
func (c *Contract) allowed() (writes, reads []AllowedOperation) {
	if !c.Governed() {
		return plainOperations(Verbs()), nil
	}
	if c.operations == nil {
		return plainOperations(VerbsOf(c.Type)), nil
	}
	reading := make(map[string]bool)
	for _, verb := range ReadVerbsOf(c.Type) {
		reading[verb] = true
	}
	if c.readsListed {
		reads = []AllowedOperation{}
	}
	for _, verb := range c.verbs {
		op := c.operations[verb]
		a := AllowedOperation{Verb: verb, Timeout: op.timeoutRange(), Count: op.countRange()}
		if reading[verb] {
			reads = append(reads, a)
		} else {
			writes = append(writes, a)
		}
	}
	return writes, reads
}

func plainOperations(verbs []string) []AllowedOperation {
	out := make([]AllowedOperation, len(verbs))
	for i, verb := range verbs {
		out[i].Verb = verb
	}
	return out
}
