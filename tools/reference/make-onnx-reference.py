#!/usr/bin/env python3
"""Records what ONNX Runtime makes of every node of a model, for `ardf verify MODEL.onnx --reference OUT.npz`.

make-onnx-reference.py MODEL.onnx OUT.npz [--input NAME=x.npy]... [--case FOLDER]

Inputs are .npy files, or a data set of ONNX's test layout (FOLDER/input_0.pb); one that is not given is seeded noise,
free axes being 1. The graph is run as it is, without the runtime's own rewriting.
"""

import argparse
import tempfile
from pathlib import Path

import numpy as np
import onnx
import onnxruntime
from onnx import numpy_helper

TYPES = {"tensor(float)": "float32", "tensor(double)": "float64", "tensor(float16)": "float16", "tensor(bool)": "bool"}


def whole(model):
    """The model with every value of its own graph as an output."""
    known = {value.name for value in model.graph.output}
    for node in model.graph.node:
        for name in node.output:
            if name and name not in known:
                known.add(name)
                model.graph.output.append(onnx.ValueInfoProto(name=name))
    return model


def feeds(session, args):
    """The values of all inputs."""
    given = {}
    for text in args.input:
        name, _, path = text.rpartition("=")
        given[name] = np.load(path)
    inputs = session.get_inputs()
    if args.case:
        for index, value in enumerate(inputs):
            message = onnx.TensorProto.FromString((args.case / f"input_{index}.pb").read_bytes())
            given.setdefault(value.name, numpy_helper.to_array(message))
    random = np.random.default_rng(0)
    for value in inputs:
        if value.name not in given:
            shape = [side if isinstance(side, int) and side > 0 else 1 for side in value.shape]
            kind = TYPES.get(value.type) or value.type.removeprefix("tensor(").removesuffix(")")
            given[value.name] = np.asarray(random.random(shape)).astype(kind)
    return given


def main():
    """Runs the model and writes inputs, outputs and all values between."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("model", type=Path)
    parser.add_argument("out", type=Path)
    parser.add_argument("--input", action="append", default=[], metavar="NAME=FILE")
    parser.add_argument("--case", type=Path)
    args = parser.parse_args()
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    # Beside the model: its external data are there.
    with tempfile.NamedTemporaryFile(dir=args.model.parent, suffix=".onnx") as file:
        model = whole(onnx.load(args.model, load_external_data=False))
        file.write(model.SerializeToString())
        file.flush()
        session = onnxruntime.InferenceSession(file.name, options, providers=["CPUExecutionProvider"])
    given = feeds(session, args)
    names = [value.name for value in session.get_outputs()]
    made = dict(zip(names, session.run(names, given), strict=True))
    arrays = {name: value for name, value in (given | made).items() if isinstance(value, np.ndarray)}
    np.savez(args.out, **arrays)
    print(f"{args.out}: {len(arrays)} tensors of onnxruntime {onnxruntime.__version__}")


if __name__ == "__main__":
    main()
