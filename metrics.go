package main

import (
	"context"
	"net/http"
	"runtime"
	"strconv"
	"sync"
	"time"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/prometheus/client_golang/prometheus/collectors"
	"github.com/prometheus/client_golang/prometheus/promhttp"

	"keypact/contracts"
	"keypact/store"
	"keypact/store/kv/badger"
)

// metrics are the figures at /metrics. No label holds a key, a value or other
// text from a request.
type metrics struct {
	registry   *prometheus.Registry
	requests   *prometheus.CounterVec
	latency    *prometheus.HistogramVec
	violations *prometheus.CounterVec
	groups     prometheus.Histogram
	commit     prometheus.Histogram
	records    prometheus.Counter
	bytes      prometheus.Counter
	reloads    *prometheus.CounterVec
	stale      prometheus.Gauge
}

func newMetrics() *metrics {
	m := &metrics{
		registry: prometheus.NewRegistry(),
		requests: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "keypact_http_requests_total",
			Help: "Requests answered, by route, method and status."}, []string{"route", "method", "status"}),
		latency: prometheus.NewHistogramVec(prometheus.HistogramOpts{Name: "keypact_http_request_seconds",
			Help:    "Time from a request's header to the end of its answer, waits included.",
			Buckets: prometheus.ExponentialBuckets(0.000_1, 2.5, 14)}, []string{"route", "method"}),
		violations: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "keypact_contract_violations_total",
			Help: "Broken rules, by contract (empty: keys without one), code, and mode: enforce rejects, warn lets pass."},
			[]string{"contract", "code", "mode"}),
		groups: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "keypact_commit_group_size",
			Help: "Writes that shared one commit.", Buckets: prometheus.ExponentialBuckets(1, 2, 12)}),
		commit: prometheus.NewHistogram(prometheus.HistogramOpts{Name: "keypact_commit_seconds",
			Help: "Time to write one commit and sync it.", Buckets: prometheus.ExponentialBuckets(0.000_05, 2.5, 13)}),
		records: prometheus.NewCounter(prometheus.CounterOpts{Name: "keypact_commit_records_total", Help: "Records written."}),
		bytes: prometheus.NewCounter(prometheus.CounterOpts{Name: "keypact_commit_bytes_total",
			Help: "Bytes of keys and values written."}),
		reloads: prometheus.NewCounterVec(prometheus.CounterOpts{Name: "keypact_contracts_reloads_total",
			Help: "Reloads of the contracts, by result: applied, or refused and the last good set kept."}, []string{"result"}),
		stale: prometheus.NewGauge(prometheus.GaugeOpts{Name: "keypact_contracts_stale",
			Help: "1 if the last reload was refused, so that the set in force is older than the files."}),
	}
	info := prometheus.NewGauge(prometheus.GaugeOpts{Name: "keypact_build_info", Help: "Always 1.",
		ConstLabels: prometheus.Labels{"version": versionText(), "go": runtime.Version()}})
	info.Set(1)
	m.registry.MustRegister(m.requests, m.latency, m.violations, m.groups, m.commit, m.records, m.bytes, m.reloads, m.stale, info,
		collectors.NewGoCollector(), collectors.NewProcessCollector(collectors.ProcessCollectorOpts{}))
	for _, result := range []string{reloadApplied, reloadRefused} {
		m.reloads.WithLabelValues(result)
	}
	return m
}

// handler answers a scrape.
func (m *metrics) handler() http.Handler {
	return promhttp.HandlerFor(m.registry, promhttp.HandlerOpts{Timeout: 10 * time.Second})
}

// Observe counts one answered request. The route is the pattern that matched,
// never the path.
func (m *metrics) Observe(route, method string, status int, took time.Duration) {
	m.requests.WithLabelValues(route, method, strconv.Itoa(status)).Inc()
	m.latency.WithLabelValues(route, method).Observe(took.Seconds())
}

// observeCommit counts one group of writes.
func (m *metrics) observeCommit(requests, records, bytes int, took time.Duration) {
	m.groups.Observe(float64(requests))
	m.commit.Observe(took.Seconds())
	m.records.Add(float64(records))
	m.bytes.Add(float64(bytes))
}

// observeViolations counts what contracts rejected or warned of.
func (m *metrics) observeViolations(list []store.Violation) {
	for _, v := range list {
		m.violations.WithLabelValues(v.Contract, v.Code, string(v.Mode)).Inc()
	}
}

// figures are what the store and its engine can tell when asked.
type figures struct {
	Keys, Waiting int64
	Reclaiming    store.Reclaiming
	Engine        badger.Stats
	Contracts     []*contracts.Contract
}

// watch makes each scrape ask for the figures.
func (m *metrics) watch(ask func(context.Context) figures) {
	m.registry.MustRegister(&storeCollector{ask: ask})
}

// storeCollector asks the store for its figures once per scrape.
type storeCollector struct {
	mu  sync.Mutex
	ask func(context.Context) figures
}

func described(name, help string, labels ...string) *prometheus.Desc {
	return prometheus.NewDesc("keypact_"+name, help, labels, nil)
}

var (
	descKeys     = described("keys", "Keys in a namespace, expired ones included until they are reclaimed.", "namespace")
	descBacklog  = described("reclaim_backlog", "Deleted or replaced collections whose records are still on disk.")
	descOldest   = described("reclaim_oldest_seconds", "How long the oldest of them has waited; 0 if none does.")
	descDead     = described("reclaimed_records_total", "Records of deleted or replaced collections taken off the disk.")
	descExpired  = described("expired_keys_total", "Keys taken off the disk because their time was over.")
	descWaiting  = described("waiters", "Blocking pops that wait.")
	descQueued   = described("commit_queue", "Writes that wait for their turn.")
	descSize     = described("store_bytes", "Bytes on disk, by part: tables or logs.", "part")
	descFree     = described("free_bytes", "Free space in the file system of the store; -1 if unknown.")
	descFull     = described("full", "1 if free space is below the watermark, so that writes are refused.")
	descSyncs    = described("syncs_total", "Syncs of the log.")
	descSyncTime = described("sync_seconds_total", "Time spent in syncs.")
	descLevel    = described("engine_level_bytes", "Bytes of the tables on a level.", "level")
	descStale    = described("engine_stale_bytes", "Bytes of deletions in tables that still hide deleted data below.")
	descGiving   = described("engine_compaction_running", "1 while deleted data is being taken off the disk.")
	descRounds   = described("engine_compaction_rounds_total", "Times that deleted data was taken off the disk.")
	descGiven    = described("engine_compaction_reclaimed_bytes_total", "Bytes by which that made the tables smaller.")
	descRound    = described("engine_compaction_last_seconds", "How long the last time took.")
	descRevision = described("contract_revision", "Revision of a contract in force.", "contract", "mode")
)

// Describe names the metrics that Collect gives.
func (c *storeCollector) Describe(to chan<- *prometheus.Desc) {
	for _, d := range []*prometheus.Desc{descKeys, descBacklog, descOldest, descDead, descExpired, descWaiting, descQueued, descSize, descFree, descFull, descSyncs, descSyncTime, descLevel, descStale, descGiving, descRounds, descGiven, descRound, descRevision} {
		to <- d
	}
}

// scrapePatience bounds the question to the store.
const scrapePatience = 5 * time.Second

// Collect asks and reports.
func (c *storeCollector) Collect(to chan<- prometheus.Metric) {
	c.mu.Lock()
	defer c.mu.Unlock()
	ctx, cancel := context.WithTimeout(context.Background(), scrapePatience)
	defer cancel()
	f := c.ask(ctx)
	gauge := func(d *prometheus.Desc, value float64, labels ...string) {
		to <- prometheus.MustNewConstMetric(d, prometheus.GaugeValue, value, labels...)
	}
	gauge(descKeys, float64(f.Keys), store.DefaultNamespace)
	gauge(descBacklog, float64(f.Reclaiming.Backlog))
	gauge(descOldest, f.Reclaiming.Oldest.Seconds())
	to <- prometheus.MustNewConstMetric(descDead, prometheus.CounterValue, float64(f.Reclaiming.Reclaimed))
	to <- prometheus.MustNewConstMetric(descExpired, prometheus.CounterValue, float64(f.Reclaiming.Expired))
	gauge(descWaiting, float64(f.Waiting))
	e := f.Engine
	gauge(descQueued, float64(e.Queued))
	gauge(descSize, float64(e.LSMBytes), "tables")
	gauge(descSize, float64(e.LogBytes), "logs")
	gauge(descFree, float64(e.FreeBytes))
	flag := func(d *prometheus.Desc, is bool) {
		if is {
			gauge(d, 1)
		} else {
			gauge(d, 0)
		}
	}
	flag(descFull, e.Full)
	flag(descGiving, e.Giving)
	count := func(d *prometheus.Desc, value float64) {
		to <- prometheus.MustNewConstMetric(d, prometheus.CounterValue, value)
	}
	count(descSyncs, float64(e.Syncs))
	count(descSyncTime, e.SyncTime.Seconds())
	for level, bytes := range e.Levels {
		gauge(descLevel, float64(bytes), strconv.Itoa(level))
	}
	gauge(descStale, float64(e.Stale))
	count(descRounds, float64(e.Rounds))
	count(descGiven, float64(e.Reclaimed))
	gauge(descRound, e.Round.Took.Seconds())
	for _, contract := range f.Contracts {
		gauge(descRevision, float64(contract.Revision), contract.Name, string(contract.Mode))
	}
}
