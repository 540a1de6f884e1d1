"""Ultralytics' results of a detector's raw outputs: anchors, strides, and the objects after suppression."""

import types

import torch

from oracles import yolo

#: What `predict` does by default: least score, greatest overlap, most objects.
THRESHOLDS = (0.25, 0.7, 300)


def without_time_limit():
    """Has ultralytics take the time for suppression that it needs, where it would give a picture up after seconds."""
    yolo.import_ultralytics()
    from ultralytics.utils import nms

    nms.time = types.SimpleNamespace(time=lambda: 0.0)
    return nms


def chosen(output, thresholds=THRESHOLDS, classes=0, rotated=False, end2end=False):
    """The objects (n, 6 + extras) of one picture: box, score, class and extras, best first, as `predict` chooses them.

    `output`: (1, 4 + classes + extras, anchors), or (1, objects, 6 + extras) of a head that gives each object one box.
    Boxes are corners in pixels of the network's input, but of oriented ones center, width and height.
    """
    confidence, overlap, limit = thresholds
    nms = without_time_limit()
    settings = {"nc": classes, "max_det": limit, "rotated": rotated, "end2end": end2end}
    return nms.non_max_suppression(output.clone(), confidence, overlap, **settings)[0]


def cut_masks(objects, prototypes, size):
    """(n, height / 4, width / 4), 0 or 1: masks on the prototype grid, cut at the objects' boxes."""
    from ultralytics.utils import ops

    coefficients = objects[:, 6:].float()
    return ops.process_mask(prototypes[0].float(), coefficients, objects[:, :4].float(), size, upsample=False)


def objects_of(output, thresholds, size, classes, suffix, end2end, prototypes=None):
    """`objects`, `objects.thresholds`, and `objects.masks` where there are prototypes, for a reference."""
    found = chosen(output, thresholds, classes, suffix == "-obb", end2end)
    tensors = {"objects": found, "objects.thresholds": torch.tensor(thresholds, dtype=torch.float32)}
    if prototypes is not None:
        tensors["objects.masks"] = cut_masks(found, prototypes, size)
    return tensors


def final_outputs(model, named, size, thresholds=THRESHOLDS):
    """The final results of the outputs `named`, as `yolo.named_outputs` gives them, of an input of `size`.

    `anchors` (2, N) and `strides` (1, N), in cells and pixels; `objects`, `objects.thresholds`, `objects.masks`. Of a
    classifier nothing. Call it after the network has run, whose head keeps anchors and strides.
    """
    suffix = yolo.split(yolo.family_of(model))[1]
    if suffix == "-cls":
        return {}
    head, output = model.model[-1], named["output0"]
    end2end = hasattr(head, "one2one_cv2")
    with torch.inference_mode():
        if end2end:
            head.max_det = max(thresholds[2], THRESHOLDS[2])
            output = head.postprocess(output.permute(0, 2, 1))
        tensors = objects_of(output, thresholds, size, head.nc, suffix, end2end, named.get("proto"))
    return {"anchors": head.anchors, "strides": head.strides} | tensors
