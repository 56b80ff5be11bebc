package encoding

// appendStringValue appends what a string's meta value ends with: the value
// itself, so that reading a string takes one record.
func appendStringValue(dst []byte, m *Meta) []byte {
	return append(dst, m.Value...)
}

func parseStringValue(c *cursor, m *Meta) {
	m.Value = c.tail()
}
