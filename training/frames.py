"""Real frames: iPhone color with LiDAR depth, and other cameras for testing."""

import os
from dataclasses import dataclass

import cv2
import numpy as np


@dataclass
class Frame:
    """rgb uint8 [h, w, 3]; inverse depth float32 in 1/m and its validity on a grid of its own; far: meters."""

    rgb: np.ndarray
    inverse: np.ndarray
    valid: np.ndarray
    far: float = 10.0


def from_depth(rgb, depth, valid, far=10.0):
    return Frame(
        np.ascontiguousarray(rgb), np.where(valid, 1 / np.maximum(depth, 0.05), 0).astype(np.float32), valid, far
    )


def lidar(color, depth, confidence, portrait, scale=None):
    """An iPhone frame: depth u16 mm, only the most confident cells up to 6 m; portrait shots are stored lying down."""
    rgb, depth, confidence = (
        cv2.imread(color)[..., ::-1],
        cv2.imread(depth, -1).astype(np.float32) / 1000,
        cv2.imread(confidence, -1),
    )
    if scale:
        rgb = cv2.resize(rgb, None, fx=scale, fy=scale, interpolation=cv2.INTER_AREA)
    if portrait:
        rgb, depth, confidence = [
            cv2.rotate(np.ascontiguousarray(a), cv2.ROTATE_90_CLOCKWISE) for a in (rgb, depth, confidence)
        ]
    return from_depth(rgb, depth, (confidence == 2) & (depth > 0.1) & (depth < 6))


def bedroom(folder, numbers, scale=None):
    """The clip of the rtsm wheel, unpacked by fetch.py.  0...34 are for training, 35...49 for testing."""
    return [
        lidar(*[os.path.join(folder, f"{i:05d}_{k}") for k in ("rgb.jpg", "depth.png", "conf.png")], True, scale)
        for i in numbers
    ]


def app_export(folder, scale=None):
    """A 3D Scanner App export shot in landscape."""
    names = sorted(f[6:-4] for f in os.listdir(folder) if f.startswith("frame_") and f.endswith(".jpg"))
    return [
        lidar(*[os.path.join(folder, f) for f in (f"frame_{n}.jpg", f"depth_{n}.png", f"conf_{n}.png")], False, scale)
        for n in names
    ]
