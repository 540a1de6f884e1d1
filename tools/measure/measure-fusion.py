#!/usr/bin/env python3
"""Fused depth against exact corridors and rooms, 0.5 to 10 m: docs/benchmarks/fused-depth.md.

    python tools/measure/measure-fusion.py --set table [--noisy | --sensor KIND] [--count 20] --ardf .build/release/ardf
        [--ardf before=OLD] [--record docs/benchmarks/fused-depth.json]

Draws the rooms of a set (tools/measure/fusion/rooms.py), writes each as a capture with the relative depth of a made-up
network, has `ardf fuse` fuse them in both ways, and compares every pixel of metric.npy with the truth, by its distance.
`bilinear` is the sensor alone: straight lines between readings, over gaps along rows and columns. With `--sensor` depth
errs as a real one's (tools/measure/boxes/sensors.py), and errors are shares of the depth: at edges and elsewhere; `raw` is the
sensor alone there, readings of any confidence. `--bars` ends with 1
where guided depth is worse than the bars below, `--record` keeps the figures in the results that
tools/measure/write-figures.py makes the page of. Needs numpy alone.
"""

import argparse
import json
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path[:0] = [str(Path(__file__).parent / folder) for folder in ("fusion", "boxes")]
import recorded
import rooms
import sensors

BANDS = ((0.5, 2), (2, 4), (4, 6), (6, 10.5))
# Pixels this near to 4 m, on either side, tell whether there is a seam.
SEAM = (3.9, 4.1)
# A pixel is at an edge where depth within 3 pixels differs by more than this factor.
EDGE = 1.05
#: What must hold of guided depth, in mm, by whether it is noisy: the medians by distance and at 4 m, the mean at edges.
BARS = {False: (0.05, 0.05, 0.1, 0.1, 0.1, 4), True: (4.5, 9, 21, 16, 18, 90)}
#: The greatest share of the raw sensor's error that guided depth may have, at edges and elsewhere, by sensor.
SENSOR = {"lidar": (0.75, 1.0)}


def write(room, number, noisy, sensor, folder):
    """A room as a capture of the native layout with relative depth beside it; -> the truth on the map, and readings."""
    rng = np.random.default_rng([room.constants.seed, number])
    if sensor:
        seen = sensors.sensed(room, sensor, rng)
        sure = np.full(seen.depth.shape, 2, np.uint8) if seen.confidence is None else seen.confidence
        depth, confidence = seen.depth.astype(np.float32), sure
    else:
        depth, confidence, _ = rooms.sensed(room, rng, noisy)
    relative, truth = rooms.relative(room, rng, noisy or sensor is not None)
    folder.mkdir(parents=True, exist_ok=True)
    np.save(folder / "depth.npy", depth)
    np.save(folder / "confidence.npy", confidence)
    np.save(folder / "relative.npy", relative)
    f = room.constants.focal
    frame = {
        "schema": "ardf.capture/1", "imageSize": list(rooms.PICTURE), "orientation": "landscapeRight", "timestamp": 0,
        "intrinsics": [f, 0, 0, 0, f, 0, rooms.PICTURE[0] / 2, rooms.PICTURE[1] / 2, 1], "cameraToWorld":
        np.vstack([np.column_stack([room.rotation, room.origin]), [0, 0, 0, 1]]).T.ravel().tolist(),
        "depth": "depth.npy", "confidence": "confidence.npy",
    }  # fmt: skip
    if sensor:
        frame["sensor"] = sensor
    (folder / "frame.json").write_text(json.dumps(frame))
    counts = depth > 0 if sensor else confidence == 2
    return truth, np.where(counts, depth, np.nan).astype(float)


def fuse(program, folder, out, *options):
    capture, out = folder / "capture", folder / out
    command = [program, "fuse", "--relative", capture / "relative.npy", "--capture", capture, "--out", out, *options]
    run = subprocess.run(list(map(str, command)), capture_output=True, text=True)
    if run.returncode:
        sys.exit(f"{folder.name}: {run.stderr}")
    return np.load(out / "metric.npy").astype(float), json.loads((out / "fusion.json").read_text())


def lines(readings):
    """Readings with their gaps filled by straight lines along rows and columns, the shorter counting more."""

    def along(plane):
        filled, weight = np.zeros(plane.shape), np.zeros(plane.shape)
        places = np.arange(plane.shape[1])
        for values, row, length in zip(plane, filled, weight, strict=True):
            known = np.flatnonzero(np.isfinite(values))
            if known.size < 2:
                continue
            row[:] = np.interp(places, known, values[known])
            after = np.clip(np.searchsorted(known, places), 1, known.size - 1)
            outside = (places < known[0]) | (places > known[-1])
            length[:] = np.where(outside, 1e-6, 1 / (known[after] - known[after - 1]))
        return filled, weight

    (a, wa), (b, wb) = along(readings), (p.T for p in along(readings.T))
    mean = (a * wa + b * wb) / np.maximum(wa + wb, 1e-12)
    return np.where(np.isfinite(readings), readings, mean)


def bilinear(readings):
    """The readings on the map."""
    x = (np.arange(rooms.MAP[0]) + 0.5) * rooms.GRID[0] / rooms.MAP[0] - 0.5
    y = (np.arange(rooms.MAP[1]) + 0.5) * rooms.GRID[1] / rooms.MAP[1] - 0.5
    return rooms.bilinear(lines(readings), x, y)


def at_edges(truth):
    reach = 3
    padded = np.pad(truth, reach, mode="edge")
    shifts = range(2 * reach + 1)
    high = low = None
    for dy in shifts:
        for dx in shifts:
            part = padded[dy : dy + truth.shape[0], dx : dx + truth.shape[1]]
            high = part if high is None else np.maximum(high, part)
            low = part if low is None else np.minimum(low, part)
    return high / low > EDGE


def measure(programs, room, number, options, root):
    folder = root / room.name
    truth, readings = write(room, number, options.noisy, options.sensor, folder / "capture")
    found = {}
    for name, program in programs.items():
        if name.startswith("before"):
            found[f"{name}, --follow"], _ = fuse(program, folder, "before", "--follow")
            found[f"{name}, fit"], _ = fuse(program, folder, "before-fit")
            continue
        found["guided"], report = fuse(program, folder, "guided")
        found["fit"], _ = fuse(program, folder, "fit", "--fusion", "fit")
    found["raw" if options.sensor else "bilinear"] = bilinear(readings)
    return truth, {name: 1000 * np.abs(metric - truth) for name, metric in found.items()}, report


def missed(rows, noisy):
    """A line for each figure of guided depth beyond its bar; `rows`: the figures of each method."""
    names = (*(f"{low:g} to {high:g} m" for low, high in BANDS), "at 4 m", "at edges")
    lines = []
    for name, figure, bar, line in zip(names, rows["guided"], BARS[noisy], rows["bilinear"], strict=True):
        if not figure <= bar:
            lines.append(f"guided, {name}: {figure:.2f} mm, at most {bar} is asked")
        if noisy and not figure <= line:
            lines.append(f"guided, {name}: {figure:.2f} mm, straight lines between readings have {line:.2f}")
    return lines


def print_shares(results, options):
    """Prints errors as shares of the depth, by method: everywhere, away from edges, at edges, and of rooms the worst at edges.
    """
    rows = {}
    for name in results[0][1]:
        parts = [[], [], []]
        for truth, errors, _ in results:
            share, edge = errors[name] / truth / 10, at_edges(truth)
            for part, inside in zip(parts, (np.ones(edge.shape, bool), ~edge, edge), strict=True):
                part.append(share[inside])
        rows[name] = [round(float(np.concatenate(part).mean()), 3) for part in parts]
        rows[name].append(round(max(float(part.mean()) for part in parts[2]), 2))
    print("error in % of the depth, mean | everywhere | smooth | at edges | at edges, worst room |")
    print("|---" * 5 + "|")
    for name, row in rows.items():
        print(f"| {name} | " + " | ".join(f"{value:.2f}" for value in row) + " |")
    if options.record:
        kept = json.loads(options.record.read_text())
        kept.setdefault("sensors", {})[f"{options.set}, {options.sensor}"] = rows
        options.record.write_text(recorded.text(kept))
    guided, raw = rows["guided"], rows["raw"]
    for place, column, bar in zip(("at edges", "elsewhere"), (2, 1), SENSOR.get(options.sensor, ()), strict=False):
        if options.bars and not guided[column] <= bar * raw[column]:
            sys.exit(f"guided, {place}: {guided[column]:.2f} %, at most {bar} of {raw[column]:.2f} is asked")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=rooms.SETS, default="table")
    parser.add_argument("--count", type=int, default=20)
    parser.add_argument("--noisy", action="store_true", help="as a phone and a network see it")
    parser.add_argument("--sensor", choices=sensors.KINDS, help="as this sensor sees it; without, the sensor is ideal")
    parser.add_argument("--ardf", action="append", required=True, help="PROGRAM, or before=OLD of 83d59b0")
    parser.add_argument("--out", type=Path, help="keep captures here")
    parser.add_argument("--record", type=Path, help="keep the figures in these results")
    parser.add_argument("--bars", action="store_true", help="end with 1 where a figure of guided depth is missed")
    options = parser.parse_args()
    if options.noisy and options.sensor:
        parser.error("--sensor: goes without --noisy")
    programs = dict(name.split("=", 1) if "=" in name else ("ardf", name) for name in options.ardf)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        root = options.out or Path(scratch)
        drawn = enumerate(rooms.rooms(options.set, options.count))
        results = list(pool.map(lambda item: measure(programs, item[1], item[0], options, root), drawn))
    if options.sensor:
        print_shares(results, options)
        return
    truth = np.concatenate([t.ravel() for t, _, _ in results])
    edge = np.concatenate([at_edges(t).ravel() for t, _, _ in results])
    heads = [f"{low:g} to {high:g} m" for low, high in BANDS]
    print("median (mean) error in mm | " + " | ".join(heads) + " | at 4 m | at edges: mean |")
    print("|---" * (len(BANDS) + 3) + "|")
    rows, kept, hidden = {}, {}, {}
    for name in results[0][1]:
        errors = np.concatenate([e[name].ravel() for _, e, _ in results])
        cells, rows[name] = [], []
        for low, high in (*BANDS, SEAM):
            inside = errors[(truth >= low) & (truth < high)]
            cells.append(f"{np.median(inside):.2f} ({inside.mean():.1f})")
            rows[name].append(np.median(inside))
            kept.setdefault(name, []).append([round(float(np.median(inside)), 2), round(float(inside.mean()), 1)])
        rows[name].append(errors[edge].mean())
        kept[name].append(round(float(errors[edge].mean()), 1))
        print(f"| {name} | " + " | ".join(cells) + f" | {errors[edge].mean():.1f} |")
    for method in ("guided", "fit", "bilinear"):
        shown = [r["repeatability"][method]["medianMeters"] for _, _, r in results if "repeatability" in r]
        hidden[method] = round(1000 * float(np.median(shown)), 1)
        print(f"{method}: {1000 * np.median(shown):.2f} mm on hidden readings, median of {len(shown)} frames' medians")
    shares = [r["sources"] for _, _, r in results]
    print("pixels: " + ", ".join(f"{name} {100 * np.mean([s[name] for s in shares]):.1f} %" for name in shares[0]))
    if options.record:
        results = json.loads(options.record.read_text())
        name = f"{options.set}, {'noisy' if options.noisy else 'exact'}"
        results["rooms"][name], results["hidden"][name] = kept, hidden
        options.record.write_text(recorded.text(results))
    if options.bars and (lines := missed(rows, options.noisy)):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
