#!/usr/bin/env python3
"""Writes what ultralytics makes of random prototypes, coefficients and boxes, both ways, as a golden of masks.

    python tools/reference/goldens/make-mask-goldens.py --out Tests/ModelsTests/Goldens/ultralytics-8.4.190-masks.json

`fast` is `process_mask` with upsampling and `scale_masks` cut at 0.5, `retina` is `process_mask_native`, as
`SegmentationPredictor.construct_result` calls them with `retina_masks` off and on. The cases have networks and
pictures whose padding, in cells of the prototype grid, is whole, a half and a quarter: before it is cut off,
`process_mask_native` enlarges the grid by 1, 2 or 4.

Prototypes are whole numbers over 64, (rows, columns, channels); boxes are x1, y1, x2, y2 on the network's input.
"""

import argparse
import json
import sys
from pathlib import Path

import numpy as np
import torch
from pycocotools import mask as run_lengths

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from oracles import yolo
from oracles.random_weights import clouds

CHANNELS = 12
#: Network's input and picture, (height, width) each.
CASES = [
    ((64, 64), (48, 64)),
    ((64, 64), (64, 64)),
    ((64, 64), (113, 200)),
    ((64, 64), (90, 37)),
    ((64, 64), (62, 33)),
    ((64, 64), (15, 20)),
    ((64, 96), (150, 300)),
    ((96, 64), (431, 250)),
    ((64, 96), (57, 96)),
]


def encoded(mask):
    """The COCO run lengths of a binary mask (H, W)."""
    return run_lengths.encode(np.asfortranarray(mask.numpy().astype(np.uint8)))["counts"].decode("ascii")


def smooth_prototypes(seed, rows, columns):
    """Whole numbers over 64, (channels, rows, columns): no two cells alike, but neighbors similar."""
    values = torch.cat([clouds(seed + index, 1, rows, columns) for index in range(CHANNELS // 3)], 1)[0]
    return ((values - 0.5) * 256).round() / 64


def case(seed, network, picture):
    """The inputs and masks of one case."""
    from ultralytics.utils import ops

    random = np.random.Generator(np.random.PCG64(seed))
    prototypes = smooth_prototypes(seed, network[0] // 4, network[1] // 4)
    coefficients = torch.from_numpy((random.standard_normal((5, CHANNELS)) * 64).round().astype(np.float32) / 64)
    corners = random.uniform(-4, 1.02 * max(network), (5, 2, 2))
    corners = np.sort(corners, axis=1)
    corners[0] = [[-3, -3], [network[1] + 3, network[0] + 3]]  # the whole input
    boxes = torch.from_numpy(corners.reshape(5, 4).round(2).astype(np.float32))
    fast = ops.process_mask(prototypes, coefficients, boxes.clone(), network, upsample=True)
    scaled = ops.scale_masks(fast[None].float(), picture)[0] > 0.5
    image_boxes = ops.scale_boxes(network, boxes.clone(), picture)
    retina = ops.process_mask_native(prototypes, coefficients, image_boxes, picture)
    return {
        "network": network,
        "picture": picture,
        "prototypes": (prototypes.permute(1, 2, 0).flatten() * 64).int().tolist(),
        "coefficients": (coefficients * 64).int().tolist(),
        "boxes": [[round(float(value), 2) for value in box] for box in boxes],
        "fast": [encoded(mask) for mask in scaled],
        "retina": [encoded(mask) for mask in retina],
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--out", type=Path, required=True, help="golden to write")
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    ultralytics = yolo.import_ultralytics()
    golden = {
        "ultralytics": ultralytics.__version__,
        "torch": torch.__version__,
        "cases": [case(100 + index, *sizes) for index, sizes in enumerate(CASES)],
    }
    text = json.dumps(golden, sort_keys=True, separators=(",", ":"))
    arguments.out.write_text(text.replace('{"boxes"', '\n{"boxes"') + "\n", encoding="utf-8")
    print(f"{arguments.out}: {len(CASES)} cases, {arguments.out.stat().st_size} bytes")


if __name__ == "__main__":
    main()
