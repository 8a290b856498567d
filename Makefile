# `make` lists the targets. Everything needs Go and nothing else, except `race`, which needs a C compiler, and `test`,
# whose needs scripts/test-needs checks.

GO          ?= go
FUZZTIME    ?= 30s
TESTFLAGS   ?=
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2

VERSION   = $(shell git describe --tags --always --dirty 2>/dev/null)
LDFLAGS   = -s -w $(if $(VERSION),-X main.version=$(VERSION))
GO_BUILD  = CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)'
PLATFORMS = linux/amd64 linux/arm64 darwin/amd64 darwin/arm64 windows/amd64 windows/arm64

.PHONY: help build install demo test race fuzz bench bench-micro evidence lint cross sign-system docs

help: ## list the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

build: ## build bin/rye
	$(GO_BUILD) -o bin/rye ./cmd/rye

install: ## build rye into the folder where Go installs programs
	CGO_ENABLED=0 $(GO) install -trimpath -ldflags '$(LDFLAGS)' ./cmd/rye
	@dir=$$($(GO) env GOBIN); dir=$${dir:-$$($(GO) env GOPATH)/bin}; ln -sf rye "$$dir/lillux" # rye under its other name

demo: build ## build rye and run a signed tool: no key, no setup
	bin/rye --output text execute tool:rye/bash --command 'ls'

test: ## run every test; none may be skipped
	scripts/test-needs
	RYE_TEST_DISALLOW_SKIP=1 $(GO) test -timeout 20m $(TESTFLAGS) ./...

race: ## run every test with the race detector
	scripts/test-needs cc
	# Without GORACE each of the many programs that the tests run would sleep for a second before it ends.
	RYE_TEST_DISALLOW_SKIP=1 CGO_ENABLED=1 GORACE=atexit_sleep_ms=0 $(GO) test -race -short -timeout 40m $(TESTFLAGS) ./...

fuzz: ## run each fuzz target for FUZZTIME (30s)
	scripts/fuzz $(FUZZTIME)

bench: ## measure rye beside bare processes
	$(GO) run ./scripts/bench

bench-micro: ## run the Go benchmarks
	$(GO) test -run '^$$' -bench . -benchmem ./...

evidence: ## kill, starve and flood rye, and write what came out to docs/reliability.md (ONLY=R1,R4; all of it: hours)
	$(GO) run ./scripts/evidence -write docs/reliability.md -only '$(ONLY)'

lint: ## gofmt, go vet for each system, staticcheck
	@files=$$(gofmt -l .); test -z "$$files" || { echo "not formatted:"; echo "$$files"; exit 1; }
	GOOS=linux $(GO) vet ./...
	GOOS=darwin $(GO) vet ./...
	GOOS=windows $(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...

cross: ## build dist/rye-SYSTEM-MACHINE for every platform
	$(foreach platform,$(PLATFORMS),$(call cross-build,$(subst /, ,$(platform))))

define cross-build
GOOS=$(word 1,$(1)) GOARCH=$(word 2,$(1)) $(GO_BUILD) -o dist/rye-$(word 1,$(1))-$(word 2,$(1))$(if $(filter windows,$(1)),.exe) ./cmd/rye

endef

sign-system: ## sign the items in .ai with a new key that is then forgotten
	$(GO) run ./scripts/sign-system

docs: ## rewrite docs/cli.md and docs/man from the commands, docs/conformance.md from the tests
	$(GO) test ./pkg/agent -run '^TestConformanceDocument$$' -count=1 -update
	$(GO) test ./cmd/rye -run '^TestDocsUpToDate$$' -count=1 -update
