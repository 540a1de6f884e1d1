# make demo   from nothing to a results picture of a real iPhone capture
# make test   builds and runs all tests
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help setup build demo test check lint emulate clean

help: ; @sed -n 's/^# make/make/p' Makefile; echo "also: setup build check lint emulate clean"

setup: ; @tools/setup

build: setup
	swift build -c release --product ardf

demo: build
	@tools/demo

test: setup
	swift build -c release --build-tests
	swift test -c release --skip-build

# Everything that must hold besides the tests; no build but the release one.
check: lint emulate
	tools/check-kernel-symbols

lint:
	swift format lint --strict --recursive Package.swift Sources Tests
	tools/house-rules

# The binary on processors of other generations.
emulate: build
	tools/setup --ci
	tools/check-emulated

clean: ; swift package clean; rm -rf out
