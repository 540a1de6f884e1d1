#!/usr/bin/env python3
"""Writes small HEIC, AVIF and WebP pictures with what Pillow shows of them, as goldens for decoding.

    python tools/reference/goldens/make-interchange-goldens.py --out Tests/ImagingTests/Goldens

Wants `pillow`, `pillow-heif`. `phone_NAME.SUFFIX` are the files, by libheif, libavif and libwebp of those packages;
`phone_NAME.SUFFIX.expected.png` is what Pillow reads, turned upright, its colors converted to sRGB by Little CMS. The
picture is smooth, so that libraries that sample chroma in other ways agree. `phone_parts.heic` has a second picture that
is made a portrait matte, a third one a gain map and a fourth one a depth map, by boxes added here (ISO/IEC 23008-12).
"""

import argparse
import io
import struct
from pathlib import Path

import numpy as np
import pillow_heif
from PIL import Image, ImageCms, ImageOps

pillow_heif.register_heif_opener()

WIDTH, HEIGHT = 64, 40
AUXILIARIES = [
    b"urn:com:apple:photo:2018:aux:portraiteffectsmatte",
    b"urn:com:apple:photo:2020:aux:hdrgainmap",
    b"urn:mpeg:hevc:2015:auxid:2",
]


def source():
    """A smooth picture (H, W, 3) of saturated colors."""
    y, x = np.mgrid[0:HEIGHT, 0:WIDTH]
    waves = np.stack([x * 3.9, 255 - y * 6.0, 128 + 110 * np.sin(x * 0.08 + y * 0.05)], axis=-1)
    return Image.fromarray(np.clip(waves, 0, 255).astype(np.uint8))


def display_p3():
    """An ICC profile (ICC.1:2010) of Display P3: its primaries under D50, and sRGB's curve."""

    def fixed(value):
        return struct.pack(">i", round(value * 65536))

    curve = b"para\0\0\0\0\0\3\0\0" + b"".join(map(fixed, (2.4, 1 / 1.055, 0.055 / 1.055, 1 / 12.92, 0.04045)))
    text = "Display P3".encode("utf-16-be")
    words = b"mluc\0\0\0\0" + struct.pack(">II", 1, 12) + b"enUS" + struct.pack(">II", len(text), 28) + text
    tags = {
        b"desc": words, b"cprt": words,
        b"wtpt": b"XYZ \0\0\0\0" + b"".join(map(fixed, (0.96420, 1.0, 0.82491))),
        b"rXYZ": b"XYZ \0\0\0\0" + b"".join(map(fixed, (0.51512, 0.24120, -0.00105))),
        b"gXYZ": b"XYZ \0\0\0\0" + b"".join(map(fixed, (0.29198, 0.69225, 0.04189))),
        b"bXYZ": b"XYZ \0\0\0\0" + b"".join(map(fixed, (0.15710, 0.06657, 0.78407))),
        b"rTRC": curve, b"gTRC": curve, b"bTRC": curve,
    }
    table, body = struct.pack(">I", len(tags)), b""
    start = 128 + 4 + 12 * len(tags)
    for name, data in tags.items():
        data += bytes(-len(data) % 4)
        table += name + struct.pack(">II", start + len(body), len(data))
        body += data
    size = start + len(body)
    head = struct.pack(">I4sI4s4s4s", size, b"lcms", 0x04000000, b"mntr", b"RGB ", b"XYZ ")
    head += struct.pack(">6H", 2020, 1, 1, 0, 0, 0) + b"acsp" + bytes(28)
    head += b"".join(map(fixed, (0.96420, 1.0, 0.82491)))
    return head + bytes(128 - len(head)) + table + body


def exif(orientation):
    """Orientation, and a focal length of 26 mm on 35 mm film."""
    data = Image.Exif()
    data[0x0112] = orientation
    data.get_ifd(0x8769)[0xA405] = 26
    return data.tobytes()


def boxes(data, start, end):
    """(type, first byte, end) of the boxes in a range."""
    found = []
    while start + 8 <= end:
        size = struct.unpack_from(">I", data, start)[0]
        found.append((data[start + 4 : start + 8], start, start + size))
        start += size
    return found


def box(kind, body):
    return struct.pack(">I4s", len(body) + 8, kind) + body


def with_auxiliaries(data):
    """A HEIC of several pictures, those after the first made its auxiliary images."""
    meta = next(b for b in boxes(data, 0, len(data)) if b[0] == b"meta")
    parts = {kind: data[start:end] for kind, start, end in boxes(data, meta[1] + 12, meta[2])}
    primary = struct.unpack(">H", parts[b"pitm"][12:14])[0]
    others = [
        struct.unpack(">H", parts[b"iinf"][start + 12 : start + 14])[0]
        for kind, start, end in boxes(parts[b"iinf"], 14, len(parts[b"iinf"]))
        if parts[b"iinf"][start + 16 : start + 20] == b"hvc1"
    ]
    others = [item for item in others if item != primary]
    iprp = parts[b"iprp"]
    (_, ipco_start, ipco_end), (_, ipma_start, ipma_end) = boxes(iprp, 8, len(iprp))
    ipco, ipma = iprp[ipco_start + 8 : ipco_end], iprp[ipma_start + 8 : ipma_end]
    count = len(boxes(ipco, 0, len(ipco)))
    assert ipma[0] == 0 and ipma[3] & 1 == 0
    rest, entries = ipma[8:], b""
    for _ in range(struct.unpack(">I", ipma[4:8])[0]):
        item, links = struct.unpack(">HB", rest[:3])
        found, rest = rest[3 : 3 + links], rest[3 + links :]
        if item in others:
            found += bytes([0x80 | count + 1 + others.index(item)])
        entries += struct.pack(">HB", item, len(found)) + found
    for urn in AUXILIARIES:
        ipco += box(b"auxC", bytes(4) + urn + b"\0")
    parts[b"iprp"] = box(b"iprp", box(b"ipco", ipco) + box(b"ipma", ipma[:8] + entries))
    links = b"".join(box(b"auxl", struct.pack(">HHH", item, 1, primary)) for item in others)
    parts[b"iref"] = box(b"iref", parts[b"iref"][8:] + links if b"iref" in parts else bytes(4) + links)
    growth = sum(map(len, parts.values())) + 12 - (meta[2] - meta[1])
    iloc = bytearray(parts[b"iloc"])
    version, sizes = iloc[8], iloc[12] << 8 | iloc[13]
    assert version in (0, 1) and sizes in (0x4400, 0x4440), (version, hex(sizes))
    position = 16
    for _ in range(struct.unpack_from(">H", iloc, 14)[0]):
        method = struct.unpack_from(">H", iloc, position + 2)[0] if version else 0
        position += (6 if version else 4) + (4 if sizes & 0xF0 else 0)
        (extents,) = struct.unpack_from(">H", iloc, position)
        position += 2
        for _ in range(extents):
            if method == 0:
                struct.pack_into(">I", iloc, position, struct.unpack_from(">I", iloc, position)[0] + growth)
            position += 8
    parts[b"iloc"] = bytes(iloc)
    body = data[meta[1] + 8 : meta[1] + 12] + b"".join(parts.values())
    return data[: meta[1]] + box(b"meta", body) + data[meta[2] :]


def save(picture, kind, **options):
    target = io.BytesIO()
    picture.save(target, format=kind, **options)
    return target.getvalue()


def shown(data):
    """The picture as a viewer shows it: the primary one, upright, in sRGB."""
    picture = Image.open(io.BytesIO(data))
    profile = picture.info.get("icc_profile")
    mode = "RGBA" if "A" in picture.mode else "RGB"
    upright = ImageOps.exif_transpose(picture).convert(mode)
    if profile:
        upright = ImageCms.profileToProfile(
            upright, io.BytesIO(profile), ImageCms.createProfile("sRGB"),
            renderingIntent=ImageCms.Intent.RELATIVE_COLORIMETRIC)
    return upright


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    out = parser.parse_args().out
    picture, profile = source(), display_p3()
    fine = {"quality": 95, "chroma": 444}
    parts = pillow_heif.from_pillow(picture)
    for _ in AUXILIARIES:
        parts.add_from_pillow(picture.resize((32, 20)))
    several = io.BytesIO()
    parts.save(several, quality=90)
    translucent = picture.copy()
    translucent.putalpha(Image.fromarray(np.tile(np.arange(WIDTH, dtype=np.uint8) * 4, (HEIGHT, 1))))
    files = {
        "plain.heic": save(picture, "HEIF", **fine),
        "p3.heic": save(picture, "HEIF", icc_profile=profile, **fine),
        "turned.heic": save(picture, "HEIF", exif=exif(6), **fine),
        "mirrored.heic": save(picture, "HEIF", exif=exif(5), **fine),
        "parts.heic": with_auxiliaries(several.getvalue()),
        "plain.avif": save(picture, "AVIF", quality=95, subsampling="4:4:4"),
        "turned.avif": save(picture, "AVIF", quality=95, subsampling="4:4:4", exif=exif(8), icc_profile=profile),
        "plain.webp": save(picture, "WEBP", quality=95),
        "turned.webp": save(picture, "WEBP", lossless=True, exif=exif(6)),
        "p3.webp": save(picture, "WEBP", lossless=True, icc_profile=profile),
        "alpha.webp": save(translucent, "WEBP", lossless=True, exact=True),
    }
    for name, data in files.items():
        (out / f"phone_{name}").write_bytes(data)
        shown(data).save(out / f"phone_{name}.expected.png")
        print(name, len(data))
    animation = save(picture, "WEBP", save_all=True, append_images=[ImageOps.mirror(picture)], quality=50)
    (out / "phone_animation.webp").write_bytes(animation)


if __name__ == "__main__":
    main()
