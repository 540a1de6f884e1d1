"""Procedural and photographed textures, uint8 [256, 256, 4]."""

import cv2
import numpy as np

from renderer import TEXTURE as N

ROW, COLUMN = np.mgrid[0:N, 0:N].astype(np.float32) / N


def color(r, low=0.1, high=0.95, saturation=0.6):
    c = r.uniform(1 - saturation * r.random(), 1, 3)
    return (r.uniform(low, high) * c / c.max()).astype(np.float32)


def noise(r, columns, rows, octaves=4, gain=0.55):
    """Tiling value noise in 0...1 with the given number of cells."""
    out, weight, total = np.zeros((N, N), np.float32), 1.0, 0.0
    for _ in range(octaves):
        grid = np.pad(r.random((rows, columns), np.float32), ((0, 1), (0, 1)), mode="wrap")
        out += weight * cv2.resize(grid, (N + N // columns, N + N // rows), interpolation=cv2.INTER_CUBIC)[:N, :N]
        total, weight, columns, rows = total + weight, weight * gain, 2 * columns, 2 * rows
        if max(columns, rows) > N:
            break
    return out / total


def mixed(r, mask, a=None, b=None):
    return mask[..., None] * (color(r) if a is None else a) + (1 - mask[..., None]) * (color(r) if b is None else b)


def plain(r):
    return 1 - r.uniform(0.02, 0.12) * noise(r, *r.choice([2, 4, 8, 64], 2))[..., None] * np.ones(3)


def mottled(r):
    return mixed(
        r, np.clip((noise(r, *r.choice([2, 4, 8, 16], 2), 6, r.uniform(0.4, 0.9)) - 0.5) * r.uniform(1, 4) + 0.5, 0, 1)
    )


def wood(r):
    boards = r.choice([1, 2, 4, 6, 8])
    board = np.floor(ROW * boards).astype(int)
    shift = r.random(9)[board]
    tone = r.random((9, 9))[board, np.floor((COLUMN + shift) % 1 * 2).astype(int)]
    base = np.array([0.75, 0.5, 0.3]) * r.uniform(0.5, 1.3) + r.uniform(-0.08, 0.08, 3)
    out = (0.72 + 0.3 * noise(r, 2, r.choice([16, 32, 64])) + 0.2 * (tone - 0.5) * (boards > 1))[..., None] * base
    seam = (boards > 1) & ((np.abs(ROW * boards % 1) < 0.04) | (np.abs((COLUMN + shift) * 2 % 1) < 0.008))
    return np.where(seam[..., None], out * r.uniform(0.4, 0.85), out)


def grid(r, columns, rows, seam_x, seam_y, stagger, tile, mortar, varied):
    """Tiles or bricks."""
    line = np.floor(ROW * rows).astype(int)
    x, y = (COLUMN * columns + stagger * (line % 2)), ROW * rows % 1
    tone = r.random((40, 40))[line, np.floor(x % columns).astype(int)]
    body = tile * (1 - varied * tone[..., None] - 0.15 * noise(r, 8, 8)[..., None])
    return np.where(((x % 1 < seam_x) | (y < seam_y))[..., None], mortar, body)


def tile(r):
    n, gap = r.choice([1, 2, 3, 4, 8], 2), r.uniform(0.01, 0.05)
    n = n if r.random() < 0.5 else [n[0], n[0]]
    return grid(r, n[0], n[1], gap * n[0], gap * n[1], 0.5 * (r.random() < 0.3), color(r, 0.4), color(r, 0.2), 0.25)


def brick(r):
    rows = r.choice([6, 8, 12])
    return grid(
        r,
        rows // 2,
        rows,
        0.05,
        0.1,
        0.5,
        np.array([0.65, 0.3, 0.22]) * r.uniform(0.7, 1.5) if r.random() < 0.6 else color(r, 0.4),
        color(r, 0.4, 0.9, 0.1),
        0.4,
    )


def windows(r):
    n, gap = r.choice([4, 5, 6, 8], 2), r.uniform(0.1, 0.4, 2)
    return grid(r, n[0], n[1], gap[0], gap[1], 0, color(r, 0.15, 0.6), color(r, 0.4), 0.8)


def stripes(r):
    along = COLUMN if r.random() < 0.6 else COLUMN + ROW
    return mixed(r, (along * r.choice([2, 4, 8, 16, 32]) % 1 < r.uniform(0.2, 0.8)).astype(np.float32))


def checks(r):
    k = r.choice([2, 4, 8, 16])
    return mixed(r, (np.floor(COLUMN * k) + np.floor(ROW * k)) % 2)


def fabric(r):
    k = r.choice([32, 64])
    weave = 0.5 + 0.25 * np.sin(COLUMN * k * 6.2832) + 0.25 * np.sin(ROW * k * 6.2832)
    return ((0.7 + 0.2 * weave + 0.2 * r.random((N, N))) * (0.8 + 0.3 * noise(r, 4, 4)))[..., None] * color(r, 0.25)


def speckles(r):
    out = np.ones((N, N, 3)) * color(r, 0.3)
    for _ in range(3):
        out = np.where((noise(r, 64, 64, 2) > r.uniform(0.6, 0.75))[..., None], color(r), out)
    return out


def text(r):
    paper, ink, y = color(r, 0.6, 1, 0.2), color(r, 0, 0.4), 12
    if r.random() < 0.4:
        paper, ink = ink, paper
    out = np.ascontiguousarray(np.ones((N, N, 3), np.float32) * paper)
    while y < N - 12:
        height, x = int(r.choice([4, 6, 8, 16])), 12
        while x < N - 12 and r.random() > 0.06:
            width = int(r.integers(4, 30))
            cv2.rectangle(out, (x, y), (min(N - 12, x + width), y + height), ink.tolist(), -1)
            x += width + 5
        y += int(height * r.uniform(1.4, 2.6)) + 2
    if r.random() < 0.5:
        cv2.rectangle(out, (30, 60), (130, 150), color(r).tolist(), -1)
    return out


def grass(r):
    return (0.5 + noise(r, 32, 32, 5, 0.8))[..., None] * [
        r.uniform(0.2, 0.55),
        r.uniform(0.35, 0.6),
        r.uniform(0.1, 0.3),
    ]


def asphalt(r):
    return (r.uniform(0.3, 0.6) + 0.25 * (noise(r, 64, 64, 3, 0.9) - 0.5) + 0.15 * (noise(r, 3, 3) - 0.5))[
        ..., None
    ] * color(r, 0.9, 1, 0.15)


def leaves(r):
    """Foliage with holes: the fourth channel cuts."""
    g = noise(r, 16, 16, 4, 0.8)
    green = np.clip((g - 0.25) * 2, 0.1, 1)[..., None] * [
        r.uniform(0.2, 0.6),
        r.uniform(0.4, 0.75),
        r.uniform(0.1, 0.3),
    ]
    return np.dstack([green, noise(r, r.choice([8, 16]), r.choice([8, 16]), 3) > r.uniform(0.42, 0.55)])


def bars(r):
    """Railings, nets, blinds: thin lines, all else open."""
    k, thin = r.choice([4, 8, 16], 2), r.uniform(0.06, 0.3)
    line = COLUMN * k[0] % 1 < thin
    if r.random() < 0.6:
        line |= ROW * k[1] % 1 < thin
    return np.dstack([np.ones((N, N, 3)) * color(r, 0.05, 0.95, 0.3), line])


def photograph(r, photos):
    p = photos[r.integers(len(photos))]
    side = int(min(p.shape[:2]) * r.uniform(0.25, 1))
    y, x = r.integers(p.shape[0] - side + 1), r.integers(p.shape[1] - side + 1)
    p = cv2.resize(p[y : y + side, x : x + side], (N, N), interpolation=cv2.INTER_AREA) / 255.0
    return p[:, ::-1] if r.random() < 0.5 else p


KINDS = {
    plain: 16,
    mottled: 40,
    wood: 44,
    tile: 40,
    brick: 20,
    windows: 24,
    stripes: 20,
    checks: 12,
    fabric: 40,
    speckles: 16,
    text: 44,
    grass: 14,
    asphalt: 16,
    leaves: 16,
    bars: 16,
    photograph: 130,
}


def bank(seed, photos):
    """-> pictures uint8 [n, 256, 256, 4], the kind's name of each."""
    r, out, kinds = np.random.default_rng(seed), [], []
    for kind, count in KINDS.items():
        for _ in range(count):
            p = np.clip(kind(r, photos) if kind is photograph else kind(r), 0, 1) * 255
            out.append(np.dstack([p, np.full((N, N), 255)])[..., :4].astype(np.uint8))
            kinds.append(kind.__name__)
    return np.stack(out), np.array(kinds)
