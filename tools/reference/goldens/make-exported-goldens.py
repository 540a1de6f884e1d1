#!/usr/bin/env python3
"""Writes what the least YOLO26 networks give where ultralytics exports the head that gives each object one box.

    python tools/reference/goldens/make-exported-goldens.py --goldens Tests/ModelsTests/Goldens

Reads `FAMILY-least.safetensors` there, and writes `yolo26-exported.safetensors`: `input`, and of each family the
`output0` of `export(nms=False)`, (1, 300, 6 + extras), evaluated in float64.
"""

import argparse
import sys
from pathlib import Path

import torch

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo
from oracles.random_weights import clouds
from oracles.tensor_files import load_tensors, save_tensors
from oracles.tiny_networks import LEAST_NETWORKS, TINY_CLASSES


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--goldens", type=Path, required=True, help="folder of the goldens")
    folder = parser.parse_args().goldens
    torch.set_num_threads(1)
    image = clouds(14, 1, 128, 160)
    written = {"input": image}
    for family, scale, keypoints in LEAST_NETWORKS:
        if not family.startswith("yolo26"):
            continue
        tensors, _ = load_tensors(folder / f"{family}-least.safetensors")
        network = yolo.build(family, "n", TINY_CLASSES, scale, keypoints)
        network.load_state_dict({k: torch.from_numpy(v).float() for k, v in tensors.items()}, strict=False)
        network = network.double().eval()
        head = network.model[-1]
        head.end2end, head.export = True, True  # as the exporter sets them for `nms=False`
        with torch.inference_mode():
            result = network(image.double())
        output0 = result[0] if isinstance(result, tuple) else result
        written[f"{family}.output0"] = output0
        print(family, tuple(output0.shape))
    save_tensors(
        folder / "yolo26-exported.safetensors",
        written,
        {"ultralytics": yolo.import_ultralytics().__version__, "torch": torch.__version__, "input seed": "14"},
    )


if __name__ == "__main__":
    main()
