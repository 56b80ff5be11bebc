package command

import (
	"context"
	"fmt"
	"os"
	"runtime"
	"slices"
	"strconv"
	"strings"

	"keypact/service"
)

func infoCommands() []*Command {
	return []*Command{{
		Name: "INFO", Arity: -1, Flags: Loading | Stale, Group: "server", Since: "1.0.0",
		Summary: "Tells of the service, section by section", talk: info,
	}}
}

// infoSection is one section of INFO.
type infoSection struct {
	name  string
	extra bool // not among those told unless asked for
	lines func(h *Host, f service.Figures) [][2]string
}

// infoSections are the sections in the order in which INFO tells them.
var infoSections = []infoSection{
	{"Server", false, (*Host).infoServer},
	{"Clients", false, (*Host).infoClients},
	{"Memory", false, (*Host).infoMemory},
	{"Persistence", false, (*Host).infoPersistence},
	{"Stats", false, (*Host).infoStats},
	{"Replication", false, (*Host).infoReplication},
	{"CPU", false, (*Host).infoCPU},
	{"Commandstats", true, func(h *Host, _ service.Figures) [][2]string { return h.counters.lines() }},
	{"Cluster", false, func(*Host, service.Figures) [][2]string { return [][2]string{{"cluster_enabled", "0"}} }},
	{"Keyspace", false, (*Host).infoKeyspace},
}

// info is INFO [section ...]. default is all sections but the long ones, all and
// everything are all. A section that does not exist is empty.
func info(ctx context.Context, s *Session, a *Args) Reply {
	wanted := make(map[string]bool)
	for a.More() {
		wanted[strings.ToLower(a.Text())] = true
	}
	all := wanted["all"] || wanted["everything"]
	usual := all || wanted["default"] || len(wanted) == 0
	figures, err := s.host.service.Figures(ctx, usual || wanted["keyspace"])
	if err != nil {
		return ErrorReply(err)
	}
	var parts []string
	more := s.host.info(ctx)
	for _, section := range infoSections {
		name := strings.ToLower(section.name)
		lines := section.lines
		if !wanted[name] && !all && (!usual || section.extra) {
			more = without(more, name)
			continue
		}
		parts = append(parts, renderSection(section.name, merge(lines(s.host, figures), linesOf(more, name))))
		more = without(more, name)
	}
	for _, section := range more {
		if usual || wanted[strings.ToLower(section.Name)] {
			parts = append(parts, renderSection(section.Name, section.Lines))
		}
	}
	return Verbatim(strings.Join(parts, "\r\n"))
}

func renderSection(name string, lines [][2]string) string {
	var b strings.Builder
	b.WriteString("# " + name + "\r\n")
	for _, line := range lines {
		b.WriteString(line[0] + ":" + line[1] + "\r\n")
	}
	return b.String()
}

// linesOf are the lines of a section that the program adds, by its name in small
// letters, and without are the other sections.
func linesOf(sections []Section, name string) [][2]string {
	for _, s := range sections {
		if strings.ToLower(s.Name) == name {
			return s.Lines
		}
	}
	return nil
}

func without(sections []Section, name string) []Section {
	return slices.DeleteFunc(slices.Clone(sections), func(s Section) bool { return strings.ToLower(s.Name) == name })
}

// merge puts lines in place of those of the same name, and others behind them.
func merge(lines, more [][2]string) [][2]string {
	for _, line := range more {
		i := slices.IndexFunc(lines, func(old [2]string) bool { return old[0] == line[0] })
		if i < 0 {
			lines = append(lines, line)
			continue
		}
		lines[i] = line
	}
	return lines
}

func decimal[N int | int64 | uint64](n N) string { return strconv.FormatInt(int64(n), 10) }

func (h *Host) infoServer(service.Figures) [][2]string {
	up := h.now().Sub(h.started)
	return [][2]string{
		{"redis_version", redisVersion}, {"redis_mode", "standalone"}, {"keypact_version", h.version},
		{"os", runtime.GOOS + " " + runtime.GOARCH}, {"arch_bits", decimal(strconv.IntSize)}, {"go_version", runtime.Version()},
		{"process_id", decimal(os.Getpid())}, {"run_id", h.runID}, {"tcp_port", h.config.value("port")},
		{"server_time_usec", decimal(h.now().UnixMicro())},
		{"uptime_in_seconds", decimal(int64(up.Seconds()))}, {"uptime_in_days", decimal(int64(up.Hours() / 24))},
		{"hz", h.config.value("hz")}, {"configured_hz", h.config.value("hz")}, {"executable", ""}, {"config_file", ""},
	}
}

func (h *Host) infoClients(f service.Figures) [][2]string {
	open := h.clients.all()
	return [][2]string{
		{"connected_clients", decimal(len(open))}, {"cluster_connections", "0"}, {"maxclients", h.config.value("maxclients")},
		{"blocked_clients", decimal(f.Waiting)}, {"tracking_clients", "0"},
	}
}

func (h *Host) infoMemory(service.Figures) [][2]string {
	m := readMemory()
	most := h.config.number("maxmemory")
	return [][2]string{
		{"used_memory", decimal(m.used)}, {"used_memory_human", human(m.used)},
		{"used_memory_rss", decimal(m.system)}, {"used_memory_rss_human", human(m.system)},
		{"used_memory_peak", decimal(m.peak)}, {"used_memory_peak_human", human(m.peak)},
		{"maxmemory", decimal(most)}, {"maxmemory_human", human(most)}, {"maxmemory_policy", h.config.value("maxmemory-policy")},
		{"mem_fragmentation_ratio", fmt.Sprintf("%.2f", float64(m.system)/float64(max(m.used, 1)))},
		{"mem_allocator", "go"}, {"active_defrag_running", "0"}, {"lazyfree_pending_objects", "0"},
	}
}

// human writes bytes for a person, as Redis does.
func human(n int64) string {
	units := "BKMGTP"
	f, i := float64(n), 0
	for ; f >= 1024 && i < len(units)-1; i++ {
		f /= 1024
	}
	if i == 0 {
		return decimal(n) + "B"
	}
	return fmt.Sprintf("%.2f%c", f, units[i])
}

func (h *Host) infoPersistence(f service.Figures) [][2]string {
	return [][2]string{
		{"loading", "0"}, {"async_loading", "0"},
		{"rdb_changes_since_last_save", decimal(f.Changes - h.savedChanges.Load())}, {"rdb_bgsave_in_progress", "0"},
		{"rdb_last_save_time", decimal(h.saved.Load())}, {"rdb_last_bgsave_status", "ok"},
		{"rdb_last_bgsave_time_sec", "-1"}, {"rdb_current_bgsave_time_sec", "-1"},
		{"aof_enabled", yes(h.config.value("appendonly") == "yes").text()}, {"aof_rewrite_in_progress", "0"},
		{"aof_rewrite_scheduled", "0"}, {"aof_last_bgrewrite_status", "ok"}, {"aof_last_write_status", "ok"},
	}
}

func (n Int) text() string { return decimal(int64(n)) }

func (h *Host) infoStats(f service.Figures) [][2]string {
	channels, patterns := h.broker.size()
	return [][2]string{
		{"total_connections_received", decimal(h.ids.Load() - h.greeted.Load())},
		{"total_commands_processed", decimal(h.processed.Load())},
		{"expired_keys", decimal(f.Expired - h.expired.Load())}, {"evicted_keys", "0"},
		{"pubsub_channels", decimal(channels)}, {"pubsub_patterns", decimal(patterns)},
		{"latest_fork_usec", "0"}, {"total_forks", decimal(h.saves.Load())},
		{"total_error_replies", decimal(h.failures.Load())},
	}
}

func (h *Host) infoReplication(service.Figures) [][2]string {
	return [][2]string{
		{"role", "master"}, {"connected_slaves", "0"}, {"master_failover_state", "no-failover"},
		{"master_replid", h.runID}, {"master_repl_offset", "0"},
	}
}

func (h *Host) infoCPU(service.Figures) [][2]string {
	user, collector := processorSeconds()
	return [][2]string{
		{"used_cpu_user", fmt.Sprintf("%.6f", user+collector)}, {"used_cpu_gc", fmt.Sprintf("%.6f", collector)},
	}
}

func (h *Host) infoKeyspace(f service.Figures) [][2]string {
	var out [][2]string
	for i, space := range f.Spaces {
		if space.Keys > 0 {
			out = append(out, [2]string{"db" + decimal(i),
				fmt.Sprintf("keys=%d,expires=%d,avg_ttl=%d", space.Keys, space.Expiring, space.TTL)})
		}
	}
	return out
}
