# make demo [PHOTO=photo.jpg]   from nothing to a results picture, of your photograph or of a real iPhone capture
# make test   builds and runs all tests
# make test-fast   all but the slow suites, which it names
# make install [PREFIX=/usr/local] [DESTDIR=]   the command, its man page and completions; needs no Swift to run
# make uninstall [PREFIX=/usr/local] [DESTDIR=]   removes what make install put there
# make deb    a Debian package in out/
# make dist   what is published, in out/dist: tarball, wheels, Debian package, components, sums; make image: an OCI image
# make dist-arm64  the same for arm64, on x86-64, as root
# make docs   pages and the libraries' reference as one site in out/docs; make serve-docs: the same, shown at localhost:8000
# make peers  this machine's times beside other engines', in .cache/peers: networks of ours, and of ten ONNX files
# make goldens   the tests' goldens anew, by the original implementations
# make references   what ARDF_REFERENCES names for tests of networks of full size, in out/references
# make check-page         the page of a frame in Chromium: taps, depths, queue, 3-D view
# make check-browser      that of the demo, drops on ardf serve, its page on a phone, and the reports of ardf profile
# make check-docs         every example of every help and page, as printed; make pictures: those of the pages
# make counts             the files that an operator, an activation, a capture format and so on touch
# make check-guides       the guides' commands, Python's too, with pinned and with the newest frameworks
# make check-exports      what trimesh, USD, glTF and OpenCV read of a frame
# make check-references   every network and figure beside PyTorch, Ultralytics and pycocotools: hours
# make check-onnx         the cases that ONNX publishes for its operators
# make check-serving      clients of the Open Inference Protocol on ardf serve --models
# make check-cluster      jobs on Slurm, S3, in a container, by Kubernetes' schema, to Parquet: as root
# make check-deb          as root: the Debian package in a bare Debian
# make check-dist         as root: tarball, wheels and image in bare systems without Swift and network, with times
# make check-dist-arm64   the same of arm64's, emulated
# make check-reproducible the same commit gives the same bytes, in another folder too: two builds, a quarter of an hour
# make measure            serving, jobs and rooflines, for the pages of docs
# make check-arm64        on x86-64, as root: all of it for arm64 with Swift 6.2.3, emulated
# make check-swift-6.2    on x86-64, as root: all tests with Swift 6.2.3
SHELL := /bin/bash
.SHELLFLAGS := -euo pipefail -c

.PHONY: help setup build demo test test-fast check lint emulate exhaust fuzz mutate faults flood soak determinism memory random-graphs sanitize \
	static install uninstall deb dist dist-arm64 image clip docs serve-docs peers reference goldens references pictures measure check-page check-browser \
	check-docs counts check-guides check-exports check-onnx check-references check-serving check-cluster check-deb check-dist check-dist-arm64 check-reproducible check-arm64 check-swift-6.2 clean

PREFIX ?= /usr/local
export PHOTO
DESTDIR ?=

help: ; @sed -n 's/^# make/make/p' Makefile; echo "also: setup build static check lint emulate clean"; \
	echo "proofs of reliability (docs/reference/reliability.md): exhaust fuzz mutate faults flood soak determinism memory \
	random-graphs sanitize"

setup: ; @tools/setup/packages

build: setup
	swift build -c release --product ardf

demo:
	@[ -z "$$PHOTO" ] || [ -e "$$PHOTO" ] || { echo "demo: there is no $$PHOTO" >&2; exit 66; }
	@$(MAKE) --no-print-directory build
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
check: lint emulate check-page
	tools/check/check-kernel-symbols
	tools/check/check-conversions
	tools/docs/check-guides
	tools/docs/draw-architecture.py --check
	tools/docs/draw-ideas.py --check
	tools/check/check-schemas.py
	tools/release/check-workflow
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
	tools/docs/count-files.py --check
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

counts: ; @tools/docs/count-files.py

determinism: build
	tools/prove/determinism

# The most memory that refusing a bad file takes.
memory: build
	tools/prove/memory.py
	tools/prove/memory-weights.py

# 10,000 drawn networks as ONNX files: every instruction set, 1, 2 and 7 threads, and the definitions, beside ONNX Runtime.
random-graphs: reference
	$(PYTHON) tools/prove/random-graphs.py --count 10000 --seed 46

# All tests, and the commands that they start, under AddressSanitizer, then under ThreadSanitizer.
sanitize: setup
	tools/prove/sanitize address
	tools/prove/sanitize thread

# Swift's libraries linked in: the objects of the build, linked once more.
static := out/static/bin/ardf
static: build
	tools/release/link-static $(static)

install: static
	tools/release/install $(static) $(PREFIX) $(DESTDIR)

uninstall:
	tools/release/uninstall $(PREFIX) $(DESTDIR)

deb: static
	tools/release/package-deb $(static) out

# Built of the commit, in a folder of its own.
dist: setup
	tools/release/release out/dist

# As root, who makes bare systems.
image: dist
	tools/release/image out/dist

check-dist: image demo
	tools/release/check-dist out/dist
	tools/release/check-wheel out/dist
	tools/release/check-image out/dist

check-reproducible: setup
	tools/release/check-reproducible

dist-arm64: ; tools/release/dist-arm64 out/dist

# Of what make dist-arm64 made.
check-dist-arm64: demo
	tools/release/check-dist out/dist --emulated
	tools/release/check-wheel out/dist --emulated

check-arm64:
	tools/platforms/check-arm64
	tools/platforms/check-issue-rate.py

check-swift-6.2:
	tools/platforms/check-swift-6.2

# Other engines and what makes their models, in a virtual environment; those that a platform lacks are left out and named.
# LiteRT's converter has one of its own: it asks for another torch.
peers := .cache/peers
litert := .cache/litert
cpu := https://download.pytorch.org/whl/cpu
peers: build
	for place in $(peers) $(litert); do [ -e $$place/bin/python ] || python3 -m venv $$place; done
	$(peers)/bin/pip install -q torch torchvision --index-url $(cpu) || $(peers)/bin/pip install -q torch torchvision
	$(peers)/bin/pip install -q numpy matplotlib safetensors transformers ultralytics onnx onnxruntime pycocotools
	for engine in openvino nncf ncnn pnnx ai-edge-litert; do $(peers)/bin/pip install -q $$engine || echo "no $$engine here"; done
	$(litert)/bin/pip install -q --extra-index-url $(cpu) litert-torch ai-edge-quantizer torchvision safetensors transformers \
		ultralytics || echo "no litert-torch here"
	$(peers)/bin/python tools/bench/bench-peers.py --ardf .build/release/ardf --work $(peers)/models --threads 1,$$(nproc) \
		--litert-python $(litert)/bin/python
	$(peers)/bin/python tools/bench/export-networks.py $(peers)/networks
	$(peers)/bin/python tools/bench/bench-peers.py --ardf .build/release/ardf --work $(peers)/onnx --threads 1,$$(nproc) \
		--onnx $(peers)/networks

# A Python with the frameworks that ardf is compared with; PYTHON=... names another.
PYTHON ?= .cache/reference/bin/python
reference: build ; @[ $(PYTHON) != .cache/reference/bin/python ] || tools/setup/reference

ardf := .build/release/ardf
depth := weights/dav2s-ardf-fp16.safetensors
# What is not in the repository: CONTRIBUTING.md says where it is from. Without it those steps are left out.
data := $(wildcard ../shared/data)
yolo := ../shared/weights/yolo11n-seg.pt
tiny := Tests/ModelsTests/Goldens

goldens: reference
	$(PYTHON) tools/reference/goldens/make-model-goldens.py --out $(tiny)
	$(PYTHON) tools/reference/goldens/make-layer-goldens.py --goldens $(tiny)
	$(PYTHON) tools/reference/goldens/make-task-goldens.py --goldens $(tiny)
	$(PYTHON) tools/reference/goldens/make-exported-goldens.py --goldens $(tiny)
	$(PYTHON) tools/reference/goldens/make-export-goldens.py --goldens $(tiny)
	$(PYTHON) tools/reference/goldens/make-mask-goldens.py --out $(tiny)/ultralytics-8.4.190-masks.json
	$(PYTHON) tools/reference/goldens/make-detr-goldens.py $(tiny)/transformers-detr.json
	$(PYTHON) tools/reference/goldens/make-tracking-goldens.py Tests/AppCoreTests/Goldens/ultralytics-8.4.190-tracks.json
	$(PYTHON) tools/reference/goldens/make-interchange-goldens.py --out Tests/ImagingTests/Goldens
	$(PYTHON) tools/reference/goldens/make-picture-goldens.py --out Tests/ImagingTests/Goldens
	$(PYTHON) tools/reference/goldens/make-lzfse-goldens.py --streams Tests/FileFormatsTests/Goldens \
	  --recordings Tests/AppCoreTests/Goldens --corpus Fuzz/Corpus/lzfse
	$(PYTHON) tools/reference/goldens/make-exr-goldens.py --out Tests/AppCoreTests/Goldens
	$(PYTHON) tools/reference/goldens/make-bag-goldens.py --out Tests/AppCoreTests/Goldens --captures Fuzz/Captures
	$(PYTHON) tools/reference/goldens/make-evaluation-goldens.py --out Tests/EvaluationTests/Goldens/evaluation.json
	$(PYTHON) tools/reference/goldens/make-shape-evaluation-goldens.py \
		--out Tests/EvaluationTests/Goldens/evaluation-shapes.json
ifneq ($(data),)
	$(PYTHON) tools/reference/goldens/make-detection-goldens.py --weights $(yolo) --root $(data) images coco/images \
		--clockwise captures/bedroom/00000_rgb.jpg captures/bedroom/00030_rgb.jpg \
		--out $(tiny)/ultralytics-8.4.190-yolo11n-seg.json
	$(PYTHON) tools/reference/goldens/make-imaging-goldens.py --out Tests/ImagingTests/Goldens --root $(data) \
		'images/*.jpg' 'images/*.png' 'coco/images/*.jpg' 'captures/*/*_rgb.jpg' 'captures/*/frame_*.jpg'
endif

references: reference
	tools/reference/make-test-references out/references $(PYTHON)

# The whole clip that the demo has a frame of.
clip: demo
	tools/setup/clip

check-page: build
	tools/setup/packages --browser
	.cache/browser/bin/python tools/check/check-report.py

check-browser: clip reference
	tools/setup/packages --browser
	$(PYTHON) tools/check/check-report.py out/clip/00000
	$(PYTHON) tools/check/check-drop.py --capture .cache/bedroom --frame 00000 --picture docs/images/results.jpg -- --conf 0.5
	$(PYTHON) tools/check/check-phone.py
	$(PYTHON) tools/check/check-profile-reports.py --weights weights/yolo11n-seg.safetensors --out out/shots

check-docs: clip
	tools/setup/packages --ci
	/usr/bin/python3 tools/docs/check-help.py --checkpoint .cache/yolo11n-seg.pt --depth $(depth) --capture .cache/bedroom

# Python's lines of guides too, in the environment of tools/requirements.txt and in one of the newest versions.
check-guides: clip reference
	tools/setup/reference today
	for place in reference today; do tools/docs/check-help.py --checkpoint .cache/yolo11n-seg.pt --depth $(depth) \
		--capture .cache/bedroom --only docs-guides --python .cache/$$place/bin/python; done

pictures: clip reference
	$(PYTHON) tools/docs/make-pictures.py

check-exports: clip reference
	$(ardf) run .cache/bedroom --frame 00030 --usda --usdz --pfm --out out/exported --force
	$(PYTHON) tools/check/check-exports.py out/exported

check-onnx: build
	tools/check/check-onnx --install

check-references: reference
	$(PYTHON) tools/check/check-oracles.py
	for network in depth-anything-v2-small prompt-depth-anything-small; do \
		$(PYTHON) tools/reference/check-depth-reference.py $$network; done
	$(PYTHON) tools/reference/verify-networks.py
	mkdir -p out
	$(PYTHON) tools/reference/make-onnx-reference.py Fuzz/Corpus/onnx/convolution.onnx out/convolution.npz
	$(ardf) verify Fuzz/Corpus/onnx/convolution.onnx --reference out/convolution.npz
	$(PYTHON) tools/reference/check-onnx-references.py --ardf $(ardf) --export ../shared/onnx/export_families.py out/families
	$(PYTHON) tools/reference/check-quantized.py --nodes 200
	$(PYTHON) tools/reference/check-wrong-weights.py
	$(PYTHON) tools/reference/check-wrong-references.py
	for task in pose obb cls; do \
		$(PYTHON) tools/reference/check-finetuned.py --base yolo11n-$$task.yaml --epochs 60 --work out/finetuned/$$task; done
	$(PYTHON) tools/reference/check-evaluate-tasks.py out/finetuned/{pose,obb,cls}
ifneq ($(data),)
	$(PYTHON) tools/reference/compare-tasks.py $(data)/images $(data)/coco/images \
		--models yolo11n,yolo11n-pose,yolo11n-obb,yolo11n-cls,yolov8n,yolo26n
	$(PYTHON) tools/reference/compare-detr.py out/families/dfine-nano/model.onnx $(data)/images --ardf $(ardf)
	$(PYTHON) tools/reference/compare-detections.py --weights $(yolo) $(data)/images $(data)/coco/images $(data)/captures
	$(PYTHON) tools/reference/compare-tiles.py --weights $(yolo) $(data)/coco/images
	$(PYTHON) tools/reference/compare-tiles.py --boxes --weights $(yolo) $(data)/coco/images
	$(PYTHON) tools/reference/check-tracking.py --weights $(yolo) $(data)/images $(data)/coco/images \
		--film $(data)/captures/bedroom --film $(data)/captures/chair_scan
	$(PYTHON) tools/reference/check-evaluate.py $(data)/coco --weights $(yolo) --capture $(data)/captures/chair_scan \
		--depth $(depth) --made $(data)/images $(data)/captures
	$(PYTHON) tools/reference/check-depth-heads.py --picture $(data)/images/bus.jpg --capture $(data)/captures/bedroom
	$(PYTHON) tools/measure/compare-fusion.py --depth $(depth) --frames $(data)/captures/bedroom:000{35,40,45} \
		$(data)/captures/chair_scan:000{00,03,06,09,12,15,18,21,24} $(data)/captures/charuco_board:000{00,03,06,09,12,15}
endif

check-serving: reference
	$(PYTHON) tools/check/check-serving.py --yolo $(yolo) --depth $(depth) --pictures ../shared/data/images \
		--clip ../shared/data/captures/bedroom --frame 00030
	$(PYTHON) tools/check/check-serving-tasks.py --pictures ../shared/data/images
	$(PYTHON) tools/check/check-deepstack.py --weights $(yolo) ../shared/data/images

check-cluster: clip reference
	tools/check/check-resume
	$(PYTHON) tools/check/check-kubernetes.py
	$(PYTHON) tools/check/check-parquet.py
	$(PYTHON) tools/check/check-objects.py
	tools/check/check-container $(ardf)
	tools/check/check-slurm.py

check-deb: demo deb
	tools/release/check-deb out/ardf_*_$$(dpkg --print-architecture).deb
	tools/check/check-container out/ardf_*_$$(dpkg --print-architecture).deb

# Of the engines of make peers.
measure: peers clip
	$(peers)/bin/python tools/bench/roofline.py --ardf $(ardf) --threads $$(nproc) weights/yolo11n-seg.safetensors $(depth)
	$(peers)/bin/python tools/bench/measure-serving.py --weights weights/yolo11n-seg.safetensors
	for what in "frames --capture .cache/bedroom" start records; do \
		$(peers)/bin/python tools/bench/measure-scale.py $$what; done
ifneq ($(data),)
	$(peers)/bin/python tools/bench/measure-scale.py photographs --pictures $(data)/coco/images
	$(peers)/bin/python tools/bench/evaluate-peers.py $(data)/coco --work $(peers)/models
endif

docs: setup
	tools/docs/make-docs out/docs

# The reference fetches its pages by scripts, which browsers refuse to files: a server of this machine alone shows them.
serve-docs: docs
	python3 -m http.server --bind 127.0.0.1 --directory out/docs 8000

clean: ; swift package clean; rm -rf out
