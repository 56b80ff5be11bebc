package service

import (
	"slices"

	"pgregory.net/rapid"

	"keypact/store"
)

var drawSide = rapid.SampledFrom([]string{"", "left", "right"})

var listSteps = []drawOp{
	listPush, listPush, listPush, listPop, listMove, listInsert, listInsert, listRemove, listRemove, listTrim,
	listSet, listRead, listRead, listDelete,
}

func (v *modelValue) push(side string, fallback string, item string) {
	if side == "" {
		side = fallback
	}
	if side == "left" {
		v.list = slices.Insert(v.list, 0, item)
	} else {
		v.list = append(v.list, item)
	}
}

func (v *modelValue) pop(side, fallback string) string {
	if side == "" {
		side = fallback
	}
	at := 0
	if side == "right" {
		at = len(v.list) - 1
	}
	item := v.list[at]
	v.list = slices.Delete(v.list, at, at+1)
	return item
}

func listPush(t *rapid.T, key string) modelStep {
	op := &ListPush{Key: Bytes(key), Items: texts(drawElements(t)...), Side: drawSide.Draw(t, "side"), Expiry: drawExpiry(t)}
	if rare(t, "if present") {
		op.If = Only(Present)
	}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "list")
		if err != nil {
			return nil, err
		}
		if v.size() == 0 && op.If != nil {
			return nil, store.ErrPrecondition
		}
		for _, item := range op.Items {
			v.push(op.Side, "right", string(item))
		}
		m.keep(key, v, op.Expiry)
		return ListLength{Length: uint64(len(v.list))}, nil
	}}
}

func listPop(t *rapid.T, key string) modelStep {
	op := &ListPop{Key: Bytes(key), Side: drawSide.Draw(t, "side"), Count: new(rapid.Int64Range(1, 4).Draw(t, "count"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "list")
		if err != nil {
			return nil, err
		}
		var items []string
		for range min(int(*op.Count), len(v.list)) {
			items = append(items, v.pop(op.Side, "left"))
		}
		m.keep(key, v, Expiry{})
		return ListItems{Items: texts(items...), Count: uint64(len(v.list))}, nil
	}}
}

func listMove(t *rapid.T, key string) modelStep {
	to := drawKey.Draw(t, "destination")
	op := &ListMove{Key: Bytes(key), Destination: Bytes(to), From: drawSide.Draw(t, "from"), To: drawSide.Draw(t, "to")}
	return modelStep{op: op, want: func(m *model) (any, error) {
		source, err := m.present(key, "list")
		if err != nil {
			return nil, err
		}
		destination := source
		if key != to {
			if destination, err = m.open(to, "list"); err != nil {
				return nil, err
			}
		}
		item := source.pop(op.From, "left")
		destination.push(op.To, "right", item)
		m.keep(key, source, Expiry{})
		m.keep(to, destination, Expiry{})
		return ListMoved{Item: Bytes(item), Count: uint64(len(source.list))}, nil
	}}
}

func listInsert(t *rapid.T, key string) modelStep {
	op := &ListInsert{
		Key: Bytes(key), Pivot: Bytes(drawElement.Draw(t, "pivot")), Value: Bytes(drawElement.Draw(t, "value")),
		Where: rapid.SampledFrom([]string{"", "before", "after"}).Draw(t, "where"),
	}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "list")
		if err != nil {
			return nil, err
		}
		at := slices.Index(v.list, string(op.Pivot))
		if at < 0 {
			return nil, store.ErrNotFound
		}
		if op.Where == "after" {
			at++
		}
		v.list = slices.Insert(v.list, at, string(op.Value))
		return ListLength{Length: uint64(len(v.list))}, nil
	}}
}

func listRemove(t *rapid.T, key string) modelStep {
	op := &ListRemove{Key: Bytes(key), Value: Bytes(drawElement.Draw(t, "value")), Count: rapid.Int64Range(-3, 3).Draw(t, "count")}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "list")
		if err != nil {
			return nil, err
		}
		limit := int(max(op.Count, -op.Count))
		removed := 0
		drop := func(item string) bool {
			if item != string(op.Value) || limit > 0 && removed == limit {
				return false
			}
			removed++
			return true
		}
		if op.Count < 0 {
			slices.Reverse(v.list)
		}
		v.list = slices.DeleteFunc(v.list, drop)
		if op.Count < 0 {
			slices.Reverse(v.list)
		}
		m.keep(key, v, Expiry{})
		return Removal{Removed: uint64(removed), Count: uint64(len(v.list))}, nil
	}}
}

// between is the plain reading of start and stop.
func between(list []string, start, stop int64) []string {
	n := int64(len(list))
	if start < 0 {
		start = max(start+n, 0)
	}
	if stop < 0 {
		stop += n
	}
	stop = min(stop, n-1)
	if start > stop {
		return nil
	}
	return list[start : stop+1]
}

func listTrim(t *rapid.T, key string) modelStep {
	op := &ListTrim{Key: Bytes(key), Start: new(drawBound.Draw(t, "start")), Stop: new(drawBound.Draw(t, "stop"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.open(key, "list")
		if err != nil {
			return nil, err
		}
		before := len(v.list)
		v.list = slices.Clone(between(v.list, *op.Start, *op.Stop))
		m.keep(key, v, Expiry{})
		return Removal{Removed: uint64(before - len(v.list)), Count: uint64(len(v.list))}, nil
	}}
}

func listSet(t *rapid.T, key string) modelStep {
	op := &ListSet{Key: Bytes(key), Index: new(drawBound.Draw(t, "index")), Value: Bytes(drawElement.Draw(t, "value"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "list")
		if err != nil {
			return nil, err
		}
		at := *op.Index
		if at < 0 {
			at += int64(len(v.list))
		}
		if at < 0 || at >= int64(len(v.list)) {
			return nil, store.ErrNotFound
		}
		v.list[at] = string(op.Value)
		return Stored{}, nil
	}}
}

func listRead(t *rapid.T, key string) modelStep {
	op := &ListRange{Key: Bytes(key), Start: new(drawBound.Draw(t, "start")), Stop: new(drawBound.Draw(t, "stop"))}
	return modelStep{op: op, want: func(m *model) (any, error) {
		v, err := m.present(key, "list")
		if err != nil {
			return nil, err
		}
		return ListItems{Items: texts(between(v.list, *op.Start, *op.Stop)...), Count: uint64(len(v.list))}, nil
	}}
}

func listDelete(_ *rapid.T, key string) modelStep {
	return modelStep{op: &ListDelete{Key: Bytes(key)}, want: func(m *model) (any, error) {
		_, err := m.present(key, "list")
		if err == nil {
			delete(m.keys, key)
		}
		return Stored{}, err
	}}
}
