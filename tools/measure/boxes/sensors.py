"""Depth as real sensors make it: the models of Sources/AppCore/Fusion/SensorErrors.swift, drawn on exact scenes.

A scene that is drawn without one of these models is of the *ideal sensor*: exact, or with noise that is independent
from cell to cell.
"""

import json
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from missing import at_edges, widened
from scenes import GRID, PICTURE
from sensing import cell_centers, smooth_field

MODELS = json.loads((Path(__file__).parent / "sensors.json").read_text())
KINDS = tuple(MODELS)
# Gaussian weights end after so many standard deviations.
REACH = 4
# Second views are searched for what hides a cell over so many cells.
SHADOW = 64


@dataclass(frozen=True)
class Sensed:
    """A depth map, 0 where nothing is read, and the confidence of its cells; None where the sensor states none."""

    depth: np.ndarray
    confidence: np.ndarray | None


def sensed(scene, kind, rng, own=None):
    """The readings of a sensor of a kind in a scene; `own` are constants in which this one differs from its kind."""
    model = MODELS[kind] | (own or {})
    # Lengths are in cells of a map of the sensor's own width.
    cells = GRID[0] / model["columns"]
    u, v = cell_centers()
    depth = displaced(scene, u, v, model["edgeShift"] * cells, model["correlationLength"] * cells, rng)
    exact = np.where(np.isfinite(depth), depth, 0)
    read = blurred(depth, model["edgeSpread"] * cells)
    hidden = shadowed(depth, model, cells)
    length = max(model["correlationLength"] * cells, 1.0)
    warp = smooth_field(depth.shape, length, rng)
    with np.errstate(invalid="ignore"):
        white = deviation(model["white"], read) * rng.normal(size=depth.shape)
        bias = deviation(model["bias"], read) * rng.normal()
        read = read + white + deviation(model["correlated"], read) * warp + bias
        read = np.round(read * 1000) / 1000
    read = np.where(np.isfinite(read) & (read > 0) & ~hidden, read, 0)
    return Sensed(read, confidence(exact, model["edgeConfidence"], rng))


def deviation(noise, depth):
    return noise.get("constant", 0) + (noise.get("share", 0) + noise.get("quadratic", 0) * depth) * depth


def displaced(scene, u, v, shift, length, rng):
    """The scene's depth, with the ends of what it holds moved by a smooth random field of `shift` cells; the surfaces
    themselves stay where they are."""
    depth, label = scene.surfaces(u, v)
    if shift == 0:
        return depth
    step = PICTURE[0] / GRID[0]
    fields = [smooth_field(depth.shape, max(length, 1.0), rng) * shift * step for _ in range(2)]
    moved, other = scene.surfaces(u + fields[0], v + fields[1])
    return np.where(other != label, moved, depth)


def blurred(depth, spread):
    """Depth smoothed by a Gaussian in inverse depth, which is linear on planes: steps become ramps."""
    if spread == 0:
        return depth
    inverse = np.where(np.isfinite(depth), 1 / depth, 0)
    reach = max(1, int(np.ceil(REACH * spread)))
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / spread) ** 2)
    weights /= weights.sum()
    for axis in (0, 1):
        widths = [(reach, reach) if axis == other else (0, 0) for other in (0, 1)]
        padded = np.pad(inverse, widths, mode="edge")
        count = inverse.shape[axis]
        parts = (np.take(padded, np.arange(start, start + count), axis) for start in range(2 * reach + 1))
        inverse = sum(weight * part for weight, part in zip(weights, parts, strict=True))
    with np.errstate(divide="ignore"):
        return 1 / inverse


def shadowed(depth, model, cells):
    """Cells that a second view beside the camera does not see: something nearer on their row hides them from it."""
    hidden = np.zeros(depth.shape, bool)
    reach = model["baseline"] * model["focal"] * cells
    with np.errstate(divide="ignore"):
        inverse = 1 / depth
    for step in range(1, SHADOW if reach else 0):
        # A nearer cell so many steps aside has a disparity larger by as much, or more.
        hidden[:, :-step] |= reach * (inverse[:, step:] - inverse[:, :-step]) > step
    return hidden


def confidence(depth, shares, rng):
    """2 on surfaces, and on a share of the cells at a step and beside it; None where the sensor states none."""
    if not shares:
        return None
    steps = at_edges(depth)
    sure = np.ones(depth.shape)
    for distance in reversed(range(len(shares))):
        sure[widened(steps, distance)] = shares[distance]
    return np.where(rng.uniform(size=depth.shape) < sure, 2, 1).astype(np.uint8)
