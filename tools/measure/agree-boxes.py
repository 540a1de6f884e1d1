#!/usr/bin/env python3
"""How far the boxes of one object agree, measured from different frames of a real capture:
docs/benchmarks/boxes.md.

    python tools/measure/agree-boxes.py CAPTURE DETECTED --ardf .build/release/ardf [--class bed]
        [--at-most PERCENT] [--least 10] [--observed PERCENT] [--inferred PERCENT] [--width PERCENT] [--alike VIEWS]
        [--record docs/benchmarks/boxes.json --name "bedroom, bed"]

DETECTED is the output of `ardf detect CAPTURE --out DETECTED`. An object is that of the same class, in another frame,
whose center lies nearest, and less than half of its shorter horizontal side away: things that lie side by side are not
one. Of each, every side is compared between every two frames: the difference over the mean. Sides that are inferred in
either frame count apart. Both intervals explain a difference that is no larger than they are together; a side without an
interval is explained by nothing.

Ends with 1 where a bar is missed: `--at-most`, the median difference of observed sides, of `--least` comparisons;
`--observed` and `--inferred`, the share of differences that intervals explain; `--width`, the median interval of inferred
sides, from end to end over the side, since wide intervals explain everything; `--alike`, in how many frames the object of
most frames is turned alike, within 3 degrees. `--record` keeps the figures under a name.
"""

import argparse
import itertools
import json
import subprocess
import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import recorded


def measured(program, source, detected):
    for frame in json.loads((detected / "index.json").read_text())["frames"]:
        detections = detected / frame["folder"] / "detections.json"
        command = [program, "place", "--detections", detections, "--capture", source, "--frame", frame["name"]]
        run = subprocess.run([*map(str, command), "--out", "-"], stdout=subprocess.PIPE, text=True, check=True)
        yield from ((frame["name"], entry) for entry in json.loads(run.stdout)["objects"] if entry["box3D"])


def sides(entry):
    """The sides, the longer horizontal one first, whether each is observed, and half of its interval."""
    box = entry["box3D"]
    marks = box.get("sides", {})
    observed = np.array(["inferred" not in (marks.get(f"-{axis}"), marks.get(f"+{axis}")) for axis in "xyz"])
    intervals = box["interval95"]["dimensions"]
    half = np.array([(span[1] - span[0]) / 2 if span else np.nan for span in intervals])
    size = np.array(box["dimensions"], float)
    order = [0, 1, 2]
    if abs(size[0] - size[2]) < 1e-3 * size[0] and not observed[0]:
        # Which side of a square is called the longer one is chance.
        order = [2, 1, 0]
    return size[order], observed[order], half[order]


@dataclass
class Comparison:
    """One side in two frames: both observe it, the difference in %, both intervals explain it, their mean width in %."""

    is_observed: bool
    difference: float
    is_explained: bool
    width: float


def comparisons(first, second):
    """One of each side."""
    (lengths, seen, spans), (others, also, ends) = sides(first), sides(second)
    found = []
    for a, b, is_observed, span, other in zip(lengths, others, seen & also, spans, ends, strict=True):
        mean = (a + b) / 2
        # NaN, where an interval is missing, compares as false.
        explained = bool(abs(a - b) <= np.hypot(span, other))
        found.append(Comparison(bool(is_observed), abs(a - b) / mean * 100, explained, (span + other) / mean * 100))
    return found


class Agreement:
    """The comparisons of all objects, or of some."""

    def __init__(self, compared):
        self.observed = [one for one in compared if one.is_observed]
        self.inferred = [one for one in compared if not one.is_observed]

    @property
    def median(self):
        """The median difference of observed sides, in %."""
        return float(np.median([one.difference for one in self.observed])) if self.observed else np.nan

    def figures(self):
        """Rows of the page: the median, and of observed and inferred sides those explained and the median width."""
        parts = [f"{self.median:.1f}" if self.observed else ""]
        for group in (self.observed, self.inferred):
            parts.append(f"{explained(group)} of {len(group)}" if group else "")
            parts.append(f"{width(group):.0f} %" if group else "")
        return parts

    def missed(self, options):
        """The bars that are missed, in words."""
        if options.at_most is not None and not (len(self.observed) >= options.least and self.median <= options.at_most):
            yield f"a median of at most {options.at_most} % of at least {options.least} comparisons"
        for name, asked, group in (("observed", options.observed, self.observed), ("inferred", options.inferred, self.inferred)):
            if asked is not None and not (group and 100 * explained(group) >= asked * len(group)):
                yield f"intervals that explain {asked} % of the differences of {name} sides"
        if options.width is not None and not (self.inferred and width(self.inferred) <= options.width):
            yield f"a median interval of inferred sides of at most {options.width} %"


def explained(group):
    return sum(one.is_explained for one in group)


def width(group):
    """The median width of intervals, in %, missing ones being endless."""
    return float(np.median([np.inf if np.isnan(one.width) else one.width for one in group]))


def apart(group, entry):
    """How far a box's middle lies from the median one of a group, over the group's shorter horizontal side."""
    centers = np.array([other["box3D"]["center"] for _, other in group])
    widths = [min(other["box3D"]["dimensions"][::2]) for _, other in group]
    return np.linalg.norm(np.median(centers, 0) - entry["box3D"]["center"]) / np.median(widths)


#: Degrees within which two boxes are turned alike.
TURNED = 3


def alike(group):
    """How many boxes of a group are turned within `TURNED` of one of them, a quarter turn being none."""
    yaw = np.degrees([entry["box3D"]["yaw"] for _, entry in group])
    apart = (yaw[:, None] - yaw + 45) % 90 - 45
    return int((np.abs(apart) <= TURNED).sum(1).max())


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("capture", type=Path)
    parser.add_argument("detected", type=Path)
    parser.add_argument("--ardf", required=True)
    parser.add_argument("--class", dest="wanted", help="this class alone")
    parser.add_argument("--at-most", type=float, help="the largest median difference of observed sides, in %%")
    parser.add_argument("--least", type=int, default=10, help="comparisons that `--at-most` needs")
    parser.add_argument("--observed", type=float, help="least share of explained differences, observed sides, in %%")
    parser.add_argument("--inferred", type=float, help="the same of inferred sides")
    parser.add_argument("--width", type=float, help="the largest median interval of inferred sides, in %% of the side")
    parser.add_argument("--alike", type=int, help="least frames of the first object turned alike")
    parser.add_argument("--record", type=Path, help="keep the figures in these results: docs/benchmarks/boxes.json")
    parser.add_argument("--name", help="the row's name in the results: capture, object")
    options = parser.parse_args()
    if options.record and not options.name:
        parser.error("--record asks for --name")
    groups = []
    for frame, entry in measured(options.ardf, options.capture, options.detected):
        if options.wanted not in (None, entry["className"]) or entry["box3D"]["method"] == "sixpoint":
            continue
        others = [g for g in groups if g[0][1]["className"] == entry["className"] and g[-1][0] != frame]
        nearest = min(others, key=lambda group: apart(group, entry), default=None)
        if nearest and apart(nearest, entry) < 0.5:
            nearest.append((frame, entry))
        else:
            groups.append([(frame, entry)])
    if not groups:
        sys.exit("no object was measured")
    everything = []
    longest = max(groups, key=len)
    print(f"{longest[0][1]['className']}: {alike(longest)} of {len(longest)} turned alike")
    for group in groups:
        compared = [side for a, b in itertools.combinations(group, 2) for side in comparisons(a[1], b[1])]
        everything += compared
        for frame, entry in group:
            size, observed, _ = sides(entry)
            print("   ", frame, np.round(np.where(observed, size, np.nan), 3), entry["warnings"])
        if compared:
            print(f"{group[0][1]['className']}: {len(group)} frames,", described(Agreement(compared)))
    found = Agreement(everything)
    print("all:", described(found))
    if options.record:
        kept = json.loads(options.record.read_text())
        kept["agreement"][options.name] = found.figures()
        options.record.write_text(recorded.text(kept))
    missed = list(found.missed(options))
    if options.alike is not None and alike(longest) < options.alike:
        missed.append(f"{options.alike} views turned alike")
    if missed:
        sys.exit(f"asked for: {'; '.join(missed)}")


def described(agreement):
    median, seen, narrow, inferred, wide = agreement.figures()
    return f"median {median or '-'} %; explained {seen or '-'} ({narrow}), inferred {inferred or '-'} ({wide})"


if __name__ == "__main__":
    main()
