#!/usr/bin/env python3
"""Records what every module of a network makes of one input, for `ardf verify`.

    python tools/reference/make-reference.py --weights best.pt --image bus.jpg --out bus.ref.safetensors
    python tools/reference/make-reference.py --weights dav2s.safetensors --image bus.jpg --out bus.ref.safetensors
    python tools/reference/make-reference.py --transformers Depth-Anything-V2-Small-hf --image bus.jpg --out bus.ref.npz
    python tools/reference/make-reference.py --onnx yolo11n-seg.onnx --image bus.jpg --out bus.ref.safetensors

`--weights` takes an Ultralytics checkpoint (`.pt`), or the safetensors of either network as `ardf convert` writes them;
`--transformers` a folder that `from_pretrained` reads, with Depth Anything or Prompt Depth Anything, whose prompt is
random. Without `--image` the input is random. PyTorch networks are
evaluated in float64 by default, and stored as float32.

Tensors are named by module path in the original checkpoint's vocabulary, `model.10.m.0.attn.qkv` or
`pretrained.blocks.3.attn.proj`; a module called several times has `.0`, `.1`, ... (the encoder's norm: the index of
the block it follows). What is computed between modules is named after its module too: `.cat` and `.add` for
concatenations and sums, `.attn.attention` for the heads before their projection. Beside them are `input`, the
outputs, raw and decoded (`output0`), and of detectors `anchors`, `strides` and what `predict` finds: `objects` (box,
score, class and what else there is of each), with `--conf`, `--iou` and `--max-det` in `objects.thresholds`, and
their masks on the prototype grid, `objects.masks`. The metadata has `library`, `version` and `profile`. To record a
network of your own, call `oracles.recording.record`.
"""

import argparse
import ast
import copy
import hashlib
import re
import sys
from pathlib import Path

import numpy as np
import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import depth_anything, pictures, yolo
from oracles.checkpoints import load_network, parse_size, standard_size
from oracles.final_outputs import THRESHOLDS, final_outputs, objects_of
from oracles.random_weights import normal_image, random_prompt, uniform_image
from oracles.recording import record, with_taps
from oracles.tensor_files import save_tensors
from oracles.transformers_names import transformers_state

#: Of the prompt, which is always random.
PROMPT_SEED = 3


def prompt_of(network, architecture, dtype):
    """The further arguments of a prompted network after the picture; none of other networks."""
    if architecture != "depth-anything-v2" or not network.shape.prompted:
        return []
    return [random_prompt(PROMPT_SEED).to(dtype)]


def record_torch(path, image, dtype, thresholds):
    """Tensors and metadata of a checkpoint in PyTorch; `image` is a function of the architecture."""
    architecture, network = load_network(path)
    network = copy.deepcopy(network).to(dtype).eval()
    value = image(architecture).to(dtype)
    prompt = prompt_of(network, architecture, dtype)
    tensors, result = record(network, lambda: network(value, *prompt))
    tensors["input"] = value
    if prompt:
        tensors["prompt"] = prompt[0]
    if architecture.startswith("yolo"):
        named = yolo.named_outputs(network, result)
        tensors |= named | final_outputs(network, named, tuple(value.shape[-2:]), thresholds)
        version = yolo.import_ultralytics().__version__
        profile = "ultralytics-" + ".".join(version.split(".")[:2])
        return tensors, {"library": "ultralytics", "version": version, "profile": profile}
    tensors["depth"] = result
    tensors = with_taps(tensors, network.pretrained.taps)
    return tensors, {"library": "torch", "version": torch.__version__, "profile": "depth-anything"}


def transformers_modules(shape):
    """Module paths of transformers and the original's names for them; q, k and v apart from each other."""
    depth = shape.depth
    state = depth_anything.DepthAnything(shape).state_dict()
    originals = {id(value): name for name, value in state.items()}
    modules = {}
    for theirs, value in transformers_state(state, depth).items():
        owner = originals.get(id(value), "").rpartition(".")[0]
        # The class token and the positions are the encoder's own, not results of transformers' embeddings.
        if owner and owner != "pretrained":
            modules[theirs.rpartition(".")[0]] = owner
    for index in range(depth):
        layer, block = f"backbone.encoder.layer.{index}", f"pretrained.blocks.{index}"
        modules[layer] = block
        for part in ("q_proj", "k_proj", "v_proj"):
            modules[f"{layer}.attention.{part}"] = f"{block}.attn.{part}"
    for level in range(1, 5):
        fusion = f"neck.fusion_stage.layers.{4 - level}"
        for unit in (1, 2):
            modules[f"{fusion}.residual_layer{unit}"] = f"depth_head.scratch.refinenet{level}.resConfUnit{unit}"
        modules[f"{fusion}.prompt_depth_layer"] = f"depth_head.scratch.refinenet{level}.resConfUnit_depth"
    return modules


def record_transformers(folder, image, dtype):
    """Tensors and metadata of transformers' Depth Anything, under the original's names."""
    from oracles.torchvision_operators import import_torchvision

    import_torchvision()
    import transformers

    network = transformers.AutoModelForDepthEstimation.from_pretrained(folder).to(dtype).eval()
    depth = network.config.backbone_config.num_hidden_layers
    shape = depth_anything.Shape(depth=depth, prompted=network.config.model_type == "prompt_depth_anything")
    value = image("depth-anything-v2").to(dtype)
    # From 0 to 1, so that what transformers does to it and to the result changes neither.
    prompt = {"prompt_depth": random_prompt(PROMPT_SEED).to(dtype)} if shape.prompted else {}
    tensors, result = record(network, lambda: network(value, **prompt).predicted_depth, transformers_modules(shape))
    for index in range(depth):
        owner = f"pretrained.blocks.{index}.attn"
        parts = [tensors.pop(f"{owner}.{part}") for part in ("q_proj", "k_proj", "v_proj")]
        tensors[f"{owner}.qkv"] = torch.cat(parts, -1)
    taps = [int(stage.removeprefix("stage")) - 1 for stage in network.config.backbone_config.out_features]
    tensors = with_taps(tensors, taps)
    tensors |= {"input": value, "depth": result}
    if prompt:
        tensors["prompt"] = prompt["prompt_depth"]
    return tensors, {"library": "transformers", "version": transformers.__version__, "profile": "transformers"}


def scopes(name):
    """The module paths that an ONNX node lies in, outermost first: `/model.10/m/m.0/attn/MatMul`."""
    parts = name.strip("/").split("/")[:-1]
    start = next((i for i, part in enumerate(parts) if re.match(r"model\.|pretrained|depth_head", part)), len(parts))
    path = []
    for part in parts[start:]:
        if path and part.startswith(path[-1] + "."):
            path.pop()  # a list and its element: `m`, `m.0`
        path.append(part)
        yield ".".join(path)


def exported_objects(session, values, size, thresholds):
    """The objects of an export of Ultralytics', which says in its metadata what its outputs are; else nothing."""
    said = session.get_modelmeta().custom_metadata_map
    suffix = {task: suffix for suffix, task in yolo.TASKS.items()}.get(said.get("task"))
    if suffix in (None, "-cls") or "output0" not in values or "names" not in said:
        return {}
    end2end = said.get("end2end", "False") == "True"
    prototypes = torch.from_numpy(values["output1"]) if "output1" in values else None
    classes = len(ast.literal_eval(said["names"]))
    output = torch.from_numpy(values["output0"])
    return objects_of(output, thresholds, size, classes, suffix, end2end, prototypes)


def record_onnx(path, image, thresholds):
    """Tensors and metadata of ONNX Runtime: the last result computed inside each module is the module's."""
    import onnx
    import onnxruntime

    model = onnx.shape_inference.infer_shapes(onnx.load(path))
    floats = {v.name for v in model.graph.value_info if v.type.tensor_type.elem_type == onnx.TensorProto.FLOAT}
    outputs = [output.name for output in model.graph.output]
    modules = {}
    folded = not any(node.op_type == "BatchNormalization" for node in model.graph.node)
    for node in model.graph.node:
        for scope in scopes(node.name):
            # With the normalization folded in, the convolution alone is not what the checkpoint calls so.
            if folded and re.fullmatch(r"model\..*\.conv", scope):
                continue
            if node.output[0] in floats or node.output[0] in outputs:
                modules[scope] = node.output[0]
    modules = {k: v for k, v in modules.items() if not k.startswith("pretrained.norm")}
    for name in sorted(set(modules.values()) - set(outputs)):
        model.graph.output.append(onnx.helper.make_tensor_value_info(name, onnx.TensorProto.FLOAT, None))
    options = onnxruntime.SessionOptions()
    options.graph_optimization_level = onnxruntime.GraphOptimizationLevel.ORT_DISABLE_ALL
    options.intra_op_num_threads = 1
    session = onnxruntime.InferenceSession(model.SerializeToString(), options, providers=["CPUExecutionProvider"])
    depth = any(name.startswith("pretrained") for name in modules)
    value = image("depth-anything-v2" if depth else "yolo11-seg").numpy().astype(np.float32)
    names = [output.name for output in session.get_outputs()]
    values = dict(zip(names, session.run(names, {session.get_inputs()[0].name: value}), strict=True))
    tensors = {scope: values[tensor] for scope, tensor in modules.items()}
    tensors |= {"input": value} | {name: values[name] for name in outputs}
    tensors |= exported_objects(session, values, value.shape[-2:], thresholds)
    return tensors, {"library": "onnxruntime", "version": onnxruntime.__version__, "profile": "onnx"}


def input_maker(arguments):
    """A function from an architecture to its input."""

    def image(architecture):
        detector = architecture.startswith("yolo")
        if not arguments.image:
            size = arguments.size or standard_size(architecture)
            return (uniform_image if detector else normal_image)(arguments.seed, *size)
        picture = pictures.read(arguments.image, arguments.clockwise)
        if detector:
            return pictures.yolo_input(picture, architecture, arguments.size)
        return pictures.depth_input(picture, size=arguments.size)

    return image


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--weights", help="checkpoint: Ultralytics .pt, or safetensors of either network")
    source.add_argument("--transformers", help="folder with Depth Anything of transformers")
    source.add_argument("--onnx", help="ONNX file, run by ONNX Runtime without optimization")
    parser.add_argument("--out", required=True, help="safetensors or npz file to write")
    parser.add_argument("--image", help="picture, preprocessed as the network's reference does")
    parser.add_argument("--clockwise", action="store_true", help="turn the picture by 90 degrees first")
    parser.add_argument("--size", type=parse_size, help="height x width of the input; of depth multiples of 14")
    parser.add_argument("--seed", type=int, default=2, help="seed of the random input")
    parser.add_argument("--float32", action="store_true", help="compute in float32, as PyTorch does by default")
    parser.add_argument("--conf", type=float, default=THRESHOLDS[0], help="of `objects`: scores are greater")
    parser.add_argument("--iou", type=float, default=THRESHOLDS[1], help="of `objects`: overlaps are no greater")
    parser.add_argument("--max-det", type=int, default=THRESHOLDS[2], help="of `objects`: the most there are")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    dtype = torch.float32 if arguments.float32 else torch.float64
    image = input_maker(arguments)
    thresholds = (arguments.conf, arguments.iou, arguments.max_det)
    if arguments.weights:
        tensors, metadata = record_torch(arguments.weights, image, dtype, thresholds)
    elif arguments.transformers:
        tensors, metadata = record_transformers(arguments.transformers, image, dtype)
    else:
        tensors, metadata = record_onnx(arguments.onnx, image, thresholds)
        dtype = torch.float32
    file = arguments.weights or arguments.onnx
    if file:
        metadata["source"] = Path(file).name
        metadata["source_sha256"] = hashlib.sha256(Path(file).read_bytes()).hexdigest()
    metadata["computed in"] = str(dtype).removeprefix("torch.")
    metadata["input"] = Path(arguments.image).name if arguments.image else f"random, seed {arguments.seed}"
    if Path(arguments.out).suffix == ".npz":
        np.savez(arguments.out, **{name: np.asarray(value, np.float32) for name, value in tensors.items()})
    else:
        save_tensors(arguments.out, tensors, metadata)
    print(f"{arguments.out}: {len(tensors)} tensors, {metadata['library']} {metadata['version']}")


if __name__ == "__main__":
    main()
