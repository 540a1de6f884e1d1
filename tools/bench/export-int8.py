#!/usr/bin/env python3
"""Quantizes a model to 8 bits for another engine, by that engine's own tool and the recipe that keeps its accuracy.

    python tools/bench/export-int8.py --model yolo11n-seg.onnx --kind detector --out yolo11n-seg.int8.xml
    python tools/bench/export-int8.py --model depth.onnx --kind depth --calibrate PICTURES --out depth.int8.onnx
    python tools/bench/export-int8.py --model yolo11n-seg.tflite --kind detector --out yolo11n-seg.int8.tflite
    python tools/bench/export-int8.py --model yolo11n-seg.ncnn --kind detector --out yolo11n-seg.int8.ncnn

The name of what is written says for which: `.xml` for OpenVINO by NNCF (a detector as Ultralytics exports it, preset
`mixed`; depth with the preset for transformers, ranges from least to greatest, the head in floats), `.onnx` for ONNX
Runtime (a detector with QDQ, activations of 8 unsigned bits, weights a scale a channel; depth with products whose
ranges are found at run time), `.tflite` for LiteRT (likewise), `.ncnn` for ncnn, whose files have `.param` and `.bin`
after that name (convolutions with ranges from pictures, products of matrices with those of run time). A detector's
model ends at the maps of its head, so that what recipes leave in floats after it is not in it. Without --calibrate the
pictures are seeded noise, which is enough to measure time.
"""

import argparse
from pathlib import Path

import numpy as np
from peers import ncnn_int8
from peers.models import size_of


def pictures(folder, size, count, kind):
    """Network inputs (1, 3, height, width), pictures stretched to the size, or noise."""
    random = np.random.Generator(np.random.PCG64(2))
    if folder is None:
        for _ in range(count):
            yield random.random((1, 3, *size), dtype=np.float32)
        return
    from PIL import Image

    for path in sorted(Path(folder).iterdir())[:count]:
        picture = Image.open(path).convert("RGB").resize(size[::-1], Image.Resampling.BILINEAR)
        values = np.asarray(picture, dtype=np.float32).transpose(2, 0, 1)[None] / 255
        if kind == "depth":
            mean, deviation = (0.485, 0.456, 0.406), (0.229, 0.224, 0.225)
            values = (values - np.reshape(mean, (1, 3, 1, 1))) / np.reshape(deviation, (1, 3, 1, 1))
        yield values.astype(np.float32)


def for_openvino(arguments):
    import nncf
    import openvino
    from nncf.quantization.advanced_parameters import AdvancedQuantizationParameters
    from nncf.quantization.range_estimator import RangeEstimatorParametersSet

    model = openvino.Core().read_model(arguments.model)
    shape = model.inputs[0].partial_shape
    images = pictures(
        arguments.calibrate, (shape[2].get_length(), shape[3].get_length()), arguments.count, arguments.kind
    )
    data = nncf.Dataset(list(images), lambda picture: {"input": picture})
    if arguments.kind == "detector":
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

    if arguments.kind == "depth":
        operators = ["MatMul"]
        quantize_dynamic(arguments.model, arguments.out, op_types_to_quantize=operators, per_channel=True)
        return
    shape = onnx.load(arguments.model, load_external_data=False).graph.input[0].type.tensor_type.shape.dim
    images = pictures(arguments.calibrate, (shape[2].dim_value, shape[3].dim_value), arguments.count, arguments.kind)

    class Reader(CalibrationDataReader):
        def get_next(self):
            picture = next(images, None)
            return None if picture is None else {"input": picture}

    options = {"quant_format": QuantFormat.QDQ, "per_channel": True}
    options |= {"activation_type": QuantType.QUInt8, "weight_type": QuantType.QInt8}
    quantize_static(arguments.model, arguments.out, Reader(), **options)


def for_litert(arguments):
    from ai_edge_litert.interpreter import Interpreter
    from ai_edge_quantizer import quantizer, recipe

    detector = arguments.kind == "detector"
    tool = quantizer.Quantizer(arguments.model, recipe.static_wi8_ai8() if detector else recipe.dynamic_wi8_afp32())
    result = None
    if detector:
        interpreter = Interpreter(model_path=arguments.model)
        (signature, entry), *_ = interpreter.get_signature_list().items()
        (name,) = entry["inputs"]
        size = tuple(interpreter.get_input_details()[0]["shape"][2:])
        images = pictures(arguments.calibrate, size, arguments.count, arguments.kind)
        result = tool.calibrate({signature: [{name: picture} for picture in images]})
    Path(arguments.out).write_bytes(bytes(tool.quantize(result).quantized_model))


def for_ncnn(arguments):
    size = size_of(Path(arguments.model).name)
    images = pictures(arguments.calibrate, size, arguments.count, arguments.kind)
    ncnn_int8.quantize(arguments.model, arguments.out, images)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--model", required=True, help="model in floats: ONNX, or the engine's own")
    parser.add_argument("--kind", choices=("detector", "depth"), required=True)
    parser.add_argument("--calibrate", help="folder of pictures to calibrate on; by default noise")
    parser.add_argument("--count", type=int, default=32, help="pictures at most")
    parser.add_argument("--out", required=True, help="file to write: .xml, .onnx, .tflite or .ncnn")
    arguments = parser.parse_args()
    tools = {".xml": for_openvino, ".onnx": for_onnxruntime, ".tflite": for_litert, ".ncnn": for_ncnn}
    tools[Path(arguments.out).suffix](arguments)


if __name__ == "__main__":
    main()
