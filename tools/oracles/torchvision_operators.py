"""torchvision, also beside a torch that it was not built for.

A CPU build of torch and PyPI's torchvision do not fit: torchvision's library does not load, and `import torchvision`
ends with "operator torchvision::nms does not exist". Its Python part works once the two operators whose schemas the
import needs are declared. Beside a torch that it fits the same declaration ends the process (abort, 134), since the
library defines the operators itself. So they are declared only after the import has failed for lack of them. Call
`import_torchvision()` before importing anything that imports torchvision.

    python tools/oracles/torchvision_operators.py       # says which of the two the installed pair is
"""

import functools
import importlib.metadata
import sys

import torch

#: What the import of a torchvision without its library ends with.
MISSING = "operator torchvision::nms does not exist"


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


def versions():
    """The installed versions as text: `torch 2.13.0+cpu, torchvision 0.28.0`."""
    return ", ".join(f"{name} {importlib.metadata.version(name)}" for name in ("torch", "torchvision"))


@functools.cache
def import_torchvision():
    """Imports torchvision; without a library that fits, with its operators declared and `ops.nms` replaced.

    The declarations live as long as the object returned, which is None where torchvision has its own.
    """
    try:
        import torchvision

        return None
    except RuntimeError as error:
        if MISSING not in str(error):
            raise SystemExit(f"{versions()} do not work together ({error}): see tools/requirements.txt") from error
    # What the failed import has left would be taken for the package.
    for name in [name for name in sys.modules if name.partition(".")[0] == "torchvision"]:
        del sys.modules[name]
    library = torch.library.Library("torchvision", "DEF")
    for operator in ("nms", "qnms"):
        library.define(f"{operator}(Tensor dets, Tensor scores, float iou_threshold) -> Tensor")
    import torchvision

    torchvision.ops.nms = nms
    return library


if __name__ == "__main__":
    print(f"{versions()}: {'operators declared' if import_torchvision() else 'left alone'}")
