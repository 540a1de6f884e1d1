#!/usr/bin/env python3
"""Writes small TIFF, JPEG 2000, BMP and PNM pictures with what Pillow shows of them, as goldens for decoding.

    python tools/reference/goldens/make-picture-goldens.py --out Tests/ImagingTests/Goldens

Wants `pillow`, `numpy`. `kept_NAME.SUFFIX` are the files, `kept_NAME.SUFFIX.expected.png` is what Pillow reads, upright.
Kinds that Pillow does not write are put together here.
"""

import argparse
import io
import struct
from pathlib import Path

import numpy as np
from PIL import Image

WIDTH, HEIGHT = 33, 20


def source():
    """A picture (H, W, 3) with edges, of a width that fills no row of four bytes."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    waves = np.stack([x * 7, 255 - y * 12, (x // 5 + y // 5) % 2 * 200 + 20], axis=-1)
    return np.clip(waves, 0, 255).astype(np.uint8)


def save(picture, kind, **options):
    target = io.BytesIO()
    picture.save(target, format=kind, **options)
    return target.getvalue()


def bitmap(pixels, bits, masks=None):
    """A bitmap of 16 or 32 bits per pixel, its first row first."""
    red, green, blue = (pixels[..., channel].astype(np.uint32) for channel in range(3))
    if bits == 16:
        words = (red >> 3 << 11 | green >> 2 << 5 | blue >> 3).astype("<u2")
    else:
        words = (red << 24 | green << 16 | blue << 8).astype("<u4")
    rows = b"".join(row.tobytes() + bytes(-len(row.tobytes()) % 4) for row in words)
    head = struct.pack("<IiiHHIIiiII", 40, WIDTH, -HEIGHT, 1, bits, 3, len(rows), 0, 0, 0, 0) + struct.pack("<3I", *masks)
    return struct.pack("<2sIHHI", b"BM", 14 + len(head) + len(rows), 0, 0, 14 + len(head)) + head + rows


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    out = parser.parse_args().out
    pixels = source()
    picture = Image.fromarray(pixels)
    turned = Image.Exif()
    turned[0x0112] = 6
    gray = picture.convert("L")
    files = {
        "plain.tif": save(picture, "TIFF"),
        "lzw.tif": save(picture, "TIFF", compression="tiff_lzw"),
        "deflate.tif": save(picture, "TIFF", compression="tiff_adobe_deflate"),
        "gray.tif": save(gray, "TIFF"),
        "palette.tif": save(picture.quantize(32), "TIFF"),
        "turned.tif": save(picture, "TIFF", exif=turned),
        "plain.jp2": save(picture, "JPEG2000"),
        "gray.jp2": save(gray, "JPEG2000"),
        "stream.jp2": save(picture, "JPEG2000", no_jp2=True),
        "plain.bmp": save(picture, "BMP"),
        "palette.bmp": save(picture.quantize(32), "BMP"),
        "bits.bmp": save(gray.convert("1"), "BMP"),
        "words.bmp": bitmap(pixels, 16, (0xF800, 0x07E0, 0x001F)),
        "masks.bmp": bitmap(pixels, 32, (0xFF000000, 0xFF0000, 0xFF00)),
        "plain.ppm": save(picture, "PPM"),
        "gray.pgm": save(gray, "PPM"),
        "bits.pnm": save(gray.convert("1"), "PPM"),
        "text.ppm": b"P3 # with a remark\n%d %d\n255\n" % (WIDTH, HEIGHT) + b" ".join(b"%d" % v for v in pixels.ravel()),
    }
    for name, data in files.items():
        (out / f"kept_{name}").write_bytes(data)
        Image.open(io.BytesIO(data)).convert("RGB").save(out / f"kept_{name}.expected.png")
        print(name, len(data))


if __name__ == "__main__":
    main()
