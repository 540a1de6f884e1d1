"""The commands whose system calls are made to fail, and every command that writes."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
NETWORKS = (
    f"--yolo {GOLDENS}/yolo11-tiny-n.safetensors --imgsz 64 --conf 0.05 --max-det 8 "
    f"--depth {GOLDENS}/depth-tiny.safetensors --depth-size 42 --threads 2"
).split()


class Command:
    """A command that replaces a result that is there.

    `old` are the arguments that made that result. What a command measures differs from run to run: where `varies`,
    the new result is whole if it is JSON of ardf's.
    """

    def __init__(self, name, arguments, output, inputs, old, varies=False):
        self.name, self.arguments, self.output, self.inputs = name, arguments, output, inputs
        self.old, self.varies = old, varies


def commands():
    """The commands whose system calls are made to fail."""
    capture = ["frame.json", "image.png", "depth.npy", "confidence.npy"]
    weights = [str(GOLDENS / "yolo11-tiny-n.safetensors"), str(GOLDENS / "depth-tiny.safetensors")]
    run = ["run", "capture", "--out", "out", *NETWORKS]
    detect = ["detect", "capture/image.png", "--out", "seen", *NETWORKS[:8]]
    simulate = ["simulate", "script.json", "--out", "trace.json"]
    place = ["place", "--detections", "detections.json", "--capture", "capture", "--out", "placed"]
    return [
        Command("run", [*run, "--force"], "out", [f"capture/{name}" for name in capture] + weights,
                [*run, "--effect", "0=smoke"]),
        Command("detect", [*detect, "--force"], "seen", ["capture/image.png", weights[0]],
                [*detect, "--iou", "0.1", "--max-det", "2"]),
        Command("simulate", [*simulate, "--force"], "trace.json", ["script.json"],
                ["simulate", "short.json", "--out", "trace.json"]),
        Command("place", [*place, "--effect", "0=debugCube", "--force"], "placed", ["detections.json"], place),
    ]  # fmt: skip


def writing_commands():
    """Every command that writes."""
    detector, depth = NETWORKS[:8], [*NETWORKS[8:12], "--threads", "2"]
    run = ["run", "scans", "--out", "all", *NETWORKS]
    estimate = ["depth", "capture", "--out", "relative", *depth]
    fuse = ["fuse", "--relative", "relative.npy", "--capture", "capture", "--out", "fused"]
    compose = ["compose", "--detections", "detections.json", "--capture", "capture", "--out", "picture"]
    replay = ["replay", "scans", "--max-speed", "--frames", "png", "--out", "live", *NETWORKS]
    convert = ["convert", str(ROOT / "weights/dav2s-ardf-fp16.safetensors"), "weights.safetensors"]
    native = ["capture", "convert", "scans", "--out", "native"]
    trace = ["trace", "--weights", detector[1], "--size", "64x64", "--input", "capture/image.png",
             "--out", "layers.safetensors"]  # fmt: skip
    verify = ["verify", "--weights", detector[1], "--against", "openblas", "--size", "64x64", "--out", "verified",
              "--tol", "*=0,0"]  # fmt: skip
    tune = ["tune", detector[1], "--size", "32x32", "--runs", "1", "--out", "plan.json"]
    report = ["report", "results", "--capture", "capture", "--out", "page.html"]
    return commands() + [
        Command("run scans", [*run, "--force"], "all", [], [*run, "--effect", "0=smoke"]),
        Command("depth", [*estimate, "--force"], "relative", [], [*estimate, "--depth-size", "28"]),
        Command("fuse", [*fuse, "--force"], "fused", [], [*fuse, "--fit", "linear"]),
        Command("compose", [*compose, "--force"], "picture", [], ["detect", "scans/a", "--out", "picture", *detector]),
        Command("replay", [*replay, "--force"], "live", [], [*replay, "--frames", "none"]),
        Command("convert", [*convert, "--force"], "weights.safetensors", [],
                [*trace[:-1], "weights.safetensors"]),
        Command("capture convert", [*native, "--force"], "native", [],
                ["capture", "convert", "capture", "--out", "native"]),
        Command("trace", [*trace, "--force"], "layers.safetensors", [], [*trace, "--layers", "model.0*"]),
        Command("verify", [*verify, "--force"], "verified", [], [*verify, "--pictures", "0"]),
        Command("tune", [*tune, "--force"], "plan.json", [],
                ["simulate", "short.json", "--out", "plan.json"], varies=True),
        Command("report", [*report, "--force"], "page.html", [],
                ["report", "smoke", "--capture", "capture", "--out", "page.html"]),
    ]  # fmt: skip
