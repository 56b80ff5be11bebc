package service

import (
	"maps"
	"slices"
	"time"

	"pgregory.net/rapid"
)

func draftInfo(_ *rapid.T, key string) draft {
	return draft{&KeyTTLGet{Key: Bytes(key)}, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		return lifeOf(b, p.expires)
	}}
}

func lifeOf(b *book, expires int64) string {
	if expires == 0 {
		return asJSON(Lifetime{})
	}
	return asJSON(Lifetime{TTLMillis: new(expires - b.now), ExpiresAt: TimeOf(expires)})
}

func draftDelete(_ *rapid.T, key string) draft {
	return draft{&KeyDelete{Key: Bytes(key)}, func(b *book) outcome {
		if _, found := b.pages[key]; !found {
			return absentKey
		}
		delete(b.pages, key)
		return "-"
	}}
}

func draftExpire(t *rapid.T, key string) draft {
	op := &KeyTTLSet{Key: Bytes(key), Expiry: Expiry{TTL: TTL(time.Duration(rapid.IntRange(1, 4).Draw(t, "ttl")) * time.Second)}}
	if rapid.IntRange(0, 4).Draw(t, "past") == 0 {
		op.Expiry = Expiry{ExpiresAt: TimeOf(1)}
	}
	op.If = rapid.SampledFrom([]Conditions{nil, Only(Absent), Only(Present), Only(Greater), Only(Less), Only(Present, Greater)}).Draw(t, "if")
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		at := b.deadline(op.Expiry, 1)
		endless := p.expires == 0
		if op.If.Has(Absent) && !endless || op.If.Has(Present) && endless ||
			op.If.Has(Greater) && (endless || at <= p.expires) || op.If.Has(Less) && !endless && at >= p.expires {
			return unmetCondition
		}
		if at <= b.now {
			delete(b.pages, key)
			return lifeOf(b, 0)
		}
		p.expires = at
		b.pages[key] = p
		return lifeOf(b, at)
	}}
}

func draftPersist(_ *rapid.T, key string) draft {
	return draft{&KeyTTLClear{Key: Bytes(key)}, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		p.expires = 0
		b.pages[key] = p
		return "-"
	}}
}

func draftRename(t *rapid.T, key string) draft {
	to := drawBook.Draw(t, "destination")
	op := &KeyRename{Key: Bytes(key), Destination: Bytes(to)}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
	}
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		if _, taken := b.pages[to]; taken && op.If != nil {
			return unmetCondition
		}
		delete(b.pages, key)
		b.pages[to] = p
		return `{"renamed":true}`
	}}
}

func draftCopy(t *rapid.T, key string) draft {
	to := drawBook.Draw(t, "destination")
	op := &KeyCopy{Key: Bytes(key), Destination: Bytes(to), Replace: rapid.Bool().Draw(t, "replace")}
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if !found {
			return absentKey
		}
		if key == to {
			return "invalid same-key"
		}
		if _, taken := b.pages[to]; taken && !op.Replace {
			return unmetCondition
		}
		p.fields = maps.Clone(p.fields)
		b.pages[to] = p
		return `{"copied":true}`
	}}
}

func draftKeys(t *rapid.T, _ string) draft {
	op := &KeysPage{Type: rapid.SampledFrom([]string{"", "string", "hash"}).Draw(t, "type")}
	return draft{op, func(b *book) outcome {
		list := KeyList{Keys: []Bytes{}}
		for _, key := range slices.Sorted(maps.Keys(b.pages)) {
			if op.Type == "" || (op.Type == "hash") == (b.pages[key].fields != nil) {
				list.Keys = append(list.Keys, Bytes(key))
			}
		}
		return asJSON(list)
	}}
}
