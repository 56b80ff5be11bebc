package badger

// room is how much free space there is to write into.
type room int

const (
	roomEnough room = iota
	roomLow         // below the watermark: what frees space, and what that needs, goes on
	roomNone        // below the floor: nothing is written
)

// floorPart is the part of the watermark that is kept even from deletions:
// they, too, are written before they free anything.
const floorPart = 4

// room looks at the free space. If that cannot be known, writes go on.
func (db *DB) room() room {
	if db.options.InMemory && db.options.Dir == "" || db.options.MinFreeBytes < 0 {
		return roomEnough
	}
	free, err := db.options.FreeBytes(db.options.Dir)
	switch {
	case err != nil:
		db.options.Logger.Warn("free space is unknown", "error", err)
		return roomEnough
	case free < uint64(db.options.MinFreeBytes/floorPart):
		return roomNone
	case free < uint64(db.options.MinFreeBytes):
		return roomLow
	}
	return roomEnough
}

// accepts says whether a record may be written; a nil value is a deletion.
func (g *group) accepts(key, value []byte) bool {
	switch g.room {
	case roomEnough:
		return true
	case roomLow:
		return value == nil || g.essential != nil && g.essential(key, value)
	}
	return false
}
