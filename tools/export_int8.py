#!/usr/bin/env python3
"""Quantises an ONNX model to 8 bits with NNCF, for OpenVINO to run.

    python tools/export_int8.py --onnx yolo11n-seg.onnx --kind detector --out yolo11n-seg.int8.xml
    python tools/export_int8.py --onnx depth.onnx --kind depth --calibrate PICTURES --out depth.int8.xml

A detector is quantised as Ultralytics exports it (preset `mixed`, the end of its head in floats), a depth network with
NNCF's preset for transformers. Without --calibrate the pictures are seeded noise, which is enough to measure time.
"""

import argparse
from pathlib import Path

import numpy as np


def pictures(folder, size, count):
    """Network inputs (1, 3, height, width) in [0, 1]: pictures stretched to the size, or noise."""
    random = np.random.Generator(np.random.PCG64(2))
    if folder is None:
        for _ in range(count):
            yield random.random((1, 3, *size), dtype=np.float32)
        return
    from PIL import Image

    for path in sorted(Path(folder).iterdir())[:count]:
        picture = Image.open(path).convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
        yield np.asarray(picture, dtype=np.float32).transpose(2, 0, 1)[None] / 255


def head_end(model):
    """What Ultralytics leaves in floats: decoding of boxes and scores, behind the head's convolutions."""
    import nncf

    head = max((int(part) for op in model.get_ops() for part in _numbers(op.get_friendly_name())), default=0)
    names = [rf".*model.{head}/.*/{kind}" for kind in ("Add", "Sub", "Mul", "Div")]
    names += [rf".*model.{head}/.*/dfl/.*", rf".*model.{head}/.*Sigmoid"]
    return nncf.IgnoredScope(patterns=names, types=["Sigmoid"], validate=False)


def _numbers(name):
    return [part.split(".")[1] for part in name.split("/") if part.startswith("model.") and part[6:].isdigit()]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onnx", required=True)
    parser.add_argument("--kind", choices=("detector", "depth"), required=True)
    parser.add_argument("--calibrate", help="folder of pictures to calibrate on; by default noise")
    parser.add_argument("--count", type=int, default=32, help="pictures at most")
    parser.add_argument("--out", required=True, help="OpenVINO model to write (.xml)")
    arguments = parser.parse_args()
    import nncf
    import openvino

    model = openvino.Core().read_model(arguments.onnx)
    shape = model.inputs[0].partial_shape
    size = (shape[2].get_length(), shape[3].get_length())
    data = nncf.Dataset(pictures(arguments.calibrate, size, arguments.count), lambda picture: {"input": picture})
    if arguments.kind == "detector":
        options = {"preset": nncf.QuantizationPreset.MIXED, "ignored_scope": head_end(model)}
    else:
        options = {"model_type": nncf.ModelType.TRANSFORMER}
    quantised = nncf.quantize(model, data, subset_size=arguments.count, **options)
    openvino.save_model(quantised, arguments.out, compress_to_fp16=False)


if __name__ == "__main__":
    main()
