#!/usr/bin/env python3
"""Writes depth maps as OpenEXR of the kinds that are read, as goldens, by the library of the format's own makers.

    python tools/reference/goldens/make-exr-goldens.py --out Tests/AppCoreTests/Goldens

Wants `OpenEXR` 3.3 or later, `numpy`. Depth is 1 + row / 16 + column / 64 meters on 24x40 cells.
"""

import argparse
from pathlib import Path

import numpy as np
import OpenEXR

KINDS = {
    "float": (OpenEXR.NO_COMPRESSION, np.float32, ["R"]),
    "zip": (OpenEXR.ZIP_COMPRESSION, np.float32, ["A"]),
    "zips": (OpenEXR.ZIPS_COMPRESSION, np.float16, ["Y"]),
    "layers": (OpenEXR.ZIP_COMPRESSION, np.float16, ["A", "B", "Z"]),
    "piz": (OpenEXR.PIZ_COMPRESSION, np.float32, ["R"]),
}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    out = parser.parse_args().out
    depth = 1 + np.arange(40)[:, None] / 16 + np.arange(24)[None, :] / 64
    for name, (compression, kind, channels) in KINDS.items():
        header = {"compression": compression, "type": OpenEXR.scanlineimage}
        others = {channel: (depth * 0 + 7).astype(kind) for channel in channels[:-1]}
        pixels = {**others, channels[-1]: depth.astype(kind)}
        with OpenEXR.File(header, pixels) as file:
            file.write(str(out / f"depth_{name}.exr"))


if __name__ == "__main__":
    main()
