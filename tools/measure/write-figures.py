#!/usr/bin/env python3
"""Writes the pages of figures from the results that lie beside them, and the tables of the model card and README.

    tools/measure/write-figures.py            after a measurement was recorded
    tools/measure/write-figures.py --check    ends with 1 where a page is not what its results give

| results in docs/benchmarks | recorded by | written |
|---|---|---|
| boxes.json | measure-boxes.py --record, agree-boxes.py | docs/benchmarks/boxes.md |
| fused-depth.json | measure-fusion.py --record, compare-fusion.py | docs/benchmarks/fused-depth.md |
| depth-network.json | training/evaluate.py | docs/benchmarks/depth-network.md, weights/MODEL_CARD.md |
| amd-epyc-zen-5/*.json | tools/bench/bench-peers.py --page | README.md; the page by that script |
| whole-flow.json | ardf bench --flow --report json --out | docs/benchmarks/roofline.md |

A file NAME.json fills the template NAME.template beside this script: `{name}` there stands for a table. In
roofline.md, the model card and README the lines between `<!-- figures -->` and `<!-- end of figures -->` are written.
"""

import json
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGES = ROOT / "docs/benchmarks"
TEMPLATES = Path(__file__).parent / "figures"
FLOW = PAGES / "roofline.md"
CARD = ROOT / "weights/MODEL_CARD.md"
README = ROOT / "README.md"
#: The runs that README's table is made of, with the precisions that it takes of each.
SPEED = (("1-two-threads", ("f32", "bf16")), ("3-integers", ("int8",)))
ENGINES = {"litert": "LiteRT", "ncnn": "ncnn", "openvino": "OpenVINO", "onnxruntime": "ONNX Runtime", "torch": "PyTorch"}
NETWORKS = {
    "yolo11n-seg": "YOLO11n-seg",
    "yolo11l-seg": "YOLO11l-seg",
    "depth-anything-v2-small": "Depth Anything V2 Small",
}
#: Rows of the flow's table, with the stages that each adds up; `extent` stands for each object measured by itself.
STAGES = {
    "decoding the frame": ("decode frame",),
    "turning the picture, letterbox": ("turn upright", "letterbox"),
    "detector": ("detector",),
    "suppression, masks": ("decode, NMS", "masks"),
    "depth network": ("depth",),
    "resizing for it, and its depth": ("resize for depth", "resize depth"),
    "fusion": ("fuse",),
    "measuring all objects": ("extents",),
    "results picture": ("compose",),
    "all of these": ("whole flow",),
    "drawing and writing all files": ("draw and write",),
}
#: Methods that are compared in furnished rooms.
ROOMS = ("ardf", "Open3D", "PCA")
BANDS = ("0.5 to 2 m", "2 to 4 m", "4 to 6 m", "6 to 10.5 m", "at 4 m", "at edges, mean")


def rows(head, lines):
    """A table in Markdown; the first column holds words, the others numbers."""
    rule = ["---", *["--:"] * (len(head) - 1)]
    return "\n".join(f"| {' | '.join(map(str, line))} |" for line in (head, rule, *lines))


def shown(figure):
    """Three digits, two after the point at most; a whole number as it was recorded."""
    if figure is None or isinstance(figure, int):
        return "" if figure is None else str(figure)
    return f"{figure:.{2 if figure < 10 else 1 if figure < 100 else 0}f}"


def seen(name):
    """A set of boxes, and the sensor that sees it."""
    return f"{name} (ideal)" if name.endswith((", exact", ", noisy")) else name


def boxes(results):
    heads = ("side: median", "95 %", "worst", "yaw: median", "95 %", "center: median")
    furnished = {name: found for name, found in results["sets"].items() if name.startswith("rooms")}
    full = {name: found for name, found in results["sets"].items() if name.count(",") == 1 and name not in furnished}
    sets = [
        [f"{seen(name)}, {method}", *map(shown, figures["all"])]
        for name, found in full.items()
        for method, figures in found["methods"].items()
    ]
    kinds = [kind for kind in next(iter(full.values()))["methods"]["ardf"] if kind != "all"]
    solids = [
        [
            "L-shape" if kind == "corner" else kind,
            *("{:.2f}, {:.1f}".format(*found["methods"]["ardf"][kind][:2]) for found in full.values()),
        ]
        for kind in kinds
    ]
    counted = ("beyond", "biased", "silent", "biasedSilent", "warned", "inferred")
    doubts = [
        [
            seen(name), *(found["summary"].get(key, "") for key in counted),
            *("" if share is None else f"{share:.0f} %" for share in found["summary"].get("held", (None, None))),
        ]
        for name, found in full.items()
    ]
    missing = []
    for name, found in results["sets"].items():
        kind = name.removeprefix("table, noisy").removeprefix(", ") or "nothing"
        if name.startswith("table, noisy"):
            side, most, worst, _, yaw, center = found["methods"]["ardf"]["all"]
            counts = [found["summary"][key] for key in ("beyond", "silent", "inferred")]
            missing.append([kind, *map(shown, (side, most, worst, yaw, center)), *counts])
    rooms = []
    for name, found in furnished.items():
        methods = found["methods"]
        for kind in methods["ardf"]:
            figures = ["{:.1f}, {:.0f}".format(*methods[method][kind][:2]) if method in methods else "" for method in ROOMS]
            label = kind if len(furnished) == 1 else f"{name}, {kind}"
            rooms.append([label, *figures, *(found["kinds"].get(kind, ["", "", "", "", ""]))])
    return {
        "rooms": rows(("kind", *ROOMS, "bad", "silent", "good but warned of", "hold: observed", "inferred"), rooms),
        "sets": rows(("set, method", *heads), sets),
        "solids": rows(("solid", *map(seen, full)), solids),
        "doubts": rows(("set", "beyond", "by bias alone", "silent", "by bias alone", "good but warned of", "sides inferred", "intervals hold: observed", "inferred"), doubts),
        "missing": rows(("missing", *heads[:3], "yaw: 95 %", heads[5], "beyond", "silent", "sides inferred"), missing),
        "agreement": rows(
            ("capture, object", "observed: %", "explained", "intervals", "inferred: explained", "intervals"),
            [[name, *figures] for name, figures in results["agreement"].items()],
        ),
    }


def fused_depth(results):
    lines = []
    for name, methods in results["rooms"].items():
        for method, (*bands, edges) in methods.items():
            cells = [f"{median:.2f} ({mean:.1f})" for median, mean in bands]
            lines.append([f"{name}, {method}", *cells, f"{edges:.1f}"])
    methods = ("bilinear", "guided", "fit")
    captures = []
    for row in results["captures"]:
        means = [f"{mean:.1f}" for mean in row["mean"] or []] or [""] * 3
        medians = [f"{median:.2f}" if median < 10 else f"{median:.1f}" for median in row["median"]]
        captures.append([row["capture"], row["frames"], f"{row['cells']:,}", *medians, row["edges"], *means])
    median, mean = ("median: bilinear", "guided", "fit"), ("mean: bilinear", "guided", "fit")
    heads = ("capture", "frames", "cells", *median, "at edges", *mean)
    hidden = [[name, *(found[method] for method in methods)] for name, found in results["hidden"].items()]
    sensed = [
        [f"{name}, {method}", *(f"{share:.2f}" for share in shares)]
        for name, methods in results["sensors"].items()
        for method, shares in methods.items()
    ]
    return {
        "rooms": rows(("rooms, method", *BANDS), lines),
        "sensors": rows(("rooms, sensor, method", "everywhere", "smooth", "at edges", "at edges, worst room"), sensed),
        "hidden": rows(("rooms", *methods), hidden),
        "captures": rows(heads, captures),
    }


def depth_network(results):
    heads = ("frames", *results["columns"])
    return {
        "validation": rows(("validation", *heads), results["validation"]),
        "test": rows(("test", *heads), results["test"]),
    }


def card(results):
    """The model card's table: the shipped checkpoint beside what knows nothing of the picture."""
    lines = [[f"{kind}: {row[0]}", *row[1:4], row[-1]] for kind in ("validation", "test") for row in results[kind]]
    return rows(("set", "frames", "constant", "plane", "this checkpoint"), lines)


def flow(results):
    """The stages of the whole flow on a frame, for each number of threads; objects measured by themselves in the end."""
    found = {(row["stage"], row["threads"]): row["medianMs"] for row in results["results"]}
    threads = sorted({count for _, count in found})
    lines = [
        [name, *(shown(sum(found[stage, count] for stage in stages)) for count in threads)]
        for name, stages in STAGES.items()
    ]
    objects = [[found[key] for key in sorted(found) if key[0].startswith("extent ") and key[1] == count] for count in threads]
    lines.append([f"{len(objects[0])} objects, each by itself", *(", ".join(map(shown, times)) for times in objects)])
    return rows(("stage", *(f"{count} thread{'s' * (count > 1)}" for count in threads)), lines)


def speed():
    """README's table: ardf beside the fastest and the smallest other engine, network by network in each precision."""
    lines = []
    for run, precisions in SPEED:
        found = json.loads((PAGES / f"amd-epyc-zen-5/{run}.json").read_text())["rows"]
        for precision in precisions:
            for model, name in NETWORKS.items():
                alike = [row for row in found if (row["model"], row["precision"]) == (model, precision)]
                own = next(row for row in alike if row["engine"].startswith("ardf"))
                others = [row for row in alike if row is not own]
                fastest, smallest = (min(others, key=lambda row: row[key]) for key in ("medianMs", "peakRSSBytes"))
                ratio = fastest["medianMs"] / own["medianMs"]
                cells = (f"{own['medianMs']:.3g} ms", f"{fastest['medianMs']:.3g} ms ({engine(fastest)})", f"{ratio:.2f}")
                memory = [f"{row['peakRSSBytes'] / 1e6:.0f} MB" for row in (own, smallest)]
                precise = precision.replace("f32", "fp32")
                lines.append([f"{name}, {precise}", *cells, memory[0], f"{memory[1]} ({engine(smallest)})"])
    heads = ("ardf", "fastest other", "times faster", "peak memory", "least other")
    return rows(("network, precision", *heads), lines)


def engine(row):
    return ENGINES[row["engine"].split("-")[0]]


def written():
    """`(path, text)` of everything that is generated."""
    for name, tables in (("boxes", boxes), ("fused-depth", fused_depth), ("depth-network", depth_network)):
        results = json.loads((PAGES / f"{name}.json").read_text())
        text = (TEMPLATES / f"{name}.template").read_text()
        for hole, table in tables(results).items():
            text = text.replace(f"\n{{{hole}}}\n", f"\n{table}\n")
        yield PAGES / f"{name}.md", text
    begin, end = "<!-- figures -->\n", "<!-- end of figures -->"
    stages = flow(json.loads((PAGES / "whole-flow.json").read_text()))
    for page, table in ((FLOW, stages), (CARD, card(results)), (README, speed())):
        before, rest = page.read_text().split(begin)
        yield page, f"{before}{begin}\n{table}\n\n{end}{rest.split(end)[1]}"


def main():
    stale = []
    for path, text in written():
        if "--check" not in sys.argv[1:]:
            path.write_text(text)
        elif path.read_text() != text:
            stale.append(f"write-figures: {path.relative_to(ROOT)} is not what its results give: run this script")
    if stale:
        sys.exit("\n".join(stale))


if __name__ == "__main__":
    main()
