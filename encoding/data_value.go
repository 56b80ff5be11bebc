package encoding

const dataExpires = 1 << 0 // a field expiry follows

// Data is the value of one element: a hash field, a set member, a list element
// or a zset member's score.
type Data struct {
	Created int64  // when it was written, ms since the epoch
	Expires int64  // when the field expires, ms since the epoch; 0 is never
	Value   []byte // empty for a set; an ordered float for a zset
}

// AppendData appends d. Times outside 0..MaxTime take the nearest the record
// can hold.
func AppendData(dst []byte, d *Data) []byte {
	if d.Expires == 0 {
		dst = append(dst, 0)
	} else {
		dst = append(dst, dataExpires)
		dst = appendTime(dst, clampExpiry(d.Expires))
	}
	dst = appendTime(dst, d.Created)
	return append(dst, d.Value...)
}

// ParseData reads src into d, whose value aliases src and is never nil. After
// an error d holds nothing of use.
func ParseData(src []byte, d *Data) error {
	c := cursor{rest: src}
	*d = Data{}
	if c.flags(dataExpires)&dataExpires != 0 {
		d.Expires = c.expiry("field expiry")
	}
	d.Created = c.time("creation time")
	d.Value = c.tail()
	return c.end("data value")
}
