#!/usr/bin/env python3
"""Object boxes against exact scenes: docs/benchmarks/boxes.md.

    python tools/measure/measure-boxes.py --set table [--noisy | --sensor KIND] [--missing KIND] [--count 100]
        --ardf .build/release/ardf [--ardf OLD] [--open3d] [--pca] [--record docs/benchmarks/boxes.json]

Draws the scenes of a set (tools/measure/boxes/scenes.py), writes each as a capture with a detection, has `ardf place`
measure it, and prints errors by kind of solid. Several `--ardf` are compared on the same files. `--open3d` puts
`get_minimal_oriented_bounding_box` around the points of the first, `--pca` a box along their principal axes. `--out`
keeps captures and a JSON of all errors.
Without `--sensor` the sensor is ideal: exact, or with noise that is independent from cell to cell (`--noisy`); with it
depth errs as a real one's (tools/measure/boxes/sensors.py). Sets `rooms-tune` and `rooms-held` hold 18 kinds of objects among
furniture (tools/measure/boxes/furnished.py); of these all counts are printed by kind.
Sides that ardf calls inferred do not count; their number is printed. `--picture FILE` shows the best, middling and
worst scenes with the true and the measured box; `--missing` takes away readings as sensors do
(tools/measure/boxes/missing.py); `--bars` ends with 1 where a figure is worse than the bars below. `--record` keeps the
figures in the results of which tools/measure/write-figures.py makes the page. Needs numpy alone, open3d for its
baseline, Pillow for the picture.
"""

import argparse
import json
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent / "boxes"))
import capture
import missing
import recorded
import scenes
import score
import sensors


def measure(programs, scene, number, options, folder):
    """The errors of each method on one scene, by name, and the first program's warnings."""
    capture.write(scene, number, options, folder)
    found, warnings = {}, []
    for name, program in programs.items():
        entry = capture.place(program, folder)
        found[name] = score.Errors(scene, entry["box3D"])
        if len(found) == 1:
            warnings = entry["warnings"]
    points = capture.masked_points(scene, folder, np.load(folder / "depth.npy"))
    if options.open3d:
        found["Open3D"] = score.Errors(scene, score.open3d_box(points))
    if options.pca:
        away = (points - scene.origin) @ -scene.rotation[:, 2]
        found["PCA"] = score.Errors(scene, score.principal_box(points, away))
    return found, warnings


#: What must hold of `table`, by whether it is noisy: sides in %, their median, 95 % and worst; yaw in degrees, same;
#: the center's median over 5 mm or 1 % of the range.
BARS = {False: (0.05, 0.4, 3.0, 0.05, 0.1, 0.05), True: (0.15, 1.5, 5.0, 0.1, 0.6, 0.06)}
#: The same of a sensor that errs by its model: sides and yaw, median and 95 %.
SENSOR = {"lidar": (2.0, 15.0, 1.0, 8.0)}
#: What must hold of `table`, noisy, without readings of a kind: sides in %, their median and 95 %, and the median center.
MISSING = {"edges": (0.3, 2.5, 0.1), "far": (0.15, 1.5, 0.06), "patch": (0.15, 1.5, 0.06), "part": (0.3, 3.0, 0.3)}
#: Boxes beyond these, or off by more than 5 mm and 1 % of the range, are to carry a warning.
SIDE, YAW = {False: 3, True: 8}, 4
#: How many sides that the picture shows whole may be called inferred, and which share of good boxes may be warned of.
#: `round` is no doubt of a box.
DENIED, WARNED = 4, 0.25


def is_beyond(errors, noisy):
    side = np.abs(errors.sides[errors.sure]).max(initial=0)
    return side > SIDE[noisy] or errors.yaw > YAW or errors.center > 1


def is_displaced(errors, noisy, sensor):
    """Whether nothing is beyond its limit but the distance, and that by no more than 95 in 100 frames of the sensor are
    biased: one frame does not show its bias."""
    side = np.abs(errors.sides[errors.sure]).max(initial=0)
    bias = sensors.deviation(sensors.MODELS[sensor]["bias"], errors.scene.distance) if sensor else 0
    within = errors.along * errors.scene.distance <= 1.96 * bias
    return within and side <= SIDE[noisy] and errors.yaw <= YAW and errors.across <= 1 < errors.center


class Summary:
    """The figures of one program: its boxes beyond the limits, those of them without a warning, good ones with one, and
    its inferred sides, those of them that the picture shows."""

    def __init__(self, results, noisy, missing, sensor=None):
        self.noisy, self.missing, self.sensor = noisy, missing, sensor
        self.errors = [errors for errors, _ in results]
        self.beyond = [errors.scene.name for errors, _ in results if is_beyond(errors, noisy)]
        self.silent = [e.scene.name for e, warnings in results if is_beyond(e, noisy) and not warnings]
        self.displaced = [
            (e.scene.name, bool(set(warnings) - {"round"})) for e, warnings in results if is_displaced(e, noisy, sensor)
        ]
        self.warned = sum(1 for e, warnings in results if set(warnings) - {"round"} and not is_beyond(e, noisy))
        self.inferred = sum(int((~errors.sure).sum()) for errors in self.errors)
        unsure = [errors for errors in self.errors if not errors.sure.all()]
        self.denied = sum(int((~errors.sure & errors.scene.observed_sides()).sum()) for errors in unsure)

    @property
    def biased_silent(self):
        return len(set(self.silent) & {name for name, _ in self.displaced})

    def held(self, sure):
        """In how many of 100 observed or inferred sides the interval holds the truth; None where none is stated."""
        sides = [e.held[e.sure == sure] for e in self.errors if len(e.held)]
        known = np.concatenate(sides) if sides else np.array([])
        return round(100 * float(known.mean()), 1) if len(known) else None

    def lines(self):
        good = len(self.errors) - len(self.beyond)
        yield f"{self.inferred} sides inferred, {self.denied} of them seen whole"
        limits = (
            f"a side more than {SIDE[self.noisy]} %, a yaw more than {YAW} degrees or a center more than 5 mm and 1 %"
        )
        yield f"{len(self.beyond)} boxes with {limits} off, {len(self.silent)} of them without a warning {self.silent}"
        silent = self.biased_silent
        yield f"{len(self.displaced)} of them are off by the sensor's bias alone, {silent} of these without a warning"
        yield f"{self.warned} of the {good} others carry a warning"
        yield f"intervals hold {self.held(True)} % of the observed sides and {self.held(False)} % of the inferred ones"

    def counts(self):
        """The same in short; boxes that a bias alone puts off are not bad ones here."""
        biased = {name for name, _ in self.displaced}
        bad = [name for name in self.beyond if name not in biased]
        silent = [name for name in self.silent if name not in biased]
        good = len(self.errors) - len(self.beyond)
        return [len(self.errors), len(bad), len(silent), good, self.warned, self.inferred, self.held(True), self.held(False)]

    def missed(self, sensor=None):
        """A line for each figure beyond its bar."""
        sides = np.abs(np.concatenate([e.sides[e.sure] for e in self.errors]))
        yaw = np.array([e.yaw for e in self.errors if not e.scene.solid.round])
        figures = [np.median(sides), np.quantile(sides, 0.95), sides.max(), np.median(yaw), np.quantile(yaw, 0.95)]
        figures += [np.median([e.center for e in self.errors]), len(self.silent), self.denied, self.warned]
        names = ("side, median", "side, 95 %", "side, worst", "yaw, median", "yaw, 95 %", "center, median",
                 "beyond without a warning", "seen but inferred", "good but warned of")  # fmt: skip
        bars = (*BARS[self.noisy], 0, DENIED, WARNED * len(self.errors))
        rows = list(zip(names, figures, bars, strict=True))
        if sensor:
            sided = [figures[index] for index in (0, 1, 3, 4)]
            rows = list(zip([names[index] for index in (0, 1, 3, 4)], sided, SENSOR[sensor], strict=True))
        elif self.missing:
            asked = [rows[0], rows[1], rows[5]]
            rows = [(*row[:2], bar) for row, bar in zip(asked, MISSING[self.missing], strict=True)] + [rows[6]]
        return [f"{name}: {figure:.2f}, at most {bar} is asked" for name, figure, bar in rows if not figure <= bar]


def by_kind(results, *seen):
    """Rows of counts, one for each kind of solid."""
    head = ["kind", "n", "bad", "silent", "good", "warned", "sides inferred", "% held: observed", "inferred"]
    lines = [head, ["---"] * len(head)]
    kinds = dict.fromkeys(errors.scene.solid.kind for errors, _ in results)
    for kind in ("all", *kinds):
        some = [(errors, warnings) for errors, warnings in results if kind in ("all", errors.scene.solid.kind)]
        lines.append([kind, *(str(count) for count in Summary(some, *seen).counts())])
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)


def view(options):
    """How the scenes are seen, in the words of the page."""
    return options.sensor or ("noisy" if options.noisy else "exact")


def record(options, results, summary):
    """Puts the figures of a set, as it was seen, into the results; the first program is ardf there."""
    kept = json.loads(options.record.read_text())
    name = ", ".join([options.set, view(options), *filter(None, [options.missing])])
    methods = {}
    for method in results[0][0]:
        errors = [found[method] for found, _ in results]
        figures = {"all": [round(figure, 2) for figure in score.figures(errors)]}
        if not methods or options.set.startswith("rooms"):
            for kind in dict.fromkeys(e.scene.solid.kind for e in errors):
                side = score.figures([e for e in errors if e.scene.solid.kind == kind])[:2]
                figures[kind] = [round(side[0], 2), round(side[1], 1)]
        methods[method if methods else "ardf"] = figures
    counts = {"beyond": len(summary.beyond), "silent": len(summary.silent), "warned": summary.warned}
    if options.sensor:
        counts |= {"biased": len(summary.displaced), "biasedSilent": summary.biased_silent}
    kept["sets"][name] = {
        "count": len(results),
        "methods": {**kept["sets"].get(name, {}).get("methods", {}), **methods},
        "summary": {**counts, "inferred": summary.inferred, "held": [summary.held(True), summary.held(False)]},
    }
    if options.set.startswith("rooms"):
        own = [(next(iter(found.values())), warnings) for found, warnings in results]
        kept["sets"][name]["kinds"] = kinds_counted(own, summary)
    options.record.write_text(recorded.text(kept))


def kinds_counted(own, summary):
    """Counts of each kind: bad boxes, silent ones, good ones that are warned of, and the shares of sides that intervals hold."""
    found = {}
    for kind in ("all", *dict.fromkeys(errors.scene.solid.kind for errors, _ in own)):
        some = [(errors, warnings) for errors, warnings in own if kind in ("all", errors.scene.solid.kind)]
        _, bad, silent, good, warned, _, *held = Summary(some, summary.noisy, summary.missing, summary.sensor).counts()
        shares = ["" if share is None else f"{share:.0f} %" for share in held]
        found[kind] = [bad, silent, f"{warned} of {good}", *shares]
    return found


def draw(path, results, root):
    """The three best, three middling and three worst scenes of the first method."""
    import sheet

    def worst(item):
        return np.abs(item[0].sides[item[0].sure]).max(initial=0)

    ranked = sorted(((next(iter(found.values())), warnings) for found, warnings in results), key=worst)
    half = len(ranked) // 2
    chosen = [*ranked[:3], *ranked[half : half + 3], *ranked[-3:]]
    tiles = []
    for errors, warnings in chosen:
        detections = json.loads((root / errors.scene.name / "detections.json").read_text())
        tiles.append(sheet.tile(errors.scene, errors, detections, warnings))
    sheet.sheet(tiles).save(path, quality=85)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--set", choices=scenes.SETS, default="table")
    parser.add_argument("--count", type=int, default=100)
    parser.add_argument("--noisy", action="store_true", help="as a phone and a detector see it")
    parser.add_argument("--sensor", choices=sensors.KINDS, help="as this sensor sees it; without, the sensor is ideal")
    parser.add_argument("--missing", choices=missing.KINDS, help="without readings as sensors lose them")
    parser.add_argument("--ardf", action="append", required=True, help="NAME=PROGRAM or PROGRAM, may be repeated")
    parser.add_argument("--open3d", action="store_true")
    parser.add_argument("--pca", action="store_true", help="a simple box of the middle 80 %% of distances too")
    parser.add_argument("--out", type=Path, help="keep captures and errors here")
    parser.add_argument("--list", action="store_true", help="a line for each scene")
    parser.add_argument("--picture", type=Path, help="the best, middling and worst scenes")
    parser.add_argument("--record", type=Path, help="keep the figures in these results: docs/benchmarks/boxes.json")
    parser.add_argument("--bars", action="store_true", help="end with 1 where a figure of the first is missed")
    options = parser.parse_args()
    if options.sensor and (options.noisy or options.bars and options.sensor not in SENSOR):
        parser.error(f"--sensor: goes without --noisy, and bars are set for {', '.join(SENSOR)} alone")
    programs = dict(name.split("=", 1) if "=" in name else (name, name) for name in options.ardf)
    drawn = scenes.scenes(options.set, options.count)
    with tempfile.TemporaryDirectory() as scratch, ThreadPoolExecutor(2) as pool:
        root = options.out or Path(scratch)

        def one(item):
            number, scene = item
            return measure(programs, scene, number, options, root / scene.name)

        results = list(pool.map(one, enumerate(drawn)))
        if options.picture:
            draw(options.picture, results, root)
    sensor = options.sensor or f"ideal sensor, {'independent noise' if options.noisy else 'exact'}"
    print(f"{options.set}, {sensor}\n")
    print(score.table([(name, [found[name] for found, _ in results]) for name in results[0][0]]))
    first = next(iter(programs))
    noisy = options.noisy or options.sensor is not None
    own = [(found[first], warnings) for found, warnings in results]
    summary = Summary(own, noisy, options.missing, options.sensor)
    if options.set.startswith("rooms"):
        print("", by_kind(own, noisy, options.missing, options.sensor), sep="\n")
    print("", *(f"{first}: {line}" for line in summary.lines()), sep="\n")
    if options.list:
        for found, warnings in results:
            errors = found[first]
            view = f"{errors.scene.distance:.2f} m {np.degrees(errors.scene.pitch):.0f} deg"
            turn = f"yaw {errors.yaw:.2f} center {errors.center:.2f}"
            print(errors.scene.name, np.round(errors.sides, 1), turn, view, errors.sure, warnings)
    if options.out:
        entries = {
            name: {e.scene.name: [*e.sides, e.yaw, e.center] for e in (found[name] for found, _ in results)}
            for name in results[0][0]
        }
        score.dump(options.out / "errors.json", entries)
    if options.record:
        record(options, results, summary)
    if options.bars and (lines := summary.missed(options.sensor)):
        sys.exit("\n".join(lines))


if __name__ == "__main__":
    main()
