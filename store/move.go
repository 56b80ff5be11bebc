package store

// Move takes the value of the key, time to live included, to the same key of
// another namespace, as MOVE does. moved is false, and nothing happens, if the
// key is absent or the other one is there. Every element is written anew; inside
// a list that shares one transaction a value that it cannot hold is ErrTooBig of
// the engine. The key's own namespace is ErrSameKey, one that does not exist
// ErrNoNamespace. The operation must have declared both keys.
func (k *Key) Move(space string) (moved bool, err error) {
	src := k.r
	i, err := src.tx.number(space)
	if err != nil {
		return false, err
	}
	if i == src.space {
		return false, ErrSameKey
	}
	dst, err := src.tx.peekIn(i, src.key)
	if err != nil || !src.exists || dst.exists {
		return false, err
	}
	if err := k.copyTo(i, src.key); err != nil {
		return false, err
	}
	return true, src.remove()
}

// CopyIn is CopyTo a key of another namespace, given by its name. A namespace
// that does not exist is ErrNoNamespace.
func (k *Key) CopyIn(space string, to []byte) error {
	i, err := k.r.tx.number(space)
	if err != nil {
		return err
	}
	return k.copyTo(i, to)
}
