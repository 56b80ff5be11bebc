package service

import (
	"math/big"
	"strconv"
	"strings"

	"pgregory.net/rapid"
)

// aString runs fn on a string, absent or not; a hash is refused.
func (b *book) aString(key string, fn func(p page, found bool) outcome) outcome {
	p, found := b.pages[key]
	if p.fields != nil {
		return wrongType
	}
	return fn(p, found)
}

func draftGet(_ *rapid.T, key string) draft {
	return draft{&StringGet{Key: Bytes(key)}, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			return asJSON(StringValue{Value: Bytes(p.text), Remaining: b.remaining(p)})
		})
	}}
}

func draftSet(t *rapid.T, key string) draft {
	op := &StringSet{Key: Bytes(key), Value: Bytes(drawText.Draw(t, "value")), Expiry: drawExpiry(t)}
	op.If = rapid.SampledFrom([]Conditions{nil, nil, Only(Absent), Only(Present)}).Draw(t, "if")
	op.KeepTTL = op.TTL == 0 && rapid.Bool().Draw(t, "keep ttl")
	return draft{op, func(b *book) outcome {
		p, found := b.pages[key]
		if op.If.Has(Absent) && found || op.If.Has(Present) && !found {
			return unmetCondition
		}
		old := int64(0)
		if op.KeepTTL {
			old = p.expires
		}
		b.pages[key] = page{text: string(op.Value), expires: b.deadline(op.Expiry, old)}
		if found {
			return "-"
		}
		return "created"
	}}
}

// put writes a string and answers its length.
func (b *book) put(key string, p page, text string, e Expiry) outcome {
	b.pages[key] = page{text: text, expires: b.deadline(e, p.expires)}
	return asJSON(Length{Length: int64(len(text))})
}

func draftAppend(t *rapid.T, key string) draft {
	op := &StringPatch{Key: Bytes(key), Append: Bytes(drawText.Draw(t, "tail")), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, _ bool) outcome { return b.put(key, p, p.text+string(op.Append), op.Expiry) })
	}}
}

func draftOverlay(t *rapid.T, key string) draft {
	offset := rapid.Int64Range(0, 12).Draw(t, "offset")
	op := &StringPatch{Key: Bytes(key), Offset: &offset, Value: Bytes(drawText.Draw(t, "part")), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			part := string(op.Value)
			if part == "" && !found {
				return `{"length":0}`
			}
			text := p.text
			if part != "" {
				text += strings.Repeat("\x00", max(0, int(offset)-len(text)))
				text = text[:offset] + part + text[min(len(text), int(offset)+len(part)):]
			}
			return b.put(key, p, text, op.Expiry)
		})
	}}
}

func draftRange(t *rapid.T, key string) draft {
	start, stop := drawBound.Draw(t, "start"), drawBound.Draw(t, "stop")
	return draft{&StringRange{Key: Bytes(key), Start: start, Stop: &stop}, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			if !found {
				return absentKey
			}
			part := []byte{}
			for i := range len(p.text) {
				n := int64(len(p.text))
				from, to := start, stop
				if from < 0 {
					from += n
				}
				if to < 0 {
					to += n
				}
				if from <= int64(i) && int64(i) <= to {
					part = append(part, p.text[i])
				}
			}
			return asJSON(StringPart{Value: part})
		})
	}}
}

// counted is old plus by, or the error of counting.
func counted(old string, found bool, by Number) (string, outcome) {
	if !found {
		old = "0"
	}
	if !strings.Contains(string(by), ".") {
		n, err := strconv.ParseInt(old, 10, 64)
		if err != nil || strconv.FormatInt(n, 10) != old {
			return "", "invalid not-an-integer"
		}
		step, _ := strconv.ParseInt(string(by), 10, 64)
		sum := new(big.Int).Add(big.NewInt(n), big.NewInt(step))
		if !sum.IsInt64() {
			return "", "invalid overflow"
		}
		return sum.String(), ""
	}
	a, ok := new(big.Rat).SetString(old)
	if !ok {
		return "", "invalid not-a-number"
	}
	step, _ := new(big.Rat).SetString(string(by))
	text := a.Add(a, step).FloatString(30)
	text = strings.TrimRight(strings.TrimRight(text, "0"), ".")
	if text == "-0" {
		text = "0"
	}
	return text, ""
}

func draftIncr(t *rapid.T, key string) draft {
	op := &StringIncr{Key: Bytes(key), By: drawNumber.Draw(t, "by"), Expiry: drawExpiry(t)}
	return draft{op, func(b *book) outcome {
		return b.aString(key, func(p page, found bool) outcome {
			text, failed := counted(p.text, found, op.By)
			if failed != "" {
				return failed
			}
			b.put(key, p, text, op.Expiry)
			return asJSON(Counted{Value: Number(text)})
		})
	}}
}

func draftSetMany(t *rapid.T, _ string) draft {
	op := &StringsSet{Expiry: drawExpiry(t)}
	for range rapid.IntRange(1, 3).Draw(t, "pairs") {
		op.Pairs = append(op.Pairs, KeyValue{Bytes(drawBook.Draw(t, "key")), Bytes(drawText.Draw(t, "value"))})
	}
	if rapid.Bool().Draw(t, "if absent") {
		op.If = Only(Absent)
	}
	return draft{op, func(b *book) outcome {
		fresh, all := map[string]bool{}, map[string]bool{}
		for _, pair := range op.Pairs {
			_, found := b.pages[string(pair.Key)]
			if found && op.If != nil {
				return unmetCondition
			}
			all[string(pair.Key)] = true
			if !found {
				fresh[string(pair.Key)] = true
			}
		}
		for _, pair := range op.Pairs {
			b.pages[string(pair.Key)] = page{text: string(pair.Value), expires: b.deadline(op.Expiry, 0)}
		}
		return asJSON(StringsStored{Count: int64(len(all)), Created: int64(len(fresh))})
	}}
}
