"""Detectors up to the maps of their heads, which is what `ardf bench` computes: decoding is left out."""

import torch

from oracles import yolo


def output_names(architecture):
    """A network's outputs: of a detector the maps of its head's branches, (1, channels, height, width), by level."""
    if not architecture.startswith("yolo"):
        return ["depth"]
    suffix = yolo.split(architecture)[1]
    if suffix == "-cls":
        return ["probabilities"]
    branches = ["box", "cls"] + ([yolo.EXTRAS[suffix][0]] if suffix in yolo.EXTRAS else [])
    return [f"{branch}.{level}" for branch in branches for level in range(3)] + ["proto"] * (suffix == "-seg")


class HeadMaps(torch.nn.Module):
    """The detector up to the maps of its head, which is what `ardf bench` computes; decoding is left out."""

    def __init__(self, network):
        super().__init__()
        self.network = network

    def branches(self, head, levels):
        """The maps of an object's branches, of an end-to-end head those of the head that gives each object one box."""
        prefix = "one2one_" if hasattr(head, "one2one_cv2") else ""
        for name in ("cv2", "cv3", "cv4"):
            branch = getattr(head, prefix + name, None)
            if branch is None:
                continue
            last = getattr(head, f"{prefix}{name}_kpts", None)
            for index, level in enumerate(levels):
                value = branch[index](level)
                yield value if last is None else last[index](value)

    def forward(self, image):
        *body, head = self.network.model
        results, x = [], image
        for module in body:
            sources = module.f if isinstance(module.f, list) else [module.f]
            inputs = [x if source == -1 else results[source] for source in sources]
            x = module(inputs if isinstance(module.f, list) else inputs[0])
            results.append(x)
        if head.f == -1:
            return head(x)[0]
        levels = [results[source] for source in head.f]
        maps = list(self.branches(head, levels))
        if not hasattr(head, "proto"):
            return tuple(maps)
        return *maps, head.proto(levels if hasattr(head.proto, "feat_fuse") else levels[0])


def fused(network):
    """The detector with normalizations folded, by ultralytics itself."""
    yolo.import_ultralytics()
    if hasattr(network.model[-1], "one2one_cv2"):
        network.end2end = True  # of the two heads the other is taken out
    return HeadMaps(network.fuse(verbose=False)).eval()
