"""How far two tensors are apart."""

import numpy as np


def measure(ours, reference):
    """(largest absolute difference, relative to the largest magnitude, relative L2)."""
    ours, reference = ours.astype(np.float64), reference.astype(np.float64)
    difference = ours - reference
    largest = np.abs(difference).max(initial=0.0)
    scale = np.abs(reference).max(initial=0.0) or 1.0
    norm = np.linalg.norm(reference) or 1.0
    return largest, largest / scale, np.linalg.norm(difference) / norm


def aligned(value, shape, channels_last):
    """`value` with the axes of the reference, or None where it cannot have them."""
    if channels_last and value.ndim >= 3:
        value = np.moveaxis(value, -1, value.ndim - 3)
    squeezed = tuple(length for length in shape if length != 1)
    if tuple(length for length in value.shape if length != 1) != squeezed:
        return None
    return value.reshape(shape)
