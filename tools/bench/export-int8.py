#!/usr/bin/env python3
"""Quantizes a model to 8 bits for another engine, by that engine's own tool and the recipe that keeps its accuracy.

    python tools/bench/export-int8.py --model yolo11n-seg.onnx --kind convolutional --shape 1x3x640x640 --out OUT.xml
    python tools/bench/export-int8.py --model depth.onnx --kind transformer --shape 1x3x518x518 --out OUT.onnx

The name of what is written says for which: `.xml` for OpenVINO by NNCF (a convolutional network with preset `mixed`,
as Ultralytics exports detectors; a transformer with the preset for them, ranges from least to greatest, our depth
network's head in floats), `.onnx` for ONNX Runtime (a convolutional network with QDQ, activations of 8 unsigned bits,
weights a scale a channel; a transformer with products whose ranges are found at run time), `.tflite` for LiteRT
(likewise), `.ncnn` for ncnn, whose files have `.param` and `.bin` after that name (convolutions with ranges from
pictures, products of matrices with those of run time). Our detectors' models end at the maps of their heads, so that
what recipes leave in floats after them is not in them. Without --calibrate the pictures are seeded noise, which is
enough to measure time.
"""

import argparse
from pathlib import Path

import numpy as np
from peers import ncnn_int8
from peers.models import parse_shape

#: Pictures of noise; their ranges are as good after few as after many.
NOISE = 4


def pictures(arguments):
    """Network inputs (1, 3, height, width), pictures stretched to the size, or noise."""
    random = np.random.Generator(np.random.PCG64(2))
    if arguments.calibrate is None:
        for _ in range(min(arguments.count, NOISE)):
            yield random.random(arguments.shape, dtype=np.float32)
        return
    from PIL import Image

    for path in sorted(Path(arguments.calibrate).iterdir())[: arguments.count]:
        size = arguments.shape[:1:-1]
        picture = Image.open(path).convert("RGB").resize(size, Image.Resampling.BILINEAR)
        values = np.asarray(picture, dtype=np.float32).transpose(2, 0, 1)[None] / 255
        if arguments.kind == "transformer":  # as our depth network was trained
            mean, deviation = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
            values = (values - np.reshape(mean, (1, 3, 1, 1))) / np.reshape(deviation, (1, 3, 1, 1))
        yield values.astype(np.float32)


def for_openvino(arguments):
    import nncf
    import openvino
    from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters
    from nncf.quantization.range_estimator import RangeEstimatorParametersSet

    model = openvino.Core().read_model(arguments.model)
    (source,) = model.inputs
    name = source.get_any_name()
    data = nncf.Dataset(list(pictures(arguments)), lambda picture: {name: picture})
    if arguments.kind == "convolutional":
        options = {"preset": nncf.QuantizationPreset.MIXED}
    else:
        options = {
            "model_type": nncf.ModelType.TRANSFORMER,
            "ignored_scope": nncf.IgnoredScope(patterns=[".*depth_head.*"], validate=False),
            "advanced_parameters": AdvancedQuantizationParameters(
                activations_range_estimator_params=RangeEstimatorParametersSet.MINMAX
            ),
        }
    quantized = nncf.quantize(model, data, subset_size=arguments.count, **options)
    openvino.save_model(quantized, arguments.out, compress_to_fp16=False)


def for_onnxruntime(arguments):
    import onnx
    from onnxruntime.quantization import (
        CalibrationDataReader,
        QuantFormat,
        QuantType,
        quantize_dynamic,
        quantize_static,
    )

    if arguments.kind == "transformer":
        operators = ["MatMul"]
        quantize_dynamic(arguments.model, arguments.out, op_types_to_quantize=operators, per_channel=True)
        return
    graph = onnx.load(arguments.model, load_external_data=False).graph
    (name,) = {value.name for value in graph.input} - {tensor.name for tensor in graph.initializer}
    images = pictures(arguments)

    class Reader(CalibrationDataReader):
        def get_next(self):
            picture = next(images, None)
            return None if picture is None else {name: picture}

    options = {"quant_format": QuantFormat.QDQ, "per_channel": True}
    options |= {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(arguments.model, arguments.out, Reader(), **options)


def for_litert(arguments):
    from ai_edge_litert.interpreter import Interpreter
    from ai_edge_quantizer import quantizer, recipe

    static = arguments.kind == "convolutional"
    tool = quantizer.Quantizer(arguments.model, recipe.static_wi8_ai8() if static else recipe.dynamic_wi8_afp32())
    result = None
    if static:
        interpreter = Interpreter(model_path=arguments.model)
        (signature, entry), *_ = interpreter.get_signature_list().items()
        (name,) = entry["inputs"]
        result = tool.calibrate({signature: [{name: picture} for picture in pictures(arguments)]})
    Path(arguments.out).write_bytes(bytes(tool.quantize(result).quantized_model))


def for_ncnn(arguments):
    ncnn_int8.quantize(arguments.model, arguments.out, pictures(arguments))


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="model in floats: ONNX, or the engine's own")
    parser.add_argument("--kind", choices=("convolutional", "transformer"), required=True)
    parser.add_argument("--shape", type=parse_shape, required=True, help="of the input: 1 x 3 x height x width")
    parser.add_argument("--calibrate", help="folder of pictures to calibrate on; by default noise")
    parser.add_argument("--count", type=int, default=32, help="pictures at most")
    parser.add_argument("--out", required=True, help="file to write: .xml, .onnx, .tflite or .ncnn")
    arguments = parser.parse_args()
    tools = {".xml": for_openvino, ".onnx": for_onnxruntime, ".tflite": for_litert, ".ncnn": for_ncnn}
    tools[Path(arguments.out).suffix](arguments)


if __name__ == "__main__":
    main()
