#!/usr/bin/env python3
"""Tries the scripts that compare with reference frameworks in the environments that people have.

    tools/check/check-oracles.py                                    this Python's
    tools/check/check-oracles.py --pythons a/bin/python b/bin/python

Of each Python: whether torchvision can be imported beside its torch, as it is or with its operators declared; that a
pair that fits is left alone; that every script of tools that imports `oracles` starts; and that checkpoints and
references of a network of each task, of transformers' and of ONNX are made. Ends with 1 where one does not work.
"""

import argparse
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
REFERENCE = ROOT / "tools/reference"
NETWORKS = ["yolo11n-seg", "yolo26n-pose", "yolo11n-obb", "yolov8n-cls"]
#: Imports all that scripts import at their top, without running them; skips those that need what is not installed.
SKIPPED = 77
START = f"""
import os, runpy, sys
sys.argv = [sys.argv[1]]
sys.path[0] = os.path.dirname(sys.argv[0])
try:
    runpy.run_path(sys.argv[0], run_name="tried")
except ModuleNotFoundError as error:
    sys.exit({SKIPPED} if (error.name or "").partition(".")[0] not in ("torch", "torchvision", "oracles") else error)
"""


def scripts():
    """The scripts that import `oracles`."""
    found = [path for path in sorted((ROOT / "tools").rglob("*.py")) if "oracles" not in path.parent.name]
    return [path for path in found if path != Path(__file__) and "from oracles" in path.read_text(encoding="utf-8")]


class Trial:
    def __init__(self, python):
        self.python, self.failed, self.skipped, self.tried = python, 0, 0, 0

    def run(self, title, *words):
        """Runs a script and gives its output; counts and prints a failure."""
        done = subprocess.run([self.python, *map(str, words)], capture_output=True, text=True, check=False)
        self.tried += 1
        if done.returncode == SKIPPED:
            self.skipped += 1
            print(f"{self.python}: {title}: skipped, a package that it needs is not installed")
            return None
        if done.returncode:
            self.failed += 1
            last = (done.stderr.strip().splitlines() or ["says nothing"])[-1]
            print(f"check-oracles: {self.python}: {title}: {done.returncode}: {last}", file=sys.stderr)
        return done.stdout if done.returncode == 0 else None

    def check_pair(self):
        said = self.run("torchvision", ROOT / "tools/oracles/torchvision_operators.py")
        plain = subprocess.run([self.python, "-c", "import torchvision"], capture_output=True, check=False)
        fits = plain.returncode == 0
        print(f"{self.python}: {(said or 'no pair').strip()}", flush=True)
        if said and fits != said.strip().endswith("left alone"):
            self.failed += 1
            print(f"check-oracles: {self.python}: a pair that {'fits' if fits else 'does not fit'}: {said}")

    def check_references(self, place):
        for name in NETWORKS:
            weights, size = place / f"{name}.safetensors", "64x64"
            self.run(name, REFERENCE / "make-random-checkpoint.py", name, "--classes", "3", "--out", weights)
            for script in ("make-reference.py", "make-reference-outputs.py"):
                out = place / f"{name}.{script}.safetensors"
                self.run(f"{script} {name}", REFERENCE / script, "--weights", weights, "--size", size, "--out", out)
        folder = place / "hf"
        folder.mkdir()
        made = ["depth-anything-v2-metric-small", "--transformers", "--out", folder / "model.safetensors"]
        self.run("transformers' checkpoint", REFERENCE / "make-random-checkpoint.py", *made)
        depth = ["--size", "56x70", "--out", place / "hf.safetensors"]
        self.run("transformers", REFERENCE / "make-reference.py", "--transformers", folder, *depth)
        made = ["yolo11n-seg", "--out", place / "n.pt"]
        self.run("checkpoint", REFERENCE / "make-random-checkpoint.py", *made)
        export = "import sys; sys.path.insert(0, sys.argv[2]); from oracles import yolo; "
        export += "yolo.import_ultralytics().YOLO(sys.argv[1]).export(format='onnx', imgsz=64, simplify=False)"
        if self.run("export to ONNX", "-c", export, place / "n.pt", ROOT / "tools") is not None:
            onnx = ["--onnx", place / "n.onnx", "--size", "64x64", "--out", place / "onnx.npz"]
            self.run("ONNX", REFERENCE / "make-reference.py", *onnx)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--pythons", nargs="+", default=[sys.executable], help="Pythons of virtual environments")
    arguments = parser.parse_args()
    failed = 0
    for python in arguments.pythons:
        trial = Trial(python)
        trial.check_pair()
        for path in scripts():
            trial.run(path.relative_to(ROOT), "-c", START, path)
        with tempfile.TemporaryDirectory() as place:
            trial.check_references(Path(place))
        print(f"{python}: {trial.tried} tried, {trial.failed} failed, {trial.skipped} skipped", flush=True)
        failed += trial.failed
    sys.exit(failed > 0)


if __name__ == "__main__":
    main()
