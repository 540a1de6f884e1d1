"""Training batches: windows of rendered and real frames, seen through varied cameras."""

import glob
import os

import cv2
import numpy as np
import torch

from frames import Frame, bedroom
from net import DEVIATION, MEAN


def distort(rgb, r):
    """uint8 -> float32 in 0...1 after color, exposure, haze, blur, sensor noise, sharpening, rescaling, JPEG."""
    x = rgb.astype(np.float32) / 255
    if r.random() < 0.2:  # over- or underexposed in light, before the gamma
        x = (np.clip(x**2.2 * np.exp(r.uniform(-1.2, 1.4)), 0, 1) ** (1 / 2.2)).astype(np.float32)
    if r.random() < 0.15:  # haze, or stray light in the lens
        k = r.uniform(0, 0.45)
        x = x * (1 - k) + k * r.uniform(0.3, 1, 3).astype(np.float32)
    if r.random() < 0.8:
        x = x * r.uniform(0.6, 1.4)
        x = (x - x.mean()) * r.uniform(0.6, 1.4) + x.mean()
        gray = x.mean(-1, keepdims=True)
        x = gray + (x - gray) * (r.uniform(0.3, 1.6) if r.random() > 0.08 else 0)
        x = np.clip(x * r.uniform(0.85, 1.15, 3).astype(np.float32), 0, 1) ** r.uniform(0.7, 1.4)
    if r.random() < 0.1:
        x = x[..., r.permutation(3)]
    if r.random() < 0.25:
        x = cv2.GaussianBlur(x, (0, 0), r.uniform(0.3, 1.8))
    if r.random() < 0.08:
        k = np.zeros((9, 9), np.float32)
        cv2.line(k, (int(r.integers(9)), 0), (int(r.integers(9)), 8), 1.0)
        x = cv2.filter2D(x, -1, (k if r.random() < 0.5 else k.T) / k.sum())
    if r.random() < 0.12:
        h, w = x.shape[:2]
        q = r.uniform(0.3, 0.7)
        x = cv2.resize(
            cv2.resize(x, (int(w * q), int(h * q)), interpolation=cv2.INTER_AREA),
            (w, h),
            interpolation=cv2.INTER_LINEAR,
        )
    if r.random() < 0.3:
        noise = r.normal(0, r.uniform(0, 0.06), x.shape).astype(np.float32)
        x = x + (cv2.GaussianBlur(noise, (0, 0), 1.2) * 2 if r.random() < 0.4 else noise)
    if r.random() < 0.15:
        x = x + (x - cv2.GaussianBlur(x, (0, 0), r.uniform(0.8, 2))) * r.uniform(0.3, 1.5)
    x = np.clip(x, 0, 1)
    if r.random() < 0.3:
        x = (
            cv2.imdecode(cv2.imencode(".jpg", (x * 255).astype(np.uint8), [1, int(r.integers(25, 90))])[1], 1).astype(
                np.float32
            )
            / 255
        )
    return x


def window(frame, height, width, r, least=0.5):
    """A random part of a frame, mirrored or not, stretched a little -> rgb, inverse, valid at [height, width]."""
    h, w = frame.rgb.shape[:2]
    k = min(h / height, w / width) * r.uniform(least, 1)
    ch, cw = height * k, width * k
    if r.random() < 0.4:
        q = r.uniform(0.8, 1.25)
        ch, cw = min(h, ch * q), min(w, cw / q)
    y, x = r.uniform(0, h - ch + 1e-6), r.uniform(0, w - cw + 1e-6)

    def cut(a, mode):
        s, t = a.shape[0] / h, a.shape[1] / w
        y0, x0 = int(y * s), int(x * t)
        return cv2.resize(
            a[y0 : max(y0 + 2, int((y + ch) * s)), x0 : max(x0 + 2, int((x + cw) * t))],
            (width, height),
            interpolation=mode,
        )

    rgb = cut(frame.rgb, cv2.INTER_AREA if k > 1.2 else cv2.INTER_CUBIC)
    if frame.inverse.shape[0] < height:  # LiDAR: smooth between cells, keep away from holes
        weight = cut(frame.valid.astype(np.float32), cv2.INTER_LINEAR)
        inverse, valid = (
            cut(np.where(frame.valid, frame.inverse, 0).astype(np.float32), cv2.INTER_LINEAR)
            / np.maximum(weight, 1e-3),
            weight > 0.7,
        )
    else:
        inverse, valid = cut(frame.inverse, cv2.INTER_NEAREST), cut(frame.valid.astype(np.uint8), cv2.INTER_NEAREST) > 0
    if r.random() < 0.5:
        rgb, inverse, valid = rgb[:, ::-1], inverse[:, ::-1], valid[:, ::-1]
    return rgb, inverse, valid


def rolled(frame, degrees):
    """The frame as a camera turned about its axis sees it, zoomed until no corner is empty.  Depth along the axis
    stays as it is."""
    h, w = frame.rgb.shape[:2]
    t = np.radians(degrees)
    zoom = abs(np.cos(t)) + max(h / w, w / h) * abs(np.sin(t))

    def turn(a, mode):
        rows, columns = a.shape[:2]
        middle = ((columns - 1) / 2, (rows - 1) / 2)
        matrix = cv2.getRotationMatrix2D(middle, degrees, zoom)
        return cv2.warpAffine(a, matrix, (columns, rows), flags=mode, borderMode=cv2.BORDER_REPLICATE)

    return Frame(
        turn(frame.rgb, cv2.INTER_CUBIC),
        turn(frame.inverse, cv2.INTER_NEAREST),
        turn(frame.valid.astype(np.uint8), cv2.INTER_NEAREST) > 0,
        frame.far,
    )


def shifted(inverse, valid, by):
    """Inverse depth `by` of its medians greater everywhere, which is projective and keeps planes plane."""
    return inverse + np.float32(by * np.median(inverse[valid]))


class Batches(torch.utils.data.IterableDataset):
    """Endless batches (picture, inverse depth, valid, real), each of one shape drawn from `shapes`.

    Data-parallel processes (`rank`) see batches of one shape at a time but of different pictures.  Shards that
    appear in the pools while training runs are taken up.  `plain` pictures have no distortions, `shift` is the most, in
    medians, that is added to the inverse depth of a picture, `roll` the most degrees that a camera is turned about its
    axis; none changes what else is drawn."""

    def __init__(self, pools, clip, batch, shapes, real, seed, rank=0, least=0.5, plain=False, shift=0.0, roll=0.0):
        self.pools, self.clip, self.batch, self.shapes, self.real, self.seed, self.rank, self.least = (
            pools,
            clip,
            batch,
            shapes,
            real,
            seed,
            rank,
            least,
        )
        self.plain, self.shift, self.roll = plain, shift, roll

    def shards(self):
        names = sorted(f for p in self.pools for f in glob.glob(os.path.join(p, "*_inverse.npy")))
        return [(np.load(f.replace("_inverse", "_rgb"), mmap_mode="r"), np.load(f, mmap_mode="r")) for f in names]

    def __iter__(self):
        cv2.setNumThreads(1)
        r, shape_r, count = np.random.default_rng([*self.seed, self.rank]), np.random.default_rng(self.seed), 0
        shift_r, roll_r = (np.random.default_rng([*self.seed, self.rank, k]) for k in (1, 2))
        real = bedroom(self.clip, range(35), 0.5) if self.real > 0 else []
        while True:
            if count % 50 == 0:
                shards = self.shards()
                aspect = np.array([np.log(rgb.shape[1] / rgb.shape[2]) for rgb, _ in shards])
            count += 1
            height, width = self.shapes[shape_r.integers(len(self.shapes))]
            off = np.abs(aspect - np.log(height / width))
            fitting = np.flatnonzero(off < off.min() + 0.35)
            batch = []
            while len(batch) < max(1, round(self.batch * 252 * 252 / (height * width))):
                is_real = r.random() < self.real
                if is_real:
                    frame = real[r.integers(len(real))]
                else:
                    rgb, inverse = shards[r.choice(fitting)]
                    i = r.integers(len(rgb))
                    frame = Frame(np.array(rgb[i]), inverse[i].astype(np.float32), np.ones(inverse[i].shape, bool))
                if self.roll:
                    frame = rolled(frame, roll_r.uniform(-self.roll, self.roll))
                rgb, inverse, valid = window(frame, height, width, r, self.least)
                if valid.mean() > 0.2 and inverse[valid].std() > 1e-3:
                    seen = distort(rgb, r)
                    if self.plain:
                        seen = rgb.astype(np.float32) / 255
                    if self.shift:
                        inverse = shifted(inverse, valid, self.shift * shift_r.random())
                    batch.append(
                        (
                            ((seen - MEAN) / DEVIATION).transpose(2, 0, 1).astype(np.float32),
                            inverse.astype(np.float32),
                            valid,
                            is_real,
                        )
                    )
            yield tuple(torch.from_numpy(np.stack(a)) for a in zip(*batch))
