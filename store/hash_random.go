package store

// Random picks n different fields, each choice equally likely, in their order;
// all of them if the hash has no more. More than Limits.Result of them are
// ErrTooBig. A hash keeps no tree beside its fields: the pick walks over their
// names from the nearer end.
func (h *Hash) Random(n uint64) ([]Pair, error) {
	count := h.Count()
	if n = min(n, count); n == count {
		return h.All()
	}
	if err := h.r.tx.fits(n); err != nil {
		return nil, err
	}
	names, err := h.r.at(h.r.tx.sample(n, count))
	if err != nil {
		return nil, err
	}
	return h.pairs(names)
}

// RandomRepeated picks a field n times, each pick on its own, in the order of
// the picks. More than Limits.Result picks are ErrTooBig.
func (h *Hash) RandomRepeated(n uint64) ([]Pair, error) {
	count := h.Count()
	if err := h.r.tx.fits(n); err != nil || count == 0 {
		return nil, err
	}
	names, err := pick(h.r.tx.picks(n, count), h.r.at)
	if err != nil {
		return nil, err
	}
	return h.pairs(names)
}

// pairs reads the values of fields that are there.
func (h *Hash) pairs(names [][]byte) ([]Pair, error) {
	out := make([]Pair, len(names))
	for i, name := range names {
		value, _, err := h.r.member(name)
		if err != nil {
			return nil, err
		}
		out[i] = Pair{Field: name, Value: append([]byte{}, value...)}
	}
	return out, nil
}
