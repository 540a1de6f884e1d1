#!/usr/bin/env python3
"""Compares what `ardf detect` finds by a detector's ONNX file with transformers' image processor and ONNX Runtime.

    python tools/reference/compare-detr.py d-fine.onnx coco/images --ardf .build/release/ardf

Takes pictures and folders, which are searched. The processor is that of `preprocessor_config.json` beside the file; without one,
of the design `--design`, by default RT-DETR's. The threshold of a picture is between two scores, so that about `--objects` are
found, because the scores of random weights mean nothing. Prints the largest difference of scores and edges; ends with 1 where
others are found, a score differs by 1e-4 or an edge by half a pixel.
"""

import argparse
import json
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import onnxruntime
import torch
import transformers
from PIL import Image

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import pictures

SCORE, EDGE = 1e-4, 0.5
#: Processors that resample by Pillow, as ardf does; those of torchvision round otherwise.
PROCESSORS = {
    **dict.fromkeys(("rt_detr", "rt_detr_v2", "d_fine", "deimv2"), "RTDetrImageProcessorPil"),
    **dict.fromkeys(("deformable_detr", "lw_detr"), "DeformableDetrImageProcessorPil"),
    **dict.fromkeys(("conditional_detr", "dab_detr"), "ConditionalDetrImageProcessorPil"),
    **dict.fromkeys(("detr", "table-transformer"), "DetrImageProcessorPil"),
}


def beside(model, name):
    """The content of a file of Hugging Face's beside the model, or above a folder `onnx`; empty where there is none."""
    folders = [model.parent] + ([model.parent.parent] if model.parent.name == "onnx" else [])
    return next((json.loads((f / name).read_text()) for f in folders if (f / name).exists()), {})


def reference(model, design):
    """A function of a picture that gives transformers' processor and the raw outputs."""
    session = onnxruntime.InferenceSession(str(model), providers=["CPUExecutionProvider"])
    kind = getattr(transformers, PROCESSORS[beside(model, "config.json").get("model_type", design)])
    processor = kind(**beside(model, "preprocessor_config.json"))
    pixels = next(port for port in session.get_inputs() if port.name != "pixel_mask")
    sides = pixels.shape[2:]
    fixed = {"height": sides[0], "width": sides[1]} if all(isinstance(side, int) for side in sides) else None

    def run(picture):
        options = {"size": fixed} if fixed else {}
        values = {pixels.name: processor(picture, do_pad=False, return_tensors="np", **options)["pixel_values"]}
        for port in session.get_inputs():
            if port.name == "pixel_mask":
                shape = [side if isinstance(side, int) else own for side, own in
                         zip(port.shape, (1, *values[pixels.name].shape[2:]), strict=True)]  # fmt: skip
                values[port.name] = np.ones(shape, np.int64)
        made = dict(zip([port.name for port in session.get_outputs()], session.run(None, values), strict=True))
        if "logits" not in made:
            # Names are numbers: boxes have four columns.
            first, second = made.values()
            made = {"logits": first, "pred_boxes": second} if second.shape[-1] == 4 else {"logits": second, "pred_boxes": first}
        return SimpleNamespace(logits=torch.tensor(made["logits"]), pred_boxes=torch.tensor(made["pred_boxes"]))

    return processor, run


def objects(processor, outputs, size, threshold):
    """`(score, class, box within the picture)` of each object, best first."""
    found = processor.post_process_object_detection(outputs, threshold=threshold, target_sizes=[size])[0]
    height, width = size
    boxes = found["boxes"].numpy().astype(float)
    boxes[:, 0::2] = boxes[:, 0::2].clip(0, width)
    boxes[:, 1::2] = boxes[:, 1::2].clip(0, height)
    listed = zip(found["scores"].tolist(), found["labels"].tolist(), boxes, strict=True)
    return sorted(listed, key=lambda entry: -entry[0])


def threshold(found, wanted):
    """A score in the widest gap near the wanted number of objects."""
    scores = [score for score, *_ in found]
    if len(scores) < 2:
        return 0.0
    places = range(max(1, min(wanted // 2, len(scores) - 1)), min(len(scores), wanted * 2))
    place = max(places, key=lambda i: scores[i - 1] - scores[i], default=len(scores) - 1)
    return (scores[place - 1] + scores[place]) / 2


def found_by_ardf(ardf, model, path, confidence):
    words = [ardf, "detect", str(path), "--yolo", str(model), "--conf", str(confidence), "--max-det", "10000", "--out", "-"]
    answer = subprocess.run(words, check=True, capture_output=True, text=True).stdout
    boxes = [(entry["box"], entry) for entry in json.loads(answer)["detections"]]
    return [
        (entry["confidence"], entry["classId"],
         np.array([box["x"], box["y"], box["x"] + box["width"], box["y"] + box["height"]]))
        for box, entry in boxes
    ]  # fmt: skip


def differences(mine, theirs):
    """The largest difference of a score and of an edge, each object with its nearest of the class; None where others are found."""
    if len(mine) != len(theirs):
        return None
    worst, left = [0.0, 0.0], list(theirs)
    for score, kind, box in mine:
        same = [entry for entry in left if entry[1] == kind]
        if not same:
            return None
        nearest = min(same, key=lambda entry: (abs(entry[0] - score) > SCORE, np.abs(entry[2] - box).max()))
        left = [entry for entry in left if entry is not nearest]
        worst = [max(worst[0], abs(nearest[0] - score)), max(worst[1], float(np.abs(nearest[2] - box).max()))]
    return worst


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("model", type=Path, help="the detector's ONNX file")
    parser.add_argument("pictures", nargs="+", help="pictures, and folders of them")
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--design", default="rt_detr", choices=sorted(PROCESSORS), help="where config.json does not say it")
    parser.add_argument("--objects", type=int, default=20, help="objects wanted of a picture")
    parser.add_argument("--most", type=int, default=20, help="pictures that are taken")
    arguments = parser.parse_args()
    torch.set_num_threads(2)
    processor, run = reference(arguments.model, arguments.design)
    print("| picture | objects | score | edge px |\n|---|--:|--:|--:|")
    failed = False
    for path in list(pictures.paths(arguments.pictures))[: arguments.most]:
        picture = Image.fromarray(pictures.read(path))
        outputs, size = run(picture), (picture.height, picture.width)
        confidence = threshold(objects(processor, outputs, size, 0.0), arguments.objects)
        theirs = objects(processor, outputs, size, confidence)
        worst = differences(found_by_ardf(arguments.ardf, arguments.model, path, confidence), theirs)
        failed |= worst is None or worst[0] > SCORE or worst[1] > EDGE
        text = "other objects | " if worst is None else f"{worst[0]:.1e} | {worst[1]:.4f}"
        print(f"| {path.name} | {len(theirs)} | {text} |", flush=True)
    raise SystemExit(int(failed))


if __name__ == "__main__":
    main()
