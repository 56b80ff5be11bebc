package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// load is one kind of traffic on one server.
type load struct {
	url         string // of the server, without a slash at its end
	method      string
	path        string // with %d for the number of the key
	keys        int
	connections int
}

// sample is what one run of wrk saw.
type sample struct {
	rate float64 // answers per second
	p99  time.Duration
}

const valueSize = 64

// script is what wrk runs for each request.
const script = `
math.randomseed(os.time())
local value = string.rep("v", %d)
local headers = {["Content-Type"] = "application/octet-stream"}
request = function()
  local path = string.format("%s", math.random(1, %d))
  if "%s" == "GET" then return wrk.format("GET", path) end
  return wrk.format("PUT", path, headers, value)
end
`

// run sends the load for a while. An answer that is no success is an error.
func (l load) run(ctx context.Context, s settings) (sample, error) {
	file := filepath.Join(s.scratch, l.method+".lua")
	text := fmt.Sprintf(script, valueSize, l.path, l.keys, l.method)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		return sample{}, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.length+30*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, "wrk", "-t1", "-c", strconv.Itoa(l.connections),
		"-d", strconv.Itoa(max(1, int(s.length.Seconds())))+"s", "--latency", "--timeout", "10s", "-s", file, l.url).CombinedOutput()
	if err != nil {
		return sample{}, fmt.Errorf("wrk: %w\n%s", err, out)
	}
	return parseWrk(string(out))
}

var (
	wrkRate = regexp.MustCompile(`Requests/sec:\s+([0-9.]+)`)
	wrkP99  = regexp.MustCompile(`99%\s+([0-9.]+)(us|ms|s)\b`)
)

// parseWrk reads wrk's report.
func parseWrk(text string) (sample, error) {
	for _, bad := range []string{"Non-2xx", "Socket errors"} {
		if _, rest, found := strings.Cut(text, bad); found {
			line, _, _ := strings.Cut(rest, "\n")
			return sample{}, fmt.Errorf("wrk: %s%s", bad, line)
		}
	}
	rate, p99 := wrkRate.FindStringSubmatch(text), wrkP99.FindStringSubmatch(text)
	if rate == nil || p99 == nil {
		return sample{}, errors.New("wrk: no figures in\n" + text)
	}
	var s sample
	var err error
	if s.rate, err = strconv.ParseFloat(rate[1], 64); err != nil {
		return s, err
	}
	s.p99, err = time.ParseDuration(p99[1] + p99[2])
	return s, err
}

// inTurns runs several loads one after another, so many rounds, and returns
// the median rate of each.
func inTurns(ctx context.Context, s settings, loads ...load) ([]float64, error) {
	rates := make([][]float64, len(loads))
	for range s.rounds {
		for i, l := range loads {
			got, err := l.run(ctx, s)
			if err != nil {
				return nil, err
			}
			rates[i] = append(rates[i], got.rate)
		}
	}
	medians := make([]float64, len(loads))
	for i := range rates {
		medians[i] = median(rates[i])
	}
	return medians, nil
}
