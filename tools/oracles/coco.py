"""Labels as COCO's annotations, and pycocotools' figures of what was found."""

import contextlib
import io

import numpy as np
from PIL import Image
from pycocotools import mask as run_lengths
from pycocotools.coco import COCO
from pycocotools.cocoeval import COCOeval

#: COCO's numbers of the 80 classes.
CATEGORIES = [n for n in range(1, 91) if n not in (12, 26, 29, 30, 45, 66, 68, 69, 71, 83)]
PICTURES = (".jpg", ".jpeg", ".png")


def label_lines(folder, picture):
    path = folder / "labels" / picture.relative_to(folder / "images").with_suffix(".txt")
    return [line.split() for line in path.read_text().splitlines() if line.strip()] if path.exists() else []


def annotations(folder, names, varied):
    """The labels as COCO's annotations."""
    document = {"images": [], "annotations": []}
    document["categories"] = [{"id": number, "name": names[index]} for index, number in enumerate(CATEGORIES)]
    paths = [path for path in sorted((folder / "images").rglob("*.*")) if path.suffix.lower() in PICTURES]
    for number, path in enumerate(paths):
        width, height = Image.open(path).size
        name = str(path.relative_to(folder / "images"))
        image = int(path.stem) if path.stem.isdigit() else number
        document["images"].append({"id": image, "file_name": name, "width": width, "height": height})
        for line in label_lines(folder, path):
            corners = np.array(line[1:], dtype=np.float32).reshape(-1, 2).astype(np.float64) * [width, height]
            left, top = corners.min(0)
            right, bottom = corners.max(0)
            index = len(document["annotations"]) + 1
            entry = {"id": index, "image_id": image, "category_id": CATEGORIES[int(line[0])], "iscrowd": 0}
            entry |= {"bbox": [left, top, right - left, bottom - top], "area": (right - left) * (bottom - top)}
            entry["segmentation"] = [corners.reshape(-1).tolist()]
            if varied:
                vary(entry, index, corners, height, width)
            document["annotations"].append(entry)
    return document


def vary(entry, index, corners, height, width):
    """Crowds, objects of two outlines, and masks."""
    whole = run_lengths.frPyObjects(entry["segmentation"], height, width)
    if index % 5 == 0:
        mask = run_lengths.decode(run_lengths.merge(whole))
        columns = mask.flatten(order="F")
        edges = np.flatnonzero(np.diff(np.concatenate([[0], columns])))
        counts = np.diff(np.concatenate([[0], edges, [len(columns)]])).tolist()
        entry |= {"iscrowd": 1, "segmentation": {"size": [height, width], "counts": counts}}
    elif index % 7 == 0:
        middle = corners.mean(0)
        second = np.clip(middle + (corners - middle) * 0.4 + (width / 20, 0), 0, (width - 1, height - 1))
        entry["segmentation"].append(second.reshape(-1).tolist())
    elif index % 11 == 0:
        merged = run_lengths.merge(whole)
        entry["segmentation"] = {"size": [height, width], "counts": merged["counts"].decode("ascii")}


def of_pycocotools(document, predictions):
    """The four figures."""
    with contextlib.redirect_stdout(io.StringIO()):
        truth = COCO()
        truth.dataset = document
        truth.createIndex()
        figures = []
        for kind in ("bbox", "segm"):
            found = [dict(entry) for entry in predictions]
            if kind == "segm":
                for entry in found:
                    entry.pop("bbox")
            evaluation = COCOeval(truth, truth.loadRes(found), kind)
            evaluation.evaluate()
            evaluation.accumulate()
            evaluation.summarize()
            figures += evaluation.stats[:2].tolist()
    return figures
