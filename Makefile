# make demo   from nothing to a results picture of a real iPhone capture
# make test   builds and runs all tests
# make install [PREFIX=/usr/local] [DESTDIR=]   the command, its man page and completions; needs no Swift to run
# make uninstall [PREFIX=/usr/local] [DESTDIR=]   removes what make install put there
# make deb    a Debian package in out/; make deb-arm64: arm64's on x86-64, as root
# make docs   the libraries' documentation in out/docs
# make peers  this machine's times beside other engines', in .cache/peers
# make check-arm64        on x86-64, as root: all of it for arm64 with Swift 6.2.3, emulated
# make check-swift-6.2    on x86-64, as root: all tests with Swift 6.2.3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help setup build demo test check lint emulate exhaust fuzz mutate faults flood soak determinism memory sanitize \
	static install uninstall deb deb-arm64 docs peers check-arm64 check-swift-6.2 clean

PREFIX ?= /usr/local
DESTDIR ?=

help: ; @sed -n 's/^# make/make/p' Makefile; echo "also: setup build static check lint emulate clean"; \
	echo "proofs of reliability (docs/reliability.md): exhaust fuzz mutate faults flood soak determinism memory \
	sanitize"

setup: ; @tools/setup

build: setup
	swift build -c release --product ardf

demo: build
	@tools/demo

test: setup
	swift build -c release --build-tests
	swift test -c release --skip-build

# Everything that must hold besides the tests: a minute of fuzzing too, for which the parsers are built once more.
check: lint emulate
	tools/check-kernel-symbols
	tools/check-conversions
	tools/check-guides
	tools/draw_architecture.py --check
	tools/fuzz --seconds 2
	tools/mutate --runs 500
	tools/check-boxes

lint:
	swift format lint --strict --recursive Package.swift Sources Tests Examples
	tools/house-rules

# The binary on processors of other generations.
emulate: build
	tools/setup --ci
	tools/check-emulated

# Every truncation and every change of one byte of every format's small files; captures in memory where there is room.
exhaust: setup
	swift build -c release --build-tests
	if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi; \
	ARDF_EXHAUSTIVE=1 swift test -c release --skip-build --filter Damaged

# Coverage-guided, with AddressSanitizer.
fuzz: setup
	tools/fuzz

# Runs of the command on inputs damaged within their formats, 100,000 of them: hours.
mutate: build
	tools/mutate --runs 100000

# Failing system calls, kills, a full disk, files that change while they are read.
faults: build
	tools/setup --ci
	tools/faults

# Clients of ardf serve that never ask, 1,500 of them.
flood: build
	tools/flood

soak: build
	tools/soak

determinism: build
	tools/determinism

# The most memory that refusing a bad file takes.
memory: build
	tools/memory

# All tests, and the commands that they start, under AddressSanitizer, then under ThreadSanitizer.
sanitize: setup
	tools/sanitize address
	tools/sanitize thread

# Swift's libraries linked in. A build folder of its own: these flags would have everything built anew.
static := .build-static
static: setup
	swift build -c release --product ardf --static-swift-stdlib --scratch-path $(static)

install: static
	tools/install $(static)/release/ardf $(PREFIX) $(DESTDIR)

uninstall:
	tools/uninstall $(PREFIX) $(DESTDIR)

deb: static
	tools/package-deb $(static)/release/ardf out

deb-arm64: ; tools/deb-arm64 out

check-arm64:
	tools/check-arm64
	tools/check_issue_rate.py

check-swift-6.2:
	tools/check-swift-6.2

# Other engines and what makes their models, in a virtual environment; those that a platform lacks are left out and named.
peers := .cache/peers
peers: build
	[ -e $(peers)/bin/python ] || python3 -m venv $(peers)
	$(peers)/bin/pip install -q torch torchvision --index-url https://download.pytorch.org/whl/cpu \
		|| $(peers)/bin/pip install -q torch torchvision
	$(peers)/bin/pip install -q numpy matplotlib safetensors transformers ultralytics onnx onnxruntime
	for engine in openvino ncnn ai-edge-litert; do $(peers)/bin/pip install -q $$engine || echo "no $$engine here"; done
	$(peers)/bin/python tools/bench_peers.py --ardf .build/release/ardf --work $(peers)/models --threads 1,$$(nproc)

docs: setup
	tools/make-docs out/docs

clean: ; swift package clean; rm -rf out
