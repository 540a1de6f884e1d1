"""Exact corridors and rooms for measuring fused depth: what a depth sensor and a depth network make of them.

Rays are cast here from the pinhole formulas and nothing of ardf. A corridor has its end 6 to 10 m off, and boxes
stand in it. Depth is planar Z.
"""

import sys
from dataclasses import dataclass
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parent.parent / "boxes"))
from scenes import hit_box
from sensing import bilinear

PICTURE = (1920, 1440)
GRID = (256, 192)
# The map on which relative and metric depth lie, a third of the picture.
MAP = (640, 480)
# Rays cast for each depth cell and axis to find how much of it each surface covers.
WITHIN = 3
# Depths within a cell further apart than this share of them lie on two surfaces.
EDGE = 0.05


@dataclass(frozen=True)
class Constants:
    """The constants from which a set of scenes is drawn."""

    seed: int
    focal: float = 1569.25
    # Noise of planar depth: this share of it, divided by the cosine of the angle of incidence (0.2 at least).
    noise: float = 0.003
    # Share of depth cells at an edge that lie between both surfaces.
    flying: float = 0.5
    # Share of the cells that are hidden in blotches, as where a sensor is not sure.
    holes: float = 0.1
    # The network's inverse depth errs by smooth factors and offsets of these standard deviations (the offset over the
    # median inverse depth), changing over this share of the map's width; and is blurred by so many map pixels.
    warp: float = 0.04
    warp_length: float = 0.35
    bend: float = 0.02
    blur: float = 1.2


# Constants of the method may be chosen on `tune` alone. `table` is what docs/benchmarks/fused-depth.md holds. `held`
# has other constants, and is for looking at when the method is settled.
SETS = {
    "tune": Constants(seed=11),
    "table": Constants(seed=12),
    "held": Constants(
        seed=13, focal=1432.7, noise=0.004, flying=0.6, holes=0.15, warp=0.06, warp_length=0.25, bend=0.03, blur=1.6
    ),
}


@dataclass
class Room:
    name: str
    boxes: list
    shell: tuple
    rotation: np.ndarray
    origin: np.ndarray
    constants: Constants

    def cast(self, u, v):
        """Planar depth, the number of the solid (0 for the room) and the cosine of incidence, for pixel centers `u`, `v` of the
        picture."""
        f = self.constants.focal
        camera = np.stack([(u - PICTURE[0] / 2) / f, -(v - PICTURE[1] / 2) / f, -np.ones_like(u)], -1)
        ray = camera @ self.rotation.T
        depth = np.full(u.shape, np.inf)
        normal = np.zeros((*u.shape, 3))
        solid = np.zeros(u.shape, int)
        for number, (low, high) in enumerate(self.boxes):
            before = depth.copy()
            hit_box(self.origin, ray, np.array(low), np.array(high), depth, normal)
            solid[depth < before] = number + 1
        # The room is a box seen from within: the nearest of the planes ahead.
        low, high = map(np.array, self.shell)
        with np.errstate(divide="ignore", invalid="ignore"):
            planes = np.where(ray > 0, (high - self.origin) / ray, (low - self.origin) / ray)
        planes = np.where(np.abs(ray) < 1e-12, np.inf, planes)
        axis = planes.argmin(-1)
        shell = planes.min(-1)
        normal[shell < depth] = np.eye(3)[axis[shell < depth]]
        solid[shell < depth] = 0
        depth = np.minimum(depth, shell)
        return depth, solid, np.abs((ray * normal).sum(-1)) / np.linalg.norm(ray, axis=-1)

    def surfaces(self, u, v):
        """Planar depth, and a label of what is hit there."""
        return self.cast(u, v)[:2]


def rooms(name, count):
    """`count` rooms of a set, corridors and wide rooms in turn; the same every time."""
    constants = SETS[name]
    rng = np.random.default_rng(constants.seed)
    made = []
    while len(made) < count:
        is_corridor = len(made) % 2 == 0
        width = rng.uniform(1.6, 2.6) if is_corridor else rng.uniform(4, 7)
        length = rng.uniform(6, 10)
        height = rng.uniform(2.3, 3)
        pitch, yaw = np.radians(rng.uniform(2, 20)), np.radians(rng.uniform(-12, 12))
        forward = np.array([np.sin(yaw) * np.cos(pitch), -np.sin(pitch), -np.cos(yaw) * np.cos(pitch)])
        right = np.cross(forward, [0, 1, 0])
        right /= np.linalg.norm(right)
        rotation = np.stack([right, np.cross(right, forward), -forward], 1)
        origin = np.array([rng.uniform(-0.3, 0.3), rng.uniform(1.2, 1.6), 0])
        boxes = []
        for _ in range(rng.integers(3, 8)):
            z = -np.exp(rng.uniform(np.log(0.8), np.log(length - 0.5)))
            x = rng.uniform(-width / 2, width / 2)
            size = rng.uniform([0.15, 0.2, 0.15], [0.6, 1.8, 0.8]) * min(1, 0.35 - z / 4)
            if abs(x - origin[0]) < size[0] and z > -1.5:
                continue
            boxes.append(((x - size[0] / 2, 0, z - size[2]), (x + size[0] / 2, size[1], z)))
        shell = ((-width / 2, 0, -length), (width / 2, height, 2.0))
        kind = "corridor" if is_corridor else "room"
        made.append(Room(f"{name}-{len(made):03d}-{kind}", boxes, shell, rotation, origin, constants))
    return made


def centers(size):
    """The picture's pixel centers below a grid's cells."""
    x, y = PICTURE[0] / size[0], PICTURE[1] / size[1]
    return np.meshgrid((np.arange(size[0]) + 0.5) * x - 0.5, (np.arange(size[1]) + 0.5) * y - 0.5)


def sensed(room, rng, noisy):
    """Depth in meters, confidence, and which cells fly. Without noise nothing is hidden and nothing flies."""
    u, v = centers(GRID)
    depth, _, incidence = room.cast(u, v)
    confidence = np.full(depth.shape, 2, np.uint8)
    if not noisy:
        return depth.astype(np.float32), confidence, np.zeros(depth.shape, bool)
    c = room.constants
    step = PICTURE[0] / GRID[0] / WITHIN
    offsets = (np.arange(WITHIN) - (WITHIN - 1) / 2) * step
    within = np.stack([room.cast(u + x, v + y)[0] for x in offsets for y in offsets])
    edge = within.max(0) - within.min(0) > EDGE * depth
    flying = edge & (rng.uniform(size=depth.shape) < c.flying)
    depth = np.where(flying, within.mean(0), depth)
    depth += c.noise * depth / np.maximum(incidence, 0.2) * rng.normal(size=depth.shape)
    blotches = smooth(depth.shape, 12, rng)
    confidence[blotches > np.quantile(blotches, 1 - c.holes)] = 0
    return (np.round(depth * 1000) / 1000).astype(np.float32), confidence, flying


def relative(room, rng, noisy):
    """A network's inverse depth of the room on the map, up to a scale and a shift; and the true depth."""
    u, v = centers(MAP)
    depth, _, _ = room.cast(u, v)
    inverse = 1 / depth
    if noisy:
        c = room.constants
        length = c.warp_length * MAP[0]
        inverse = blurred(inverse, c.blur)
        inverse = inverse * (1 + c.warp * smooth(inverse.shape, length, rng))
        inverse = inverse + c.bend * np.median(inverse) * smooth(inverse.shape, length, rng)
    return (7 * np.maximum(inverse, 0.01) + 0.4).astype(np.float32), depth


def smooth(shape, length, rng):
    """A random field of unit variance that changes over `length` cells."""
    coarse = rng.normal(size=(int(shape[0] / length) + 3, int(shape[1] / length) + 3))
    field = bilinear(coarse, np.arange(shape[1]) / length, np.arange(shape[0]) / length)
    return field / field.std()


def blurred(plane, sigma):
    reach = int(np.ceil(3 * sigma))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / sigma) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        padded = np.pad(plane, [(reach, reach) if a == axis else (0, 0) for a in (0, 1)], mode="edge")
        n = plane.shape[axis]
        plane = sum(w * np.take(padded, np.arange(k, k + n), axis) for k, w in enumerate(weights))
    return plane
