package service

import (
	"maps"
	"slices"

	"pgregory.net/rapid"
)

// keepHash puts a hash back, or drops it if it is empty.
func (b *book) keepHash(key string, p page, e Expiry) {
	if len(p.fields) == 0 {
		delete(b.pages, key)
		return
	}
	p.expires = b.deadline(e, p.expires)
	b.pages[key] = p
}

func (p page) inOrder() Fields {
	out := Fields{}
	for _, name := range slices.Sorted(maps.Keys(p.fields)) {
		out = append(out, Field{Field: Bytes(name), Value: Bytes(p.fields[name])})
	}
	return out
}

func draftHashGet(_ *rapid.T, key string) draft {
	return draft{&HashGet{Key: Bytes(key)}, func(b *book) outcome {
		return b.aHash(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			return asJSON(HashValue{Fields: p.inOrder(), Count: uint64(len(p.fields)), Remaining: b.remaining(p)})
		})
	}}
}

func draftHashSet(t *rapid.T, key string) draft {
	op := &HashSet{Key: Bytes(key), Expiry: drawExpiry(t)}
	for range rapid.IntRange(1, 4).Draw(t, "fields") {
		op.Fields = append(op.Fields, Field{Field: Bytes(drawField.Draw(t, "field")), Value: Bytes(drawText.Draw(t, "value"))})
	}
	return draft{op, func(b *book) outcome {
		return b.aHash(key, func(p page, _ bool) outcome {
			before := maps.Clone(p.fields)
			for _, field := range op.Fields {
				p.fields[string(field.Field)] = string(field.Value)
			}
			answer := FieldsStored{Count: uint64(len(p.fields)), Added: uint64(len(p.fields) - len(before))}
			for name, old := range before {
				answer.Updated += count(p.fields[name] != old)
			}
			b.keepHash(key, p, op.Expiry)
			return asJSON(answer)
		})
	}}
}

func draftHashRemove(t *rapid.T, key string) draft {
	op := &HashRemove{Key: Bytes(key), Fields: texts(rapid.SliceOfN(drawField, 1, 4).Draw(t, "fields")...)}
	return draft{op, func(b *book) outcome {
		return b.aHash(key, func(p page, _ bool) outcome {
			before := len(p.fields)
			for _, field := range op.Fields {
				delete(p.fields, string(field))
			}
			b.keepHash(key, p, Expiry{})
			return asJSON(Removal{Removed: uint64(before - len(p.fields)), Count: uint64(len(p.fields))})
		})
	}}
}

func draftHashIncr(t *rapid.T, key string) draft {
	field := drawField.Draw(t, "field")
	op := &HashFieldIncr{Key: Bytes(key), Field: Bytes(field), By: drawNumber.Draw(t, "by"), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aHash(key, func(p page, _ bool) outcome {
			old, found := p.fields[field]
			text, failed := counted(old, found, op.By)
			if failed != "" {
				return failed
			}
			p.fields[field] = text
			b.keepHash(key, p, op.Expiry)
			return asJSON(Counted{Value: Number(text)})
		})
	}}
}

func draftHashFields(t *rapid.T, key string) draft {
	names := rapid.SliceOfNDistinct(drawField, 1, 4, rapid.ID[string]).Draw(t, "fields")
	return draft{&HashFields{Key: Bytes(key), Fields: texts(names...)}, func(b *book) outcome {
		return b.aHash(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			out := Fields{}
			for _, name := range names {
				field := Field{Field: Bytes(name)}
				if value, ok := p.fields[name]; ok {
					field.Value = Bytes(value)
				}
				out = append(out, field)
			}
			return asJSON(FieldsPage{Fields: out})
		})
	}}
}
