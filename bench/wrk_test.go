package main

import (
	"testing"
	"time"
)

const wrkReport = `Running 5s test @ http://127.0.0.1:1
  1 threads and 32 connections
  Latency Distribution
     50%  441.00us
     99%    1.56ms
  343233 requests in 5.00s, 40.1MB read
Requests/sec:  68641.12
Transfer/sec:      8.01MB
`

func TestParseWrk(t *testing.T) {
	got, err := parseWrk(wrkReport)
	if err != nil || got.rate != 68641.12 || got.p99 != 1560*time.Microsecond {
		t.Errorf("got %+v, %v", got, err)
	}
	for _, bad := range []string{"", "  Non-2xx or 3xx responses: 7\n" + wrkReport, "  Socket errors: connect 0, read 3, write 0, timeout 0\n" + wrkReport} {
		if got, err := parseWrk(bad); err == nil {
			t.Errorf("%q was read as %+v", bad, got)
		}
	}
}

func TestFigures(t *testing.T) {
	for f, want := range map[float64]string{0: "0", 999: "999", 1000: "1,000", 1234567.8: "1,234,568"} {
		if got := thousands(f); got != want {
			t.Errorf("%v is written %s", f, got)
		}
	}
	if got := median([]float64{5, 1, 9}); got != 5 {
		t.Errorf("median is %v", got)
	}
	if ratio(1, 4) != "0.25" || ratio(1, 0) != "-" {
		t.Error("ratios are wrong")
	}
}
