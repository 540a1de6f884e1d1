"""The frames that choose and that test, in the parts of SPLIT.md, from the folder that `fetch.py --tests` fills."""

import glob
import os

import cv2
import numpy as np

from frames import Frame, app_export, bedroom, from_depth


def redwood(folder):
    """Five frames of a living room (Redwood, as Open3D's sample, MIT)."""
    names = sorted(os.listdir(os.path.join(folder, "redwood", "color")))
    out = []
    for n in names:
        rgb, depth = (
            cv2.imread(os.path.join(folder, "redwood", "color", n))[..., ::-1],
            cv2.imread(os.path.join(folder, "redwood", "depth", n[:-4] + ".png"), -1) / 1000.0,
        )
        out.append(from_depth(rgb, depth, (depth > 0.1) & (depth < 10)))
    return out


def from_disparity(left, disparity, valid):
    """Stereo: disparity is inverse depth up to scale and shift, which the evaluation fits anyway; here in units of its
    median, so that the far limit (10 medians) means the same for all."""
    return Frame(
        np.ascontiguousarray(left),
        np.where(valid, disparity / np.median(disparity[valid]), 0).astype(np.float32),
        valid,
        10.0,
    )


def stereo(folder):
    """Middlebury's motorcycle (2014, from scikit-image) and aloe (2006, from OpenCV's samples)."""
    z = np.load(os.path.join(folder, "motorcycle_disp.npz"))
    disparity = z["arr_0"].astype(np.float64)
    valid = np.isfinite(disparity) & (disparity > 0)
    # the scene's calibration: depth = 994.978 * 193.001 / (d + 31.086), at half of the published size
    motorcycle = from_disparity(
        cv2.imread(os.path.join(folder, "motorcycle_left.png"))[..., ::-1],
        np.where(valid, disparity, 0) + 31.086,
        valid,
    )
    truth = cv2.imread(os.path.join(folder, "aloeGT.png"), 0).astype(np.float64)
    left = cv2.imread(os.path.join(folder, "aloeL.jpg"))[..., ::-1]
    return [motorcycle, from_disparity(left, truth + 1e-9, truth > 0)]


def azure(folder):
    """One Azure Kinect frame (arcor2-kinect-azure)."""
    rgb, depth = (
        cv2.imread(os.path.join(folder, "azure_rgb.jpg"))[..., ::-1],
        cv2.imread(os.path.join(folder, "azure_depth.png"), -1) / 1000.0,
    )
    return [from_depth(rgb, depth, (depth > 0.1) & (depth < 10))]


def rendered(folder, name="rendered", reach=20.0):
    """Frames of pool.py in a folder of that name; pixels farther than `reach` meters do not count."""
    out = []
    for f in sorted(glob.glob(os.path.join(folder, name, "*_inverse.npy"))):
        for rgb, inverse in zip(np.load(f.replace("_inverse", "_rgb")), np.load(f).astype(np.float32)):
            out.append(Frame(rgb, inverse, inverse > 1 / reach, min(1.5 * reach, 30.0)))
    return out


VALIDATION = {  # what chooses, see SPLIT.md
    "chair": lambda folder: app_export(os.path.join(folder, "chair_scan")),
    "redwood": redwood,
    "corridors": lambda folder: rendered(folder, "corridors", 6.0)[:24],
    "mixed": lambda folder: rendered(folder, "mixed")[:24],
}
TEST = {  # reported once
    "board": lambda folder: app_export(os.path.join(folder, "charuco_board")),
    "desk": azure,
    "stereo": stereo,
    "rendered": rendered,
    "bedroom": lambda folder: bedroom(os.path.join(folder, "bedroom"), range(35, 50)),
}
PROBE = {  # explains, see SPLIT.md
    "floors": lambda folder: rendered(folder, "floors")[:48],
}
SETS = VALIDATION | TEST | PROBE
