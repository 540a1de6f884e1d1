#!/usr/bin/env python3
"""Validates what `ardf` writes against docs/reference/schemas.

    tools/check/check-schemas.py [--ardf .build/release/ardf]
    tools/check/check-schemas.py FILE...        documents and lines that are there already

Runs the small networks of the tests, one of each task, on a capture: folders of results, lines on standard output,
records of a job with a failure among them, and fused depth. A document whose `schema` has no file is passed over in
the second form. Also checks that each schema refuses a document with a field missing, and one with a field too many.
Needs Debian's python3-jsonschema.
"""

import argparse
import copy
import json
import struct
import subprocess
import sys
import tempfile
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
SCHEMAS = ROOT / "docs/reference/schemas"
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
CAPTURE = ROOT / "Fuzz/Captures/native"
SMALL = ["--imgsz", "64", "--conf", "0.05", "--max-det", "4", "-q"]
DEPTH = ["--depth", GOLDENS / "depth-tiny.safetensors", "--depth-size", "42"]
NETWORKS = {
    "segment": "yolo11-tiny-n",
    "detect": "yolo11-least",
    "pose": "yolo11-pose-least",
    "oriented": "yolo11-obb-least",
    "end to end": "yolo26-least",
}


def run(ardf, *words, codes=(0,)):
    done = subprocess.run([ardf, *map(str, words)], capture_output=True, text=True)
    if done.returncode not in codes:
        sys.exit(f"check-schemas: ardf {' '.join(map(str, words))}: {done.returncode}: {done.stderr.strip()}")
    return done.stdout


def documents(path):
    """The JSON documents of a file: one, or one per line."""
    text = path.read_text(encoding="utf-8")
    if path.suffix == ".jsonl":
        return [json.loads(line) for line in text.splitlines()]
    return [json.loads(text)]


def made(ardf, place):
    """`(where from, document)` of everything that the program writes in a schema."""
    for task, network in NETWORKS.items():
        yolo = ["--yolo", GOLDENS / f"{network}.safetensors", *SMALL]
        folder = place / task.replace(" ", "-")
        run(ardf, "run", CAPTURE, *yolo, *DEPTH, "--effect", "0=debugCube", "--out", folder)
        for name in ("detections", "objects", "fusion", "summary"):
            yield f"{task}, {name}.json", *documents(folder / f"{name}.json")
        for line in run(ardf, "detect", CAPTURE, *yolo, "--out", "-").splitlines():
            yield f"{task}, detect --out -", json.loads(line)
    yolo = ["--yolo", GOLDENS / f"{NETWORKS['segment']}.safetensors", *SMALL]
    classifier = ["--yolo", GOLDENS / "yolo11-cls-least.safetensors", "--imgsz", "64", "-q"]
    run(ardf, "detect", CAPTURE, *classifier, "--out", place / "classes")
    yield "classes.json", *documents(place / "classes/classes.json")
    for line in run(ardf, "run", CAPTURE, *yolo, *DEPTH, "--masks-rle", "--out", "-").splitlines():
        yield "run --out -", json.loads(line)
    for document in verified(ardf, place):
        yield "verify --json", document
    broken = place / "broken.jpg"
    broken.write_text("no picture")
    run(ardf, "run", CAPTURE, broken, *yolo, *DEPTH, "--out", place / "many", codes=(65,))
    for document in documents(place / "many/results.jsonl"):
        yield "results.jsonl", document
    (place / "list.txt").write_text(f"{CAPTURE}\n{broken}\n")
    job = ["--from", place / "list.txt", "--shard", "1/1", "--max-errors", "5"]
    for keep in ("records", "masks"):
        run(ardf, "run", *job, "--keep", keep, *yolo, *DEPTH, "--out", place / keep, codes=(0, 65))
        for part in sorted((place / keep).glob("part-*.jsonl")):
            for document in documents(part):
                yield f"--keep {keep}", document


def verified(ardf, place):
    """The documents of `verify` for a right reference, and for one with an object that is not there."""
    layers = ["--reference", GOLDENS / "yolo11-tiny-n.layers.safetensors", "--json"]
    yield json.loads(run(ardf, "verify", "--weights", GOLDENS / "yolo11-tiny-n.safetensors", *layers))
    data = (GOLDENS / "yolo11-least.ref.safetensors").read_bytes()
    (length,) = struct.unpack("<Q", data[:8])
    header, data = json.loads(data[8 : 8 + length]), data[8 + length :]
    for name, shape, values in (("objects", [1, 6], [1, 2, 3, 4, 0.9, 0]), ("objects.thresholds", [3], [0.5, 0.5, 9])):
        added = struct.pack(f"<{len(values)}f", *values)
        header[name] = {"dtype": "F32", "shape": shape, "data_offsets": [len(data), len(data) + len(added)]}
        data += added
    text = json.dumps(header).encode()
    (place / "objects.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data)
    options = ["--weights", GOLDENS / "yolo11-least.safetensors", "--reference", place / "objects.safetensors"]
    yield json.loads(run(ardf, "verify", *options, "--json", codes=(1,)))


def validator(document):
    """The schema that a document names; None where there is none."""
    name = str(document.get("schema", "")).removeprefix("ardf.").partition("/")[0]
    path = SCHEMAS / f"{name}.schema.json"
    return jsonschema.Draft202012Validator(json.loads(path.read_text())) if path.exists() else None


def version(path):
    """The name of a schema in its documents: the first version, unless the schema says another."""
    stated = json.loads(path.read_text()).get("properties", {}).get("schema", {})
    return stated.get("const", f"ardf.{path.name.split('.')[0]}/1")


def faults(schema, document):
    return [f"{error.json_path}: {error.message[:200]}" for error in schema.iter_errors(document)]


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("files", nargs="*", type=Path)
    parser.add_argument("--ardf", default=str(ROOT / ".build/release/ardf"), help="the built program")
    options = parser.parse_args()
    found, failed = {}, 0
    with tempfile.TemporaryDirectory() as place:
        pairs = [(str(path), document) for path in options.files for document in documents(path)]
        for origin, document in pairs or made(options.ardf, Path(place)):
            schema = validator(document)
            if schema is None and options.files:
                continue
            wrong = ["it names no schema that is there"] if schema is None else faults(schema, document)
            failed += bool(wrong)
            for line in wrong:
                print(f"check-schemas: {origin}: {line}", file=sys.stderr)
            found.setdefault(document.get("schema"), []).append(document)
    for name, some in found.items():
        # A schema that takes anything proves nothing.
        document, schema = some[0], validator(some[0])
        fewer, more = copy.deepcopy(document), {**document, "unheardOf": 1}
        del fewer["schema"]
        if schema and not (faults(schema, fewer) and faults(schema, more)):
            sys.exit(f"check-schemas: the schema of {name} refuses nothing")
    names = {version(path) for path in SCHEMAS.glob("*.schema.json")}
    if not options.files and names - found.keys():
        sys.exit(f"check-schemas: nothing was written of {', '.join(sorted(names - found.keys()))}")
    print(f"check-schemas: {sum(map(len, found.values()))} documents of {len(found)} kinds, {failed} do not conform")
    sys.exit(bool(failed))


if __name__ == "__main__":
    main()
