package encoding

import "encoding/binary"

// Idempotency is the answer to a request that carried an idempotency key, kept
// in the transaction of its effect and given again to the same request.
type Idempotency struct {
	Created     int64    // ms since the epoch
	Expires     int64    // ms since the epoch; always set
	Fingerprint [32]byte // SHA-256 of the request; another one is another request
	Status      uint16
	Head        []byte // header fields of the answer
	Body        []byte
}

// AppendIdempotencyKey appends the key of a kept answer. hash is the SHA-256 of
// token, route and idempotency key.
func AppendIdempotencyKey(dst []byte, ns uint32, hash [32]byte) []byte {
	return append(AppendPrefix(dst, FamilyIdempotency, ns), hash[:]...)
}

// ParseIdempotencyKey reads the key of a kept answer.
func ParseIdempotencyKey(k []byte) (ns uint32, hash [32]byte, err error) {
	c := cursor{rest: k}
	c.family(FamilyIdempotency)
	ns = c.u32BE("namespace")
	copy(hash[:], c.take(32, "hash"))
	return ns, hash, c.end("idempotency key")
}

// AppendIdempotency appends r. Times outside 0..MaxTime take the nearest the
// record can hold.
func AppendIdempotency(dst []byte, r *Idempotency) []byte {
	dst = appendTime(append(dst, 0), r.Created)
	dst = appendTime(dst, r.Expires)
	dst = append(dst, r.Fingerprint[:]...)
	dst = binary.LittleEndian.AppendUint16(dst, r.Status)
	dst = appendBlock(dst, r.Head)
	return append(dst, r.Body...)
}

// ParseIdempotency reads src into r. Head and Body alias src. After an error r
// holds nothing of use.
func ParseIdempotency(src []byte, r *Idempotency) error {
	c := cursor{rest: src}
	c.flags(0)
	*r = Idempotency{Created: c.time("creation time"), Expires: c.time("expiry time")}
	copy(r.Fingerprint[:], c.take(32, "fingerprint"))
	r.Status = c.u16("status")
	r.Head = c.block("head")
	r.Body = c.tail()
	return c.end("idempotency value")
}
