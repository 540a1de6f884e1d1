"""Runs `ardf infer` on a model, in ways that must not differ."""

import json
import os
import re
import shutil
import subprocess
from typing import NamedTuple

import numpy as np
import onnx

#: Exit code of what is not implemented, and says so.
REFUSED = 69


class Way(NamedTuple):
    """An instruction set, a number of threads, and whether each node is computed by its definition."""

    isa: str
    threads: int
    is_plain: bool = False

    def __str__(self):
        return "plain" if self.is_plain else f"{self.isa}, {self.threads} threads"


class Run(NamedTuple):
    """How a run ended: exit code, what it wrote on standard error, outputs by name."""

    code: int
    error: str
    outputs: dict

    @property
    def bytes(self):
        return {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in self.outputs.items()}


def instruction_sets(ardf):
    """Those that this processor and the program have."""
    text = subprocess.run([ardf, "inspect", "cpu"], check=True, capture_output=True, text=True).stdout
    return re.search(r"^instruction sets +(.*)$", text, re.MULTILINE).group(1).split()


class Place:
    """A folder with one model and its inputs."""

    def __init__(self, ardf, folder):
        self.ardf, self.folder = ardf, folder

    def put(self, model, feeds):
        shutil.rmtree(self.folder, ignore_errors=True)
        self.folder.mkdir(parents=True)
        onnx.save(model, self.folder / "model.onnx")
        self.names = list(feeds)
        for at, array in enumerate(feeds.values()):
            np.save(self.folder / f"input_{at}.npy", array)

    def run(self, way, seconds=120):
        command = [self.ardf, "infer", self.folder / "model.onnx", "--out", self.folder / "out", "--force", "--quiet"]
        for at, name in enumerate(self.names):
            command += ["--input", f"{name}={self.folder / f'input_{at}.npy'}"]
        command += ["--plain"] if way.is_plain else ["--threads", str(way.threads)]
        environment = {**os.environ, "ARDF_ISA": way.isa, "OPENBLAS_CORETYPE": "SkylakeX"}
        shutil.rmtree(self.folder / "out", ignore_errors=True)
        try:
            run = subprocess.run(command, env=environment, capture_output=True, timeout=seconds, check=False)
        except subprocess.TimeoutExpired:
            return Run(-1, f"took more than {seconds} s", {})
        error, outputs = run.stderr.decode(errors="replace").strip(), {}
        if run.returncode == 0:
            listed = json.loads((self.folder / "out/infer.json").read_text())["outputs"]
            outputs = {output["name"]: np.load(self.folder / "out" / output["file"]) for output in listed}
        return Run(run.returncode, error, outputs)
