#!/usr/bin/env python3
"""Runs metric and prompted depth networks of random weights from pictures to meters, and compares with transformers.

    python tools/reference/check-depth-heads.py --ardf .build/release/ardf --picture bus.jpg --capture captures/bedroom

The checkpoints have Hugging Face's names and `config.json`; `ardf convert` reads them, `ardf depth` runs them on the
picture (metric) and on the first frame of the capture (prompted with its LiDAR), a clip of frames stored sideways.
The reference prepares the pictures with OpenCV, runs transformers' networks, with the position embedding resampled as
the original does, and enlarges the result to the picture. Ends with 1 where a pixel is off by more than `--tolerance`
of the greatest depth.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

import cv2
import numpy as np
import torch
import torch.nn.functional as F

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures
from oracles.depth_anything import PATCH, interpolate_positions
from oracles.torchvision_operators import import_torchvision

TOOLS = Path(__file__).parent
MODELS = {"depth-anything-v2-metric-small": 518, "prompt-depth-anything-small": 756}


def reference(folder, image, size, prompt):
    """Meters of the picture's `size` by transformers' network in `folder`."""
    import_torchvision()
    from transformers import AutoModelForDepthEstimation

    network = AutoModelForDepthEstimation.from_pretrained(folder).float().eval()
    embeddings = network.backbone.embeddings
    rows, columns = image.shape[-2] // PATCH, image.shape[-1] // PATCH
    positions = interpolate_positions(embeddings.position_embeddings, rows, columns)
    embeddings.interpolate_pos_encoding = lambda *_: positions
    with torch.inference_mode():
        inputs = {} if prompt is None else {"prompt_depth": torch.from_numpy(prompt)[None, None]}
        depth = network(image, **inputs).predicted_depth
        return F.interpolate(depth[None], size=size, mode="bilinear", align_corners=True)[0, 0].numpy()


def run(*arguments):
    subprocess.run([str(argument) for argument in arguments], check=True, stderr=subprocess.DEVNULL)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--picture", required=True, help="for the metric network")
    parser.add_argument(
        "--capture", type=Path, required=True, help="clip folder, NNNNN_rgb.jpg and so on, for the other"
    )
    parser.add_argument("--tolerance", type=float, default=1e-4, help="largest difference over the greatest depth")
    arguments = parser.parse_args()
    frame = min(arguments.capture.glob("*_rgb.jpg")).name.removesuffix("_rgb.jpg")
    failed = False
    for model, side in MODELS.items():
        with tempfile.TemporaryDirectory() as place:
            place = Path(place)
            make = [sys.executable, TOOLS / "make-random-checkpoint.py", model, "--transformers"]
            subprocess.run([*make, "--out", place / "model.safetensors"], check=True, stdout=subprocess.DEVNULL)
            run(arguments.ardf, "convert", place / "model.safetensors", place / "weights.safetensors")
            prompted = model.startswith("prompt")
            source = [arguments.capture, "--frame", frame] if prompted else [arguments.picture]
            run(arguments.ardf, "depth", *source, "--depth", place / "weights.safetensors", "--out", place / "out")
            ours = np.load(place / "out/metric.npy")
            prompt = None
            if prompted:
                picture = pictures.read(arguments.capture / f"{frame}_rgb.jpg", clockwise=True)
                stored = cv2.imread(str(arguments.capture / f"{frame}_depth.png"), cv2.IMREAD_UNCHANGED)
                prompt = np.ascontiguousarray(np.rot90(stored, -1)).astype(np.float32) / 1000
                ours = np.rot90(ours, -1)
            else:
                picture = pictures.read(arguments.picture)
            theirs = reference(place, pictures.depth_input(picture, side), picture.shape[:2], prompt)
        difference = float(np.abs(ours - theirs).max() / theirs.max())
        failed |= not difference <= arguments.tolerance
        height, width = picture.shape[:2]
        print(
            f"{model}, {width}x{height}: {theirs.min():.3f} to {theirs.max():.3f} m, "
            f"largest difference {difference:.1e} of the greatest depth"
        )
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
