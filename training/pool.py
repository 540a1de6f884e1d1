"""Renders training frames into shards; existing shards are kept, so that a stopped run can continue.

    python pool.py ASSETS POOL --frames 6000 --seed 1000000 --processes 2 [--size 384] [--textures 7]

A shard holds 48 frames of one shape: POOL/SEED_rgb.npy uint8 [n, h, w, 3], POOL/SEED_inverse.npy float16 [n, h, w]."""

import argparse
import multiprocessing
import os

import numpy as np

SHARD = 48
ASPECTS = ((3, 4), (4, 3), (1, 1), (3, 4), (9, 16))


def shape(shard, size):
    """(h, w) in multiples of 14 with the area of size x 3/4 size."""
    a, b = ASPECTS[shard % len(ASPECTS)]
    area = size * size * 0.75
    return tuple(int(round(x / 14) * 14) for x in (np.sqrt(area * a / b), np.sqrt(area * b / a)))


def render_shard(job):
    import scenes

    folder, seed, size, assets, textures, only = job
    target = os.path.join(folder, f"{seed:010d}")
    if os.path.exists(target + "_inverse.npy"):
        return target
    if render_shard.assets is None:
        render_shard.assets = scenes.Assets(assets, textures)
    h, w = shape(seed // SHARD, size)
    rgb, inverse = np.empty((SHARD, h, w, 3), np.uint8), np.empty((SHARD, h, w), np.float16)
    for i in range(SHARD):
        rgb[i], inverse[i] = scenes.frame(seed + i, render_shard.assets, h, w, only)
    for name, a in (("rgb", rgb), ("inverse", inverse)):
        np.save(f"{target}.{name}.part.npy", a)
        os.replace(f"{target}.{name}.part.npy", f"{target}_{name}.npy")
    return target


render_shard.assets = None

if __name__ == "__main__":
    a = argparse.ArgumentParser()
    a.add_argument("assets")
    a.add_argument("folder")
    a.add_argument("--frames", type=int, default=6000)
    a.add_argument("--seed", type=int, default=1_000_000)
    a.add_argument("--size", type=int, default=384)
    a.add_argument("--textures", type=int, default=7, help="seed of the made textures; another one for test frames")
    a.add_argument("--only", help="one kind of scene: room, close_up, outdoors, clutter, sunlit, corridor, floor")
    a.add_argument("--processes", type=int, default=2)
    o = a.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    start = o.seed // SHARD * SHARD
    jobs = [(o.folder, start + s, o.size, o.assets, o.textures, o.only) for s in range(0, o.frames, SHARD)]
    with multiprocessing.Pool(o.processes) as workers:
        for done in workers.imap(render_shard, jobs):
            print(done, flush=True)
