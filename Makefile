# pdprov: `make help` lists the targets.
SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -ec
.DEFAULT_GOAL := help

GO          ?= go
VERSION     ?= $(shell git describe --tags --always --dirty 2>/dev/null || echo unknown)
LDFLAGS     := -s -w -X github.com/pdprov/pdprov/cmd/cli.version=$(VERSION)
STATICCHECK := honnef.co/go/tools/cmd/staticcheck@v0.8.2
GOFUMPT     := mvdan.cc/gofumpt@v0.12.0
PREFIX      ?= /usr/local
TESTFLAGS   ?= -timeout 40m
SUDO        := $(shell [ "$$(id -u)" = 0 ] || echo sudo)

# What the lab, the tests and the linters need beside Go, by Debian's names.
PACKAGES := debootstrap systemd-container openssh-client openssh-server sudo iproute2 \
            shellcheck busybox-static procps ca-certificates python3 python3-venv fish tcsh zsh ksh

# What a practice host with a kernel of its own needs beside them.
VM_PACKAGES := qemu-system-x86 e2fsprogs

.PHONY: help build install deps demo test acceptance acceptance-vm lint fmt golden fuzz bench ci clean

help: ## list the targets
	@grep -hE '^[a-z-]+:.*## ' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 14

build: ## bin/pdprov and bin/pdlab
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdprov ./cmd/pdprov
	CGO_ENABLED=0 $(GO) build -trimpath -ldflags '$(LDFLAGS)' -o bin/pdlab ./cmd/pdlab

install: build ## copy the programs to $(PREFIX)/bin
	install -d '$(DESTDIR)$(PREFIX)/bin'
	install -m 0755 bin/pdprov bin/pdlab '$(DESTDIR)$(PREFIX)/bin'

deps: ## install what the lab and the tests need (Debian, Ubuntu)
	@.ci/deps $(PACKAGES)

demo: deps build ## two disposable hosts: plan, apply, second apply, drift, audit
	@$(SUDO) env PATH="$$PATH" examples/demo/run bin

test: deps build ## everything that must pass
	@.ci/gotest $(TESTFLAGS) ./...

acceptance: deps build ## the acceptance scripts alone, on lab hosts
	@.ci/gotest $(TESTFLAGS) ./internal/acceptance/...

# An emulated machine is some forty times slower: seven to nine minutes on 2 cores, one machine for all of it.
acceptance-vm: deps build ## what needs a kernel of its own: NUMA, PCI, a module that DKMS builds (qemu, 8 minutes)
	@.ci/deps $(VM_PACKAGES)
	@PDLAB_VM=1 .ci/gotest $(TESTFLAGS) -run '^TestVM$$' ./internal/acceptance

lint: deps ## go vet, staticcheck, gofumpt, shellcheck, import directions
	$(GO) vet ./...
	$(GO) run $(STATICCHECK) ./...
	@out="$$($(GO) run $(GOFUMPT) -l .)"; if [ -n "$$out" ]; then echo "not formatted (make fmt):"; echo "$$out"; exit 1; fi
	shellcheck -s bash .ci/run .ci/deps .ci/gotest .ci/fuzz examples/demo/run
	$(GO) test -count=1 ./internal/arch

fmt: ## format the Go code
	$(GO) run $(GOFUMPT) -w .

golden: ## write the golden files anew; read the diff before you commit it
	UPDATE_GOLDEN=1 $(GO) test ./hcl/... ./stages/... ./cmd/... ./engine/... || true
	git diff --stat

fuzz: ## each fuzz target for FUZZTIME (30s)
	@.ci/fuzz $${FUZZTIME:-30s}

bench: deps build ## no-change plan beside a hand-written program and ansible-playbook, in one run
	@.ci/deps ansible-core
	@$(SUDO) env PATH="$$PATH" $(GO) run ./internal/bench bin

ci: ## what CI runs
	.ci/run

clean: ## remove what the build made
	rm -rf bin .cache
