package command

import "testing"

func TestClassesOfEvents(t *testing.T) {
	for letters, want := range map[string]string{
		"": "", "KEA": "AKE", "KEAn": "AKE", "KEAm": "AKEm", "KEn": "nKE", "Kgn": "gnK", "Knm": "nKm", "Kd": "dK",
		"gd": "gd", "xedt": "xetd", "$lshzxeKE": "$lshzxeKE", "gKE": "gKE", "g$lshzxetdK": "AK",
	} {
		got, ok := parseClasses(letters)
		if !ok || got.String() != want {
			t.Errorf("%q is %q, %v; want %q", letters, got, ok, want)
		}
	}
	if _, ok := parseClasses("KEQ"); ok {
		t.Error("an unknown letter was taken")
	}
}

func TestEventsAreOnlyGatheredForSomebody(t *testing.T) {
	var n notify
	for letters, want := range map[string]bool{"": false, "K": false, "A": false, "KA": true, "Eg": true, "lh": false} {
		if got := n.set(letters); got != want {
			t.Errorf("%q: %v, want %v", letters, got, want)
		}
	}
}
