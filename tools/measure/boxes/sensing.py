"""The readings of a phone's depth sensor and a detector in an exact scene: noise, flying pixels, leaking masks."""

import numpy as np
from scenes import GRID, PICTURE

# Rays cast for each depth cell and axis to find how much of it each surface covers.
WITHIN = 3
# Depths within a cell further apart than this share of them lie on two surfaces.
EDGE = 0.02
# Cells along the longer side of a detector's mask grid, which is letterboxed into a square.
MASK_GRID = 160


def exact_depth(scene):
    u, v = cell_centers()
    return scene.cast(u, v)[0]


def cell_centers():
    pixels = PICTURE[0] / GRID[0], PICTURE[1] / GRID[1]
    return np.meshgrid((np.arange(GRID[0]) + 0.5) * pixels[0] - 0.5, (np.arange(GRID[1]) + 0.5) * pixels[1] - 0.5)


def noisy_depth(scene, rng):
    """Depth in whole millimeters: noise by range and incidence, cells at edges between both surfaces."""
    u, v = cell_centers()
    depth, _, incidence = scene.cast(u, v)
    step = PICTURE[0] / GRID[0] / WITHIN
    offsets = (np.arange(WITHIN) - (WITHIN - 1) / 2) * step
    within = np.stack([scene.cast(u + x, v + y)[0] for x in offsets for y in offsets])
    with np.errstate(invalid="ignore"):
        edge = within.max(0) - within.min(0) > EDGE * depth
    edge &= np.isfinite(within).all(0)
    mixed = within.mean(0)
    depth = np.where(edge & (rng.uniform(size=depth.shape) < scene.constants.flying), mixed, depth)
    sigma = scene.constants.noise * depth / np.maximum(incidence, 0.2)
    with np.errstate(invalid="ignore"):
        depth = np.round((depth + sigma * rng.normal(size=depth.shape)) * 1000) / 1000
    return np.where(np.isfinite(depth) & (depth > 0), depth, 0)


def exact_mask(scene):
    """The solid's silhouette on the whole picture."""
    mask = np.zeros((PICTURE[1], PICTURE[0]), bool)
    left, top, right, bottom = clip(scene.window(4))
    u, v = np.meshgrid(np.arange(left, right, dtype=float), np.arange(top, bottom, dtype=float))
    mask[top:bottom, left:right] = scene.cast(u, v)[1]
    return mask


def clip(window):
    return max(window[0], 0), max(window[1], 0), min(window[2], PICTURE[0]), min(window[3], PICTURE[1])


def leaking_mask(scene, rng):
    """The silhouette with its edge displaced by a smooth random field, seen through a detector's mask grid.

    The signed distance from the edge, in pixels, is shifted by the field, turned into probabilities on the coarse grid,
    enlarged bilinearly and cut at one half. Also the probabilities, on the grid over the whole picture.
    """
    exact = exact_mask(scene)
    margin = 48
    left, top, right, bottom = clip(scene.window(margin))
    part = exact[top:bottom, left:right]
    cell = PICTURE[0] / MASK_GRID
    c = scene.constants
    field = smooth_field(part.shape, c.mask_length, rng) * c.mask_scatter + c.mask_shift
    distance = signed_distance(part, margin) + field
    probability = 1 / (1 + np.exp(-np.clip(distance / (cell / 3), -30, 30)))
    # Sampled at the grid's cell centers and enlarged again.
    x = np.arange(np.floor(left / cell), np.ceil(right / cell)) * cell + cell / 2 - 0.5
    y = np.arange(np.floor(top / cell), np.ceil(bottom / cell)) * cell + cell / 2 - 0.5
    grid = bilinear(probability, x - left, y - top)
    columns = (np.arange(left, right) - x[0]) / cell
    rows = (np.arange(top, bottom) - y[0]) / cell
    mask = np.zeros_like(exact)
    mask[top:bottom, left:right] = bilinear(grid, columns, rows) > 0.5
    whole = np.zeros((int(PICTURE[1] // cell), MASK_GRID), np.float32)
    row, column = int(top // cell), int(left // cell)
    whole[row : row + len(y), column : column + len(x)] = grid
    return mask, whole


def smooth_field(shape, length, rng):
    """Unit variance, changing over `length` pixels."""
    coarse = rng.normal(size=(int(shape[0] / length) + 3, int(shape[1] / length) + 3))
    field = bilinear(coarse, np.arange(shape[1]) / length, np.arange(shape[0]) / length)
    return field / field.std()


def bilinear(plane, x, y):
    """`plane` at the given columns and rows, its border extended."""
    x, y = np.clip(x, 0, plane.shape[1] - 1), np.clip(y, 0, plane.shape[0] - 1)
    left, top = np.minimum(x.astype(int), plane.shape[1] - 2), np.minimum(y.astype(int), plane.shape[0] - 2)
    fx, fy = x - left, (y - top)[:, None]
    rows = plane[top] * (1 - fy) + plane[top + 1] * fy
    return rows[:, left] * (1 - fx) + rows[:, left + 1] * fx


def signed_distance(inside, limit):
    """Pixels from the mask's edge, positive inside, to `limit`: by repeated minimum over the eight neighbors."""

    def outward(mask):
        distance = np.where(mask, limit, 0.0)
        for _ in range(limit):
            padded = np.pad(distance, 1, mode="edge")
            least = distance
            for dy, dx in ((0, 1), (1, 0), (0, -1), (-1, 0), (1, 1), (1, -1), (-1, 1), (-1, -1)):
                shifted = padded[1 + dy : padded.shape[0] - 1 + dy, 1 + dx : padded.shape[1] - 1 + dx]
                least = np.minimum(least, shifted + np.hypot(dx, dy))
            if np.array_equal(least, distance):
                break
            distance = least
        return distance

    return np.where(inside, outward(inside) - 0.5, 0.5 - outward(~inside))
