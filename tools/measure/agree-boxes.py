#!/usr/bin/env python3
"""How far the boxes of one object agree, measured from different frames of a real capture:
docs/benchmarks/boxes.md.

    python tools/measure/agree-boxes.py CAPTURE DETECTED --ardf .build/release/ardf [--class bed]
        [--at-most PERCENT] [--least 10] [--alike VIEWS]

DETECTED is the output of `ardf detect CAPTURE --out DETECTED`. An object is that of the same class, in another frame,
whose center lies nearest, and less than half of its shorter horizontal side away: things that lie side by side are not
one. Of each, every side is compared between every two frames: the difference over the mean. Sides that are inferred in
either frame do not count. `--at-most` ends with 1 where the median of all is larger, or fewer than `--least` were
compared. `--alike` ends with 1 where the object of most frames is turned alike in fewer, within 3
degrees.
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
    """The sides, the longer horizontal one first, NaN where inferred."""
    box = entry["box3D"]
    marks = box.get("sides", {})
    size = np.array(box["dimensions"], float)
    for index, axis in enumerate("xyz"):
        if "inferred" in (marks.get(f"-{axis}"), marks.get(f"+{axis}")):
            size[index] = np.nan
    width, _, depth = box["dimensions"]
    if abs(width - depth) < 1e-3 * width and np.isnan(size[0]):
        # Which side of a square is called the longer one is chance.
        size = size[::-1]
    return size


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
    everything = []
    longest = max(groups, key=len)
    print(f"{longest[0][1]['className']}: {alike(longest)} of {len(longest)} turned alike")
    for group in groups:
        differences = []
        for a, b in itertools.combinations(group, 2):
            first, second = sides(a[1]), sides(b[1])
            differences += list(np.abs(first - second) / ((first + second) / 2) * 100)
        differences = [d for d in differences if not np.isnan(d)]
        everything += differences
        name = group[0][1]["className"]
        for frame, entry in group:
            print("   ", frame, np.round(sides(entry), 3), entry["warnings"])
        if differences:
            print(f"{name}: {len(group)} frames, {len(differences)} comparisons, median {np.median(differences):.1f} %")
    if everything:
        print(f"all: {len(everything)} comparisons, median {np.median(everything):.1f} %")
    enough = len(everything) >= options.least
    if options.at_most is not None and not (enough and np.median(everything) <= options.at_most):
        sys.exit(f"a median of at most {options.at_most} % of at least {options.least} comparisons is asked")
    if options.alike is not None and alike(longest) < options.alike:
        sys.exit(f"{options.alike} views turned alike are asked")


if __name__ == "__main__":
    main()
