# make demo [PHOTO=photo.jpg]   from nothing to a results picture, of your photograph or of a real iPhone capture
# make test   builds and runs all tests
# make test-fast   all but the slow suites, which it names
# make install [PREFIX=/usr/local] [DESTDIR=]   the command, its man page and completions; needs no Swift to run
# make uninstall [PREFIX=/usr/local] [DESTDIR=]   removes what make install put there
# make deb    a Debian package in out/; make deb-arm64: arm64's on x86-64, as root
# make docs   pages and the libraries' reference as one site in out/docs
# make peers  this machine's times beside other engines', in .cache/peers
# make check-arm64        on x86-64, as root: all of it for arm64 with Swift 6.2.3, emulated
# make check-swift-6.2    on x86-64, as root: all tests with Swift 6.2.3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help setup build demo test test-fast check lint emulate exhaust fuzz mutate faults flood soak determinism memory sanitize \
	static install uninstall deb deb-arm64 docs peers check-arm64 check-swift-6.2 clean

PREFIX ?= /usr/local
export PHOTO
DESTDIR ?=

help: ; @sed -n 's/^# make/make/p' Makefile; echo "also: setup build static check lint emulate clean"; \
	echo "proofs of reliability (docs/reference/reliability.md): exhaust fuzz mutate faults flood soak determinism memory \
	sanitize"

setup: ; @tools/setup/packages

build: setup
	swift build -c release --product ardf

demo: build
	@tools/setup/demo

test: setup
	swift build -c release --build-tests
	swift test -c release --skip-build

# Two minutes once built. The others start processes, compute whole networks, or try kernels and damaged files by the thousand.
slow := CommandTests ModelsTests NNKernelsTests HostileTests
test-fast: setup
	swift build -c release --build-tests
	@echo "test-fast leaves out: $(slow)"
	swift test -c release --skip-build $(slow:%=--skip '^%\.')

# Everything that must hold besides the tests: a minute of fuzzing too, for which the parsers are built once more.
check: lint emulate
	tools/check/check-kernel-symbols
	tools/check/check-conversions
	tools/docs/check-guides
	tools/docs/draw-architecture.py --check
	tools/docs/draw-ideas.py --check
	tools/check/check-schemas.py
	tools/prove/fuzz --seconds 2
	tools/prove/mutate.py --runs 500
	tools/check/check-boxes
	tools/check/check-fusion
	tools/check/check-agreement
	tools/check/check-depth.py

lint:
	@command -v python3 >/dev/null || tools/setup/packages --docs
	swift format lint --strict --recursive Package.swift Sources Tests Examples
	tools/check/house-rules
	tools/docs/check-links.py
	tools/measure/write-figures.py --check
	tools/check/check-spelling.py

# The binary on processors of other generations.
emulate: build
	tools/setup/packages --ci
	tools/platforms/check-emulated

# Every truncation and every change of one byte of every format's small files; captures in memory where there is room.
exhaust: setup
	swift build -c release --build-tests
	if [ -w /dev/shm ]; then export TMPDIR=/dev/shm; fi; \
	ARDF_EXHAUSTIVE=1 swift test -c release --skip-build --filter Damaged

# Coverage-guided, with AddressSanitizer.
fuzz: setup
	tools/prove/fuzz

# Runs of the command on inputs damaged within their formats, 100,000 of them: hours.
mutate: build
	tools/prove/mutate.py --runs 100000

# Failing system calls, kills, a full disk, files that change while they are read.
faults: build
	tools/setup/packages --ci
	tools/prove/faults.py

# Clients of ardf serve that never ask, 1,500 of them.
flood: build
	tools/prove/flood.py

soak: build
	tools/prove/soak

determinism: build
	tools/prove/determinism

# The most memory that refusing a bad file takes.
memory: build
	tools/prove/memory.py

# All tests, and the commands that they start, under AddressSanitizer, then under ThreadSanitizer.
sanitize: setup
	tools/prove/sanitize address
	tools/prove/sanitize thread

# Swift's libraries linked in. A build folder of its own: these flags would have everything built anew.
static := .build-static
static: setup
	swift build -c release --product ardf --static-swift-stdlib --scratch-path $(static)

install: static
	tools/release/install $(static)/release/ardf $(PREFIX) $(DESTDIR)

uninstall:
	tools/release/uninstall $(PREFIX) $(DESTDIR)

deb: static
	tools/release/package-deb $(static)/release/ardf out

deb-arm64: ; tools/release/deb-arm64 out

check-arm64:
	tools/platforms/check-arm64
	tools/platforms/check-issue-rate.py

check-swift-6.2:
	tools/platforms/check-swift-6.2

# Other engines and what makes their models, in a virtual environment; those that a platform lacks are left out and named.
peers := .cache/peers
peers: build
	[ -e $(peers)/bin/python ] || python3 -m venv $(peers)
	$(peers)/bin/pip install -q torch torchvision --index-url https://download.pytorch.org/whl/cpu \
		|| $(peers)/bin/pip install -q torch torchvision
	$(peers)/bin/pip install -q numpy matplotlib safetensors transformers ultralytics onnx onnxruntime
	for engine in openvino ncnn ai-edge-litert; do $(peers)/bin/pip install -q $$engine || echo "no $$engine here"; done
	$(peers)/bin/python tools/bench/bench-peers.py --ardf .build/release/ardf --work $(peers)/models --threads 1,$$(nproc)

docs: setup
	tools/docs/make-docs out/docs

clean: ; swift package clean; rm -rf out
