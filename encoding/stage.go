package encoding

import "encoding/binary"

// Stage marks data that is being filled in several transactions and that no
// meta refers to yet.
type Stage struct {
	Type    Type
	Epoch   uint64 // of the process that fills it; an older one is dead
	Created int64  // ms since the epoch
}

// AppendStageKey appends the key of a stage record. home and version name the
// data, as in its keys.
func AppendStageKey(dst []byte, ns uint32, home []byte, version uint64) []byte {
	return AppendDataPrefix(dst, FamilyStage, ns, home, version)
}

// ParseStageKey reads a stage key. The home key aliases k unless it holds a NUL.
func ParseStageKey(k []byte) (ns uint32, home []byte, version uint64, err error) {
	c := cursor{rest: k}
	c.family(FamilyStage)
	ns, home, version = c.data()
	return ns, home, version, c.end("stage key")
}

// AppendStage appends s.
func AppendStage(dst []byte, s *Stage) []byte {
	dst = append(dst, 0, byte(s.Type))
	dst = binary.LittleEndian.AppendUint64(dst, s.Epoch)
	return appendTime(dst, s.Created)
}

// ParseStage reads src into s. After an error s holds nothing of use.
func ParseStage(src []byte, s *Stage) error {
	c := cursor{rest: src}
	c.flags(0)
	*s = Stage{Type: c.typ(), Epoch: c.u64("epoch"), Created: c.time("creation time")}
	return c.end("stage value")
}
