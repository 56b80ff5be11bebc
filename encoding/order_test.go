package encoding

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"
)

// place is where a key stands: its namespace and its user key.
type place struct {
	ns  uint32
	key string
}

func (p place) String() string { return fmt.Sprintf("%d/%q", p.ns, p.key) }

func (p place) compare(q place) int {
	return cmp.Or(cmp.Compare(p.ns, q.ns), cmp.Compare(p.key, q.key))
}

// keyGen draws keys that are close to each other: NULs, escapes, prefixes.
func keyGen() *rapid.Generator[string] {
	return rapid.OneOf(
		rapid.SampledFrom(trickyKeys),
		rapid.Map(rapid.SliceOfN(rapid.SampledFrom([]byte{0, 0, 1, 'a', 0xff}), 0, 6), func(b []byte) string { return string(b) }),
		rapid.Map(rapid.SliceOfN(rapid.Byte(), 0, 20), func(b []byte) string { return string(b) }),
	)
}

func placeGen() *rapid.Generator[place] {
	return rapid.Custom(func(t *rapid.T) place {
		ns := rapid.OneOf(rapid.Uint32Range(0, 2), rapid.Uint32()).Draw(t, "ns")
		return place{ns, keyGen().Draw(t, "key")}
	})
}

// dataKeys is one key of every family whose records belong to one user key.
func dataKeys(p place, version uint64, index uint64, score float64, member string) [][]byte {
	home := []byte(p.key)
	return [][]byte{
		AppendMemberKey(nil, p.ns, home, version, []byte(member)),
		AppendListKey(nil, p.ns, home, version, index),
		AppendScoreKey(nil, p.ns, home, version, score, []byte(member)),
		AppendTreeKey(nil, p.ns, home, version, index),
		AppendAliasKey(nil, p.ns, home, version),
		AppendStageKey(nil, p.ns, home, version),
	}
}

// FuzzDataKeyOrder holds one element against another: by namespace, then user
// key, whatever version and member follow; within one version by index, score
// and member.
func FuzzDataKeyOrder(f *testing.F) {
	for i := 1; i < len(trickyKeys); i++ {
		f.Add(uint32(1), []byte(trickyKeys[i-1]), uint64(math.MaxUint64), []byte("\xff"), uint32(1), []byte(trickyKeys[i]), uint64(0), []byte{})
		f.Add(uint32(i), []byte("k"), uint64(0), []byte("a"), uint32(i+255), []byte("k"), uint64(0), []byte("b"))
		f.Add(uint32(1), []byte("k"), uint64(i), []byte(trickyKeys[i]), uint32(1), []byte("k"), uint64(i), []byte(trickyKeys[i-1]))
	}
	f.Fuzz(func(t *testing.T, nsA uint32, keyA []byte, versionA uint64, memberA []byte, nsB uint32, keyB []byte, versionB uint64, memberB []byte) {
		a, b := place{nsA, string(keyA)}, place{nsB, string(keyB)}
		indexA, indexB := leading(memberA), leading(memberB)
		scoreA, scoreB := float64(int64(indexA)), float64(int64(indexB))
		keysA := dataKeys(a, versionA, indexA, scoreA, string(memberA))
		keysB := dataKeys(b, versionB, indexB, scoreB, string(memberB))
		if got, want := bytes.Compare(AppendMetaKey(nil, nsA, keyA), AppendMetaKey(nil, nsB, keyB)), a.compare(b); got != want {
			t.Errorf("meta keys of %v and %v compare as %d, want %d", a, b, got, want)
		}
		member := bytes.Compare(memberA, memberB)
		index := cmp.Compare(indexA, indexB)
		within := []int{member, index, cmp.Or(cmp.Compare(scoreA, scoreB), member), index, 0, 0}
		for i := range keysA {
			want := a.compare(b)
			if want == 0 {
				if versionA != versionB {
					continue // nothing orders by version
				}
				want = within[i]
			}
			if got := bytes.Compare(keysA[i], keysB[i]); got != want {
				t.Errorf("%s keys\n%x\n%x\ncompare as %d, want %d", Family(keysA[i][0]), keysA[i], keysB[i], got, want)
			}
		}
	})
}

// leading makes a number of a member, so that the fuzzer steers it.
func leading(b []byte) uint64 {
	return binary.BigEndian.Uint64(append(bytes.Clone(b[:min(len(b), 8)]), make([]byte, 8)...))
}

// TestDataLiesInTheOrderOfMeta is what cleaning and verifying rely on: one walk
// over meta records and one over data records, neither ever stepping back,
// finds the owner of every element and every element without one.
func TestDataLiesInTheOrderOfMeta(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		places := rapid.SliceOfNDistinct(placeGen(), 1, 30, func(p place) place { return p }).Draw(t, "places")
		owned := map[place]bool{}
		var metas [][]byte
		families := make([][][]byte, 6)
		for _, p := range places {
			owned[p] = rapid.Bool().Draw(t, "owned")
			if owned[p] {
				metas = append(metas, AppendMetaKey(nil, p.ns, []byte(p.key)))
			}
			for range rapid.IntRange(1, 4).Draw(t, "elements") {
				keys := dataKeys(p, rapid.Uint64().Draw(t, "version"), rapid.Uint64().Draw(t, "index"),
					rapid.Float64().Draw(t, "score"), keyGen().Draw(t, "member"))
				for i, key := range keys {
					families[i] = append(families[i], key)
				}
			}
		}
		slices.SortFunc(metas, bytes.Compare)
		for _, data := range families {
			slices.SortFunc(data, bytes.Compare)
			if want := mergeOwners(t, metas, data, owned); want != 0 {
				t.Fatalf("%d elements of %s got the wrong answer", want, Family(data[0][0]))
			}
		}
	})
}

// mergeOwners walks both lists once and counts the elements whose owner it
// found wrongly.
func mergeOwners(t *rapid.T, metas, data [][]byte, owned map[place]bool) (wrong int) {
	for _, key := range data {
		_, ns, home, _, _, err := ParseDataPrefix(key)
		if err != nil {
			t.Fatal(err)
		}
		// The order of the bytes between family and version, and nothing else.
		mine := key[1 : 1+4+len(AppendEscaped(nil, home))]
		for len(metas) > 0 && bytes.Compare(metas[0][1:], mine) < 0 {
			metas = metas[1:]
		}
		found := len(metas) > 0 && bytes.Equal(metas[0][1:], mine)
		if found != owned[place{ns, string(home)}] {
			wrong++
		}
	}
	return wrong
}

func TestNamespacesLieInTheOrderOfTheirIDs(t *testing.T) {
	ids := []uint32{0, 1, 2, 255, 256, 65535, 65536, 1 << 24, math.MaxUint32 - 1, math.MaxUint32}
	for _, f := range []Family{FamilyMeta, FamilyMember, FamilyCounter, FamilyIdempotency, FamilyChange} {
		for i := 1; i < len(ids); i++ {
			low, high := AppendPrefix(nil, f, ids[i-1]), AppendPrefix(nil, f, ids[i])
			end := PrefixEnd(low)
			last := append(low, "\xff\xff\xff"...)
			if bytes.Compare(last, end) >= 0 || bytes.Compare(end, high) > 0 {
				t.Errorf("%s: namespace %d holds %x, ends at %x; namespace %d begins at %x", f, ids[i-1], last, end, ids[i], high)
			}
		}
	}
}

// FuzzExpiryOrder holds two records of one shard against each other: the sooner
// comes first, and a bound divides those that are due from the others.
func FuzzExpiryOrder(f *testing.F) {
	f.Add(int64(255), uint32(1), []byte("a\x00"), int64(256), uint32(0), []byte("a"))
	f.Add(int64(1), uint32(1), []byte("a"), int64(1), uint32(1), []byte("a\x00"))
	f.Add(int64(MaxTime), uint32(2), []byte{}, int64(1767225600123), uint32(1), []byte("\xff"))
	f.Add(int64(-1), uint32(0), []byte{}, int64(math.MaxInt64), uint32(0), []byte{})
	f.Fuzz(func(t *testing.T, msA int64, nsA uint32, keyA []byte, msB int64, nsB uint32, keyB []byte) {
		a, b := place{nsA, string(keyA)}, place{nsB, string(keyB)}
		want := cmp.Or(cmp.Compare(clampDue(msA), clampDue(msB)), a.compare(b))
		expiryA, expiryB := AppendExpiryKey(nil, 7, msA, nsA, keyA, 9), AppendExpiryKey(nil, 7, msB, nsB, keyB, 9)
		if got := bytes.Compare(expiryA, expiryB); got != want {
			t.Errorf("%d %v and %d %v compare as %d, want %d", msA, a, msB, b, got, want)
		}
		fieldA := AppendFieldExpiryKey(nil, 7, msA, nsA, keyA, 9, []byte("f"))
		fieldB := AppendFieldExpiryKey(nil, 7, msB, nsB, keyB, 9, []byte("f"))
		if got := bytes.Compare(fieldA, fieldB); got != want {
			t.Errorf("fields: %d %v and %d %v compare as %d, want %d", msA, a, msB, b, got, want)
		}
		due := bytes.Compare(expiryA, AppendExpiryBound(nil, FamilyExpiry, 7, msB)) < 0
		if want := clampDue(msA) < clampTime(msB); due != want {
			t.Errorf("due before %d with expiry %d: %v", msB, msA, due)
		}
	})
}

// clampDue is the time an expiry key holds.
func clampDue(ms int64) int64 { return min(max(ms, 1), MaxTime) }

func TestExpiryShardsAreFrozen(t *testing.T) {
	for key, want := range map[string]byte{"": 0x5, "a": 0xc, "foobar": 0x8} { // 811c9dc5, e40c292c, bf9cf968
		if got := ExpiryShard([]byte(key)); got != want {
			t.Errorf("%q lies in shard %d, want %d", key, got, want)
		}
	}
	var used [ExpiryShards]int
	for i := range 16000 {
		used[ExpiryShard(binary.AppendUvarint([]byte("session:"), uint64(i)))]++
	}
	for shard, n := range used {
		if n < 500 || n > 2000 {
			t.Errorf("shard %d holds %d of 16000 keys", shard, n)
		}
	}
}

// TestNoKeyIsReservedByBadger: field expiry keys start with '!', as the engine's
// own do.
func TestNoKeyIsReservedByBadger(t *testing.T) {
	for shard := range byte(ExpiryShards) {
		key := AppendFieldExpiryKey(nil, shard, MaxTime, 0, nil, 0, nil)
		if bytes.HasPrefix(key, []byte("!badger!")) || key[1] == 'b' {
			t.Errorf("%x is the engine's own", key)
		}
	}
	for f := range familyNames {
		if f != FamilyFieldExpiry && byte(f) == '!' {
			t.Errorf("family %s starts as the engine's own keys do", f)
		}
	}
}
