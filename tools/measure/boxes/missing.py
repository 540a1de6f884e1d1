"""Readings that a phone's depth sensor does not give, by cause."""

import numpy as np
from sensing import cell_centers

# Readings whose neighbors differ by more than this share lie at an edge.
EDGE = 0.06
# Of readings at edges this share is missing.
LOST = 0.8
# Beyond this many times the object's distance nothing is read.
FAR = 1.35
# The upper share of the object that is not read.
PART = 0.2
# The radius of a dark patch over that of a disk as large as the object.
PATCH = 0.45

KINDS = ("edges", "far", "patch", "part")


def without(depth, scene, kind, rng):
    """The depth map without what sensors miss: at edges and up to two cells beside, far behind the object, on a dark
    patch of it, or on its upper part."""
    u, v = cell_centers()
    own = scene.cast(u, v)[1]
    rows, columns = np.nonzero(own)
    if kind == "edges":
        lost = widened(at_edges(depth), int(rng.integers(0, 3))) & (rng.uniform(size=depth.shape) < LOST)
    elif kind == "far":
        lost = depth > FAR * np.median(depth[own])
    elif kind == "patch":
        middle = rng.integers(len(rows))
        y, x = np.mgrid[: depth.shape[0], : depth.shape[1]]
        lost = np.hypot(y - rows[middle], x - columns[middle]) < PATCH * np.sqrt(own.sum() / np.pi)
    else:
        # A portrait's left is up.
        y, x = np.mgrid[: depth.shape[0], : depth.shape[1]]
        height, own_heights = (x, columns) if scene.portrait else (y, rows)
        lost = widened(own, 2) & (height < np.quantile(own_heights, PART))
    return np.where(lost, 0, depth)


def at_edges(depth):
    """Where the nine cells around differ by more than `EDGE`."""
    read = depth > 0
    farthest = shifted(np.where(read, depth, 0)).max(0)
    nearest = shifted(np.where(read, depth, np.inf)).min(0)
    return farthest - nearest > EDGE * nearest


def widened(cells, steps):
    for _ in range(steps):
        cells = shifted(cells).any(0)
    return cells


def shifted(plane):
    """The plane and its eight neighbors."""
    padded = np.pad(plane, 1, mode="edge")
    height, width = plane.shape
    return np.stack([padded[y : y + height, x : x + width] for y in range(3) for x in range(3)])
