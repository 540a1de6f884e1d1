"""Faults in what a reference says of a network's outputs: what people get wrong between raw maps and objects.

A fault changes a reference that was right, or the way in which one is recorded. `ardf verify` must name the tensor.
"""

import contextlib
import math
from collections.abc import Callable
from dataclasses import dataclass

import torch

from oracles import yolo
from oracles.final_outputs import cut_masks, final_outputs


@dataclass
class ReferenceFault:
    """`kind` for people, the tensor in which it must be found first, and what is done to the reference's tensors."""

    kind: str
    tensor: str
    change: Callable


@dataclass
class Context:
    """The data of a fault besides the tensors: the network in float64, its last result, input and thresholds."""

    network: torch.nn.Module
    image: torch.Tensor
    thresholds: tuple

    @property
    def head(self):
        return self.network.model[-1]

    @property
    def classes(self):
        return self.head.nc

    @property
    def end2end(self):
        return hasattr(self.head, "one2one_cv2")

    def recorded(self):
        """The outputs as they are recorded now: by whatever was done to the head."""
        with torch.inference_mode():
            named = yolo.named_outputs(self.network, self.network(self.image.double()))
        return named | final_outputs(self.network, named, tuple(self.image.shape[-2:]), self.thresholds)


@contextlib.contextmanager
def attribute(owner, name, value):
    """`owner.name` is `value` for a while, and anchors are made anew."""
    before = getattr(owner, name)
    setattr(owner, name, value)
    try:
        yield
    finally:
        setattr(owner, name, before)


def recorded_with(owner, name, value):
    """A fault in recording: everything after the raw maps is made while `owner.name` is `value`."""

    def change(tensors, context):
        target = owner(context)
        with attribute(target, name, value(getattr(target, name))), attribute(context.head, "shape", None):
            tensors.update(context.recorded())

    return change


def edited(name, edit):
    """A fault in one tensor: `edit(value, context)` gives another."""

    def change(tensors, context):
        tensors[name] = edit(tensors[name].clone(), context)

    return change


def rows(first, count, edit):
    """`output0` with some of its rows, `first` and `count` by context, edited."""

    def change(value, context):
        start = first(context) if callable(first) else first
        end = start + (count(context) if callable(count) else count)
        value[:, start:end] = edit(value[:, start:end])
        return value

    return edited("output0", change)


def classes_of(edit):
    return rows(4, lambda context: context.classes, edit)


def extras_of(edit):
    def change(value, context):
        value[:, 4 + context.classes :] = edit(value[:, 4 + context.classes :])
        return value

    return edited("output0", change)


def corners(boxes):
    (x, y, w, h) = boxes.unbind(1)
    return torch.stack([x - w / 2, y - h / 2, x + w / 2, y + h / 2], 1)


def centers(boxes):
    (a, b, c, d) = boxes.unbind(1)
    return torch.stack([(a + c) / 2, (b + d) / 2, c - a, d - b], 1)


def chosen_otherwise(thresholds):
    """Objects chosen with other thresholds than `objects.thresholds` says."""

    def change(tensors, context):
        said = tensors["objects.thresholds"]
        other = Context(context.network, context.image, thresholds(*context.thresholds))
        tensors.update({k: v for k, v in other.recorded().items() if k.startswith("objects")})
        tensors["objects.thresholds"] = said

    return change


def columns(index, edit):
    """`objects` with one column edited."""

    def change(value, _):
        value[:, index] = edit(value[:, index])
        return value

    return edited("objects", change)


def head_of(context):
    return context.head


def dfl_of(context):
    return context.head.dfl.conv.weight


def other_anchors(offset):
    def change(tensors, context):
        from ultralytics.nn.modules import head as module

        make = module.make_anchors
        other = attribute(module, "make_anchors", lambda feats, strides, _: make(feats, strides, offset))
        with other, attribute(context.head, "shape", None):
            tensors.update(context.recorded())

    return change


def masks_again(edit):
    """Masks of edited coefficients or prototypes."""

    def change(tensors, context):
        objects, prototypes = edit(tensors["objects"].clone(), tensors["proto"].clone())
        tensors["objects.masks"] = cut_masks(objects, prototypes, tuple(context.image.shape[-2:]))

    return change


def doubled(tensors, _):
    """The first object a second time, with its mask."""
    for name in ("objects", "objects.masks"):
        if name in tensors:
            tensors[name] = torch.cat([tensors[name], tensors[name][:1]])


def negative(objects, prototypes):
    objects[:, 6:] *= -1
    return objects, prototypes


def added(name, value):
    def change(tensors, _):
        tensors[name] = value

    return change


def with_nan(value, _):
    value.view(-1)[value.numel() // 2] = math.nan
    return value


def detector_faults(family, context):
    """Faults of every detector, then those of its task."""
    suffix = yolo.split(family)[1]
    yield ReferenceFault("strides doubled", "strides", recorded_with(head_of, "stride", lambda s: s * 2))
    yield ReferenceFault(
        "strides of the levels reversed", "strides", recorded_with(head_of, "stride", lambda s: s.flip(0))
    )
    yield ReferenceFault("anchors at corners of cells", "anchors", other_anchors(0.0))
    yield ReferenceFault("anchors off by a cell", "anchors", other_anchors(1.5))
    if not context.end2end:
        reverse, shift = (lambda w: w.flip(1)), (lambda w: w + 1)
        yield ReferenceFault("bins of DFL reversed", "output0", recorded_with(dfl_of, "data", reverse))
        yield ReferenceFault("bins of DFL from 1", "output0", recorded_with(dfl_of, "data", shift))
    swapped = centers if context.end2end and suffix != "-obb" else corners
    yield ReferenceFault("corners and centers exchanged", "output0", rows(0, 4, swapped))
    yield ReferenceFault("x and y exchanged", "output0", rows(0, 4, lambda b: b[:, [1, 0, 3, 2]]))
    yield ReferenceFault("boxes over the input's size", "output0", rows(0, 4, lambda b: b / 640))
    yield ReferenceFault("boxes off by half a pixel", "output0", rows(0, 4, lambda b: b + 0.5))
    yield ReferenceFault("class scores permuted", "output0", classes_of(lambda s: s.roll(1, 1)))
    yield ReferenceFault("class scores are logits", "output0", classes_of(torch.logit))
    yield ReferenceFault("sigmoid twice", "output0", classes_of(torch.sigmoid))
    yield ReferenceFault("softmax for sigmoid", "output0", classes_of(lambda s: torch.logit(s).softmax(1)))
    yield ReferenceFault("anchors of a level in another order", "output0", edited("output0", lambda v, _: v.flip(2)))
    yield ReferenceFault("a number that is none", "output0", edited("output0", with_nan))
    yield ReferenceFault("box maps of a level negative", "box.1", edited("box.1", lambda v, _: -v))
    yield ReferenceFault("class maps of a level permuted", "cls.2", edited("cls.2", lambda v, _: v.roll(1, 1)))
    yield ReferenceFault("an output of another name", "output9", added("output9", torch.zeros(1, 4)))
    if not context.end2end:
        yield ReferenceFault("overlap threshold", "objects", chosen_otherwise(lambda c, o, n: (c, o / 2, n)))
    yield ReferenceFault("confidence threshold", "objects", chosen_otherwise(lambda c, o, n: ((c + 1) / 2, o, n)))
    yield ReferenceFault("fewer objects", "objects", chosen_otherwise(lambda c, o, n: (c, o, 2)))
    yield ReferenceFault("classes of objects from 1", "objects", columns(5, lambda c: c + 1))
    yield ReferenceFault("scores of objects reversed", "objects", columns(4, lambda s: s.flip(0)))
    yield ReferenceFault("objects in the picture's pixels", "objects", columns(slice(0, 4), lambda b: b * 1.5))
    yield ReferenceFault("an object twice", "objects", doubled)
    yield from task_faults(suffix)


def task_faults(suffix):
    """Faults of what objects have besides boxes and classes."""
    if suffix == "-seg":
        yield ReferenceFault("coefficients negative", "output0", extras_of(torch.neg))
        yield ReferenceFault("coefficients in another order", "output0", extras_of(lambda v: v.flip(1)))
        yield ReferenceFault("prototypes transposed", "proto", edited("proto", lambda v, _: v.flip(2)))
        yield ReferenceFault("masks of negative coefficients", "objects.masks", masks_again(negative))
        rolled = masks_again(lambda objects, prototypes: (objects, prototypes.roll(1, 3)))
        yield ReferenceFault("masks a cell aside", "objects.masks", rolled)
    elif suffix == "-pose":
        yield ReferenceFault("key points in cells", "output0", extras_of(lambda v: v / 8))
        yield ReferenceFault("key points off by half a cell", "output0", extras_of(lambda v: v + 4))
        visibility = extras_of(lambda v: torch.cat([v[:, :2], v[:, 2:3].sigmoid(), v[:, 3:]], 1))
        yield ReferenceFault("visibility sigmoid twice", "output0", visibility)
        yield ReferenceFault("key points in another order", "output0", extras_of(lambda v: v.roll(3, 1)))
        yield ReferenceFault("key points of objects", "objects", columns(slice(6, 8), lambda v: v + 2))
    elif suffix == "-obb":
        yield ReferenceFault("angles a quarter turn off", "output0", extras_of(lambda v: v + math.pi / 2))
        yield ReferenceFault("angles in degrees", "output0", extras_of(torch.rad2deg))
        yield ReferenceFault("angles of the other sense", "output0", extras_of(torch.neg))
        yield ReferenceFault("sides exchanged", "output0", rows(0, 4, lambda b: b[:, [0, 1, 3, 2]]))
        yield ReferenceFault("angles of objects", "objects", columns(-1, lambda v: v + math.pi / 2))


def classifier_faults():
    """Faults in a classifier's outputs."""
    yield ReferenceFault("probabilities are logits", "probabilities", edited("probabilities", lambda v, _: v.log()))
    yield ReferenceFault("classes permuted", "probabilities", edited("probabilities", lambda v, _: v.roll(1, 1)))
    yield ReferenceFault("softmax twice", "probabilities", edited("probabilities", lambda v, _: v.softmax(1)))
    yield ReferenceFault("logits negative", "logits", edited("logits", lambda v, _: -v))
    yield ReferenceFault("a number that is none", "probabilities", edited("probabilities", with_nan))
    yield ReferenceFault("an output of another name", "output9", added("output9", torch.zeros(1, 4)))


def depth_faults():
    """Faults in a depth map."""
    yield ReferenceFault("depth inverted", "depth", edited("depth", lambda v, _: v.max() - v))
    yield ReferenceFault("depth mirrored", "depth", edited("depth", lambda v, _: v.flip(-1)))
    yield ReferenceFault("depth scaled to 1", "depth", edited("depth", lambda v, _: v / v.max()))
    yield ReferenceFault("depth in another unit", "depth", edited("depth", lambda v, _: v * 1000))
    yield ReferenceFault("depth a pixel aside", "depth", edited("depth", lambda v, _: v.roll(1, -1)))
    yield ReferenceFault("a number that is none", "depth", edited("depth", with_nan))
    yield ReferenceFault("an output of another name", "output9", added("output9", torch.zeros(1, 4)))
