package main

import (
	"context"
	"net"
	"path/filepath"
	"strconv"

	"keypact/service/command"
)

// parameters are what CONFIG GET tells of the settings that the program was
// started with.
func (c Config) parameters() map[string]string {
	host, port, err := net.SplitHostPort(c.RESP)
	if err != nil {
		host, port = "", "0"
	}
	sync := map[string]string{"always": "always", "interval": "everysec", "none": "no"}[c.Durability]
	dir, err := filepath.Abs(c.Data)
	if err != nil {
		dir = c.Data
	}
	return map[string]string{
		"bind": host, "port": port, "dir": dir, "appendfsync": sync,
		"maxclients": strconv.Itoa(c.Connections),
	}
}

// info is what the engine adds to INFO.
func (a *app) info(context.Context) []command.Section {
	s := a.engine.Stats()
	line := func(name string, n int64) [2]string { return [2]string{name, strconv.FormatInt(n, 10)} }
	return []command.Section{{Name: "Engine", Lines: [][2]string{
		line("table_bytes", s.LSMBytes), line("log_bytes", s.LogBytes), line("disk_free_bytes", s.FreeBytes),
		line("commits", s.Commits), line("committed_requests", s.Requests), line("syncs", s.Syncs),
		line("queued_requests", int64(s.Queued)), line("stale_bytes", s.Stale), line("space_rounds", s.Rounds),
	}}}
}
