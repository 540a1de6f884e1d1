#!/usr/bin/env python3
"""Writes small pictures with what OpenCV and PyTorch make of them, as goldens for decoding and resampling.

    python tools/reference/goldens/make-imaging-goldens.py --out Tests/ImagingTests/Goldens --root ../shared/data \\
        images/*.jpg images/*.png coco/images/*.jpg captures/*/*_rgb.jpg captures/*/frame_*.jpg

`source.png` is resized to the sizes below: `bilinear8_WxH.png` by `cv2.resize` on bytes, `bicubic_WxH.npy`
(3, H, W) by `cv2.resize` on the picture divided by 255 in double precision, as Depth Anything does;
`halfpixel_WxH.npy` and `corners_WxH.npy` (H, W) by `torch.nn.functional.interpolate` on its green channel.
`decode_NAME.SUFFIX` are kinds of files and `decode_NAME_SUFFIX.expected.png` what `cv2.imread` reads.
`opencv-pixels.json` holds the SHA-256 of the RGB bytes that `cv2.imread` reads (upright) from pictures below the
root, by their path.
"""

import argparse
import hashlib
import json
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F
from PIL import Image

WIDTH, HEIGHT = 45, 31
BILINEAR8 = [(20, 14), (64, 20), (22, 62), (7, 31), (15, 11)]
BICUBIC = [(48, 12), (20, 40)]
BILINEAR = [(29, 17), (50, 20), (1, 1)]


def source():
    """A picture with edges, gradients and grain (H, W, 3), RGB."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    grain = np.random.default_rng(1).integers(-20, 21, (HEIGHT, WIDTH, 3))
    waves = np.stack([x * 5.5, y * 8.0, 128 + 100 * np.sin(x * 0.7) * np.cos(y * 0.5)], axis=-1)
    waves[8:20, 12:30] = (250, 20, 240)
    return np.clip(waves + grain, 0, 255).astype(np.uint8)


def write_resized(picture, out):
    for width, height in BILINEAR8:
        resized = cv2.resize(picture, (width, height), interpolation=cv2.INTER_LINEAR)
        Image.fromarray(resized).save(out / f"bilinear8_{width}x{height}.png", optimize=True)
    for width, height in BICUBIC:
        resized = cv2.resize(picture / 255.0, (width, height), interpolation=cv2.INTER_CUBIC)
        planes = np.ascontiguousarray(resized.transpose(2, 0, 1).astype(np.float32))
        np.save(out / f"bicubic_{width}x{height}.npy", planes)
    plane = torch.from_numpy(picture[:, :, 1].astype(np.float32) / np.float32(255))[None, None]
    for width, height in BILINEAR:
        for name, corners in [("halfpixel", False), ("corners", True)]:
            resized = F.interpolate(plane, size=(height, width), mode="bilinear", align_corners=corners)
            np.save(out / f"{name}_{width}x{height}.npy", resized[0, 0].numpy())


def write_encoded(picture, out):
    rgb = Image.fromarray(picture)
    rgb.save(out / "decode_420.jpg", quality=85, subsampling="4:2:0")
    rgb.save(out / "decode_422.jpg", quality=85, subsampling="4:2:2")
    rgb.save(out / "decode_progressive.jpg", quality=85, subsampling="4:4:4", progressive=True)
    rgb.convert("L").save(out / "decode_grey.jpg", quality=85)
    rgb.convert("CMYK").save(out / "decode_cmyk.jpg", quality=85)
    palette = rgb.quantize(12)
    palette.save(out / "decode_palette.png", transparency=3, optimize=True)
    rgb.convert("1").save(out / "decode_1bit.png", optimize=True)
    alpha = Image.fromarray(picture[:, :, 2])
    Image.merge("LA", (rgb.convert("L"), alpha)).save(out / "decode_grey_alpha.png", optimize=True)
    deep = picture.astype(np.uint16) * 257 - (picture > 0) * 100
    cv2.imwrite(str(out / "decode_16bit.png"), deep[:16, :16, ::-1].astype(np.uint16))
    for path in sorted(out.glob("decode_*")):
        if ".expected" not in path.name:
            read = cv2.imread(str(path), cv2.IMREAD_COLOR)[:, :, ::-1]
            name = f"{path.stem}_{path.suffix[1:]}.expected.png"
            Image.fromarray(np.ascontiguousarray(read)).save(out / name, optimize=True)


def write_digests(root, patterns, out):
    digests = {}
    for path in sorted(path for pattern in patterns for path in root.glob(pattern)):
        picture = np.ascontiguousarray(cv2.imread(str(path), cv2.IMREAD_COLOR)[:, :, ::-1])
        digests[str(path.relative_to(root))] = hashlib.sha256(picture.tobytes()).hexdigest()
    (out / "opencv-pixels.json").write_text(json.dumps(digests, indent=1) + "\n")


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--root", type=Path, help="folder of real pictures")
    parser.add_argument("patterns", nargs="*", help="real pictures below the root")
    arguments = parser.parse_args()
    out = arguments.out
    out.mkdir(parents=True, exist_ok=True)
    picture = source()
    Image.fromarray(picture).save(out / "source.png", optimize=True)
    write_resized(picture, out)
    write_encoded(picture, out)
    if arguments.root:
        write_digests(arguments.root, arguments.patterns, out)


if __name__ == "__main__":
    main()
