#!/usr/bin/env python3
"""The depth checkpoint is as accurate on captures as weights/MODEL_CARD.md says: AbsRel and delta1 by `ardf evaluate`.

    tools/check/check-depth.py [--ardf .build/release/ardf]

The bars are the card's figures and 3 %. Skips without ../shared.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
CAPTURES = ROOT.parent / "shared/data/captures"
#: AbsRel at most and delta1 at least, and the frames where not all are unseen in training.
BARS = {
    "chair_scan": (0.0344, 0.995, []),
    "redwood_rgbd": (0.0805, 0.885, []),
    "charuco_board": (0.0319, 0.999, []),
    "bedroom": (0.0215, 0.999, ["00035", "00040", "00045"]),
}


def evaluated(program, capture, frames):
    chosen = [argument for frame in frames for argument in ("--frame", frame)]
    command = [program, "evaluate", CAPTURES / capture, "--weights", ROOT / "weights/dav2s-ardf-fp16.safetensors"]
    run = subprocess.run([*map(str, command), *chosen, "--report", "json"], stdout=subprocess.PIPE, check=True)
    return json.loads(run.stdout)["results"][0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ardf", default=ROOT / ".build/release/ardf")
    options = parser.parse_args()
    if not CAPTURES.is_dir():
        print("skipped: real captures are not beside the package")
        return
    misses = []
    for capture, (error, share, frames) in BARS.items():
        found = evaluated(options.ardf, capture, frames)
        print(f"{capture}: AbsRel {found['absRel']:.4f}, delta1 {found['delta1']:.4f}")
        if not (found["absRel"] <= error and found["delta1"] >= share):
            misses.append(f"{capture}: AbsRel of at most {error} and delta1 of at least {share} are asked")
    if misses:
        sys.exit("\n".join(misses))


if __name__ == "__main__":
    main()
