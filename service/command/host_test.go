package command

import "testing"

// want runs commands whose replies are not errors.
func want(t *testing.T, h *Host, commands ...[]string) {
	t.Helper()
	for _, words := range commands {
		if reply, failed := h.ask(words...).(Error); failed {
			t.Fatalf("%q: %s", words, reply)
		}
	}
}
