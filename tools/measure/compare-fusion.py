#!/usr/bin/env python3
"""Fused metric depth against LiDAR alone, on LiDAR cells that neither was shown.

    python tools/measure/compare-fusion.py --depth WEIGHTS --frames CAPTURE:00000 CAPTURE:00030 ... [--pictures DIR]

Every fourth cell (even row, even column) is hidden from a copy of the capture. `ardf depth` and `ardf fuse`
then give metric depth with what is left; the baseline is the bilinear mean of the hidden cell's visible neighbors.
Both are compared with the hidden reading, over all hidden cells and over those at depth edges (more than 5 % between
neighboring cells). With `--torch` relative depth comes from PyTorch instead of `ardf depth`.
"""

import argparse
import json
import shutil
import subprocess
import tempfile
from pathlib import Path

import cv2
import numpy as np

EDGE = 1.05
CONFIDENT = 2
KINDS = "bilinear, fused, fit alone"


def ardf(program, *arguments):
    subprocess.run([program, *map(str, arguments)], check=True, stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)


def frame_files(capture, name):
    """Color, depth and confidence of one frame of a native capture or a 3D Scanner App export."""
    capture = Path(capture)
    native = [capture / f"{name}_{part}" for part in ("rgb.jpg", "depth.png", "conf.png")]
    export = [capture / f"{part}_{name}.{kind}" for part, kind in (("frame", "jpg"), ("depth", "png"), ("conf", "png"))]
    found = native if native[0].exists() else export
    return [*found, capture / (f"{name}.json" if found is native else f"frame_{name}.json")]


def hide(capture, name, folder):
    """Copies one frame with every fourth confidence zeroed; -> depth in meters, confidence, the hidden cells."""
    color, depth, confidence, pose = frame_files(capture, name)
    for file in (color, depth, pose):
        shutil.copy(file, folder)
    meters, trust = cv2.imread(str(depth), -1) / 1000, cv2.imread(str(confidence), -1)
    lattice = np.zeros(trust.shape, bool)
    lattice[::2, ::2] = True
    cv2.imwrite(str(folder / confidence.name), np.where(lattice, 0, trust).astype(np.uint8))
    return meters, trust, lattice


def at_edges(meters, valid):
    """Cells with a valid neighbor (of eight) that differs by more than EDGE from another, itself included."""
    known = np.pad(np.where(valid, meters, np.nan), 1, constant_values=np.nan)
    h, w = meters.shape
    around = np.stack([known[y : y + h, x : x + w] for y in range(3) for x in range(3)])
    return np.fmax.reduce(around, 0) / np.fmin.reduce(around, 0) > EDGE


def bilinear(meters, visible):
    """The mean of the visible cells beside and above; NaN where fewer than three are."""
    known = np.pad(np.where(visible, meters, np.nan), 1, constant_values=np.nan)
    h, w = meters.shape
    cross = np.stack([known[y : y + h, x : x + w] for y, x in ((0, 1), (1, 0), (1, 2), (2, 1))])
    count = np.isfinite(cross).sum(0)
    return np.where(count >= 3, np.nansum(cross, 0) / np.maximum(count, 1), np.nan)


def cells(metric, shape):
    """A map read bilinearly at the centers of a coarser grid's cells."""
    (h, w), (rows, columns) = metric.shape, shape
    x = (np.arange(columns) + 0.5) * w / columns - 0.5
    y = (np.arange(rows) + 0.5) * h / rows - 0.5
    grid = np.meshgrid(x.astype(np.float32), y.astype(np.float32))
    return cv2.remap(metric.astype(np.float32), *grid, cv2.INTER_LINEAR)


def relative_from_torch(weights, picture, portrait, target):
    """As `ardf depth`, by PyTorch in single precision: an upright picture in, a map lying as stored out."""
    import sys

    sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "training"))
    import evaluate

    rgb = cv2.imread(str(picture))[..., ::-1]
    rgb = cv2.rotate(np.ascontiguousarray(rgb), cv2.ROTATE_90_CLOCKWISE) if portrait else rgb
    found = evaluate.predict(evaluate.load(str(weights)), rgb, 518, rgb.shape[:2], half=False)
    np.save(target, cv2.rotate(found, cv2.ROTATE_90_COUNTERCLOCKWISE) if portrait else found)


def compare(options, capture, name):
    with tempfile.TemporaryDirectory() as temporary:
        place = Path(temporary)
        (place / "capture").mkdir()
        meters, trust, lattice = hide(capture, name, place / "capture")
        if options.torch:
            portrait = "portrait" in json.dumps(json.loads(frame_files(capture, name)[3].read_text()))
            relative_from_torch(options.depth, frame_files(capture, name)[0], portrait, place / "relative.npy")
        else:
            ardf(options.ardf, "depth", place / "capture", "--depth", options.depth, "--out", place / "r")
            shutil.copy(place / "r" / "relative.npy", place / "relative.npy")
        fuse = ("fuse", "--relative", place / "relative.npy", "--capture", place / "capture")
        ardf(options.ardf, *fuse, "--out", place / "f")
        ardf(options.ardf, *fuse, "--fusion", "fit", "--out", place / "g")
        fused, aligned = (cells(np.load(place / k / "metric.npy"), meters.shape) for k in "fg")
    valid = (trust == CONFIDENT) & (meters > 0.1)
    plain = bilinear(meters, valid & ~lattice)
    asked = valid & lattice & np.isfinite(plain)
    edge = asked & at_edges(meters, valid)
    errors = [1000 * np.abs(m - meters) for m in (plain, fused, aligned)]
    if options.pictures:
        draw(options, f"{Path(capture).name}-{name}", frame_files(capture, name)[0], meters, asked, edge, plain, fused)
    rows = [(np.median(e[asked]), e[edge].mean() if edge.any() else np.nan) for e in errors]
    return np.array(rows), int(asked.sum()), int(edge.sum())


def draw(options, name, color, meters, asked, edge, plain, fused):
    """Color beside both errors around the frame's strongest edges, 0 (black) to 100 mm (white); gray: not compared."""
    options.pictures.mkdir(parents=True, exist_ok=True)
    density = cv2.boxFilter(edge.astype(np.float32), -1, (49, 49))
    y, x = np.unravel_index(density.argmax(), density.shape)
    y, x = np.clip(y - 32, 0, meters.shape[0] - 64), np.clip(x - 42, 0, meters.shape[1] - 84)
    tiles = []
    picture = cv2.imread(str(color))
    k = picture.shape[1] / meters.shape[1]
    crop = picture[int(y * k) : int((y + 64) * k), int(x * k) : int((x + 84) * k)]
    tiles.append(cv2.resize(crop, (420, 320), interpolation=cv2.INTER_AREA))
    for m in (plain, fused):
        hidden = np.s_[y + y % 2 : y + 64 : 2, x + x % 2 : x + 84 : 2]
        error = np.where(asked, np.abs(m - meters), 0)[hidden]
        heat = cv2.applyColorMap((np.clip(error / 0.1, 0, 1) * 255).astype(np.uint8), cv2.COLORMAP_INFERNO)
        heat[~asked[hidden]] = 60
        tiles.append(cv2.resize(heat, (420, 320), interpolation=cv2.INTER_NEAREST))
    cv2.imwrite(str(options.pictures / f"{name}.jpg"), np.hstack(tiles), [cv2.IMWRITE_JPEG_QUALITY, 85])


def picture_of(options, frame):
    """Where the picture of CAPTURE:FRAME goes."""
    capture, _, name = frame.rpartition(":")
    return options.pictures / f"{Path(capture).name}-{name}.jpg"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--depth", required=True, type=Path, help="weights")
    parser.add_argument("--frames", required=True, nargs="+", help="CAPTURE:FRAME")
    parser.add_argument("--ardf", default=".build/release/ardf")
    parser.add_argument("--torch", action="store_true", help="relative depth from PyTorch")
    parser.add_argument(
        "--pictures", type=Path, help="a folder for the strongest edges of each frame, and all.jpg with all"
    )
    options = parser.parse_args()
    print(f"| frame | hidden cells | median mm: {KINDS} | at edges | mean mm: {KINDS} |\n|---|---|---|---|---|")
    rows = {}
    for frame in options.frames:
        capture, _, name = frame.rpartition(":")
        row = compare(options, capture, name)
        rows.setdefault(Path(capture).name, []).append(row)
        print(line(f"{Path(capture).name} {name}", row), flush=True)
    if options.pictures:
        sheet = [cv2.imread(str(picture_of(options, frame))) for frame in options.frames]
        cv2.imwrite(str(options.pictures / "all.jpg"), np.vstack(sheet), [cv2.IMWRITE_JPEG_QUALITY, 85])
    for capture, those in rows.items():
        print(line(f"**{capture}**, mean of {len(those)}", mean(those)))
    everything = mean([row for those in rows.values() for row in those])
    print(line("**all**", everything))
    edges = everything[0][:, 1]
    print(f"\nAt edges the fused error is {100 * (1 - edges[1] / edges[0]):.0f} % lower than bilinear.")


def mean(rows):
    """Medians averaged over frames, errors at edges over all their cells; the numbers of cells are summed."""
    errors, asked, edge = (np.array(column) for column in zip(*rows, strict=True))
    sharp = (np.nan_to_num(errors[..., 1]) * edge[:, None]).sum(0) / max(edge.sum(), 1)
    return np.stack([errors[..., 0].mean(0), sharp], 1), asked.sum(), edge.sum()


def line(label, row):
    errors, asked, edge = row
    medians, edges = (", ".join(f"{v:.2f}" for v in column) for column in errors.T)
    return f"| {label} | {asked} | {medians} | {edge} | {edges} |"


if __name__ == "__main__":
    main()
