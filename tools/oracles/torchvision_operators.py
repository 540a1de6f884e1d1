"""The torchvision operators that a CPU build of torch has no library for.

PyPI's torchvision is built for another torch: its Python part works once the two operators whose schemas its
import needs are declared. Call `declare_operators()` before importing anything that imports torchvision.
"""

import functools

import torch


def nms(boxes, scores, iou_threshold):
    """Greedy suppression as torchvision defines it: best score first (stable), IoU above the threshold goes."""
    order = scores.argsort(descending=True, stable=True)
    areas = (boxes[:, 2] - boxes[:, 0]) * (boxes[:, 3] - boxes[:, 1])
    kept = []
    while len(order):
        first, rest = order[0], order[1:]
        kept.append(first)
        low = torch.maximum(boxes[first, :2], boxes[rest, :2])
        high = torch.minimum(boxes[first, 2:], boxes[rest, 2:])
        intersection = (high - low).clamp(min=0).prod(1)
        order = rest[~(intersection / (areas[first] + areas[rest] - intersection) > iou_threshold)]
    return torch.stack(kept) if kept else torch.empty(0, dtype=torch.int64)


@functools.cache
def declare_operators():
    """Declares `nms` and `qnms` and makes `torchvision.ops.nms` the function above.

    The declarations live as long as the object returned.
    """
    library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision

    torchvision.ops.nms = nms
    return library
