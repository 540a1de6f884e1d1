#!/usr/bin/env python3
"""Measures `ardf` and other CPU engines on the same models in one run: a table and a plot.

    python tools/bench/bench-peers.py --ardf .build/release/ardf --work peers --models yolo11n-seg --threads 1,2

Models have seeded random weights, made in `--work` on the first run, so that anyone can run this; `--prepare` makes
them and measures nothing. Every engine runs in a process of its own, engines interleaved for several rounds, and the
runs of all rounds are pooled. In the first round all outputs are compared with those of ONNX Runtime, or of the first
engine; an engine whose outputs are wrong is left out, and where ours are, nothing is reported. `--budget` ends the
rounds early. Engines that are not installed, or have no file of a model, are left out and named. Writes `peers.json`,
`peers.md` and `peers.svg` to `--work`.

Networks of ONNX files, whoever wrote them, are measured in the engines that read them or whose converters do, ours
from the same file; PyTorch where TorchScript of the same network lies beside it (NAME.pt, NAME.bf16.pt):

    python tools/bench/export-networks.py networks
    python tools/bench/bench-peers.py --onnx networks

A machine's page in docs/benchmarks is made of such reports:

    python tools/bench/bench-peers.py ... --page docs/benchmarks/amd-epyc-zen-5.md --title "Two threads"
    python tools/bench/bench-peers.py --page docs/benchmarks/amd-epyc-zen-5.md        measures nothing

The first keeps the report as `docs/benchmarks/amd-epyc-zen-5/two-threads.json` and writes the page anew, with a plot
for each report of that folder; the second only does the latter. The page's name is its heading.
"""

import argparse
import importlib.metadata
import json
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from peers import layers
from peers.engines import OURS, PEERS, child, is_installed, is_ours, precision
from peers.models import difference, load_outputs, onnx_model, own_model, weights_rounded
from peers.report import file_name, left_out, losses, lost, markdown, page, plot, processor, summary

#: Largest difference between two engines' outputs, relative to the output's largest magnitude: maps of a head before
#: they are decoded, of networks whose random weights enlarge errors.
TOLERANCES = {"f32": 1e-3, "int16": 5e-2, "fp16": 1e-2, "bf16": 2e-1, "int8": 1}
#: What our instruction sets compute in besides.
REDUCED = {
    "avx2": ("int16", "int8"),
    "avx512vnni": ("int16", "int8"),
    "avx512bf16": ("bf16", "int16", "int8"),
    "amx": ("bf16", "int16", "int8"),
    "neonfp16": ("fp16",),
    "neondotprod": ("fp16", "int8"),
    "neoni8mm": ("fp16", "int8"),
    "neonbf16": ("fp16", "bf16", "int8"),
}


def measure_peer(task):
    return [sys.executable, __file__, "--child", json.dumps(task)]


def measure_ours(task):
    if task["size"] is None:
        command = [task["ardf"], "bench", task["files"]["onnx"], "-o", "json", "-t", str(task["threads"])]
        return command + ["-n", str(task["runs"]), "--warm-up", str(task["warm_up"]), *reduced(task)]
    height, width = task["size"]
    command = [task["ardf"], "bench", task["files"]["weights"], "--size", f"{height}x{width}", "-o", "json"]
    command += ["--input", task["input"], "-t", str(task["threads"])]
    command += ["-n", str(task["runs"]), "--warm-up", str(task["warm_up"])]
    command += reduced(task)
    return command + (["--save-outputs", task["outputs"]] if task["outputs"] else [])


def reduced(task):
    """The option of an arithmetic other than single precision."""
    return ["--precision", precision(task["engine"])] if precision(task["engine"]) != "f32" else []


def infer(task):
    """Our outputs of an ONNX file, by their names."""
    with tempfile.TemporaryDirectory() as scratch:
        command = [task["ardf"], "infer", task["files"]["onnx"], "--out", f"{scratch}/out", "--json", *reduced(task)]
        with np.load(task["input"]) as inputs:
            for index, name in enumerate(inputs.files):
                np.save(f"{scratch}/{index}.npy", inputs[name])
                command += ["--input", f"{name}={scratch}/{index}.npy"]
        subprocess.run(command, stdout=subprocess.DEVNULL, check=True)
        listed = json.loads(Path(scratch, "out/infer.json").read_text())["outputs"]
        np.savez(task["outputs"], **{entry["name"]: np.load(f"{scratch}/out/{entry['file']}") for entry in listed})


def measure(task):
    """One process of one engine: times of its runs, process start to first output, and memory; nothing of a peer that
    fails, such as one whose file has an operator that it lacks."""
    ours = is_ours(task["engine"])
    command = (measure_ours if ours else measure_peer)(task)
    start = time.monotonic_ns()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0 and not ours:
        return None
    if done.returncode != 0:
        raise SystemExit(f"{task['engine']} failed with status {done.returncode}")
    report = json.loads(done.stdout)
    if ours and task["size"] is None and task["outputs"]:
        infer(task)
    result = report["results"][0] if ours else report
    return {
        "samplesMs": result["samplesMs"],
        "coldStartMs": (result["firstOutputMonotonicNs"] - start) / 1e6,
        "peakRSSBytes": result["peakRSSBytes"],
        "environment": report.get("environment"),
        "eightBitLayers": eight_bit_layers(task, report),
    }


def eight_bit_layers(task, report):
    """How many layers that multiply run in 8 bits, of how many; told with an engine's outputs, else nothing."""
    if not is_ours(task["engine"]):
        return report.get("eightBitLayers")
    asked = task["outputs"] and precision(task["engine"]) == "int8" and task["size"]
    return layers.in_ardf(task["ardf"], task["files"], task["size"]) if asked else None


class Outputs:
    """Compares what engines made of one model with what the first of them made."""

    def __init__(self, work):
        self.work, self.reference, self.differences = work, None, {}

    def path(self, engine, is_onnx):
        path = self.work / f"outputs-{engine}.{'safetensors' if is_ours(engine) and not is_onnx else 'npz'}"
        path.unlink(missing_ok=True)
        return path

    def agrees(self, model, engine, path, task):
        """Whether an engine's outputs are right; ours have to be."""
        outputs = load_outputs(path)
        path.unlink()
        if self.reference is None:
            self.reference = outputs
            return True
        found = self.differences[engine] = difference(outputs, self.reference)
        if found <= TOLERANCES[precision(engine)]:
            return True
        if precision(engine) != "f32" and task["size"] is None:
            # What the network makes of rounded weights alone says by how much it enlarges errors; each layer's map is
            # rounded too, so that twice as much is bf16's.
            rounded = 2 * weights_rounded(task["files"]["onnx"], task["input"])
            if found <= TOLERANCES[precision(engine)] * rounded / TOLERANCES["bf16"]:
                text = f"{model}: {engine}'s outputs are off by {found:.1e}"
                print(f"{text}; the network enlarges bf16's errors to {rounded:.1e}", file=sys.stderr)
                return True
        message = f"outputs are off by {found:.1e} of their largest magnitude"
        if is_ours(engine):
            raise SystemExit(f"{model}: {engine}'s {message}")
        leave_out(model, task, engine, message)
        return False


def leave_out(model, task, engine, reason):
    """Names an engine that a model is not measured in any more."""
    print(f"{model}: {engine} is left out: {reason}", file=sys.stderr)
    task["leftOut"][engine] = reason
    task["engines"] = [other for other in task["engines"] if other != engine]


def run_rounds(tasks, arguments):
    """Measurements by (model, threads, engine), outputs by model, and the number of rounds done."""
    pooled, outputs = {}, {model: Outputs(arguments.work) for model in tasks}
    begin = time.monotonic()
    for turn in range(arguments.rounds):
        used = time.monotonic() - begin
        if turn and arguments.budget and used * (turn + 1) / turn > arguments.budget:
            print(f"{turn} rounds in {used:.0f} s; another would take longer than --budget", file=sys.stderr)
            return pooled, outputs, turn
        for model, task in tasks.items():
            for threads in arguments.threads:
                # Every other round goes backwards, so that no engine always follows the same neighbor.
                for engine in task["engines"][:: 1 if turn % 2 == 0 else -1]:
                    print(f"{model} {threads} threads, round {turn + 1}: {engine}", file=sys.stderr)
                    settings = {"engine": engine, "threads": threads, "outputs": None}
                    settings |= {"runs": arguments.runs, "warm_up": arguments.warm_up}
                    first = turn == 0 and threads == arguments.threads[0]
                    if first:
                        path = outputs[model].path(engine, task["size"] is None)
                        settings["outputs"] = str(path)
                    measured = measure({**task, **settings})
                    if measured is None:
                        leave_out(model, task, engine, "fails")
                        for count in arguments.threads:
                            pooled.pop((model, count, engine), None)
                    elif not first or outputs[model].agrees(model, engine, path, task):
                        pooled.setdefault((model, threads, engine), []).append(measured)
    return pooled, outputs, arguments.rounds


def slowest_layers(task, row):
    """The three layers that most of a network's time goes to, by our profile of it."""
    size = task["size"]
    file = [task["files"]["weights"], "--size", f"{size[0]}x{size[1]}"] if size else [task["files"]["onnx"]]
    command = [task["ardf"], "profile", *file, "--quiet", "--report", "json", "-t", str(row["threads"]), *reduced(row)]
    layers = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)["layers"]
    whole = sum(layer["medianMs"] for layer in layers)
    # Rows without an operation are what passes between layers.
    layers = [layer for layer in layers if "operation" in layer]
    return [
        {
            **{key: layer[key] for key in ("name", "operation", "algorithm")},
            "share": 100 * layer["medianMs"] / whole,
            "peak": layer["peakPercentage"],
        }
        for layer in sorted(layers, key=lambda layer: -layer["medianMs"])[:3]
    ]


def explained(tasks, report):
    """Rows of ours that a peer is faster at, with the slowest layers there."""
    return [
        {
            **{key: ours[key] for key in ("model", "threads", "precision", "medianMs")},
            **{"peer": best["engine"], "peerMs": best["medianMs"]},
            "layers": slowest_layers(tasks[ours["model"]], ours),
        }
        for ours, best in lost(report)
    ]


def row(model, threads, engine, processes, differences):
    samples = [sample for process in processes for sample in process["samplesMs"]]
    return {
        "model": model,
        "threads": threads,
        "engine": engine,
        "precision": precision(engine),
        "medianMs": statistics.median(samples),
        "minMs": min(samples),
        "samples": len(samples),
        "coldStartMs": statistics.median(process["coldStartMs"] for process in processes),
        "peakRSSBytes": max(process["peakRSSBytes"] for process in processes),
        "difference": differences.get(engine),
        "eightBitLayers": processes[0]["eightBitLayers"],
        "environment": processes[0]["environment"],
    }


def engines_asked(arguments):
    """Peers that are installed, and ours in the precisions that its kernels here have (`ARDF_ISA` may limit them)."""
    engines = []
    for engine in arguments.engines.split(","):
        if is_ours(engine):
            continue
        if engine not in PEERS:
            raise SystemExit(f"--engines {engine}: there are {', '.join(PEERS)}")
        if is_installed(engine):
            engines.append(engine)
        else:
            print(f"{engine} is not installed: left out", file=sys.stderr)
    if not engines:
        raise SystemExit("no peer is installed; pip install onnxruntime")
    command = [arguments.ardf, "inspect", "cpu", "--json"]
    kernels = json.loads(subprocess.run(command, stdout=subprocess.PIPE, text=True, check=True).stdout)["inUse"]
    engines += [OURS] + [f"{OURS}-{reduced}" for reduced in REDUCED.get(kernels, ())]
    # The first is what the others are compared with: one in single precision.
    return sorted(engines, key=lambda engine: precision(engine) != "f32")


def prepare(model, engines, arguments):
    """The task of one model, with the engines that have a file of it."""
    if model.endswith(".onnx"):
        made = onnx_model(network_name(model), Path(model), arguments.work)
    else:
        made = own_model(model, arguments.work)
    task = {"size": made.size, "files": made.files, "input": made.input, "names": made.names}
    task |= {"ardf": arguments.ardf, "engines": engines, "leftOut": {}}
    for engine in engines:
        if not is_ours(engine) and not made.make(PEERS[engine].file, arguments.litert_python, arguments.calibrate):
            leave_out(made.name, task, engine, "its file cannot be made")
    return task


def onnx_files(paths):
    """The files among these paths, and those in folders among them."""
    found = [sorted(Path(path).glob("*.onnx")) if Path(path).is_dir() else [Path(path)] for path in paths]
    files = [str(path) for group in found for path in group]
    if not files:
        raise SystemExit(f"{', '.join(paths)}: no ONNX files")
    return files


def network_name(model):
    """A model's name in reports: of a file its own, or its folder's where it is called what all are called."""
    path = Path(model)
    return path.resolve().parent.name if path.name == "model.onnx" else path.stem if path.suffix == ".onnx" else model


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--work", type=Path, default=Path("peers"), help="folder for models and results")
    parser.add_argument("--models", default="yolo11n-seg,yolo11l-seg,depth-anything-v2-small")
    parser.add_argument("--onnx", nargs="+", metavar="FILE", help="instead: ONNX files with fixed shapes, or folders")
    parser.add_argument("--engines", default=",".join(PEERS), help="peers, where they are installed")
    parser.add_argument("--threads", default="1,2", help="numbers of threads")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each engine")
    parser.add_argument("--runs", type=int, default=10, help="runs of each process that count")
    parser.add_argument("--warm-up", type=int, default=3)
    parser.add_argument("--budget", type=float, help="seconds that all rounds together may take")
    parser.add_argument("--litert-python", help="interpreter that has litert-torch, to make LiteRT's files")
    parser.add_argument("--calibrate", help="folder of pictures that peers' 8 bits are calibrated on; by default noise")
    parser.add_argument("--prepare", action="store_true", help="make the models and stop")
    parser.add_argument("--page", type=Path, help="a machine's page in docs/benchmarks")
    parser.add_argument("--title", help="what is measured, for --page; without one nothing is measured")
    arguments = parser.parse_args()
    if arguments.child:
        return child(json.loads(arguments.child))
    if arguments.page and not arguments.title:
        return write_page(arguments.page)
    arguments.threads = [int(count) for count in arguments.threads.split(",")]
    arguments.work.mkdir(parents=True, exist_ok=True)
    engines = engines_asked(arguments)
    models = onnx_files(arguments.onnx) if arguments.onnx else arguments.models.split(",")
    tasks = {network_name(model): prepare(model, engines, arguments) for model in models}
    if arguments.prepare:
        return None
    load = os.getloadavg()[0]
    pooled, outputs, rounds = run_rounds(tasks, arguments)
    rows = [row(*key, processes, outputs[key[0]].differences) for key, processes in pooled.items()]
    packages = dict.fromkeys(PEERS[engine].package for engine in engines if engine in PEERS)
    ours = next(row["environment"] for row in rows if row["engine"] == OURS)
    report = {
        "title": arguments.title or "Measurement",
        "heading": "Networks of ONNX files" if arguments.onnx else None,
        "command": " ".join(["python", *map(shlex.quote, sys.argv)]),
        "commit": ours["commit"] or "unknown",
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "load": load,
        "rounds": rounds,
        "runs": arguments.runs,
        "versions": ", ".join(
            [f"{package} {importlib.metadata.version(package)}" for package in packages]
            + [f"ardf {ours['version']} ({ours['instructionSet']})"]
        ),
        "rows": rows,
    }
    report["leftOut"] = {model: task["leftOut"] for model, task in tasks.items()}
    report["losses"] = explained(tasks, report)
    (arguments.work / "peers.json").write_text(json.dumps(report, indent=2) + "\n")
    (arguments.work / "peers.md").write_text(markdown(report))
    (arguments.work / "peers.svg").write_text(plot(report))
    print(markdown(report))
    print(summary(report), left_out(report), losses(report), sep="\n", end="")
    if arguments.page:
        folder = arguments.page.with_suffix("")
        folder.mkdir(exist_ok=True)
        kept = {**report, "rows": [{k: v for k, v in row.items() if k != "environment"} for row in rows]}
        (folder / f"{file_name(arguments.title)}.json").write_text(json.dumps(kept, indent=1) + "\n")
        write_page(arguments.page)
    return None


def write_page(path):
    """Writes a page, and its plots, of the reports in the folder of its name."""
    folder = path.with_suffix("")
    reports = [(file.stem, json.loads(file.read_text())) for file in sorted(folder.glob("*.json"))]
    if not reports:
        raise SystemExit(f"{folder}: no reports; measure one with --title")
    for name, report in reports:
        (folder / f"{name}.svg").write_text(plot(report))
    text = page(path.stem, reports)
    path.write_text(text)


if __name__ == "__main__":
    main()
