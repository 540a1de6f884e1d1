"""Command lines with odd values for their options."""

import json
import subprocess

from .values import NUMBERS, TEXTS

#: What names outputs. Each is tried where it may hurt: on, in and above the inputs, and where nothing can be made.
OUTPUTS = {"out", "save-outputs", "output"}
PLACES = ["out", "out/", "./out", "in", ".", "..", "in/native", "in/native/image.png", "in/native/new",
          "in/sequence", "-",
          "", "bystander", "missing/out", "\x1b[31mout", "x" * 300, "/dev/null/x", "/proc/x", "in/../out"]  # fmt: skip
#: Files of every kind, to be given where another is asked for.
FILES = ["in", "in/native", "in/native/image.png", "in/native/frame.json", "in/native/depth.npy", "in/sequence",
         "in/results", "in/results/detections.json", "in/results/objects.json", "in/results/relative.npy",
         "in/plan.json", "in/trace.npz", "in/module.pt", "in/all.json", "missing", "/dev/null",
         "/dev/zero", "/", "bystander"]  # fmt: skip
#: Options that a sound value may have work for ever, in real time, or start another program.
LASTING = {"repeat", "rate", "seconds", "runs", "iterations", "warm-up", "ffmpeg", "video", "preload", "frames", "port"}
#: Shows help or the version, and nothing else.
TALKING = {"help", "version", "generate-completion-script"}
VALUES = ["0=debugCube", "=", "0=", "=smoke", "1,2=smoke", "1e19,2=smoke", "nan,nan=love", "99999999999999999999=smoke",
          "32x32", "0x0", "32x99999999999999999999", "-1x-1", "32", "64", "14", "28,28,15,11", "1e300,1,1,1",
          "nan,1,1,1",
          "0,0,0,0", "1,1,1,1,0,0", "28,28,15.5,11.5,1e19,1e19", "0.1s", "1e19s", "0.0000001s", "-1ms", "nans", "*=0,0",
          "*=1e999,nan", "1/0", "0/1", "1/1", "2/99999999999999999999", "1K", "1e9G", "99999999999G", "-1M", "fp32",
          "bf16",
          "coco", "portable", "avx512", "both", "b[", "**"]  # fmt: skip


def options(ardf):
    """Every command's options: its name, the option's, and whether it takes a value."""
    dump = subprocess.run([ardf, "--experimental-dump-help"], check=True, capture_output=True).stdout
    found = {}

    def walk(command, path):
        path = [*path, command["commandName"]]
        found[" ".join(path[1:])] = [
            (argument["preferredName"]["name"], argument["kind"] == "option")
            for argument in command.get("arguments", [])
            if argument["kind"] != "positional" and argument["preferredName"]["name"] not in TALKING | LASTING
        ]
        for inner in command.get("subcommands", []):
            walk(inner, path)

    walk(json.loads(dump)["command"], [])
    return found


def commands(detector, depth):
    """Sound command lines of every command that ends by itself and measures nothing: its name, and its arguments."""
    networks = (
        f"--yolo {detector} --imgsz 32 --conf 0.05 --max-det 8 --threads 1 --depth {depth} --depth-size 14".split()
    )
    found = ["--yolo", detector, "--imgsz", "32", "--conf", "0.05", "--threads", "1"]
    return [
        ("run", ["in/native", *networks, "--out", "out"]),
        ("run", ["in/sequence", *networks, "--out", "out"]),
        ("detect", ["in/native/image.png", *found, "--out", "out"]),
        ("depth", ["in/native/image.png", "--depth", depth, "--depth-size", "14", "--threads", "1", "--out", "out"]),
        ("fuse", ["--relative", "in/results/relative.npy", "--capture", "in/native", "--out", "out"]),
        ("place", ["--detections", "in/results/detections.json", "--capture", "in/native", "--out", "out"]),
        ("compose", ["--detections", "in/results/detections.json", "--capture", "in/native", "--out", "out"]),
        ("report", ["in/results", "--capture", "in/native", "--out", "out.html"]),
        ("replay", ["in/sequence", "--max-speed", "--effect", "0=debugCube", *networks, "--out", "out"]),
        ("simulate", ["in/all.json", "--out", "out.json"]),
        ("convert", [detector, "out.safetensors"]),
        ("inspect weights", [depth]),
        ("inspect graph", [depth, "--size", "28x28"]),
        ("inspect plan", [depth, "--size", "28x28"]),
        ("inspect cpu", []),
        ("capture check", ["in/native"]),
        ("capture convert", ["in/native", "--out", "out"]),
        ("verify", ["--weights", depth, "--reference", "in/trace.npz", "--threads", "1", "--out", "out"]),
        ("trace", ["--weights", depth, "--input", "in/native/image.png", "--size", "28x28", "--threads", "1", "--out",
                   "out.safetensors"]),
    ]  # fmt: skip


def mutate_arguments(random, known, detector, depth, is_sound):
    """A command line with one to three options changed or added, or an argument of its own replaced."""
    choices = commands(detector, depth)
    if is_sound:
        choices = [(name, arguments) for name, arguments in choices if name != "convert"]
    name, arguments = random.choice(choices)
    if is_sound:
        return [*name.split(), *arguments]
    arguments = list(arguments)
    for _ in range(random.choice([1, 1, 2, 3])):
        if random.random() < 0.15 and arguments:
            place = random.randrange(len(arguments))
            earlier = arguments[place - 1].removeprefix("--") if place else ""
            arguments[place] = value(random, earlier, arguments[place].startswith("out"))
            continue
        option, takes_value = random.choice(known[name])
        if takes_value:
            arguments += [f"--{option}", value(random, option, False)]
        else:
            arguments.append(f"--{option}")
    return [*name.split(), *(argument.replace("\0", "\\") for argument in arguments)]


def value(random, option, is_output):
    """Something for an option; for outputs, only places inside the run's folder and such that nothing can be put in."""
    if option in OUTPUTS or is_output:
        return random.choice(PLACES)
    pool = random.choice([NUMBERS, VALUES, FILES, TEXTS[:-1]])
    chosen = random.choice(pool)[:100_000]
    if option in ("threads", "imgsz", "depth-size", "size", "pictures") and chosen in ("1e4", "255", "256"):
        return "0"  # Sound, and much work.
    return chosen
