package main

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"keypact/encoding"
	"keypact/store/kv"
	"keypact/store/kv/badger"
)

// report is what tests read of the JSON of verify.
type report struct {
	Clean     bool
	Records   uint64
	Elements  uint64
	Contracts *struct{ Marked, Violating uint64 }
	Codes     []struct {
		Code  string
		Count uint64
	}
	Faults []struct {
		Code, Detail string
		Key          any
		Repairable   bool
	}
	Repaired []struct{ Code string }
}

func parseReport(t *testing.T, text string) (r report) {
	t.Helper()
	if err := json.Unmarshal([]byte(text), &r); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return r
}

// servedStore is a directory that a service has filled and closed.
func servedStore(t *testing.T, arguments ...string) string {
	t.Helper()
	dir := t.TempDir()
	p := start(t, dir, arguments...)
	expect(t, 201, "PUT", p.URL+"/hash/h/fields", `{"fields":{"a":"1","b":"2"}}`)
	expect(t, 201, "PUT", p.URL+"/zset/z/members", `{"members":[{"member":"m","score":1.5}]}`)
	expect(t, 201, "PUT", p.URL+"/string/%FF", `{"value":"v"}`)
	if answer := parseReport(t, expect(t, 200, "GET", p.URL+"/admin/verify", "")); !answer.Clean || answer.Elements != 3 {
		t.Errorf("the service says %+v", answer)
	}
	if said := keypact(t, exitUnverified, "verify", "--data", dir); !strings.Contains(said, "in use") {
		t.Errorf("beside a service it said %s", said)
	}
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	return dir
}

// damage writes to a store past everything but the engine.
func damage(t *testing.T, dir string, write func(tx kv.Txn) error) {
	t.Helper()
	engine, err := badger.Open(badger.Options{Dir: dir, MinFreeBytes: -1})
	if err != nil {
		t.Fatal(err)
	}
	if err := engine.Update(t.Context(), write); err != nil {
		t.Fatal(err)
	}
	if err := engine.Close(); err != nil {
		t.Fatal(err)
	}
}

// TestVerify: a sound store is clean; faults are told, as text and as JSON, and
// mended on demand; what a repair cannot mend remains.
func TestVerify(t *testing.T) {
	dir := servedStore(t)
	if said := keypact(t, exitOK, "verify", "--data", dir); !strings.Contains(said, "3 keys (1 strings, 1 hashes") || !strings.Contains(said, "\nclean: ") {
		t.Errorf("it said %s", said)
	}
	damage(t, dir, func(tx kv.Txn) error {
		if err := tx.Delete(encoding.AppendMemberKey(nil, 1, []byte("h"), 1, []byte("a"))); err != nil {
			return err
		}
		return tx.Delete(encoding.AppendScoreKey(nil, 1, []byte("z"), 2, 1.5, []byte("m")))
	})
	if said := keypact(t, exitFailed, "verify", "--data", dir); !strings.Contains(said, `count.wrong: key "h"`) {
		t.Errorf("it said %s", said)
	}
	found := parseReport(t, keypact(t, exitFailed, "verify", "--data", dir, "--json", "--limit", "1"))
	if found.Clean || len(found.Faults) != 1 || len(found.Codes) != 2 || found.Faults[0].Key != "h" || !found.Faults[0].Repairable {
		t.Errorf("found %+v", found)
	}
	mended := parseReport(t, keypact(t, exitOK, "verify", "--data", dir, "--json", "--repair"))
	if !mended.Clean || len(mended.Repaired) != 2 {
		t.Errorf("mended %+v", mended)
	}
	p := start(t, dir)
	expect(t, 200, "GET", p.URL+"/zset/z/members/m", "")
	if err := p.Stop(); err != nil {
		t.Fatal(err)
	}
	damage(t, dir, func(tx kv.Txn) error {
		return tx.Set(encoding.AppendMetaKey(nil, 1, []byte{0xfe}), []byte("garbage"))
	})
	left := parseReport(t, keypact(t, exitFailed, "verify", "--data", dir, "--json", "--repair"))
	if key, _ := left.Faults[0].Key.(map[string]any); left.Clean || key["base64"] != "/g==" || left.Faults[0].Repairable {
		t.Errorf("left %+v", left)
	}
}

// TestVerifyContracts: marks are held against the contracts they are of. Keys
// without a mark are counted, and faults only on demand.
func TestVerifyContracts(t *testing.T) {
	yaml := "format: 1\ncontracts: {h: {key: 'h', type: hash, fields: {a: {type: integer}}, additionalFields: true}}"
	file := writeFile(t, t.TempDir(), "c.yaml", yaml)
	dir := servedStore(t, "--contracts", file)
	first := parseReport(t, keypact(t, exitOK, "verify", "--data", dir, "--contracts", file, "--json"))
	if !first.Clean || first.Contracts.Marked != 1 {
		t.Errorf("sound: %+v", first)
	}
	key := encoding.AppendMemberKey(nil, 1, []byte("h"), 1, []byte("a"))
	damage(t, dir, func(tx kv.Txn) error {
		raw, err := tx.Get(nil, key)
		if err != nil {
			return err
		}
		return tx.Set(key, append(raw[:len(raw)-1], 'x'))
	})
	keypact(t, exitOK, "verify", "--data", dir)
	found := parseReport(t, keypact(t, exitFailed, "verify", "--data", dir, "--contracts", file, "--json"))
	if len(found.Faults) != 1 || found.Faults[0].Code != "contract.untrue" {
		t.Errorf("found %+v", found)
	}
	mended := parseReport(t, keypact(t, exitOK, "verify", "--data", dir, "--contracts", file, "--json", "--repair"))
	if mended.Contracts.Marked != 0 || mended.Contracts.Violating != 1 {
		t.Errorf("mended %+v", mended)
	}
	strict := parseReport(t, keypact(t, exitFailed, "verify", "--data", dir, "--contracts", file, "--json", "--strict"))
	if strict.Faults[0].Code != "contract.violated" {
		t.Errorf("strict: %+v", strict)
	}
}

// TestVerifyDamagedTable: a damaged block is told, and nothing is mended beside
// it, though records are missing.
func TestVerifyDamagedTable(t *testing.T) {
	dir := servedStore(t)
	tables, err := filepath.Glob(filepath.Join(dir, "*.sst"))
	if err != nil || len(tables) == 0 {
		t.Fatalf("tables %v, %v", tables, err)
	}
	content, err := os.ReadFile(tables[0])
	if err != nil {
		t.Fatal(err)
	}
	content[10] ^= 0x40
	if err := os.WriteFile(tables[0], content, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, arguments := range [][]string{{}, {"--repair"}} {
		found := parseReport(t, keypact(t, exitFailed, append([]string{"verify", "--data", dir, "--json"}, arguments...)...))
		if len(found.Repaired) > 0 || found.Faults[0].Code != "checksum.wrong" || found.Faults[0].Repairable {
			t.Errorf("%q: %+v", arguments, found)
		}
	}
}

// TestVerifyDamagedLog: what a killed service left in a log is read, and a log
// whose middle is damaged is told before opening it cuts it off.
func TestVerifyDamagedLog(t *testing.T) {
	dir := t.TempDir()
	p := start(t, dir)
	for _, key := range []string{"a", "b", "c"} {
		expect(t, 201, "PUT", p.URL+"/string/"+key, `{"value":"v"}`)
	}
	p.Kill()
	sound, damaged := t.TempDir(), t.TempDir()
	for _, to := range []string{sound, damaged} {
		if err := os.CopyFS(to, os.DirFS(dir)); err != nil {
			t.Fatal(err)
		}
	}
	if said := keypact(t, exitOK, "verify", "--data", sound); !strings.Contains(said, "3 keys") {
		t.Errorf("it said %s", said)
	}
	logs, err := filepath.Glob(filepath.Join(damaged, "*.mem"))
	if err != nil || len(logs) == 0 {
		t.Fatalf("logs %v, %v", logs, err)
	}
	file, err := os.OpenFile(logs[0], os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := file.WriteAt([]byte{0xaa}, 60); err != nil {
		t.Fatal(err)
	}
	if err := file.Close(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if said := keypact(t, exitFailed, "verify", "--data", damaged, "--repair"); !strings.Contains(said, "log.damaged") {
			t.Errorf("it said %s", said)
		}
	}
}

// TestVerifyRefuses: it makes no store and needs readable contracts.
func TestVerifyRefuses(t *testing.T) {
	dir := t.TempDir()
	for _, test := range []struct {
		says string
		args []string
	}{
		{"no store in", []string{"--data", dir}},
		{"no store in", []string{"--data", filepath.Join(dir, "none")}},
		{"--limit", []string{"--data", dir, "--limit", "0"}},
	} {
		if said := keypact(t, exitUnverified, append([]string{"verify"}, test.args...)...); !strings.Contains(said, test.says) {
			t.Errorf("%q said %s", test.args, said)
		}
	}
	checkFolder(t, dir)
	if said := keypact(t, exitOK, "verify", "--help"); !strings.Contains(said, "--repair") {
		t.Errorf("it said %s", said)
	}
}

// TestRestoreVerifies: a backup of a store that is not sound is restored, and
// that is said.
func TestRestoreVerifies(t *testing.T) {
	dir, again := servedStore(t), filepath.Join(t.TempDir(), "again")
	damage(t, dir, func(tx kv.Txn) error {
		return tx.Delete(encoding.AppendMemberKey(nil, 1, []byte("h"), 1, []byte("a")))
	})
	file := filepath.Join(t.TempDir(), "file")
	keypact(t, exitOK, "backup", "--to", file, "--data", dir)
	if said := keypact(t, exitFailed, "restore", "--from", file, "--data", again); !strings.Contains(said, "count.wrong") || !strings.Contains(said, "not sound") {
		t.Errorf("it said %s", said)
	}
	keypact(t, exitOK, "verify", "--data", again, "--repair")
}
