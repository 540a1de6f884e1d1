"""AbsRel and delta1 of a checkpoint on the sets of SPLIT.md, beside a constant and a fitted plane.

python evaluate.py TESTS CHECKPOINT... [--sets chair redwood ...] [--low 518] [--pictures DIR] [--ardf PROGRAM]

The sets that choose are the default.  Every map is fitted to the truth by least squares in scale and shift of inverse
depth first.  TESTS is what `fetch.py --tests` and pool.py made; a checkpoint is a safetensors file or a run of train.py
(its averaged weights)."""

import argparse
import os
import subprocess
import tempfile

import cv2
import numpy as np
import torch
from torch.nn import functional as F

import testsets
from net import DEVIATION, MEAN, PATCH, DepthNet


def load(path):
    net = DepthNet()
    if path.endswith(".safetensors"):
        from safetensors.torch import load_file

        state = {k: v.float() for k, v in load_file(path).items()}
    else:
        state = torch.load(path, map_location="cpu")["average"]
    net.load_state_dict(state)
    return net.eval()


def network_input(rgb, low):
    """Depth Anything's own resizing: the shorter side at least `low`, both sides multiples of 14, bicubic."""
    h, w = rgb.shape[:2]
    scale = max(low / h, low / w)

    def side(n):
        rounded = int(np.round(n * scale / PATCH) * PATCH)
        return rounded if rounded >= low else int(np.ceil(n * scale / PATCH) * PATCH)

    x = cv2.resize(rgb.astype(np.float32) / 255, (side(w), side(h)), interpolation=cv2.INTER_CUBIC)
    return torch.from_numpy(((x - MEAN) / DEVIATION).transpose(2, 0, 1).copy())[None]


def at_cells(full, shape):
    """A map of the picture's size read at the centers of a coarser grid's cells, as ardf reads it."""
    if full.shape == shape:
        return full
    x, y = ((np.arange(n, dtype=np.float32) + 0.5) * m / n - 0.5 for n, m in zip(shape[::-1], full.shape[::-1]))
    return cv2.remap(full, *np.meshgrid(x, y), cv2.INTER_LINEAR, borderMode=cv2.BORDER_REPLICATE)


def predict(net, rgb, low, shape, half=True):
    with torch.no_grad(), torch.autocast("cpu", torch.bfloat16, enabled=half):
        out = net(network_input(rgb, low))
    full = F.interpolate(out.float(), size=rgb.shape[:2], mode="bilinear", align_corners=True)
    return at_cells(full[0, 0].numpy(), shape)


def predict_by_ardf(program, weights, rgb, low, shape):
    """The depth that `ardf depth` computes of the same picture, in place of PyTorch."""
    with tempfile.TemporaryDirectory() as place:
        picture = os.path.join(place, "picture.png")
        cv2.imwrite(picture, rgb[..., ::-1])
        command = [program, "depth", picture, "--depth", weights, "--depth-size", str(low), "--out", f"{place}/out"]
        subprocess.run(command, check=True, stderr=subprocess.DEVNULL)
        found = np.load(os.path.join(place, "out", "relative.npy"))
    return at_cells(found, shape)


def fit(columns, frame):
    """The least-squares combination of maps to the frame's inverse depth, no farther than its limit."""
    a = np.stack([c[frame.valid] for c in columns], 1).astype(np.float64)
    k = np.linalg.lstsq(a, frame.inverse[frame.valid].astype(np.float64), rcond=None)[0]
    return np.maximum(sum(f * c for f, c in zip(k, columns)), 1 / frame.far)


def score(inverse, frame):
    """(AbsRel, delta1) over the valid pixels."""
    d, g = 1 / inverse[frame.valid], 1 / frame.inverse[frame.valid]
    return np.mean(np.abs(d - g) / g), np.mean(np.maximum(d / g, g / d) < 1.25)


def baselines(frame):
    """Scores of the constant and of the plane in inverse depth over the picture's columns and rows."""
    one, (row, column) = np.ones(frame.inverse.shape), np.indices(frame.inverse.shape) / max(frame.inverse.shape)
    return score(fit([one], frame), frame), score(fit([one, row, column], frame), frame)


def shade(inverse, low, high):
    return cv2.applyColorMap(
        (np.clip((inverse - low) / (high - low + 1e-6), 0, 1) * 255).astype(np.uint8), cv2.COLORMAP_INFERNO
    )


def strip(frame, fitted, height=240):
    """Color, fitted map, truth, side by side (BGR)."""
    low, high = np.percentile(frame.inverse[frame.valid], [1, 99])
    truth = shade(frame.inverse, low, high)
    truth[~frame.valid] = 0

    def size(p):
        return cv2.resize(p, (int(p.shape[1] * height / p.shape[0]), height), interpolation=cv2.INTER_AREA)

    return np.hstack([size(np.ascontiguousarray(frame.rgb[..., ::-1])), size(shade(fitted, low, high)), size(truth)])


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("tests")
    a.add_argument("checkpoints", nargs="+")
    a.add_argument("--sets", nargs="+", choices=list(testsets.SETS), default=list(testsets.VALIDATION))
    a.add_argument("--frames", default=":", help="START:STOP, some frames of each set")
    a.add_argument("--low", type=int, default=518, help="the network's shorter side")
    a.add_argument("--ardf", help="run this ardf instead of PyTorch")
    a.add_argument("--pictures", help="a folder for color, map and truth of every frame")
    a.add_argument("--single-precision", action="store_true", help="no bf16")
    a.add_argument("--every", action="store_true", help="a line per frame")
    a.add_argument("--threads", type=int, default=2)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    nets = [load(c) for c in o.checkpoints]
    for name in o.sets:
        start, stop = (int(n) if n else None for n in o.frames.split(":"))
        rows = []
        for i, frame in enumerate(testsets.SETS[name](o.tests)[start:stop], start or 0):
            row = [*baselines(frame)]
            for path, net in zip(o.checkpoints, nets):
                size = frame.inverse.shape
                if o.ardf:
                    p = predict_by_ardf(o.ardf, path, frame.rgb, o.low, size)
                else:
                    p = predict(net, frame.rgb, o.low, size, not o.single_precision)
                fitted = fit([p, np.ones_like(p)], frame)
                row.append(score(fitted, frame))
                if o.pictures:
                    os.makedirs(o.pictures, exist_ok=True)
                    cv2.imwrite(
                        os.path.join(o.pictures, f"{name}-{i:02d}-{os.path.basename(path).split('.')[0]}.jpg"),
                        strip(frame, fitted),
                    )
            rows.append(row)
            if o.every:
                print(name, i, " ".join(f"{x:.3f}/{y:.3f}" for x, y in row), flush=True)
        mean = np.mean(rows, 0) if rows else []
        labels = ["constant", "plane", *map(os.path.basename, o.checkpoints)]
        print(
            f"{name} ({len(rows)} frames, {o.low}): "
            + ", ".join(f"{label} {x:.4f}/{y:.4f}" for label, (x, y) in zip(labels, mean)),
            flush=True,
        )


if __name__ == "__main__":
    main()
