package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"time"

	"keypact/bench/process"
)

// measureGrouping: the same service, once with groups and once with a sync for
// each write.
func measureGrouping(ctx context.Context, s settings, doc *report) error {
	grouped, err := startKeypact(s, "grouped")
	if err != nil {
		return err
	}
	defer grouped.Kill()
	alone, err := startKeypact(s, "alone", "--group-commit=false")
	if err != nil {
		return err
	}
	defer alone.Kill()
	put := func(p *process.Process) load { return load{p.URL, "PUT", "/string/k%d", s.keys, 64} }
	rates, err := inTurns(ctx, s, put(grouped), put(alone))
	if err != nil {
		return err
	}
	doc.section("One sync for many writes", "PUT of a string at 64 connections, answered after the sync (`--durability always`), beside the same\nbinary with `--group-commit=false`, where each write syncs for itself. Asked for: at least 4 times.")
	doc.table([]string{"", "PUT/s", "ratio"}, [][]string{
		{"a sync per write", thousands(rates[1]), "1"},
		{"group commit", thousands(rates[0]), "**" + ratio(rates[0], rates[1]) + "**"},
	})
	return nil
}

// measureReaders: the slowest hundredth of reads, alone and beside writers.
func measureReaders(ctx context.Context, s settings, doc *report) error {
	p, err := startKeypact(s, "readers")
	if err != nil {
		return err
	}
	defer p.Kill()
	if err := preload(ctx, p.URL, s.keys); err != nil {
		return err
	}
	reads := load{p.URL, "GET", "/string/k%d", s.keys, 16}
	writes := load{p.URL, "PUT", "/string/k%d", s.keys, 16}
	var alone, beside, rateAlone, rateBeside, rateWrites []float64
	for range s.rounds {
		got, err := reads.run(ctx, s)
		if err != nil {
			return err
		}
		alone, rateAlone = append(alone, float64(got.p99)), append(rateAlone, got.rate)
		wrote := make(chan sample, 1)
		failed := make(chan error, 1)
		go func() {
			got, err := writes.run(ctx, s)
			wrote <- got
			failed <- err
		}()
		got, err = reads.run(ctx, s)
		writer := <-wrote
		if err := firstError(err, <-failed); err != nil {
			return err
		}
		beside, rateBeside = append(beside, float64(got.p99)), append(rateBeside, got.rate)
		rateWrites = append(rateWrites, writer.rate)
	}
	doc.section("Readers beside synced writers", "GET of a string at 16 connections, alone and beside 16 connections that PUT with `--durability always`.\nBoth generators share the machine with the service. Asked for: the 99th percentile within 3 times.")
	doc.table([]string{"", "GET/s", "p99", "ratio", "PUT/s"}, [][]string{
		{"alone", thousands(median(rateAlone)), millis(time.Duration(median(alone))), "1", ""},
		{"beside writers", thousands(median(rateBeside)), millis(time.Duration(median(beside))), "**" + ratio(median(beside), median(alone)) + "**", thousands(median(rateWrites))},
	})
	return nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// measurePeers: reads and writes beside Webdis in front of Redis.
func measurePeers(ctx context.Context, s settings, doc *report) error {
	doc.section("Beside Webdis in front of Redis", fmt.Sprintf("%s keys of 64-byte values are there before; 32 connections. Redis keeps everything in memory and an\nappend-only file; Keypact keeps everything on disk and checks contracts. Beating them is not claimed here.", thousands(float64(s.keys))))
	var rows [][]string
	for _, level := range []struct{ durability, fsync string }{{"always", "always"}, {"interval", "everysec"}} {
		more, err := besidePeer(ctx, s, level.durability, level.fsync)
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	doc.table([]string{"", "Keypact/s", "Webdis + Redis/s", "ratio"}, rows)
	return nil
}

func besidePeer(ctx context.Context, s settings, durability, fsync string) ([][]string, error) {
	p, err := startKeypact(s, "peers-"+durability, "--durability", durability)
	if err != nil {
		return nil, err
	}
	defer p.Kill()
	redis, err := startPeer(ctx, s, fsync)
	defer redis.stop()
	if err != nil {
		return nil, err
	}
	if err := firstError(preload(ctx, p.URL, s.keys), preloadPeer(ctx, redis, s.keys)); err != nil {
		return nil, err
	}
	var rows [][]string
	for _, method := range []string{"GET", "PUT"} {
		command := map[string]string{"GET": "/GET/k%d", "PUT": "/SET/k%d"}[method]
		rates, err := inTurns(ctx, s, load{p.URL, method, "/string/k%d", s.keys, 32}, load{redis.url, method, command, s.keys, 32})
		if err != nil {
			return nil, err
		}
		rows = append(rows, []string{fmt.Sprintf("%s, durability %s / appendfsync %s", method, durability, fsync),
			thousands(rates[0]), thousands(rates[1]), ratio(rates[0], rates[1])})
	}
	return rows, nil
}

// measureStart: time until the service answers, and the memory it keeps.
func measureStart(ctx context.Context, s settings, doc *report) error {
	empty, err := startTimes(s, func(round int) string { return "empty-" + strconv.Itoa(round) })
	if err != nil {
		return err
	}
	p, err := startKeypact(s, "large", "--durability", "none")
	if err != nil {
		return err
	}
	defer p.Kill()
	if err := preload(ctx, p.URL, s.large); err != nil {
		return err
	}
	loaded, err := anonymousMemory(p.PID)
	if err != nil {
		return err
	}
	if err := p.Stop(); err != nil {
		return err
	}
	large, err := startTimes(s, func(int) string { return "large" })
	if err != nil {
		return err
	}
	keys := thousands(float64(s.large))
	doc.section("Start and memory", "From the start of the process until it listens, and the anonymous resident memory of the process then, without\nload. Asked for: 0.5 s and 100 MB with an empty store, 3 s with 1,000,000 keys.")
	doc.table([]string{"store", "start", "memory"}, [][]string{
		{"empty", millis(empty.took), megabytes(empty.memory)},
		{keys + " small keys", millis(large.took), megabytes(large.memory)},
		{keys + " small keys, just written", "", megabytes(loaded)},
	})
	return nil
}

// started is how one start went.
type started struct {
	took   time.Duration
	memory int64
}

// startTimes starts the service on each round's store and returns the medians.
func startTimes(s settings, store func(round int) string) (started, error) {
	var took, memory []float64
	for round := range s.rounds {
		begin := time.Now()
		p, err := startKeypact(s, store(round))
		if err != nil {
			return started{}, err
		}
		took = append(took, float64(time.Since(begin)))
		bytes, err := anonymousMemory(p.PID)
		if err := firstError(err, p.Stop()); err != nil {
			return started{}, err
		}
		memory = append(memory, float64(bytes))
	}
	return started{time.Duration(median(took)), int64(median(memory))}, nil
}

var rssAnon = regexp.MustCompile(`RssAnon:\s+([0-9]+) kB`)

// anonymousMemory is the resident memory of a process that no file backs.
func anonymousMemory(pid int) (int64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	match := rssAnon.FindSubmatch(status)
	if match == nil {
		return 0, fmt.Errorf("no RssAnon in the status of process %d", pid)
	}
	kilobytes, err := strconv.ParseInt(string(match[1]), 10, 64)
	return kilobytes << 10, err
}

func megabytes(bytes int64) string { return fmt.Sprintf("%.0f MB", float64(bytes)/1e6) }
