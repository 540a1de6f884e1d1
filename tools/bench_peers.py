#!/usr/bin/env python3
"""Measures `ardf` and other CPU engines on the same models in one run: a table and a plot.

    python tools/bench_peers.py --ardf .build/release/ardf --work build/peers --models yolo11n-seg --threads 1,2

Models have seeded random weights, made in `--work` on the first run, so that anybody can run this. Outputs are
compared first; then every engine runs in a process of its own, in turns for several rounds, and the runs of all
rounds are pooled. Engines that are not installed are left out and named. Writes `peers.json`, `peers.md` and
`peers.svg` to `--work`.
"""

import argparse
import importlib.metadata
import importlib.util
import json
import os
import statistics
import subprocess
import sys
import time
from pathlib import Path

import numpy as np

TOOLS = Path(__file__).resolve().parent
SIZES = {"depth-anything-v2-small": (518, 518)}
DETECTOR_SIZE = (640, 640)
PEERS = ["onnxruntime", "openvino", "torch"]
OURS = "ardf"
#: Largest difference between two engines' outputs, relative to the output's largest magnitude.
TOLERANCE = 1e-3
#: Bins of a box side's distribution, and pixels of a cell, of the detector's head.
BINS, STRIDES = 16, (8, 16, 32)


# --- Engines, each in a child process -----------------------------------------------------------------------------


def peak_bytes():
    """The most memory that this process has held."""
    for line in Path("/proc/self/status").read_text().splitlines():
        if line.startswith("VmHWM:"):
            return int(line.split()[1]) * 1024
    return None


def open_onnxruntime(files, threads):
    import onnxruntime

    options = onnxruntime.SessionOptions()
    options.intra_op_num_threads = threads
    options.inter_op_num_threads = 1
    session = onnxruntime.InferenceSession(files["onnx"], options, providers=["CPUExecutionProvider"])
    names = [output.name for output in session.get_outputs()]
    return lambda image: dict(zip(names, session.run(None, {"input": image}), strict=True))


def open_openvino(files, threads):
    import openvino

    core = openvino.Core()
    settings = {
        "INFERENCE_NUM_THREADS": threads,
        "PERFORMANCE_HINT": "LATENCY",
        "INFERENCE_PRECISION_HINT": "f32",
    }
    request = core.compile_model(core.read_model(files["onnx"]), "CPU", settings).create_infer_request()

    def run(image):
        results = request.infer({"input": image}, share_inputs=True)
        return {output.get_any_name(): value for output, value in results.items()}

    return run


def open_torch(files, threads):
    import torch

    from export_onnx import fused
    from make_reference_outputs import load_network

    torch.set_num_threads(threads)
    architecture, network = load_network(files["weights"])
    detector = architecture == "yolo11-seg"
    network = (fused(network) if detector else network).to(memory_format=torch.channels_last)

    def run(image):
        with torch.inference_mode():
            outputs = network(torch.from_numpy(image).to(memory_format=torch.channels_last))
        named = dict(zip(("output0", "proto"), outputs, strict=True)) if detector else {"depth": outputs}
        return {name: value.numpy() for name, value in named.items()}

    return run


OPENERS = {"onnxruntime": open_onnxruntime, "openvino": open_openvino, "torch": open_torch}


def child(task):
    """Runs one peer; prints what it measured as JSON, and nothing else: libraries greet on standard output."""
    report = os.fdopen(os.dup(1), "w")
    os.dup2(2, 1)
    image = np.load(task["input"])
    run = OPENERS[task["engine"]](task["files"], task["threads"])
    outputs = run(image)
    first = time.monotonic_ns()
    if task["outputs"]:
        np.savez(task["outputs"], **outputs)
    for _ in range(task["warm_up"]):
        run(image)
    times = []
    for _ in range(task["runs"]):
        start = time.perf_counter_ns()
        run(image)
        times.append((time.perf_counter_ns() - start) / 1e6)
    print(json.dumps({"samplesMs": times, "firstOutputMonotonicNs": first, "peakRSSBytes": peak_bytes()}), file=report)
    report.close()


def measure_peer(task):
    return [sys.executable, __file__, "--child", json.dumps(task)]


def measure_ours(task):
    height, width = task["size"]
    command = [task["ardf"], "bench", task["files"]["weights"], "--size", f"{height}x{width}", "-o", "json"]
    command += ["--input", task["input"], "-t", str(task["threads"])]
    command += ["-n", str(task["runs"]), "--warm-up", str(task["warm_up"])]
    return command + (["--save-outputs", task["outputs"]] if task["outputs"] else [])


def measure(task):
    """One process of one engine: times of its runs, process start to first output, and memory."""
    command = (measure_ours if task["engine"] == OURS else measure_peer)(task)
    start = time.monotonic_ns()
    done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)
    if done.returncode != 0:
        raise SystemExit(f"{task['engine']} failed with status {done.returncode}")
    report = json.loads(done.stdout)
    result = report["results"][0] if task["engine"] == OURS else report
    return {
        "samplesMs": result["samplesMs"],
        "coldStartMs": (result["firstOutputMonotonicNs"] - start) / 1e6,
        "peakRSSBytes": result["peakRSSBytes"],
        "environment": report.get("environment"),
    }


# --- Outputs ------------------------------------------------------------------------------------------------------


def decoded(maps):
    """The detector's `output0` of the raw maps of its head, which lie channels last."""
    columns = []
    for level, stride in enumerate(STRIDES):
        box, classes, coefficients = (maps[f"{name}.{level}"] for name in ("box", "cls", "coef"))
        height, width, _ = box.shape
        logits = box.reshape(height, width, 4, BINS)
        weights = np.exp(logits - logits.max(-1, keepdims=True))
        sides = (weights / weights.sum(-1, keepdims=True)) @ np.arange(BINS, dtype=np.float32)
        y, x = np.mgrid[:height, :width] + 0.5
        left, top, right, bottom = (x - sides[..., 0], y - sides[..., 1], x + sides[..., 2], y + sides[..., 3])
        boxes = np.stack([(left + right) / 2, (top + bottom) / 2, right - left, bottom - top], -1) * stride
        cells = np.concatenate([boxes, 1 / (1 + np.exp(-classes)), coefficients], -1)
        columns.append(cells.reshape(height * width, -1))
    return np.concatenate(columns).T


def load_outputs(engine, path):
    """An engine's outputs by their ONNX names."""
    if engine != OURS:
        with np.load(path) as archive:
            return {name: np.squeeze(archive[name]) for name in archive.files}
    from safetensors.numpy import load_file

    maps = load_file(path)
    if "depth" in maps:
        return {"depth": np.squeeze(maps["depth"])}
    return {"output0": decoded(maps), "proto": np.moveaxis(maps["proto"], -1, 0)}


def check_outputs(engines, task, work):
    """Compares every engine's outputs with those of the first; largest relative difference of each."""
    differences, reference = {}, None
    for engine in engines:
        path = work / f"outputs-{engine}.{'safetensors' if engine == OURS else 'npz'}"
        path.unlink(missing_ok=True)
        measure({**task, "engine": engine, "runs": 1, "warm_up": 0, "outputs": str(path)})
        outputs = load_outputs(engine, path)
        path.unlink()
        if reference is None:
            reference = outputs
            continue
        largest = 0.0
        for name, wanted in reference.items():
            difference = np.abs(outputs[name] - wanted).max() / np.abs(wanted).max()
            if not difference <= TOLERANCE:
                raise SystemExit(f"{engine}: output {name} differs from {engines[0]}'s by {difference:.1e}")
            largest = max(largest, float(difference))
        differences[engine] = largest
    return differences


# --- Models and reports -------------------------------------------------------------------------------------------


def make_model(model, work):
    """Paths of weights and ONNX file, made where they are not there."""
    size = SIZES.get(model, DETECTOR_SIZE)
    weights, onnx = work / f"{model}.safetensors", work / f"{model}.onnx"
    if not weights.exists():
        subprocess.run([sys.executable, TOOLS / "make_random_checkpoint.py", model, "--out", weights], check=True)
    if not onnx.exists():
        text = f"{size[0]}x{size[1]}"
        command = [sys.executable, TOOLS / "export_onnx.py", "--weights", weights, "--size", text, "--out", onnx]
        subprocess.run(command, check=True)
    image = work / f"input-{size[0]}x{size[1]}.npy"
    np.save(image, np.random.Generator(np.random.PCG64(1)).random((1, 3, *size), dtype=np.float32))
    return {"size": size, "files": {"weights": str(weights), "onnx": str(onnx)}, "input": str(image)}


def measure_model(model, engines, arguments):
    """Rows of one model: an entry an engine and number of threads."""
    task = {**make_model(model, arguments.work), "ardf": arguments.ardf, "threads": 1}
    differences = check_outputs(engines, task, arguments.work)
    rows = []
    for threads in arguments.threads:
        pooled = {engine: [] for engine in engines}
        for turn in range(arguments.rounds):
            # Every other round goes backwards, so that nobody always follows the same neighbour.
            for engine in engines if turn % 2 == 0 else reversed(engines):
                print(f"{model} {threads} threads, round {turn + 1}: {engine}", file=sys.stderr)
                settings = {"runs": arguments.runs, "warm_up": arguments.warm_up, "outputs": None}
                pooled[engine].append(measure({**task, "engine": engine, "threads": threads, **settings}))
        for engine, processes in pooled.items():
            samples = [sample for process in processes for sample in process["samplesMs"]]
            rows.append(
                {
                    "model": model,
                    "threads": threads,
                    "engine": engine,
                    "medianMs": statistics.median(samples),
                    "minMs": min(samples),
                    "samples": len(samples),
                    "coldStartMs": statistics.median(process["coldStartMs"] for process in processes),
                    "peakRSSBytes": max(process["peakRSSBytes"] for process in processes),
                    "difference": differences.get(engine),
                    "environment": processes[0]["environment"],
                }
            )
    return rows


def groups(rows):
    """Rows of each model and number of threads, in order."""
    found = {}
    for row in rows:
        found.setdefault((row["model"], row["threads"]), []).append(row)
    return found


def markdown(report):
    """The table, a line an engine, ours against the best peer of each group."""
    lines = [
        f"{report['date']}, {report['processor']}, {report['processors']} processors, load {report['load']:.1f}; "
        f"{report['versions']}. Median of {report['rounds']} processes of {report['runs']} runs.",
        "",
        "| model | threads | engine | median ms | min ms | ardf / engine | cold start ms | peak RSS MB | difference |",
        "|---|--:|---|--:|--:|--:|--:|--:|--:|",
    ]
    for (model, threads), rows in groups(report["rows"]).items():
        ours = next(row for row in rows if row["engine"] == OURS)
        for row in sorted(rows, key=lambda row: row["medianMs"]):
            difference = "reference" if row["difference"] is None else f"{row['difference']:.0e}"
            ratio = "" if row is ours else f"{ours['medianMs'] / row['medianMs']:.2f}"
            lines.append(
                f"| {model} | {threads} | {row['engine']} | {row['medianMs']:.1f} | {row['minMs']:.1f} | {ratio} "
                f"| {row['coldStartMs']:.0f} | {row['peakRSSBytes'] / 1e6:.0f} | {difference} |"
            )
    return "\n".join(lines) + "\n"


def plot(report):
    """Bars of the medians, a group a model and number of threads, each group scaled to its slowest."""
    left, width, bar = 250, 420, 18
    parts, y = [], 10
    for (model, threads), rows in groups(report["rows"]).items():
        parts.append(f'<text x="10" y="{y + 13}" font-weight="bold">{model}, {threads} threads</text>')
        y += bar + 4
        slowest = max(row["medianMs"] for row in rows)
        for row in sorted(rows, key=lambda row: row["medianMs"]):
            length = width * row["medianMs"] / slowest
            fill = "#c2571a" if row["engine"] == OURS else "#8a9bb0"
            parts.append(f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{row["engine"]}</text>')
            parts.append(f'<rect x="{left}" y="{y}" width="{length:.1f}" height="{bar - 3}" fill="{fill}"/>')
            parts.append(f'<text x="{left + length + 6:.1f}" y="{y + 12}">{row["medianMs"]:.1f} ms</text>')
            y += bar
        y += 12
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {left + width + 90} {y}" '
    style = 'font-family="system-ui, sans-serif" font-size="12">'
    background = '<rect width="100%" height="100%" fill="white"/>'
    return "\n".join([head + style, background, *parts, "</svg>"]) + "\n"


def processor():
    """The processor's name."""
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            return line.split(":", 1)[1].strip()
    return "unknown"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--child", help=argparse.SUPPRESS)
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--work", type=Path, default=Path("peers"), help="folder for models and results")
    parser.add_argument("--models", default="yolo11n-seg,yolo11l-seg,depth-anything-v2-small")
    parser.add_argument("--engines", default=",".join(PEERS), help="peers, where they are installed")
    parser.add_argument("--threads", default="1,2", help="numbers of threads")
    parser.add_argument("--rounds", type=int, default=3, help="processes of each engine")
    parser.add_argument("--runs", type=int, default=10, help="runs of each process that count")
    parser.add_argument("--warm-up", type=int, default=3)
    arguments = parser.parse_args()
    if arguments.child:
        return child(json.loads(arguments.child))
    arguments.threads = [int(count) for count in arguments.threads.split(",")]
    arguments.work.mkdir(parents=True, exist_ok=True)
    asked = arguments.engines.split(",")
    peers = [engine for engine in asked if importlib.util.find_spec(engine)]
    for engine in asked:
        if engine not in peers:
            print(f"{engine} is not installed: left out", file=sys.stderr)
    if not peers:
        raise SystemExit("no peer is installed; pip install onnxruntime")
    load = os.getloadavg()[0]
    rows = []
    for model in arguments.models.split(","):
        rows += measure_model(model, [*peers, OURS], arguments)
    versions = [f"{engine} {importlib.metadata.version(engine)}" for engine in peers]
    ours = next(row["environment"] for row in rows if row["engine"] == OURS)
    report = {
        "date": time.strftime("%Y-%m-%d", time.gmtime()),
        "processor": processor(),
        "processors": len(os.sched_getaffinity(0)),
        "load": load,
        "rounds": arguments.rounds,
        "runs": arguments.runs,
        "versions": ", ".join([*versions, f"ardf {ours['version']} ({ours['instructionSet']})"]),
        "rows": rows,
    }
    (arguments.work / "peers.json").write_text(json.dumps(report, indent=2) + "\n")
    (arguments.work / "peers.md").write_text(markdown(report))
    (arguments.work / "peers.svg").write_text(plot(report))
    print(markdown(report), end="")


if __name__ == "__main__":
    main()
