#!/usr/bin/env python3
"""How far the boxes of one object agree, measured from different frames of a real capture:
docs/benchmarks/boxes.md.

    python tools/measure/agree-boxes.py CAPTURE DETECTED --ardf .build/release/ardf [--class bed]
        [--at-most PERCENT] [--least 10] [--within PERCENT] [--alike VIEWS]

DETECTED is the output of `ardf detect CAPTURE --out DETECTED`. An object is that of the same class, in another frame,
whose center lies nearest, and less than half of its shorter horizontal side away: things that lie side by side are not
one. Of each, every side is compared between every two frames: the difference over the mean. Sides that are inferred in
either frame count apart: their difference is expected within both intervals, as that of the others is. `--at-most` ends
with 1 where the median of the others is larger, or fewer than `--least` were compared; `--within` where fewer of all
differences, in percent, lie within both intervals. `--alike` ends with 1 where the object of most frames is turned alike
in fewer, within 3 degrees.
"""

import argparse
import itertools
import json
import subprocess
import sys
from pathlib import Path

import numpy as np


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
    half = np.array([(span[1] - span[0]) / 2 if span else np.inf for span in intervals])
    size = np.array(box["dimensions"], float)
    order = [0, 1, 2]
    if abs(size[0] - size[2]) < 1e-3 * size[0] and not observed[0]:
        # Which side of a square is called the longer one is chance.
        order = [2, 1, 0]
    return size[order], observed[order], half[order]


def differences(first, second):
    """Whether both boxes observe a side, how far they differ in %, and whether by no more than both intervals, a side each."""
    (a, seen, span), (b, also, other) = sides(first), sides(second)
    return list(zip(seen & also, np.abs(a - b) / ((a + b) / 2) * 100, np.abs(a - b) <= np.hypot(span, other), strict=True))


def share(compared):
    """How many of the compared sides, in %, lie within both intervals."""
    return 100 * np.mean([holds for _, holds in compared]) if compared else 100.0


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
    parser.add_argument("--at-most", type=float, help="end with 1 where the median of all, in %%, is larger")
    parser.add_argument("--least", type=int, default=10, help="comparisons that `--at-most` needs")
    parser.add_argument("--within", type=float, help="end with 1 where fewer, in %%, lie within both intervals")
    parser.add_argument("--alike", type=int, help="end with 1 where fewer views of the first object are turned alike")
    options = parser.parse_args()
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
    # Differences in %, and whether they lie within both intervals, by whether both sides are observed.
    everything = {True: [], False: []}
    longest = max(groups, key=len)
    print(f"{longest[0][1]['className']}: {alike(longest)} of {len(longest)} turned alike")
    for group in groups:
        compared = [pair for a, b in itertools.combinations(group, 2) for pair in differences(a[1], b[1])]
        for is_observed, difference, holds in compared:
            everything[is_observed].append((difference, holds))
        name = group[0][1]["className"]
        for frame, entry in group:
            size, observed, _ = sides(entry)
            print("   ", frame, np.round(np.where(observed, size, np.nan), 3), entry["warnings"])
        seen = [difference for is_observed, difference, _ in compared if is_observed]
        if seen:
            print(f"{name}: {len(group)} frames, {len(seen)} comparisons, median {np.median(seen):.1f} %")
    observed = [difference for difference, _ in everything[True]]
    if observed:
        print(f"all: {len(observed)} comparisons, median {np.median(observed):.1f} %")
    for is_observed, name in ((True, "observed"), (False, "inferred")):
        if everything[is_observed]:
            print(f"within both intervals: {share(everything[is_observed]):.1f} % of {len(everything[is_observed])} {name}")
    enough = len(observed) >= options.least
    if options.at_most is not None and not (enough and np.median(observed) <= options.at_most):
        sys.exit(f"a median of at most {options.at_most} % of at least {options.least} comparisons is asked")
    held = share(everything[True] + everything[False])
    if options.within is not None and held < options.within:
        sys.exit(f"{held:.1f} % of the differences lie within both intervals, where {options.within} % is asked")
    if options.alike is not None and alike(longest) < options.alike:
        sys.exit(f"{options.alike} views turned alike are asked")


if __name__ == "__main__":
    main()
