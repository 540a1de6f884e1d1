"""Things of furnished rooms, put together of boxes, ellipsoids and elliptic cylinders.

A thing's own axes begin at the middle of its footprint on what it stands on; y is up.
"""

from dataclasses import dataclass, replace

import numpy as np


@dataclass(frozen=True)
class Shape:
    """A box, a ball or a cylinder about y, stretched to half extents about its middle; the columns of `axes` are its
    directions."""

    kind: str
    half: np.ndarray
    middle: np.ndarray
    axes: np.ndarray


@dataclass(frozen=True)
class Body:
    shapes: tuple
    round: bool = False

    def placed(self, yaw, place, base):
        """The same in the world, turned about y and put to a place."""
        cos, sin = np.cos(yaw), np.sin(yaw)
        turn = np.array([[cos, 0, sin], [0, 1, 0], [-sin, 0, cos]])
        start = np.array([place[0], base, place[1]])
        shapes = (replace(s, middle=turn @ s.middle + start, axes=turn @ s.axes) for s in self.shapes)
        return replace(self, shapes=tuple(shapes))


def shape(kind, low, high, axes=None):
    low, high = np.array(low, float), np.array(high, float)
    return Shape(kind, (high - low) / 2, (low + high) / 2, np.eye(3) if axes is None else axes)


def box(low, high):
    return shape("box", low, high)


def column(x, z, radius, bottom, top, depth=None):
    """An upright cylinder; elliptic with another radius along z."""
    deep = radius if depth is None else depth
    return shape("cylinder", (x - radius, bottom, z - deep), (x + radius, top, z + deep))


def block(x, y, z):
    return Body((box((-x / 2, 0, -z / 2), (x / 2, y, z / 2)),)), (x, y, z)


def legs(x, z, width, top):
    """Four, of which the outer faces lie at half of `x` and `z`."""
    a, b = x / 2 - width, z / 2 - width
    return [
        box((min(i * a, i * (a + width)), 0, min(k * b, k * (b + width))),
            (max(i * a, i * (a + width)), top, max(k * b, k * (b + width))))
        for i in (-1, 1) for k in (-1, 1)
    ]  # fmt: skip


def table(x, y, z, top=0.035):
    return Body((box((-x / 2, y - top, -z / 2), (x / 2, y, z / 2)), *legs(x - 0.06, z - 0.06, 0.05, y - top)))


def shelf(x, z, board, above, thick=0.02):
    """Boards at two heights, of which the target stands on the lower one, and at one more on either side; a back."""
    height = above + 0.5
    boards = [board - thick, above, max(board - 0.4, 0.05)]
    shapes = [box((-x / 2, y, -z / 2), (x / 2, y + thick, z / 2)) for y in boards]
    shapes += [box((s * x / 2 - thick, 0, -z / 2), (s * x / 2 + thick, height, z / 2)) for s in (-1, 1)]
    shapes.append(box((-x / 2, 0, -z / 2 - 0.005), (x / 2, height, -z / 2)))
    return Body(tuple(shapes))


def chair(x, y, z, rng):
    seat, thick = rng.uniform(0.42, 0.48), rng.uniform(0.025, 0.06)
    shapes = [box((-x / 2, seat - thick, -z / 2), (x / 2, seat, z / 2)), *legs(x, z, 0.035, seat - thick)]
    back = rng.uniform(0.025, 0.05)
    # The back rises from the seat, or begins above it.
    shapes.append(box((-x / 2, seat + rng.choice([0, 0.12]), -z / 2), (x / 2, y, -z / 2 + back)))
    return Body(tuple(shapes)), (x, y, z)


def bottle(radius, height):
    shoulder = 0.68 * height
    shapes = column(0, 0, radius, 0, shoulder), column(0, 0, 0.38 * radius, shoulder, height)
    return Body(shapes, round=True), (2 * radius, height, 2 * radius)


def laptop(x, z, angle, base=0.018, lid=0.008):
    """Two slabs that open by an angle; the lid leans back."""
    lean = angle - np.pi / 2
    back, high = z * np.sin(lean) + lid, base + z * np.cos(lean)
    deep = z + back
    front = deep / 2 - z
    cos, sin = np.cos(lean), np.sin(lean)
    # The lid's own up direction leans towards -z.
    axes = np.array([[1, 0, 0], [0, cos, sin], [0, -sin, cos]])
    hinge = np.array([0, base, front])
    middle = hinge + axes @ np.array([0, z / 2, -lid / 2])
    shapes = box((-x / 2, 0, front), (x / 2, base, deep / 2)), Shape("box", np.array([x, z, lid]) / 2, middle, axes)
    return Body(shapes), (x, high, deep)


def round_table(radius, height):
    shapes = column(0, 0, radius, height - 0.03, height), column(0, 0, 0.04, 0.02, height - 0.03)
    return Body((*shapes, column(0, 0, 0.5 * radius, 0, 0.02)), round=True), (2 * radius, height, 2 * radius)


def person(height):
    """Standing, arms down: elliptic cylinders, a ball for the head, shoes."""
    shapes, half, deep = [], 0.24, 0.28
    for side in (-1, 1):
        x = side * 0.1
        shapes.append(column(x, -0.02, 0.075, 0.03, 0.5 * height))
        shapes.append(box((x - 0.05, 0, -deep / 2), (x + 0.05, 0.07, deep / 2)))
        shapes.append(column(side * (half - 0.05), -0.02, 0.05, 0.42 * height, 0.8 * height))
    shapes.append(column(0, -0.02, 0.18, 0.47 * height, 0.82 * height, depth=0.115))
    shapes.append(column(0, -0.02, 0.055, 0.8 * height, 0.9 * height))
    shapes.append(shape("ball", (-0.08, 0.86 * height, -0.12), (0.08, height, 0.08)))
    return Body(tuple(shapes)), (2 * half, height, deep)


def sofa(x, y, z, rng):
    seat, back, arm = rng.uniform(0.38, 0.46), rng.uniform(0.18, 0.28), rng.uniform(0.14, 0.24)
    arms = rng.uniform(0.55, 0.65)
    shapes = [box((-x / 2, 0, -z / 2), (x / 2, seat, z / 2)), box((-x / 2, 0, -z / 2), (x / 2, y, -z / 2 + back))]
    for side in (-1, 1):
        ends = sorted((side * x / 2, side * (x / 2 - arm)))
        shapes.append(box((ends[0], 0, -z / 2), (ends[1], arms, z / 2)))
    return Body(tuple(shapes)), (x, y, z)


def ball(radius):
    return Body((shape("ball", (-radius, 0, -radius), (radius, 2 * radius, radius)),), round=True), (2 * radius,) * 3
