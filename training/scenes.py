"""Seeded scenes: furnished rooms, close-ups, streets and yards, clutter.  Each is framed by one camera.

python scenes.py ASSETS OUT.png SEED        a contact sheet"""

import sys

import numpy as np

import renderer
from assets import CARD, CYLINDER, Assets, panorama
from photograph import photograph
from renderer import affine
from rooms import close_up, corridor, room, shell
from stage import Stage
from textures import color

GROUNDS = ("grass", "grass", "asphalt", "tile", "mottled", "brick", "speckles")


def tree(s, x, z):
    height, trunk = s.between(2, 8), s.paint("wood", scale=1.0)
    s.put(CYLINDER, affine((x, height * 0.3, z), (height * 0.025 + 0.03, height * 0.3, height * 0.025 + 0.03)), trunk)
    leaf = s.paint("leaves", metric=False, scale=s.between(1, 3))
    for _ in range(s.r.integers(4, 14)):
        e = height * s.between(0.08, 0.22)
        s.put(
            int(s.r.choice(s.assets.rocks)),
            affine(
                (x + s.between(-0.22, 0.22) * height, height * s.between(0.5, 1), z + s.between(-0.22, 0.22) * height),
                (e, e * 0.8, e),
                yaw=s.between(0, 6.28),
            ),
            leaf,
        )


def fence(s, x, z, yaw):
    paint, c, q = s.paint("wood", "plain"), np.cos(yaw), np.sin(yaw)
    bars = s.paint("bars", metric=False, scale=2.0) if s.chance(0.4) else None
    for j in range(int(s.r.integers(2, 9))):
        at = np.array([x + c * j * 1.5, 0, z - q * j * 1.5])
        s.box(at + [0, 0.5, 0], (0.04, 0.5, 0.04), paint, yaw=yaw)
        mid = at + [c * 0.75, 0.6, -q * 0.75]
        if bars is not None:
            s.put(CARD, affine(mid, (0.75, 0.4, 1), yaw=yaw), bars)
        else:
            for y in (0.45, 0.8):
                s.box([mid[0], y, mid[2]], (0.75, 0.05, 0.015), paint, yaw=yaw)


def outdoors(s):
    near = s.chance(0.45)  # a yard a few meters deep, or a street
    s.box((0, -0.5, 0), (400, 0.5, 400), s.paint(*GROUNDS, scale=s.between(0.15, 1)))
    eye, depth = (
        np.array([0, s.between(0.5, 2.0) if near or s.chance(0.8) else s.between(2, 8), 0.0]),
        8 if near else 60,
    )
    s.free(0, 0, 0.5)
    if s.chance(0.35):
        s.put(
            int(s.r.choice(s.assets.cloths)),
            affine((0, 0, depth), (depth, depth * 0.8, s.between(0.05, 0.6)), pitch=np.pi / 2),
            s.paint(*GROUNDS, scale=s.between(0.15, 1)),
        )
    if near:
        for _ in range(s.r.integers(0, 4)):
            s.box(
                (s.between(-4, 4), 0, s.between(3, 11)),
                (s.between(1, 9), s.between(0.2, 3), s.between(0.05, 1)),
                s.paint("brick", "wood", "plain", "mottled", "tile", scale=s.between(0.3, 1.5)),
                yaw=s.between(-0.6, 0.6),
            )
    else:
        if s.chance(0.6):
            off, half = s.between(-3, 3), s.between(1.5, 5)
            s.box((off, 0.002, 100), (half, 0.004, 300), s.paint("asphalt", scale=0.3))
            for side in (-1, 1):
                s.box((off + side * (half + 0.9), 0.05, 100), (0.9, 0.06, 300), s.paint("tile", "brick", "asphalt"))
        for side in (-1, 1):
            z = s.between(-5, 15)
            while z < 120 and s.chance(0.8):
                half = np.array([s.between(3, 10), s.between(1.3, 12), s.between(3, 12)])
                s.box(
                    (side * (s.between(4, 14) + half[0]), half[1], z + half[2]),
                    half,
                    s.paint("windows", "windows", "brick", "plain", "mottled", scale=s.between(0.08, 0.3)),
                )
                z += 2 * half[2] + s.pick(0.1, 0.1, 3, 10)
    for _ in range(s.r.integers(2, 14)):
        z = 1.2 + depth * s.r.random() ** 1.7
        x, k = s.between(-1, 1) * (1.5 + z * 0.6), s.r.random()
        if not s.free(x, z, 0.7 if k < 0.8 else 2.0):
            continue
        if k < 0.2:
            tree(s, x, z + 2)
        elif k < 0.4:
            s.model(int(s.pick(*s.assets.people)), (x, 0, z), s.between(0, 6.28))
        elif k < 0.5:
            fence(s, x, z, s.between(-1, 1))
        elif k < 0.65:
            s.model(int(s.pick(*s.assets.outdoors)), (x, 0, z + 1), s.between(0, 6.28))
        elif k < 0.8:
            s.model(int(s.pick(*s.assets.standing)), (x, 0, z), s.between(0, 6.28)) if near else s.shape(
                (x, 0, z), s.between(0.2, 1)
            )
        else:
            s.model(int(s.pick(*s.assets.vehicles)), (x, 0, z + 2), s.between(0, 6.28))
    for _ in range(s.r.integers(0, 40) if near else 0):  # stones and leaves on the ground
        size = s.between(0.01, 0.06)
        s.put(
            int(s.r.choice(s.assets.rocks)),
            affine((s.between(-3, 3), 0, s.between(0.4, 6)), (size, size * 0.5, size), yaw=s.between(0, 6)),
            s.paint("mottled", "plain", "grass"),
        )
    s.sun()
    return (
        eye,
        s.between(-0.5, 0.5),
        s.between(-0.7, 0.0) if near and s.chance(0.6) else s.r.normal(-0.05, 0.15),
        s.between(0.3, 0.8),
        3.0,
    )


def garden(s, w, d):
    """Ground, walls and plants a few meters behind a room's windows."""
    s.box((0, -0.3, 0), (60, 0.2, 60), s.paint(*GROUNDS, scale=s.between(0.3, 1)))
    for axis, along, far in ((0, d, w), (2, w, d)):
        for sign in (-1, 1):
            if s.chance(0.7):
                center, half = np.zeros(3), np.array([0.1, s.between(0.4, 2.5), 0.1])
                center[axis] = sign * (far + s.between(0.6, 5))
                half[2 - axis] = along + s.between(0, 6)
                s.box(center, half, s.paint("brick", "brick", "wood", "plain", "mottled", scale=s.between(0.5, 1.5)))
            for _ in range(s.r.integers(0, 4)):
                at = np.zeros(3)
                at[axis], at[2 - axis] = sign * (far + s.between(0.6, 6)), s.between(-1, 1) * along
                if s.chance(0.5):
                    tree(s, at[0], at[2])
                else:
                    s.model(int(s.pick(*s.assets.outdoors)), at, s.between(0, 6.28))


def sunlit(s):
    """A pale room with wide windows and hard sunlight in it, as cameras overexpose it: white things before white
    walls."""
    s.pale, s.holed, s.widest, s.glazed = s.between(0.3, 0.95), 0.8, 2.2, 0.6
    s.sun((3, 12))
    return room(s, garden)


def clutter(s):
    """Anything at any size and angle before some background: shape over habit."""
    w, d, h = s.between(1, 4), s.between(1, 4), s.between(2, 4)
    if s.chance(0.7):
        shell(s, w, d, h)
    else:
        s.box((0, -0.5, 0), (100, 0.5, 100), s.paint(*GROUNDS))
        s.sun()
    eye = np.array([0, s.between(0.4, 1.6), -d * 0.9])
    for _ in range(s.r.integers(6, 40)):
        at = (s.between(-w, w), s.between(0, h * 0.7), s.between(-d * 0.6, d))
        turn = dict(yaw=s.between(0, 6), pitch=s.between(-1, 1) * s.chance(0.5), roll=s.between(-1, 1) * s.chance(0.5))
        if s.chance(0.5):
            n = int(s.pick(*s.assets.every))
            s.model(n, at, scale=s.between(0.1, 0.5) / s.assets.models[n].half.max(), **turn)
        else:
            s.shape(at, np.exp(s.r.normal(-1.9, 0.6)), **turn)
    s.lamp((s.between(-1, 1) * w, h - 0.2, s.between(-1, 1) * d), s.between(2, 8))
    return eye, s.between(-0.3, 0.3), s.between(-0.4, 0.2), s.between(0.2, 1), s.between(0.3, 1.5)


def floor(s):
    """A floor with flat boards on it from nearly straight above, the view tilted 4 to 14 degrees to any side.

    At such pitches the camera keeps the world's z axis up: yaw is the angle from the picture's upright to the tilt."""
    s.box(
        (0, -0.5, 0), (20, 0.5, 20), s.paint("wood", "tile", "mottled", "plain", "speckles", scale=s.between(0.4, 1.5))
    )
    for _ in range(s.r.integers(3, 10)):
        s.box(
            (s.between(-0.4, 0.4), 0.006, s.between(-0.3, 0.3)),
            (s.between(0.03, 0.15), s.between(0.001, 0.006), s.between(0.03, 0.12)),
            s.paint("checks", "photograph", "text", "plain", metric=False),
            yaw=s.between(-0.3, 0.3),
        )
    tilt, aside = np.radians(s.between(4, 14)), np.radians(s.between(-90, 90))
    s.lamp((s.between(-1, 1), s.between(1.5, 2.5), s.between(-1, 1)), s.between(2, 8))
    return np.array([0, s.between(0.4, 0.9), 0]), aside, tilt - np.pi / 2, s.between(0.3, 1), s.between(0.3, 1)


BY_NAME_ALONE = 0.0
KINDS = (
    (room, 0.5),
    (close_up, 0.2),
    (outdoors, 0.2),
    (clutter, 0.1),
    (sunlit, BY_NAME_ALONE),
    (corridor, BY_NAME_ALONE),
    (floor, BY_NAME_ALONE),
)


def frame(seed, assets, height, width, only=None):
    """One scene of any of the KINDS, or of the named one alone.

    -> uint8 rgb [h, w, 3], float16 inverse depth [h, w] in 1/m, 0 for the sky."""
    for attempt in range(20):
        r = np.random.default_rng([seed, attempt])
        s = Stage(assets, r)
        drawn = KINDS[r.choice(len(KINDS), p=[p for _, p in KINDS])][0]
        build = next(k for k, _ in KINDS if k.__name__ == only) if only else drawn
        eye, yaw, pitch, ambient, reach = build(s)
        sky = panorama(r, assets)
        light = np.minimum(sky.mean((0, 1)), 2) if build is outdoors else color(r, 0.5, 1, 0.3)
        look = eye + [np.sin(yaw) * np.cos(pitch), np.sin(pitch), np.cos(yaw) * np.cos(pitch)]
        view = renderer.camera(
            eye, look, width, height, np.radians(s.between(35, 92)), s.between(-0.12, 0.12) * s.chance(0.7)
        )
        if not s.lights:
            s.lamp((0, 2, 0), 2)
        rgb, inverse = renderer.render(
            assets.meshes,
            assets.textures,
            s.materials,
            s.instances,
            s.lights[:4],
            sky,
            light * ambient,
            reach,
            view,
            seed * 31 + attempt,
        )
        picture = photograph(rgb, r, (0.7, 1.8)) if build is sunlit else photograph(rgb, r)
        if (
            np.isfinite(inverse).all()
            and inverse.max() < 12
            and (inverse > 6).mean() < 0.25
            and inverse.std() > 0.02
            and picture.std() > 12
        ):
            break
    return picture, inverse.astype(np.float16)


if __name__ == "__main__":
    import time

    import cv2

    assets, start, rows = Assets(sys.argv[1]), time.time(), []
    for i in range(4):
        row = []
        for j in range(5):
            picture, inverse = frame(int(sys.argv[3]) + 5 * i + j, assets, 252, 252)
            shade = (inverse.astype(np.float32) / inverse.max() * 255).astype(np.uint8)
            row += [picture[..., ::-1], cv2.applyColorMap(shade, cv2.COLORMAP_INFERNO)]
        rows.append(np.hstack(row))
    print("frames a second on one core", 20 / (time.time() - start))
    cv2.imwrite(sys.argv[2], cv2.resize(np.vstack(rows), None, fx=0.6, fy=0.6, interpolation=cv2.INTER_AREA))
