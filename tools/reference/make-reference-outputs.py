#!/usr/bin/env python3
"""Runs a checkpoint through its PyTorch reference and writes the input with every output.

    python tools/reference/make-reference-outputs.py --weights random.safetensors --size 480x640 --out n.safetensors
    python tools/reference/make-reference-outputs.py --weights yolo11n-seg.pt --image bus.jpg --out bus.ref.safetensors

The tensors are named in `oracles/yolo.py`, `oracles/final_outputs.py` and `oracles/depth_anything.py`; `input` is (1,
3, height, width). Without `--image` the input is random: uniform in 0...1 for the detector, standard normal for
depth. By default everything is computed in float64; it is stored as float32, so that the difference from an
engine is the engine's own error.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles import depth_anything, pictures, yolo
from oracles.checkpoints import load_network, parse_size, standard_size
from oracles.final_outputs import final_outputs
from oracles.random_weights import normal_image, random_prompt, uniform_image
from oracles.tensor_files import save_tensors


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--weights", required=True, help="checkpoint: .pt or .safetensors")
    parser.add_argument("--out", required=True, help="safetensors file to write")
    parser.add_argument("--size", type=parse_size, help="height x width of a random input, or of the letterbox")
    parser.add_argument("--seed", type=int, default=2, help="seed of the random input")
    parser.add_argument("--image", help="picture to preprocess as the network's reference does")
    parser.add_argument("--clockwise", action="store_true", help="turn the picture by 90 degrees first")
    parser.add_argument("--float32", action="store_true", help="compute in float32, as PyTorch does by default")
    parser.add_argument("--threads", type=int, default=1)
    arguments = parser.parse_args()
    torch.set_num_threads(arguments.threads)
    architecture, network = load_network(arguments.weights)
    detector = architecture.startswith("yolo")
    metadata = {"torch": torch.__version__, "computed in": "float32" if arguments.float32 else "float64"}
    if arguments.image:
        picture = pictures.read(arguments.image, arguments.clockwise)
        metadata["image"] = Path(arguments.image).name
        metadata["picture size"] = f"{picture.shape[0]}x{picture.shape[1]}"
        image = (
            pictures.yolo_input(picture, architecture, arguments.size) if detector else pictures.depth_input(picture)
        )
    else:
        height, width = arguments.size or standard_size(architecture)
        image = (uniform_image if detector else normal_image)(arguments.seed, height, width)
        metadata["input seed"] = str(arguments.seed)
    dtype = torch.float32 if arguments.float32 else torch.float64
    inputs = {"input": image}
    if detector:
        network = network.to(dtype)
        with torch.inference_mode():
            tensors = yolo.named_outputs(network, network(image.to(dtype)))
        tensors |= final_outputs(network, tensors, tuple(image.shape[-2:]))
    else:
        prompt = random_prompt(arguments.seed) if network.shape.prompted else None
        inputs |= {} if prompt is None else {"prompt": prompt}
        tensors = depth_anything.outputs(network, image, dtype, prompt)
    for name, value in sorted(tensors.items()):
        line, value = f"{name:18} {str(tuple(value.shape)):22}", value.double()
        if value.numel() > 1:
            line += f" mean {value.mean():9.4f}  std {value.std():8.4f}  min {value.min():9.3f}  max {value.max():9.3f}"
        print(line)
    save_tensors(arguments.out, {**inputs, **tensors}, metadata)


if __name__ == "__main__":
    main()
