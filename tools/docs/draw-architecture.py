#!/usr/bin/env python3
"""The two pictures of docs/explanation/architecture.md: which module imports which, and how a layer comes by its
kernel.

    tools/docs/draw-architecture.py [--check]

Modules and arrows are those of Package.swift, for all architectures; a target without a place in the picture, a module
that does not import what an arrow says, and a named file that is gone end it with 1. `--check` writes nothing and ends
with 1 where a picture is not what would be written. Needs swift and nothing from PyPI.
"""

import argparse
import itertools
import json
import os
import subprocess
import sys
import tempfile
from html import escape
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
IMAGES = ROOT / "docs/images"
STYLE = """
text { font-family: system-ui, -apple-system, 'Segoe UI', 'DejaVu Sans', sans-serif; fill: #1f2328 }
.name { font-size: 16px; font-weight: 600 }
.what { font-size: 13px }
.uses { font-size: 12px; fill: #59636e }
.box { fill: #ffffff; stroke: #59636e; stroke-width: 1.25 }
.scene { fill: #e3f1e5 }
.network { fill: #e2ecfb }
.base { fill: #fbf0dc }
.band { fill: none; stroke: #59636e; stroke-dasharray: 5 4 }
.arrow { fill: none; stroke: #59636e; stroke-width: 1.5; marker-end: url(#head) }
#head path { fill: #59636e }
@media (prefers-color-scheme: dark) {
  text { fill: #f0f6fc }
  .uses { fill: #a8b1bb }
  .box { fill: #161b22; stroke: #9198a1 }
  .scene { fill: #14331f }
  .network { fill: #13294b }
  .base { fill: #3b2d10 }
  .band, .arrow { stroke: #9198a1 }
  #head path { fill: #9198a1 }
}
"""


class Drawing:
    """Boxes and arrows in pixels; the page's own color shows between them."""

    def __init__(self, title, width, height):
        self.title, self.width, self.height = title, width, height
        self.boxes, self.parts = {}, []

    def box(self, name, x, y, width, height, kind, lines=(), uses=()):
        """A box with its name, lines of what it is, and smaller ones of what it uses."""
        self.boxes[name] = (x, y, width, height)
        self.parts.append(f'<rect class="box {kind}" x="{x}" y="{y}" width="{width}" height="{height}" rx="8"/>')
        rows = [("name", name), *(("what", line) for line in lines), *(("uses", line) for line in uses)]
        top = y + (height - 19 * len(rows)) / 2 + 15
        for index, (style, text) in enumerate(rows):
            self.text(x + width / 2, top + 19 * index, text, style)

    def text(self, x, y, text, style, anchor="middle"):
        self.parts.append(f'<text class="{style}" x="{x:g}" y="{y:g}" text-anchor="{anchor}">{escape(text)}</text>')

    def arrow(self, *points):
        """An arrow along points; one of four points is a curve."""
        curve = "C" if len(points) == 4 else "L"
        path = f"M{points[0][0]:g} {points[0][1]:g} {curve}" + " ".join(f"{x:g} {y:g}" for x, y in points[1:])
        self.parts.insert(0, f'<path class="arrow" d="{path}"/>')

    def down(self, upper, lower, shift=0):
        """An arrow from a box to one below it, upright where the lower is wide enough."""
        (ax, ay, aw, ah), (bx, by, bw, _) = self.boxes[upper], self.boxes[lower]
        start = (ax + aw / 2 if aw <= bw else bx + bw / 2) + shift
        end = min(max(start, bx + 24), bx + bw - 24)
        middle = (ay + ah + by) / 2
        if start == end:
            self.arrow((start, ay + ah), (end, by - 2))
        else:
            self.arrow((start, ay + ah), (start, middle + 10), (end, middle - 10), (end, by - 2))

    def across(self, first, second):
        """An arrow from a box to the one beside it."""
        (ax, ay, aw, ah), (bx, _, bw, _) = self.boxes[first], self.boxes[second]
        y = ay + ah / 2
        self.arrow(*([(ax + aw, y), (bx - 2, y)] if ax < bx else [(ax, y), (bx + bw + 2, y)]))

    def svg(self):
        marker = '<marker id="head" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="7" markerHeight="7" orient="auto">'
        marker += '<path d="M0 0 8 4 0 8z"/></marker>'
        head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {self.width} {self.height}" role="img">'
        head += f"<title>{escape(self.title)}</title><style>{STYLE}</style><defs>{marker}</defs>"
        return "\n".join([head, *self.parts, "</svg>", ""])


def imports():
    """The direct dependencies of each target of Sources, on any architecture."""
    targets = {}
    for architecture in ("x86_64", "arm64"):
        environment = {**os.environ, "ARDF_ARCH": architecture}
        # In a folder of its own: a build may be running.
        with tempfile.TemporaryDirectory() as scratch:
            command = ["swift", "package", "--scratch-path", scratch, "dump-package"]
            dump = subprocess.run(command, cwd=ROOT, env=environment, check=True, stdout=subprocess.PIPE)
        for target in json.loads(dump.stdout)["targets"]:
            inside = target.get("path", "").startswith("Sources/") and target["type"] != "test"
            if inside and target["type"] != "system":
                names = [next(iter(kind.values()))[0] for kind in target["dependencies"]]
                targets.setdefault(target["name"], set()).update(names)
    return targets


#: The modules that all but kernels may import: each imports the next one that its arrow shows.
BASE = {
    "OutputFolders": ("whole or absent", ""),
    "Digests": ("SHA-256", "libcrypto"),
    "FileFormats": ("files, JSON, NumPy", ""),
    "Archives": ("zip, npz", "libdeflate"),
    "Imaging": ("codecs, resampling", "libturbojpeg, libspng"),
    "Geometry": ("frames as types", ""),
}
BASE_ARROWS = [("OutputFolders", "Digests"), ("Digests", "FileFormats"), ("Archives", "FileFormats"),
               ("Imaging", "Archives"), ("Imaging", "Geometry")]  # fmt: skip
#: Column, row, color, what it is.
MODULES = {
    "InferenceServing": (0, 0, "", "models for other programs"),
    "HTTPServing": (0, 1, "", "requests, bounded; connections"),
    "InferenceProtocol": (0, 2, "", "tensors as they travel"),
    "Serving": (1, 0, "scene", "the page's service"),
    "Perception": (2, 0, "", "a frame to objects in meters"),
    "Evaluation": (4, 0, "", "average precision, depth errors"),
    "Sharding": (4, 1, "", "lists, folders of runs, parts"),
    "Reporting": (1, 1, "scene", "the page of a frame"),
    "Models": (2, 1, "network", "YOLO, Depth Anything V2"),
    "NNVerification": (3, 0, "network", "layer by layer against others"),
    "ONNXEngine": (3, 1, "network", "ONNX files on the engine"),
    "ONNX": (3, 2, "network", "ONNX files by definition"),
    "AppCore": (1, 2, "scene", "captures, fusion, boxes, scenes"),
    "NNRuntime": (2, 2, "network", "graph, plan, session"),
}
ARROWS = [("InferenceServing", "HTTPServing"), ("Serving", "HTTPServing"), ("Serving", "Reporting"),
          ("Reporting", "AppCore"), ("Perception", "Models"), ("Models", "NNRuntime"),
          ("NNVerification", "NNRuntime"), ("ONNXEngine", "NNRuntime"), ("ONNXEngine", "ONNX")]  # fmt: skip
#: Targets of header shims, which are no modules of ours to draw.
SHIMS = {"CKernelShims", "CSystemShims"}


def wrapped(names, width):
    """Names in lines of at most `width` letters."""
    lines = [""]
    for name in names:
        longer = f"{lines[-1]}, {name}" if lines[-1] else name
        if len(longer) <= width:
            lines[-1] = longer
        else:
            lines[-1] += ","
            lines.append(name)
    return [line for line in lines if line]


def modules(targets):
    """The picture of the modules."""
    kernels = sorted(name for name in targets if name.startswith("NNKernels"))
    drawn = {"ardf", "NNKernelInterface", *MODULES, *BASE, *kernels, *SHIMS}
    missing = drawn ^ (set(targets) | SHIMS)
    links = [*ARROWS, *BASE_ARROWS, ("Perception", "AppCore"), ("ardf", "Serving"), ("ardf", "Perception")]
    links += [("ardf", "Evaluation"), ("ardf", "NNVerification"), ("ardf", "ONNXEngine"), ("ardf", "InferenceServing"), ("ardf", "Sharding")]
    links += [("InferenceServing", "InferenceProtocol"), ("Models", "ONNXEngine"), ("Evaluation", "Perception"),
              ("Sharding", "Reporting")]  # fmt: skip
    links += [("NNRuntime", kernel) for kernel in kernels] + [(kernel, "NNKernelInterface") for kernel in kernels]
    wrong = [f"{a} does not import {b}" for a, b in links if b not in targets.get(a, ())]
    reached = {name: {b for a, b in links if a == name} for name in targets}

    def below(name):
        return {name}.union(*(below(other) for other in reached.get(name, ())))

    for name, (*_, kind, _) in MODULES.items():
        undrawn = targets.get(name, set()) & set(MODULES) - below(name)
        wrong += [f"{name} imports {other}, which no arrow shows" for other in sorted(undrawn)]
        if kind == "network" and targets.get(name, set()) & {"AppCore", "Reporting", "Serving"}:
            wrong.append(f"{name} knows the app core")
    wrong += [f"{name} has no place, or is gone" for name in sorted(missing)]
    if wrong:
        sys.exit("draw-architecture: " + "; ".join(wrong))

    picture = Drawing("Which module imports which", 1300, 812)
    picture.box("ardf", 20, 16, 1260, 52, "", ["the command line, a file a command"])
    for name, (column, row, kind, what) in MODULES.items():
        uses = wrapped([base for base in BASE if base in targets[name]], 30)
        picture.box(name, 20 + 260 * column, 112 + 132 * row, 220, 98, kind, [what], uses)
    names = [name.removeprefix("NNKernels") for name in kernels]
    picture.box("NNKernels…", 540, 508, 220, 98, "network", wrapped(names, 26))
    picture.box("NNKernelInterface", 800, 508, 220, 98, "network", ["tasks, what kernels declare,", "the processor"])
    for arrow in ARROWS:
        picture.down(*arrow)
    for name in ("InferenceServing", "Serving", "Perception", "NNVerification", "Evaluation"):
        picture.down("ardf", name)
    picture.down("NNRuntime", "NNKernels…")
    picture.across("NNKernels…", "NNKernelInterface")
    left, top = picture.boxes["Perception"][0], picture.boxes["Perception"][1]
    end = picture.boxes["AppCore"][1]
    picture.arrow((left, top + 70), (left - 60, top + 110), (left + 10, end - 40), (left - 40, end - 2))
    for name, other in (("Evaluation", "Perception"), ("Sharding", "Reporting")):
        left, bottom = picture.boxes[name][0], picture.boxes[name][1] + 98
        right = picture.boxes[other][0] + 220
        picture.arrow((left + 24, bottom), (left - 30, bottom + 22), (right + 70, bottom + 22), (right - 18, bottom + 2))
    top = picture.boxes["Sharding"][1]
    picture.arrow((1276, 68), (1296, 120), (1296, top - 30), (1281, top + 30))
    left, top = picture.boxes["InferenceServing"][:2]
    end = picture.boxes["InferenceProtocol"][1]
    picture.arrow((left, top + 70), (left - 16, top + 120), (left - 16, end - 20), (left - 1, end + 30))
    picture.parts.append('<rect class="band" x="20" y="646" width="1260" height="146" rx="10"/>')
    legend = "Modules above name in gray those of these that they import; kernels import none."
    picture.text(36, 670, legend, "uses", "start")
    for index, (name, (what, library)) in enumerate(BASE.items()):
        picture.box(name, 36 + 209 * index, 686, 180, 88, "base", [what], [library] if library else [])
    for arrow in BASE_ARROWS:
        picture.across(*arrow)
    return picture.svg()


#: What works on a network's layers, in order: folder, what it says, files that do.
STAGES = {
    "Models": (["layers by their names in", "checkpoints"], ""),
    "Graph": (["nodes and shapes;", "rewrites: the same in algebra"], "Graph GraphBuilder MapShape Rewrites"),
    "Plan": (
        ["kernels, costs, offsets"],
        "Fusing Arithmetic ElementTypes Candidates CostModel WorkGrid BufferAssignment ArenaLayout",
    ),
    "Execution": (["pointers and memory;", "chooses nothing"], "StepBuilder PackedWeights Session ThreadPool"),
}


def engine():
    """The picture of how a layer comes by its kernel."""
    folder = ROOT / "Sources/NNRuntime/Engine"
    files = [f"{stage}/{name}" for stage, (_, names) in STAGES.items() for name in names.split()]
    gone = [name for name in files if not (folder / name).is_dir() and not (folder / f"{name}.swift").exists()]
    if gone:
        sys.exit(f"draw-architecture: gone are {', '.join(gone)}")
    picture = Drawing("How a layer comes by its kernel", 1040, 520)
    for index, (stage, (what, names)) in enumerate(STAGES.items()):
        picture.box(stage, 20 + 264 * index, 20, 208, 160, "network", what, wrapped(names.split(), 27))
    for first, second in itertools.pairwise(STAGES):
        picture.across(first, second)
    row = ["A row a kernel: algorithm, shapes, what it multiplies and its maps hold,"]
    row += ["prologues, epilogues, items, register tile, tolerance, functions that pack and run"]
    picture.box("Kernel catalogue", 284, 236, 736, 88, "base", row)
    picture.box("Also read by", 20, 236, 208, 88, "", ["tune, bench --kernels,", "inspect kernels, tests"])
    kernels = ["one source for all instruction sets", "see pointers and integers"]
    picture.box("Kernels", 284, 396, 472, 88, "network", kernels)
    picture.box("Processor", 812, 396, 208, 88, "", ["a permit for what it has:", "without one, no kernel"])
    picture.arrow((652, 234), (652, 182))
    picture.text(664, 214, "candidates that can do all that is fused", "uses", "start")
    picture.arrow((960, 182), (960, 234))
    picture.text(948, 197, "runs the row", "uses", "end")
    picture.arrow((282, 280), (230, 280))
    picture.arrow((520, 394), (520, 326))
    picture.text(532, 364, "declare themselves, if they have a permit", "uses", "start")
    picture.arrow((916, 394), (916, 326))
    return picture.svg()


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--check", action="store_true", help="write nothing; end with 1 where a picture is out of date")
    options = parser.parse_args()
    stale = []
    for name, svg in (("modules.svg", modules(imports())), ("engine.svg", engine())):
        file = IMAGES / name
        if not options.check:
            file.write_text(svg)
        elif not file.exists() or file.read_text() != svg:
            stale.append(name)
    if stale:
        sys.exit(f"draw-architecture: {', '.join(stale)} out of date; run tools/docs/draw-architecture.py")


if __name__ == "__main__":
    main()
