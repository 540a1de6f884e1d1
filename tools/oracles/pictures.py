"""Reading pictures and preparing them as the reference implementations do, with OpenCV."""

from pathlib import Path

import cv2
import numpy as np
import torch

MEAN = np.array([0.485, 0.456, 0.406])
STANDARD_DEVIATION = np.array([0.229, 0.224, 0.225])
PICTURES = (".jpg", ".jpeg", ".png")
#: Of a capture's folder: depth and confidence are PNG files too.
NO_PICTURES = ("depth", "conf")


def paths(arguments):
    """The pictures named, and those in the folders named, in order."""
    for name in arguments:
        path = Path(name)
        for found in sorted(path.rglob("*")) if path.is_dir() else [path]:
            named = "/".join(found.parts[-2:])
            if found.suffix.lower() in PICTURES and not any(word in named for word in NO_PICTURES):
                yield found.resolve()


def read(path, clockwise=False):
    """An RGB picture, uint8 (H, W, 3), optionally turned by 90 degrees clockwise."""
    picture = cv2.imread(str(path), cv2.IMREAD_COLOR)
    if picture is None:
        raise SystemExit(f"cannot read {path}")
    if clockwise:
        picture = cv2.rotate(picture, cv2.ROTATE_90_CLOCKWISE)
    return np.ascontiguousarray(picture[:, :, ::-1])


def letterbox(picture, size=(640, 640)):
    """The picture scaled to fit `size` = (height, width), centered on gray 114; uint8."""
    height, width = picture.shape[:2]
    ratio = min(size[0] / height, size[1] / width)
    new_height, new_width = round(height * ratio), round(width * ratio)
    if (new_height, new_width) != (height, width):
        picture = cv2.resize(picture, (new_width, new_height), interpolation=cv2.INTER_LINEAR)
    rows, columns = (size[0] - new_height) / 2, (size[1] - new_width) / 2
    top, bottom = round(rows - 0.1), round(rows + 0.1)
    left, right = round(columns - 0.1), round(columns + 0.1)
    return cv2.copyMakeBorder(picture, top, bottom, left, right, cv2.BORDER_CONSTANT, value=(114, 114, 114))


def letterbox_input(picture, size=(640, 640)):
    """The detector's input (1, 3, H, W) in 0...1."""
    planar = letterbox(picture, size).transpose(2, 0, 1)[None]
    return torch.from_numpy(np.ascontiguousarray(planar)).float() / 255


def middle_square(picture, side=224):
    """A classifier's input (1, 3, side, side) in 0...1, as ultralytics' `classify_transforms` makes it."""
    from oracles.yolo import import_ultralytics

    import_ultralytics()
    from PIL import Image
    from ultralytics.data.augment import classify_transforms

    return classify_transforms(side)(Image.fromarray(picture))[None]


def yolo_input(picture, family, size=None):
    """The input of a network of a family for a picture, of `size` = (height, width) where that is given."""
    if family.endswith("-cls"):
        return middle_square(picture, size[0] if size else 224)
    return letterbox_input(picture, size or (640, 640))


def depth_size(height, width, side=518):
    """(height, width) of the depth network's input: the shorter side becomes `side`, multiples of 14."""
    scale = max(side / height, side / width)

    def snapped(length):
        multiple = int(np.round(length * scale / 14) * 14)
        return multiple if multiple >= side else int(np.ceil(length * scale / 14) * 14)

    return snapped(height), snapped(width)


def depth_input(picture, side=518, size=None):
    """The depth network's normalized input (1, 3, H, W), of `size` = (height, width) where that is given."""
    height, width = size or depth_size(*picture.shape[:2], side)
    scaled = cv2.resize(picture / 255.0, (width, height), interpolation=cv2.INTER_CUBIC)
    return normalized(scaled)


def normalized(picture):
    """(1, 3, H, W) of an RGB picture in 0...1, less the mean, over the standard deviation."""
    planar = ((picture - MEAN) / STANDARD_DEVIATION).astype(np.float32).transpose(2, 0, 1)
    return torch.from_numpy(np.ascontiguousarray(planar))[None]
