# Keypact: `make help` lists what there is.

GO      ?= go
ADDR    ?= 127.0.0.1:8080
DATA    ?= ./data
VERSION ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo dev)
TOOL     = $(GO) tool -modfile=scripts/tools/go.mod

# Debian packages that the tests and the benchmarks start or read.
TEST_PACKAGES  = bash curl jq redis-server iso-codes wamerican chromium
BENCH_PACKAGES = curl redis-server webdis wrk

# Parts of the bench that ask whether size matters: of a collection, of a store.
LARGE_PARTS = rank,treecost,discard,reclaim,bulk,expire,queue,overhead,space,memory

.DEFAULT_GOAL := help
.PHONY: help run build test check fuzz bench benchlarge soak vuln docker clean

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z]+:.*## / {printf "  make %-10s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

run: build ## build and serve on ADDR with the store in DATA and the example contracts
	exec ./bin/keypact serve --addr $(ADDR) --data $(DATA) --contracts examples/contracts.yaml

build: ## build the static binary into bin/
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags "-s -w -X main.version=$(VERSION)" -o bin/keypact .

test: ## run every test with the race detector (installs what they need)
	@scripts/packages.sh $(TEST_PACKAGES)
	@scripts/test.sh

check: ## gofmt, vet, staticcheck and the rule of who may import whom
	@scripts/gofmt.sh
	$(GO) vet ./...
	$(TOOL) staticcheck ./...
	$(GO) test -run '^TestArch' .

fuzz: ## run every fuzz target for FUZZTIME (default 30s)
	@scripts/fuzz.sh

bench: build ## measure beside Webdis and Redis; writes bench/RESULTS.md
	@scripts/packages.sh $(BENCH_PACKAGES)
	$(GO) run ./bench -keypact bin/keypact -only grouping,readers,peers,start -out bench/RESULTS.md

benchlarge: build ## what the size of a collection costs; writes bench/LARGE.md
	$(GO) run ./bench -keypact bin/keypact -only $(LARGE_PARTS) -out bench/LARGE.md

soak: ## the long forms of the crash, model and fuzz tests
	@scripts/packages.sh $(TEST_PACKAGES)
	@scripts/soak.sh

vuln: ## look up known vulnerabilities (needs the vulnerability database)
	$(TOOL) govulncheck ./...

docker: ## build the image with docker or buildah
	@scripts/image.sh

clean: ## remove what was built; the data in DATA stays
	rm -rf bin
