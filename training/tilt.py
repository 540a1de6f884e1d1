"""How much of a flat floor's tilt a checkpoint sees, along the picture's columns and across it.

python tilt.py TESTS CHECKPOINT... [--set floors] [--low 518]

The inverse depth of a plane is affine in a picture's columns and rows.  Planes are fitted to the truth and to the map
after its fit in scale and shift; `across` is the part of the true slope over columns that the map has, `along` that
over rows, over all frames (their regression through 0), `direction` the median angle between both slopes, degrees."""

import argparse

import numpy as np
import torch

import testsets
from evaluate import baselines, fit, load, predict, score


def slopes(inverse, frame):
    """Slopes of the fitted plane, over columns and over rows, in the unit of the longer side."""
    row, column = np.indices(inverse.shape) / max(inverse.shape)
    a = np.stack([np.ones(int(frame.valid.sum())), column[frame.valid], row[frame.valid]], 1)
    return np.linalg.lstsq(a, inverse[frame.valid].astype(np.float64), rcond=None)[0][1:]


def between(found, true):
    """Degrees between slopes [n, 2]."""
    turn = np.arctan2(found[:, 1], found[:, 0]) - np.arctan2(true[:, 1], true[:, 0])
    return np.abs(np.degrees(np.angle(np.exp(1j * turn))))


def main():
    a = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    a.add_argument("tests")
    a.add_argument("checkpoints", nargs="+")
    a.add_argument("--set", choices=list(testsets.SETS), default="floors")
    a.add_argument("--low", type=int, default=518, help="the network's shorter side")
    a.add_argument("--threads", type=int, default=1)
    o = a.parse_args()
    torch.set_num_threads(o.threads)
    frames = testsets.SETS[o.set](o.tests)
    true = np.array([slopes(f.inverse, f) for f in frames])
    unit = np.array([np.median(f.inverse[f.valid]) for f in frames])[:, None]
    constant, plane = np.mean([baselines(f) for f in frames], 0)
    print(f"{o.set} ({len(frames)} frames): constant {constant[0]:.4f}, plane {plane[0]:.4f}", flush=True)
    for path in o.checkpoints:
        net, found, errors = load(path), [], []
        for f in frames:
            p = predict(net, f.rgb, o.low, f.inverse.shape)
            fitted = fit([p, np.ones_like(p)], f)
            found.append(slopes(fitted, f))
            errors.append(score(fitted, f)[0])
        found = np.array(found)
        across, along = ((found * true) / unit**2).sum(0) / ((true / unit) ** 2).sum(0)
        print(
            f"{path}: AbsRel {np.mean(errors):.4f}, across {across:.2f}, along {along:.2f}, "
            f"direction {np.median(between(found, true)):.0f}",
            flush=True,
        )


if __name__ == "__main__":
    main()
