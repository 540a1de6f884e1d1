"""Exact scenes of furnished rooms: 18 kinds of objects among others, on tables and shelves, at walls, cut by the border.

As scenes.py, of which they share the camera and the constants; but a scene holds several bodies, each of several shapes,
and a body is the target. The truth is the target's own upright box. A round target has no yaw.
"""

from dataclasses import dataclass, field

import numpy as np
from bodies import (
    Body, ball, block, bottle, chair, laptop, person, round_table, shelf, sofa, table,
)  # fmt: skip
from scenes import PICTURE, SETS, Scene, hit_box, look

# Each kind with the class that a detector would give it.
KINDS = {
    "plain": "suitcase", "small": "book", "flat": "book", "touching": "suitcase", "wall": "refrigerator", "shelf": "book",
    "under": "suitcase", "cut": "suitcase", "chair": "chair", "bottle": "bottle", "laptop": "laptop",
    "round-table": "dining table", "person": "person", "rolled": "suitcase", "portrait": "suitcase", "sofa": "couch",
    "low": "suitcase", "ball": "sports ball",
}  # fmt: skip
# Kinds of which a method is asked more.
EASY = ("plain", "small", "flat", "rolled", "portrait")
# Least share of the target that is seen.
SEEN = {"under": 0.6, "shelf": 0.75, "touching": 0.6, "cut": 0.45}
# Share of the target outside the picture, where it is cut by the border.
CUT = (0.12, 0.5)
# How a phone's depth errs, drawn for each scene: spans around what was measured, wider than the method's model.
PHONE = {"correlated": (0.004, 0.008), "correlationLength": (10.0, 30.0), "edgeSpread": (0.8, 1.3)}
# People and seats fill more of a picture than small things do.
LARGE = ("person", "sofa", "chair")
FAR = 4.0


@dataclass(frozen=True)
class Target:
    """The target's truth that is compared."""

    kind: str
    size: tuple
    round: bool
    boxes: tuple = ()


@dataclass
class FurnishedScene(Scene):
    target: Body = None
    others: list = field(default_factory=list)
    base: float = 0.0
    reading: dict = field(default_factory=dict)
    detected: str = ""

    @property
    def center(self):
        return np.array([self.place[0], self.base + self.solid.size[1] / 2, self.place[1]])

    def cast(self, u, v):
        depth, label, incidence = self.hits(u, v, [self.target, *self.others])
        return depth, label == 0, incidence

    def surfaces(self, u, v):
        return self.hits(u, v, [self.target, *self.others])[:2]

    def hits(self, u, v, bodies):
        """Planar depth, which body is hit, -1 for floor and walls, and the cosine of incidence."""
        c = self.constants
        u, v = np.broadcast_arrays(u, v)
        shape = u.shape
        u, v = u.ravel(), v.ravel()
        camera = np.stack([(u - c.principal[0]) / c.focal, -(v - c.principal[1]) / c.focal, -np.ones_like(u)], -1)
        ray = camera @ self.rotation.T
        depth, normal = np.full(u.shape, np.inf), np.zeros((*u.shape, 3))
        label = np.full(u.shape, -1)
        for index, body in enumerate(bodies):
            for part in body.shapes:
                inside = self.covered(part, u, v)
                if inside is None:
                    continue
                start, own = part.axes.T @ (self.origin - part.middle) / part.half, ray[inside] @ part.axes / part.half
                near, facing = depth[inside], np.zeros((len(own), 3))
                before = near.copy()
                HITS[part.kind](start, own, near, facing)
                nearer = near < before
                hit = np.flatnonzero(inside)[nearer]
                depth[hit], label[hit] = near[nearer], index
                turned = (facing[nearer] / part.half) @ part.axes.T
                normal[hit] = turned / np.linalg.norm(turned, axis=-1, keepdims=True)
        with np.errstate(divide="ignore", invalid="ignore"):
            floor = np.where(ray[:, 1] < 0, -self.origin[1] / ray[:, 1], np.inf)
            wall = np.where(ray[:, 2] < 0, (self.wall - self.origin[2]) / ray[:, 2], np.inf)
        for other, axis in ((floor, 1), (wall, 2)):
            nearer = (other > 0) & (other < depth)
            depth[nearer], label[nearer] = other[nearer], -1 - axis
            normal[nearer] = np.eye(3)[axis]
        incidence = np.abs((ray * normal).sum(-1)) / np.linalg.norm(ray, axis=-1)
        return depth.reshape(shape), label.reshape(shape), incidence.reshape(shape)

    def covered(self, part, u, v):
        """Which pixels may see a shape; None for none of them."""
        signs = np.array(np.meshgrid([-1, 1], [-1, 1], [-1, 1])).reshape(3, -1).T
        camera = ((signs * part.half) @ part.axes.T + part.middle - self.origin) @ self.rotation
        if (camera[:, 2] > -0.05).any():
            return np.ones(u.shape, bool)
        c = self.constants
        x = c.principal[0] + c.focal * camera[:, 0] / -camera[:, 2]
        y = c.principal[1] - c.focal * camera[:, 1] / -camera[:, 2]
        inside = (u >= x.min() - 1) & (u <= x.max() + 1) & (v >= y.min() - 1) & (v <= y.max() + 1)
        return inside if inside.any() else None

    def window(self, margin):
        # What lies outside the picture is not seen.
        left, top, right, bottom = super().window(margin)
        return max(left, 0), max(top, 0), min(right, PICTURE[0]), min(bottom, PICTURE[1])

    def is_usable(self):
        """Whether as much is seen of the target as its kind asks, and whether it is cut by the border where it shall be."""
        whole = Scene.window(self, 30)
        inside = whole[0] >= 0 and whole[1] >= 0 and whole[2] < PICTURE[0] and whole[3] < PICTURE[1]
        if inside == (self.solid.kind == "cut") or self.origin[1] < 0.05:
            return False
        step = max(4, (whole[2] - whole[0]) // 60)
        u, v = np.meshgrid(np.arange(whole[0], whole[2], step), np.arange(whole[1], whole[3], step))
        alone = self.hits(u, v, [self.target])[1] == 0
        seen = self.cast(u, v)[1]
        shown = seen & (u >= 0) & (v >= 0) & (u < PICTURE[0]) & (v < PICTURE[1])
        if self.solid.kind == "cut":
            outside = 1 - shown.sum() / max(alone.sum(), 1)
            return CUT[0] <= outside <= CUT[1]
        return shown.sum() >= SEEN.get(self.solid.kind, 0.97) * max(alone.sum(), 1)


def hit_unit_box(start, ray, depth, normal):
    hit_box(start, ray, -np.ones(3), np.ones(3), depth, normal)


def hit_ball(start, ray, depth, normal):
    a, b = (ray * ray).sum(-1), ray @ start
    root = b * b - a * (start @ start - 1)
    with np.errstate(invalid="ignore"):
        near = (-b - np.sqrt(root)) / a
    hit = (root >= 0) & (near > 0) & (near < depth)
    depth[hit] = near[hit]
    normal[hit] = (start + near[:, None] * ray)[hit]


def hit_cylinder(start, ray, depth, normal):
    a = ray[:, 0] ** 2 + ray[:, 2] ** 2
    b = start[0] * ray[:, 0] + start[2] * ray[:, 2]
    root = b * b - a * (start[0] ** 2 + start[2] ** 2 - 1)
    with np.errstate(divide="ignore", invalid="ignore"):
        side = (-b - np.sqrt(root)) / a
        ends = [(end - start[1]) / ray[:, 1] for end in (-1, 1)]
    point = start + side[:, None] * ray
    hit = (root >= 0) & (side > 0) & (np.abs(point[:, 1]) <= 1) & (side < depth)
    depth[hit] = side[hit]
    normal[hit] = (point * [1, 0, 1])[hit]
    for end in ends:
        point = start + end[:, None] * ray
        hit = (end > 0) & (point[:, 0] ** 2 + point[:, 2] ** 2 <= 1) & (end < depth)
        depth[hit] = end[hit]
        normal[hit] = [0, 1, 0]


HITS = {"box": hit_unit_box, "ball": hit_ball, "cylinder": hit_cylinder}


def target(kind, rng):
    """The target of a kind, its size, and the height of the table on which it stands, 0 for the floor."""
    draw = rng.uniform
    high = draw(0.65, 0.8)
    if kind == "bottle":
        return *bottle(draw(0.03, 0.05), draw(0.18, 0.32)), high
    if kind == "laptop":
        return *laptop(draw(0.28, 0.37), draw(0.2, 0.26), np.radians(draw(92, 125))), high
    if kind == "flat":
        size = draw(0.2, 0.4), draw(0.015, 0.05), draw(0.14, 0.28)
        return *block(*size), high if draw() < 0.5 else 0
    if kind == "small":
        return *block(draw(0.12, 0.3), draw(0.06, 0.25), draw(0.06, 0.2)), high
    if kind == "shelf":
        return *block(draw(0.15, 0.4), draw(0.12, 0.3), draw(0.12, 0.28)), draw(0.4, 1.1)
    if kind == "wall":
        return *block(draw(0.4, 1.2), draw(0.4, 1.4), draw(0.3, 0.6)), 0
    if kind == "under":
        return *block(draw(0.3, 0.5), draw(0.2, 0.45), draw(0.25, 0.4)), 0
    if kind == "chair":
        return *chair(draw(0.4, 0.5), draw(0.8, 1.0), draw(0.4, 0.5), rng), 0
    if kind == "round-table":
        return *round_table(draw(0.25, 0.55), draw(0.45, 0.75)), 0
    if kind == "person":
        return *person(draw(1.5, 1.9)), 0
    if kind == "sofa":
        return *sofa(draw(1.4, 2.2), draw(0.7, 0.9), draw(0.75, 1.0), rng), 0
    if kind == "ball":
        return *ball(draw(0.06, 0.16)), 0
    longest = np.exp(draw(np.log(0.2), np.log(0.9)))
    return *block(longest, longest * draw(0.35, 0.95), longest * draw(0.35, 0.95)), 0


def furniture(kind, body, size, base, place, yaw, rng):
    """The others of a scene, placed, and the wall behind."""
    draw = rng.uniform
    if kind == "shelf":
        width, deep = size[0] + draw(0.3, 0.8), size[2] + draw(0.05, 0.15)
        stand = shelf(width, deep, base, base + size[1] + draw(0.08, 0.3))
        # The target stands near the front edge or farther in.
        behind = place[1] - deep / 2 - draw(-0.9, 0.9) * (deep - size[2]) / 2
        off = place[0] + draw(-0.5, 0.5) * (width - size[0] - 0.06) / 1.2
        return [stand.placed(0, (off, behind + deep / 2), 0)], behind - 0.005
    reach = np.hypot(size[0], size[2]) / 2
    wall = place[1] - reach - draw(0.15, 1.5)
    others = []
    if kind == "wall":
        wall = place[1] - size[2] / 2 - draw(0, 0.015)
        if draw() < 0.5:
            other = draw(0.3, 0.8)
            gap = size[0] / 2 + other / 2 + draw(0.2, 0.6)
            others.append(block(other, draw(0.4, 1.2), size[2])[0].placed(0, (place[0] + gap, place[1]), 0))
    elif base > 0:
        width, deep = max(0.7, 2.2 * reach + draw(0.2, 0.8)), max(0.55, 2.1 * reach + draw(0.1, 0.4))
        turn = draw(-0.4, 0.4)
        off = place + draw(-1, 1, 2) * [(width / 2 - reach) * 0.8, (deep / 2 - reach) * 0.8]
        others.append(table(width, base, deep).placed(turn, off, 0))
        wall = min(wall, off[1] - np.hypot(width, deep) / 2 - draw(0, 0.6))
    elif kind == "under":
        width, deep = size[0] + draw(0.5, 1.0), size[2] + draw(0.25, 0.5)
        others.append(table(width, size[1] + draw(0.15, 0.4), deep).placed(yaw + draw(-0.15, 0.15), place, 0))
        wall = place[1] - np.hypot(width, deep) / 2 - draw(0.05, 1.0)
    elif kind == "touching":
        other = np.array(size) * draw(0.55, 1.2, 3)
        side = draw() < 0.5
        gap = (size[0] + other[0]) / 2 + draw(0, 0.004)
        slip = draw(-0.3, 0.3) * size[2]
        x, z = (gap if side else -gap), slip
        cos, sin = np.cos(yaw), np.sin(yaw)
        where = (place[0] + cos * x + sin * z, place[1] - sin * x + cos * z)
        others.append(block(*other)[0].placed(yaw, where, 0))
        wall -= gap
    return others, wall


def draw_scene(name, number, kind, constants, rng):
    """One scene, or None where the draw shows too little of its target."""
    draw = rng.uniform
    body, size, base = target(kind, rng)
    place = draw(-0.5, 0.5, 2)
    turned = kind in ("wall", "shelf") or kind == "sofa" and draw() < 0.5
    yaw = (draw(-0.03, 0.03) if kind == "shelf" else 0.0) if turned else np.radians(draw(0, 360))
    if turned and kind != "sofa":
        azimuth = np.radians(draw(-40, 40))
    else:
        azimuth = np.radians(draw(-20, 20))
    others, wall = furniture(kind, body, size, base, place, yaw, rng)
    pitches = {"low": (1, 8), "shelf": (-5, 25), "under": (3, 25), "person": (-2, 20), "wall": (5, 40)}
    pitch = np.radians(draw(*pitches.get(kind, (12, 55))))
    longest = np.linalg.norm(size) if kind == "person" else max(size)
    share = draw(*constants.relative_size) * (1.4 if kind in LARGE else 1)
    distance = min(max(0.35, longest / share), FAR)
    portrait = kind in ("portrait", "person") or kind not in ("rolled", "cut") and draw() < 0.25
    roll = np.radians(draw(15, 60) * draw_sign(rng)) if kind == "rolled" else np.radians(draw(-4, 4))
    offset = draw(-1, 1, 2) * (250, 180)
    if kind == "cut":
        # Towards one border, half the picture away.
        border = rng.integers(4)
        offset = np.array([(1, 0), (-1, 0), (0, 1), (0, -1)][border]) * (960, 720) * draw(0.75, 1.05) + draw(-1, 1, 2) * 100
    aim = np.array(PICTURE) / 2 + offset
    center = np.array([place[0], base + size[1] / 2, place[1]])
    rotation, origin = look(center, pitch, azimuth, roll, distance, aim, constants, portrait)
    reading = {key: draw(*span) for key, span in PHONE.items()}
    reading["correlated"] = {"share": reading["correlated"]}
    scene = FurnishedScene(
        f"{name}-{number:03d}-{kind}", Target(kind, tuple(size), body.round), yaw, tuple(place), rotation, origin, portrait,
        constants, wall, pitch, distance, body.placed(yaw, place, base), others, base, reading, KINDS[kind],
    )  # fmt: skip
    return scene if scene.is_usable() else None


def draw_sign(rng):
    return 1 if rng.uniform() < 0.5 else -1


def scenes(name, count):
    """`count` scenes of a set, the kinds in turn; the same every time."""
    constants = SETS[name]
    kinds = list(KINDS)
    made = []
    while len(made) < count:
        # A stream each, so that a change of one kind leaves the others as they are.
        rng = np.random.default_rng([constants.seed, len(made)])
        scene = None
        while scene is None:
            scene = draw_scene(name, len(made), kinds[len(made) % len(kinds)], constants, rng)
        made.append(scene)
    return made
