package command

import (
	"errors"

	"keypact/store"
)

func keyMoveCommands() []*Command {
	const group = "generic"
	return []*Command{
		{Name: "RENAME", Arity: 3, Flags: Write, Keys: twoKeys, Group: group, Since: "1.0.0",
			Summary: "Gives a key another name, in place of what stood there", parse: keyRename},
		{Name: "RENAMENX", Arity: 3, Flags: Write | Fast, Keys: twoKeys, Group: group, Since: "1.0.0",
			Summary: "Gives a key another name that nothing has", parse: keyRename},
		{Name: "COPY", Arity: -3, Flags: Write | DenyOOM, Keys: twoKeys, Group: group, Since: "6.2.0",
			Summary: "Copies a key, to another namespace too", parse: keyCopy},
		{Name: "MOVE", Arity: 3, Flags: Write | Fast, Keys: oneKey, Group: group, Since: "1.0.0",
			Summary: "Takes a key to another namespace", parse: keyMove},
	}
}

const errSameObject = Error("ERR source and destination objects are the same")

// keyRename is RENAME and RENAMENX key name.
func keyRename(a *Args) (Call, error) {
	from, to := a.Next(), a.Next()
	onlyAbsent := a.name == "RENAMENX"
	call, err := a.writing(func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(from)
		if err != nil {
			return nil, err
		}
		other, err := tx.Key(to)
		if err != nil {
			return nil, err
		}
		if !k.Exists() {
			return nil, store.ErrNotFound
		}
		if onlyAbsent && other.Exists() {
			return Int(0), nil
		}
		if err := k.Rename(to); err != nil {
			return nil, err
		}
		if string(from) != string(to) {
			tx.Event("rename_from", from)
			tx.Event("rename_to", to)
		}
		if onlyAbsent {
			return Int(1), nil
		}
		return OK, nil
	}, from, to)
	call.Absent = errNoKey
	return call, err
}

// keyCopy is COPY source destination [DB namespace] [REPLACE].
func keyCopy(a *Args) (Call, error) {
	from, to := a.Next(), a.Next()
	space, replace := "", false
	for a.More() {
		switch {
		case a.Token("REPLACE"):
			replace = true
		case a.Len() > 1 && a.Token("DB"):
			var err error
			if space, err = spaceName(a.Next()); err != nil {
				return Call{}, err
			}
		default:
			return Call{}, errSyntax
		}
	}
	written := use("COPY", to)
	written.Space = space
	op := &act{calls: []store.Call{look("COPY", from), written}, apply: func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(from)
		if err != nil {
			return nil, err
		}
		other, err := tx.KeyIn(space, to)
		if err != nil {
			return nil, err
		}
		if k.Same(other) {
			return nil, fail(errSameObject)
		}
		if !k.Exists() || other.Exists() && !replace {
			return Int(0), nil
		}
		if err := k.CopyIn(space, to); err != nil {
			return nil, err
		}
		tx.EventIn(space, "copy_to", to)
		return Int(1), nil
	}}
	return done(op)
}

// keyMove is MOVE key namespace. It counts as MOVE on the key in either
// namespace.
func keyMove(a *Args) (Call, error) {
	key := a.Next()
	space, err := spaceName(a.Next())
	if err != nil {
		return Call{}, err
	}
	arrived := use("MOVE", key)
	arrived.Space = space
	return done(&act{calls: []store.Call{use("MOVE", key), arrived}, apply: func(tx *store.Tx) (Reply, error) {
		k, err := tx.Key(key)
		if err != nil {
			return nil, err
		}
		moved, err := k.Move(space)
		if errors.Is(err, store.ErrSameKey) {
			return nil, fail(errSameObject)
		}
		if err != nil || !moved {
			return Int(0), err
		}
		tx.Event("move_from", key)
		tx.EventIn(space, "move_to", key)
		return Int(1), nil
	}})
}
