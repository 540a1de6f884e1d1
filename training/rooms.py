"""Furnished rooms and close-ups.  A builder fills a Stage and returns where the camera stands (meters), its yaw and
pitch (radians), how bright the ambient light is and how far its occlusion reaches (meters)."""

import numpy as np

from assets import BOX, CARD, CYLINDER
from renderer import affine
from textures import color

WALLS = ("plain", "plain", "plain", "mottled", "brick", "stripes", "tile", "wood")
FLOORS = ("wood", "wood", "tile", "fabric", "mottled", "speckles", "asphalt")
TOPS = ("wood", "wood", "plain", "mottled", "fabric")

# -- rooms: x in -w...w, z in -d...d, floor at 0, ceiling at h


def wall(s, along, far, height, axis, sign, material):
    """One wall with at most one window hole; axis: 0 for x = sign * far, 2 for z = sign * far."""

    def slab(a0, a1, y0, y1, paint=material, out=0.05, thick=0.05):
        if a1 - a0 < 1e-3 or y1 - y0 < 1e-3:
            return
        center, half = np.zeros(3), np.zeros(3)
        center[axis], half[axis] = sign * (far + out), thick
        center[2 - axis], half[2 - axis] = (a0 + a1) / 2, (a1 - a0) / 2
        center[1], half[1] = (y0 + y1) / 2, (y1 - y0) / 2
        s.box(center, half, paint)

    if s.chance(s.holed) and along > 0.8:
        half, mid, sill = (
            s.between(0.3, min(s.widest, along * 0.8)),
            s.between(-0.5, 0.5) * (along - 0.7),
            s.pick(0.05, 0.8, 0.9, 1.1),
        )
        left, right, top = mid - half, mid + half, min(height - 0.1, sill + s.between(0.6, 1.6))
        bar, panes = 0.02, 2
        if s.glazed and s.chance(s.glazed):  # a glass door as high as the room
            sill, top, bar, panes = 0.02, height - s.between(0.05, 0.4), s.between(0.02, 0.07), int(s.r.integers(2, 5))
        for part in (
            (-along - 0.1, left, 0, height),
            (right, along + 0.1, 0, height),
            (left, right, 0, sill),
            (left, right, top, height),
        ):
            slab(*part)
        frame = s.paint("plain", rgb=color(s.r, 0.6, 1, 0.1))
        for part in (
            (left, left + 0.05, sill, top),
            (right - 0.05, right, sill, top),
            (left, right, sill, sill + 0.05),
            (left, right, top - 0.05, top),
            *((a - bar, a + bar, sill, top) for a in np.linspace(left, right, panes + 1)[1:-1]),
        ):
            slab(*part, paint=frame, out=0.0, thick=0.03)
        if s.chance(0.4):  # curtains beside it, or a blind before it
            cloth, blind = int(s.r.choice(s.assets.cloths)), s.chance(0.25)
            paint = s.paint("bars", metric=False) if blind else s.paint("fabric", "stripes", "plain", scale=3)
            for center, width in [(mid, half)] if blind else [(left - 0.1, 0.25), (right + 0.1, 0.25)]:
                at = np.zeros(3)
                at[axis], at[2 - axis], at[1] = sign * (far - 0.12), center, (top + 0.1 + 0.05) / 2
                s.put(cloth, affine(at, (width, (top + 0.1) / 2, 0.06), yaw=np.pi / 2 if axis == 0 else 0), paint)
    else:
        slab(-along - 0.1, along + 0.1, 0, height)
    if s.chance(0.6):
        slab(-along, along, 0, s.between(0.05, 0.15), paint=s.paint("plain", "wood"), out=-0.006, thick=0.006)
    yaw = {(0, 1): -np.pi / 2, (0, -1): np.pi / 2, (2, 1): np.pi, (2, -1): 0.0}[axis, sign]

    def hang(a, y, out):
        at = np.zeros(3)
        at[axis], at[2 - axis], at[1] = sign * (far - out), a, y
        return at

    for _ in range(s.r.integers(0, 4)):  # pictures, boards, screens
        at, half = (
            hang(s.between(-0.85, 0.85) * along, s.between(1.1, 1.9), 0.02),
            (s.between(0.1, 0.6), s.between(0.1, 0.45), 0.015),
        )
        s.box(at, half, s.paint("wood", "plain"), yaw=yaw)
        face = hang(at[2 - axis], at[1], 0.037)
        if s.chance(0.15):
            s.put(CARD, affine(face, (half[0] * 0.93, half[1] * 0.9, 1), yaw=yaw), s.glass())
        else:
            s.picture(
                affine(face, (half[0] * 0.9, half[1] * 0.87, 1), yaw=yaw),
                gloss=s.pick(0, 0, 0.5),
                glow=s.pick(0, 0, 0, s.between(0.3, 1.5)),
            )
    for _ in range(s.r.integers(0, 3)):
        n = int(s.pick(*s.assets.hanging))
        m = s.assets.models[n]
        s.model(
            n, hang(s.between(-0.85, 0.85) * along, min(m.elevation, height - 2 * m.half[1] - 0.05), m.half[2]), yaw
        )
    if s.chance(0.3):
        n = int(s.pick(*s.assets.openings))
        s.model(
            n, hang(s.between(-0.7, 0.7) * along, s.assets.models[n].elevation, s.assets.models[n].half[2] * 0.9), yaw
        )


def shell(s, w, d, h):
    walls, floor, ceiling = (
        s.paint(*WALLS),
        s.paint(*FLOORS),
        s.paint("plain", "plain", "tile", "wood", rgb=color(s.r, 0.7, 1, 0.15)),
    )
    s.box((0, -0.05, 0), (w + 0.1, 0.05, d + 0.1), floor)
    s.box((0, h + 0.05, 0), (w + 0.1, 0.05, d + 0.1), ceiling)
    for axis, along, far in ((0, d, w), (2, w, d)):
        for sign in (-1, 1):
            wall(s, along, far, h, axis, sign, walls if s.chance(0.85) else s.paint(*WALLS))
    for _ in range(s.r.integers(1, 4)):
        at = (s.between(-0.8, 0.8) * w, h - s.between(0.1, 0.5), s.between(-0.8, 0.8) * d)
        s.lamp(at, s.between(1, 4) * np.sqrt(w * d))
        if s.chance(0.6):
            s.box(
                (at[0], h, at[2]),
                s.pick((0.3, 0.03, 0.3), (0.6, 0.03, 0.15), (0.15, 0.03, 0.15)),
                s.paint("plain", rgb=np.ones(3), glow=s.between(1, 4)),
            )


def on_top(s, x, z, height, half, count, yaw=0.0):
    """Small things standing on a surface."""
    c, q = np.cos(yaw), np.sin(yaw)
    for _ in range(count):
        u, v = s.between(-0.85, 0.85) * half[0], s.between(-0.8, 0.8) * half[2]
        at = (x + c * u + q * v, height, z - q * u + c * v)
        thing(s, at)


def thing(s, at):
    """A small object at a place: a library model, a made solid, or a stack."""
    k = s.r.random()
    if k < 0.6:
        s.model(int(s.pick(*s.assets.small)), at, s.between(0, 6.28), s.between(0.8, 1.3))
    elif k < 0.85:
        s.shape(at, s.between(0.02, 0.12), yaw=s.between(0, 6.28))
    else:
        y = at[1]
        for _ in range(s.r.integers(2, 7)):
            half = (s.between(0.07, 0.12), s.between(0.006, 0.03), s.between(0.09, 0.15))
            s.box(
                (at[0], y + half[1], at[2]),
                half,
                s.paint("text", "photograph", "plain", metric=False),
                yaw=s.between(-0.3, 0.3),
            )
            y += 2 * half[1]


def person(s, x, z, y=0.0):
    """Someone standing or sitting there; the odd one is only a shape of balls."""
    if s.free(x, z, 0.3):
        s.model(int(s.pick(*s.assets.people)), (x, y, z), s.between(0, 6.28))


def furnish(s, w, d, count):
    for _ in range(3 * count):
        if count <= 0:
            break
        n = int(s.pick(*s.assets.standing))
        half = s.assets.models[n].half
        radius = float(np.hypot(half[0], half[2])) * 0.8
        if s.chance(0.55):  # back to a wall
            axis, sign = s.pick((0, 1), (0, -1), (2, 1), (2, -1))
            yaw = {(0, 1): -np.pi / 2, (0, -1): np.pi / 2, (2, 1): np.pi, (2, -1): 0.0}[axis, sign]
            far, along = (w, d) if axis == 0 else (d, w)
            a, b = sign * (far - half[2] - 0.05), s.between(-1, 1) * max(0.1, along - half[0])
            x, z = (a, b) if axis == 0 else (b, a)
        else:
            x, z, yaw = s.between(-0.85, 0.85) * w, s.between(-0.85, 0.85) * d, s.between(0, 6.28)
        if abs(x) > w or abs(z) > d or not s.free(x, z, radius):
            continue
        count -= 1
        got = s.model(n, (x, 0, z), yaw)
        if 0.3 < 2 * got[1] < 1.2 and s.chance(0.6):
            on_top(s, x, z, 2 * got[1], got, int(s.r.integers(0, 6)), yaw)


def table(s, w, d, h, at=(0, 0)):
    top, leg = s.paint(*TOPS), s.paint("wood", "plain", "mottled")
    s.box((at[0], h - 0.02, at[1]), (w, 0.02, d), top)
    for x in (-1, 1):
        for z in (-1, 1):
            s.put(
                s.pick(BOX, CYLINDER),
                affine((at[0] + x * (w - 0.05), h / 2 - 0.02, at[1] + z * (d - 0.05)), (0.025, h / 2 - 0.02, 0.025)),
                leg,
            )


def room(s, outside=None):
    """outside: called with the half sizes of the room, puts up what is seen through its windows."""
    if s.chance(0.15):  # a corridor
        w, d, h, count = s.between(0.6, 1.4), s.between(3, 10), s.between(2.2, 3.2), int(s.r.integers(0, 7))
        eye, yaw = np.array([s.between(-0.4, 0.4) * w, 0, -d + s.between(0.3, 1.5)]), s.between(-0.35, 0.35)
    else:
        w, d, h, count = s.between(1.2, 4), s.between(1.2, 5), s.between(2.2, 3.4), int(s.r.integers(3, 16))
        eye = np.array([s.between(-0.9, 0.9) * (w - 0.3), 0, s.between(-0.9, 0.9) * (d - 0.3)])
        yaw = np.arctan2(s.between(-0.6, 0.6) * w - eye[0], s.between(-0.6, 0.6) * d - eye[2])
    eye[1] = min(s.between(0.4, 1.9), h - 0.2)
    shell(s, w, d, h)
    if outside:
        outside(s, w, d)
    s.free(eye[0], eye[2], s.between(0.2, 0.7))
    if s.chance(0.35):
        a = yaw + s.between(-0.4, 0.4)
        person(
            s,
            *np.clip(
                [eye[0] + np.sin(a) * s.between(1, 3), eye[2] + np.cos(a) * s.between(1, 3)],
                [-w + 0.3, -d + 0.3],
                [w - 0.3, d - 0.3],
            ),
        )
    furnish(s, w, d, count)
    for _ in range(s.r.integers(0, 5)):  # things lying about
        x, z = s.between(-0.9, 0.9) * w, s.between(-0.9, 0.9) * d
        if s.free(x, z, 0.15):
            thing(s, (x, 0, z))
    if s.chance(0.3):
        s.put(
            int(s.r.choice(s.assets.cloths)),
            affine(
                (s.between(-0.5, 0.5) * w, 0.02, s.between(-0.5, 0.5) * d),
                (s.between(0.5, 1.2), s.between(0.4, 1), 0.015),
                yaw=s.between(0, 3),
                pitch=np.pi / 2,
            ),
            s.paint("fabric", "stripes", "checks", "photograph", metric=False),
        )
    pitch = s.between(-1.0, 0.15) if s.chance(0.45) else s.r.normal(-0.25, 0.22)
    if s.chance(0.5):
        s.lamp(eye, s.between(0.1, 2), 0.1)
    if s.chance(0.5):
        s.sun()
    return eye, yaw, pitch, s.between(0.2, 1.0), s.between(0.25, 1.2)


def doors(s, x, d):
    """Closed doors and what hangs between them along the wall at x, from z = -d to d."""
    side, leaf = np.sign(x), s.paint("wood", "wood", "plain", "plain")
    lining = s.paint("plain", "wood")
    z = -d + s.between(0.2, 2)
    while z < d - 0.6:
        wide, high = s.between(0.4, 0.55), s.between(1.0, 1.1)
        if s.chance(0.75):
            deep = s.between(0.003, 0.03)  # how far the lining stands out; the leaf a little less
            s.box((x - side * deep / 2, high, z + wide), (deep, high, wide), lining)
            s.box((x - side * deep, high - 0.03, z + wide), (0.004, high - 0.03, wide - 0.06), leaf)
            hinge = s.pick(0.15, 2 * wide - 0.15)
            s.box((x - side * 0.06, 1.0, z + hinge), (0.02, 0.012, 0.06), s.metal())
            if s.chance(0.2):
                pane = (0.002, high * s.between(0.2, 0.6), wide * s.between(0.2, 0.7))
                s.box((x - side * (deep + 0.005), 1.4, z + wide), pane, s.glass())
        else:
            size = (0.02, s.between(0.2, 0.5), s.between(0.2, wide))
            s.box((x - side * 0.01, s.between(1.2, 1.7), z + wide), size, s.paint("photograph", "text", "plain"))
        z += 2 * wide + s.pick(0.15, s.between(0.3, 3), s.between(0.3, 3))


def corridor(s):
    """A passage as offices have it: doors on both sides, lamps in a row, a floor that shines, hardly a window."""
    s.holed = s.pick(0.0, 0.0, 0.15)
    w, d, h = s.between(0.7, 1.6), s.between(3, 14), s.between(2.2, 3.3)
    shell(s, w, d, h)
    if s.chance(0.6):
        floor = s.paint(
            "tile", "speckles", "plain", "mottled", "fabric", gloss=s.between(0, 0.6), mirror=s.between(0, 0.3)
        )
        s.box((0, 0, 0), (w, 0.002, d), floor)
    for x in (-w, w):
        doors(s, x, d)
    if s.chance(0.6):  # the far end: a door, or a window too bright to see through
        at, half = (s.between(-0.3, 0.3) * w, 1.05, d - 0.01), (0.45, 1.05, 0.02)
        bright = s.paint("plain", rgb=np.ones(3), glow=s.between(1, 4))
        s.box(at, half, bright if s.chance(0.35) else s.paint("wood", "plain"))
    lamp, step = (s.pick(0.15, 0.3, 0.6), 0.03, s.pick(0.15, 0.3, 0.6)), s.between(1.2, 4)
    light = s.between(1.5, 5)
    for z in np.arange(-d + s.between(0.3, step), d, step):
        s.box((0, h, z), lamp, s.paint("plain", rgb=np.ones(3), glow=light))
    s.lights.clear()
    s.lamp((0, h - 0.2, s.between(-0.9, 0) * d), s.between(2, 6))
    s.lamp((0, h - 0.2, s.between(0, 0.9) * d), s.between(2, 6))
    eye = np.array([s.between(-0.6, 0.6) * w, s.between(0.7, 1.8), -d + s.between(0.3, 0.9 * d)])
    s.free(eye[0], eye[2], s.between(0.3, 0.9))
    furnish(s, w, d, int(s.r.integers(0, 6)))
    for _ in range(s.r.integers(0, 4)):
        x, z = s.pick(-1, 1) * (w - s.between(0.15, 0.4)), s.between(-0.9, 0.9) * d
        if s.free(x, z, 0.15):
            thing(s, (x, 0, z))
    if s.chance(0.25):
        person(s, s.between(-0.5, 0.5) * w, eye[2] + s.between(1.2, 5))
    yaw = s.between(-0.3, 0.3) if s.chance(0.7) else s.between(-1.5, 1.5)
    return eye, yaw, s.r.normal(-0.2, 0.25), s.between(0.3, 1.0), s.between(0.25, 1.2)


def close_up(s):
    """A table, shelf or floor at arm's length."""
    w, d, h = s.between(1.2, 3), s.between(1.2, 3), s.between(2.2, 3)
    tw, td, th = s.between(0.4, 0.9), s.between(0.3, 0.6), s.pick(0.0, 0.45, 0.75, 0.75)
    shell(s, w, d, h)
    if th > 0:
        table(s, tw, td, th)
    else:
        s.free(0, 0, 0.5)
    around, distance, rise = s.between(0, 6.28), s.between(0.35, 1.6), s.between(0.1, 1.35)
    center = np.array([s.between(-0.3, 0.3), th + 0.05, s.between(-0.3, 0.3)])
    eye = center + distance * np.array([np.sin(around) * np.cos(rise), np.sin(rise), np.cos(around) * np.cos(rise)])
    eye = np.clip(eye, [-w + 0.1, 0.1, -d + 0.1], [w - 0.1, h - 0.1, d - 0.1])
    spread = s.between(0.4, 1)
    for _ in range(s.r.integers(1, 16)):
        x, z = s.between(-tw, tw) * spread * 0.9, s.between(-td, td) * spread * 0.9
        if np.hypot(x - eye[0], z - eye[2]) > 0.2 or eye[1] - th > 0.5:
            thing(s, (x, th, z))
    if s.chance(0.6):
        s.free(eye[0], eye[2], 0.6)
        furnish(s, w, d, int(s.r.integers(1, 7)))
    if s.chance(0.25):
        person(s, s.between(-0.5, 0.5) * w, s.between(-0.7, 0.7) * d)
    s.lamp((s.between(-1, 1), s.between(1.4, 2.1), s.between(-1, 1)), s.between(1, 5))
    look = center + s.r.uniform(-0.2, 0.2, 3) - eye
    return (
        eye,
        np.arctan2(look[0], look[2]),
        np.arctan2(look[1], np.hypot(look[0], look[2])),
        s.between(0.2, 1),
        s.between(0.25, 1),
    )
