package servicetest

import (
	"fmt"
	"strconv"

	"github.com/go-json-experiment/json"

	"keypact/encoding"
	"keypact/service"
	"keypact/store/storetest"
)

// shown is an answer's body.
func shown(value any) string {
	raw, err := json.Marshal(value, json.Deterministic(true))
	if err != nil {
		return err.Error()
	}
	return string(raw)
}

// compareReads reads every key through the service and compares the answer
// with the records.
func (c *trial) compareReads(now look) {
	for key, v := range now.values {
		name := service.Bytes(key)
		list := []entry{{"KeyInfo", members{"key": name}}, {"KeyTTLGet", members{"key": name}}}
		want := []string{c.info(key, v), fmt.Sprintf(`{"ttl_ms":%s,"expires_at":%s}`, remaining(v, now.now), quoted(moment(v.Expires)))}
		whole := map[encoding.Type]entry{
			encoding.TypeString: {"StringRange", members{"key": name}},
			encoding.TypeHash:   {"HashFields", members{"key": name, "limit": 1000}},
			encoding.TypeList:   {"ListRange", members{"key": name}},
			encoding.TypeSet:    {"SetMembers", members{"key": name, "limit": 1000}},
			encoding.TypeZSet:   {"ZSetRange", members{"key": name, "by": "member", "limit": 1000}},
		}[v.Type]
		list, want = append(list, whole), append(want, content(v))
		for i, r := range c.first.run(c, pipeline, list) {
			if failed := failure(c, r); failed != nil {
				if failed.Kind != service.KindContract {
					c.Errorf("%s: %v", list[i], failed)
				}
				continue
			}
			if got := shown(r.Value); got != want[i] {
				c.Errorf("%s: %s, the records say %s", list[i], got, want[i])
			}
		}
	}
}

// info is what KeyInfo answers.
func (c *trial) info(key string, v storetest.Value) string {
	size := fmt.Sprintf(`"count":%d`, len(v.Elements))
	if v.Type == encoding.TypeString {
		size = fmt.Sprintf(`"bytes":%d`, len(v.Elements[0].Value))
	}
	expiry := ""
	if v.Expires != 0 {
		expiry = fmt.Sprintf(`"ttl_ms":%s,"expires_at":%s,`, remaining(v, c.clock.now()), quoted(moment(v.Expires)))
	}
	contract := quoted(c.first.store.Contracts().Match([]byte(key)).Name)
	return fmt.Sprintf(`{"key":%s,"type":"%s",%s,%s"revision":"%d-%d","contract":%s}`,
		shown(service.Bytes(key)), v.Type, size, expiry, v.Version, v.Changes, contract)
}

func remaining(v storetest.Value, now int64) string {
	if v.Expires == 0 {
		return "null"
	}
	return strconv.FormatInt(v.Expires-now, 10)
}

// quoted is a JSON string, null for none.
func quoted(text string) string {
	if text == "" {
		return "null"
	}
	return shown(text)
}

// content is what the read of the whole value answers.
func content(v storetest.Value) string {
	switch v.Type {
	case encoding.TypeString:
		return shown(service.StringPart{Value: service.Bytes(v.Elements[0].Value)})
	case encoding.TypeHash:
		fields := service.Fields{}
		for _, e := range v.Elements {
			fields = append(fields, service.Field{Field: service.Bytes(e.Name), Value: service.Bytes(e.Value)})
		}
		return shown(service.FieldsPage{Fields: fields})
	case encoding.TypeZSet:
		list := []service.ScoredMember{}
		for _, e := range v.Elements {
			score, _, _ := encoding.CutFloat([]byte(e.Value))
			list = append(list, service.ScoredMember{Member: service.Bytes(e.Name), Score: service.Score(score)})
		}
		return shown(service.ZSetMembers{Members: list})
	}
	var list []service.Bytes
	for _, e := range v.Elements {
		list = append(list, service.Bytes(e.Name+e.Value))
	}
	if v.Type == encoding.TypeList {
		return shown(service.ListItems{Items: list, Count: uint64(len(list))})
	}
	return shown(service.SetPage{Members: list})
}
