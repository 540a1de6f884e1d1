#!/usr/bin/env python3
"""The README's pictures, from what `make demo` leaves in out/demo and .cache.

    python tools/docs/make-pictures.py --ardf .build/release/ardf

Writes docs/images/results.jpg and docs/images/stages.jpg. Needs Pillow.
"""

import argparse
import json
import subprocess
import tempfile
from pathlib import Path

from PIL import Image

ROOT = Path(__file__).resolve().parents[2]
FRAME = "00000"
RESULTS, STAGE, GAP = (720, 960), (300, 400), 8
#: Turns of a stored picture that show it upright, by the name that the native layout gives them.
TURNS = {"portrait": Image.Transpose.ROTATE_270, "portraitUpsideDown": Image.Transpose.ROTATE_90,
         "landscapeLeft": Image.Transpose.ROTATE_180}  # fmt: skip


def photograph(ardf, scratch):
    """The frame's own picture, upright."""
    place = Path(scratch) / "capture"
    command = [ardf, "capture", "convert", ROOT / ".cache/bedroom", "--out", place]
    subprocess.run(list(map(str, command)), check=True, capture_output=True)
    document = min(place.glob("[0-9]*.json"))
    frame = json.loads(document.read_text())
    picture = Image.open(document.parent / frame["image"])
    turn = TURNS.get(frame["orientation"])
    return picture.transpose(turn) if turn is not None else picture


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--ardf", default=str(ROOT / ".build/release/ardf"))
    options = parser.parse_args()
    made = ROOT / "out/demo" / FRAME
    images = ROOT / "docs/images"
    results = Image.open(made / "results.png").convert("RGB")
    results.resize(RESULTS, Image.Resampling.LANCZOS).save(images / "results.jpg", quality=86)
    with tempfile.TemporaryDirectory() as scratch:
        drawn = [Image.open(made / f"{name}.png") for name in ("annotated", "relative")]
        stages = [photograph(options.ardf, scratch), *drawn]
        sheet = Image.new("RGB", (4 * STAGE[0] + 3 * GAP, STAGE[1]), "white")
        for index, stage in enumerate([*stages, results]):
            tile = stage.convert("RGB").resize(STAGE, Image.Resampling.LANCZOS)
            sheet.paste(tile, (index * (STAGE[0] + GAP), 0))
    sheet.save(images / "stages.jpg", quality=86)


if __name__ == "__main__":
    main()
