"""The inputs of a run: sound files copied, one of them damaged, and a command that reads it."""

import contextlib
import json
import math
import shutil
import struct
import subprocess
import zipfile
from pathlib import Path

from .arguments import mutate_arguments
from .formats import mutate_file
from .modules import load, mutate_modules
from .values import NUMBERS, TEXTS

ROOT = Path(__file__).resolve().parents[3]
GOLDENS = ROOT / "Tests/ModelsTests/Goldens"
DETECTOR, DEPTH = GOLDENS / "yolo11-tiny-n.safetensors", GOLDENS / "depth-tiny.safetensors"
#: A published network, whose modules are changed where it is there.
NETWORK = ROOT.parent / "shared/weights/yolo11n-seg.pt"
LAYOUTS = [
    "clip",
    "arkitScenes",
    "polycam",
    "recorded",
    "redwood",
    "rosBag",
    "rosBagSQLite",
    "rtabMap",
    "scannerApp",
    "strayScanner",
    "transforms",
    "tumRGBD",
]


#: What the program, its parser of arguments and its libraries read of the environment.
VARIABLES = [
    "ARDF_ISA", "ARDF_WEIGHTS", "SLURM_ARRAY_TASK_ID", "SLURM_CPUS_PER_TASK", "JOB_COMPLETION_INDEX",
    "AWS_BATCH_JOB_ARRAY_INDEX", "PARALLEL_SEQ", "COLUMNS", "LINES", "HOME", "XDG_DATA_HOME", "XDG_CACHE_HOME", "TERM",
    "LANG", "LC_ALL", "TZ", "NO_COLOR", "OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "PIP_INDEX_URL", "PATH",
]  # fmt: skip
PATHS = ["/", "//", "/nowhere", "relative", "..", ":", "/dev/null", "/proc", "in", "x" * 5000]


#: Models of one input `x`, with its shape.
MODELS = {"convolution": (1, 2, 6, 6), "shapes": (1, 2, 3), "resize": (1, 1, 2, 2), "quantized": (2, 3), "made": (4,)}


def detector(weights=DETECTOR):
    return ["--yolo", str(weights), *["--imgsz", "32", "--conf", "0.05", "--max-det", "8", "--threads", "1"]]


def depth(weights=DEPTH):
    return ["--depth", str(weights), "--depth-size", "14"]


def prepare(ardf, sound):
    """Makes the sound files that runs copy: captures, archives, a run's results, a plan, references, documents."""
    sound.mkdir()
    for name in ["native", *LAYOUTS]:
        shutil.copytree(ROOT / "Fuzz/Captures" / name, sound / name)
    for index in range(3):
        frame = sound / f"sequence/{index:05}"
        shutil.copytree(sound / "native", frame)
        document = json.loads((frame / "frame.json").read_text())
        document["timestamp"] = 12 + index / 10
        document["cameraToWorld"][12] = index / 10
        (frame / "frame.json").write_text(json.dumps(document))
    for name in ["recorded", "native", "sequence", "clip"]:
        with zipfile.ZipFile(sound / f"{name}.zip", "w", zipfile.ZIP_DEFLATED) as archive:
            for file in sorted((sound / name).rglob("*")):
                archive.write(file, file.relative_to(sound / name))
    corpus = ROOT / "Fuzz/Corpus"
    pictures = [*corpus.glob("jpeg/*.jpg"), *corpus.glob("png/*.png")]
    for file in [*pictures, corpus / "checkpoint/module.pt", corpus / "simulation/all.json", DETECTOR, DEPTH]:
        shutil.copy(file, sound / file.name)

    def run(*arguments):
        subprocess.run([ardf, *arguments], cwd=sound, check=True, capture_output=True)

    run("run", "native", *detector(), *depth(), "--effect", "0=debugCube", "--usda", "--out", "results")
    run("run", "sequence", *detector(), *depth(), "--out", "batch")
    for shard in ["1/2", "2/2"]:
        run("run", "sequence", *detector(), "--keep", "masks", "--shard", shard, "--out", "job")
    for model in MODELS:
        shutil.copy(corpus / f"onnx/{model}.onnx", sound / f"{model}.onnx")
        write_floats(sound / f"{model}.npy", MODELS[model])
    (sound / "list.txt").write_text('in/sequence\n{"path": "in/native", "id": "a"}\n')
    run("trace", "--weights", str(DEPTH), "--input", "native/image.png", "--size", "28x28", "--threads", "1", "--out",
        "trace.safetensors")  # fmt: skip
    # The choices are those of the file, so that a run depends on its number alone; the kernels are this machine's.
    run("tune", str(DETECTOR), "--size", "32x32", "--runs", "1", "--out", "tuned.json")
    plan = json.loads((ROOT / "tools/prove/mutations/plan.json").read_text())
    plan["kernels"] = json.loads((sound / "tuned.json").read_text())["kernels"]
    (sound / "plan.json").write_text(json.dumps(plan, indent=2))
    pack_tensors(sound / "trace.safetensors", sound / "trace.npz")
    make_films(sound)
    return [file.name for file in pictures]


def make_films(sound):
    """Small films, where there is ffmpeg to make and to read them."""
    if not shutil.which("ffmpeg"):
        print("films: skipped, ffmpeg is not installed")
        del CLASSES["films"]
        return
    for ending, codec in [("mp4", "mpeg4"), ("mkv", "mpeg4"), ("avi", "mjpeg"), ("webm", "vp8"), ("ts", "mpeg2video"),
                          ("mov", "mjpeg"), ("gif", "gif")]:  # fmt: skip
        subprocess.run(
            ["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", "testsrc=size=48x32:rate=10:duration=0.4",
             "-c:v", codec, str(sound / f"film.{ending}")], check=True, capture_output=True,
        )  # fmt: skip


def pack_tensors(source, archive):
    """A reference as npz."""
    data = source.read_bytes()
    start = 8 + int.from_bytes(data[:8], "little")
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for name, entry in json.loads(data[8:start]).items():
            if name == "__metadata__" or entry["dtype"] != "F32":
                continue
            header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {tuple(entry['shape'])}, }}".encode()
            header += b" " * (-(len(header) + 11) % 64) + b"\n"
            content = data[start + entry["data_offsets"][0] : start + entry["data_offsets"][1]]
            packed.writestr(f"{name}.npy", b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + content)


def write_floats(path, shape):
    """A ramp of single precision as .npy."""
    header = f"{{'descr': '<f4', 'fortran_order': False, 'shape': {shape}, }}".encode()
    header += b" " * (-(len(header) + 11) % 64) + b"\n"
    numbers = struct.pack(f"<{math.prod(shape)}f", *(index / 8 for index in range(math.prod(shape))))
    path.write_bytes(b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header + numbers)


class Case:
    """Builds one run in a folder of its own: `in` holds its inputs; `--out` is `out`."""

    def __init__(self, random, sound, pictures, options, is_sound=False):
        self.random, self.sound, self.pictures, self.options, self.is_sound = random, sound, pictures, options, is_sound
        #: What may come of it, where that is known: see `judge_modules`.
        self.expected = None
        #: Variables that the run has besides the usual ones.
        self.environment = {}
        self.films_ = sorted(file.name for file in sound.glob("film.*"))

    def take(self, name, whole=False):
        """A copy of a sound file or folder with one of its files damaged; the argument that names it."""
        target = Path("in") / name
        if (self.sound / name).is_dir():
            shutil.copytree(self.sound / name, target)
            if not (whole or self.is_sound):
                for _ in range(self.random.choice([1, 1, 1, 2])):
                    self.damage_folder(target)
        else:
            target.parent.mkdir(exist_ok=True)
            data = (self.sound / name).read_bytes()
            target.write_bytes(data if whole or self.is_sound else mutate_file(self.random, name, data))
        return str(target)

    def damage_folder(self, folder, keeps_names=False):
        """A file's content, mostly; or what lies under its name, or the name."""
        files = sorted(file for file in folder.rglob("*") if file.is_file() and not file.is_symlink())
        if not files:
            return
        file, action = self.random.choice(files), self.random.random()
        if action < 0.85 or (keeps_names and action >= 0.87):
            file.write_bytes(mutate_file(self.random, file.name, file.read_bytes()))
            return
        data = file.read_bytes()
        if action < 0.93:
            file.unlink()
        if action < 0.87:
            file.mkdir()
        elif action < 0.89:
            file.symlink_to(self.random.choice(["/etc/passwd", "nowhere", file.name, "..", "/dev/zero", "/dev/null"]))
        elif action < 0.90:
            file.write_bytes(self.random.choice([data, *(other.read_bytes() for other in files if other != file)]))
        elif action >= 0.93:
            part = self.random.choice([file, *[p for p in file.parents if folder in p.parents]])
            name = self.random.choice(TEXTS).replace("/", "\\").replace("\0", "\\")[:200]
            # Some are names that no file can have.
            with contextlib.suppress(OSError, UnicodeError, ValueError):
                part.rename(part.with_name(name or "x"))

    def networks(self):
        return [*detector(), *depth()]

    def read_capture(self, name):
        """Any command that reads a capture."""
        capture = self.take(name)
        extra = self.random.choice([[], ["--effect", "0=debugCube"], ["--tap", "4,4=smoke"], ["--usda", "--usdz"]])
        choices = [
            ["capture", "check", capture, *self.random.choice([[], ["--json"]])],
            ["run", capture, *self.networks(), *extra, "--out", "out"],
            ["run", capture, *detector(), "--out", "out"],
            ["capture", "convert", capture, "--out", "out"],
            ["place", "--detections", self.take("results/detections.json", True), "--capture", capture, *extra[:2],
             "--out", "out"] if extra[:1] != ["--usda"] else ["detect", capture, *detector(), "--out", "out"],
            ["fuse", "--relative", self.take("results/relative.npy", True), "--capture", capture, "--out", "out"],
        ]  # fmt: skip
        return self.random.choice(choices[:4] if name not in ("native", "scannerApp") else choices)

    def native(self):
        return self.read_capture("native")

    def layouts(self):
        return self.read_capture(self.random.choice(LAYOUTS))

    def sequence(self):
        capture = self.take("sequence")
        effect = self.random.choice([[], ["--effect", "0=debugCube"], ["--effect", "0=love", "--drift"]])
        detect = self.random.choice([[], ["--detect-every", "0.1s"], ["--at", "1"]])
        return self.random.choice(
            [
                ["replay", capture, "--max-speed", *effect, *detect, *self.networks(), "--out", "out"],
                ["run", capture, *self.networks(), *effect[:2], "--out", "out"],
                ["detect", capture, *detector(), "--out", "out"],
                ["capture", "check", capture],
            ]
        )

    def weights(self):
        name = self.random.choice([DETECTOR.name, DEPTH.name])
        file, picture = self.take(name), self.take("native/image.png", True)
        if name == DETECTOR.name:
            use = ["detect", picture, *detector(file), "--out", "out"]
        else:
            use = ["depth", picture, *depth(file), "--threads", "1", "--out", "out"]
        return self.random.choice(
            [use, use, use, ["inspect", "weights", file], ["inspect", "graph", file],
             ["inspect", "weights", file, "--json"], ["convert", file, "out.safetensors"]][: 6 if self.is_sound else 7]
        )  # fmt: skip

    def checkpoints(self):
        # Its network does not exist: what is sound here ends with a refusal as well.
        return ["convert", self.take("module.pt"), "out.safetensors"]

    def modules(self):
        data = NETWORK.read_bytes()
        if not self.is_sound:
            data, change, self.expected = mutate_modules(self.random, *load(NETWORK))
            Path("in/change.txt").write_text(f"{change}: {self.expected}\n", errors="backslashreplace")
        Path("in/network.pt").write_bytes(data)
        return ["convert", "in/network.pt", "out.safetensors"]

    def documents(self):
        name = self.random.choice(["detections", "objects", "simulation", "scene"])
        capture = self.take("native", True)
        if name == "simulation":
            return ["simulate", self.take("all.json"), "--out", "out.json"]
        if name == "scene":
            self.take("results", True)
            for file in ["scene.json", "summary.json", "fusion.json", "objects.json", "detections.json"]:
                if self.random.random() < 0.3:
                    Path(f"in/results/{file}").unlink()
                    self.take(f"results/{file}")
            return ["report", "in/results", "--capture", capture, "--out", "out.html"]
        detections = self.take("results/detections.json", name != "detections")
        objects = self.take("results/objects.json", name != "objects")
        compose = ["compose", "--detections", detections, "--objects", objects, "--capture", capture, "--out", "out"]
        place = ["place", "--detections", detections, "--capture", capture, "--effect", "0=debugCube", "--out", "out"]
        return self.random.choice([compose, place] if name == "detections" else [compose])

    def models(self):
        """ONNX files: run and inspected."""
        name = self.random.choice(list(MODELS))
        model, values = self.take(f"{name}.onnx"), self.take(f"{name}.npy", self.random.random() < 0.8)
        infer = ["infer", model, "--input", f"x={values}", "--out", "out"]
        return self.random.choice([infer, infer, ["inspect", model], ["inspect", model, "--json"]])

    def plans(self):
        plan, picture = self.take("plan.json"), self.take("native/image.png", True)
        return self.random.choice(
            [["detect", picture, *detector(), "--plan", plan, "--out", "out"],
             ["inspect", "plan", str(DETECTOR), "--size", "32x32", "--plan", plan]]
        )  # fmt: skip

    def references(self):
        reference = self.random.choice(["trace.npz", "trace.safetensors", "results/relative.npy"])
        if reference == "results/relative.npy":
            capture = self.take("native", True)
            return ["fuse", "--relative", self.take(reference), "--capture", capture, "--out", "out"]
        return ["verify", "--weights", str(DEPTH), "--reference", self.take(reference), "--threads", "1",
                *self.random.choice([[], ["--json"], ["--out", "out"]])]  # fmt: skip

    def archives(self):
        archive = self.take(self.random.choice(["recorded.zip"] * (1 if self.is_sound else 3) + self.other_archives()))
        return self.random.choice(
            [["capture", "check", archive], ["run", archive, *self.networks(), "--out", "out"],
             ["capture", "convert", archive, "--out", "out"]]
        )  # fmt: skip

    def other_archives(self):
        """Other captures, which are no recorded clips and are refused."""
        return [] if self.is_sound else ["native.zip", "sequence.zip", "clip.zip"]

    def pictures_(self):
        picture = self.take(self.random.choice(self.pictures))
        return self.random.choice(
            [["detect", picture, *detector(), "--out", "out"], ["run", picture, *self.networks(), "--out", "out"],
             ["depth", picture, *depth(), "--threads", "1", "--out", "out"]]
        )  # fmt: skip

    def films(self):
        """Films of every kind that ffmpeg has made, damaged in their bytes; photographs with more after them."""
        film = self.take(self.random.choice(self.films_), self.is_sound)
        if not self.is_sound and self.random.random() < 0.2:
            renamed = Path(film).with_suffix(self.random.choice([".mp4", ".mkv", ".jpg", ".avi", ""]))
            Path(film).rename(renamed)
            film = str(renamed)
        return self.random.choice(
            [["detect", film, *detector(), "--out", "out"], ["detect", film, *detector(), "--out", "-"],
             ["depth", film, *depth(), "--threads", "1", "--out", "out"],
             ["run", film, *self.networks(), "--out", "out"]]
        )  # fmt: skip

    def results(self):
        capture = self.take("sequence", True)
        shutil.copytree(self.sound / "batch", "out")
        if not self.is_sound:
            self.damage_folder(Path("out"), keeps_names=True)
        return ["run", capture, *self.networks(), "--resume", "--out", "out"]

    def jobs(self):
        """Parts, event logs and lists: read, put together and gone on with."""
        capture, list_ = self.take("sequence", True), self.take("list.txt")
        keep = [*detector(), "--keep", "masks"]
        action = self.random.random()
        if action < 0.25:
            self.take("native", True)
            return ["run", "--from", list_, *keep, "--max-errors", "2", "--out", "out"]
        if action < 0.5:
            shutil.copytree(self.sound / "job", "out")
            if not self.is_sound:
                self.damage_folder(Path("out"), keeps_names=True)
            return ["run", capture, *keep, "--shard", "1/2", "--resume", "--out", "out"]
        job = self.take("job")
        partial = [[], ["--partial"], ["--partial", "--settings", "0"]]
        return self.random.choice(
            [["status", job], ["status", job, "--json"], ["merge", job, "--out", "out.jsonl"]]
            + [["merge", job, "--from", list_, *self.random.choice(partial), "--out", "out.jsonl"]] * (not self.is_sound)
        )  # fmt: skip

    def variables(self):
        """Sound files, and odd values of what is read of the environment."""
        capture, job = self.take("sequence", True), self.take("job", True)
        shard = ["--shard", f"auto/{self.random.choice([1, 2, 3, 100_000])}"]
        arrays = [name for name in VARIABLES if name.endswith(("_ID", "INDEX", "_SEQ"))]
        used = self.random.choice(arrays)
        if self.is_sound:
            self.environment = {used: "1"}
            return ["run", capture, *detector(), "--shard", "auto/3", "--out", "out"]
        for name in {used, *self.random.sample(VARIABLES, self.random.choice([0, 1, 3]))}:
            value = self.random.choice(self.random.choice([NUMBERS, TEXTS, PATHS]))
            self.environment[name] = value.replace("\0", "").encode(errors="replace").decode()[:100_000]
        return self.random.choice(
            [["run", capture, *detector(), *shard, "--out", "out"],
             ["run", capture, *detector(), *shard, "--keep", "records", "--out", "out"],
             ["detect", capture, *detector()[:-2], "--out", "out"], ["status", job], ["inspect", "cpu"],
             ["inspect", "kernels"], ["weights", "list"], ["run", "--help"], ["--help"], ["nothing"]]
        )  # fmt: skip

    def arguments(self):
        for name in ["native", "sequence", "results", "plan.json", "all.json", "trace.npz", "module.pt"]:
            self.take(name, True)
        Path("bystander").write_text("not ours")
        return mutate_arguments(self.random, self.options, str(DETECTOR), str(DEPTH), self.is_sound)


#: Every class with its share of the runs.
CLASSES = {
    "native": (Case.native, 22), "layouts": (Case.layouts, 20), "sequence": (Case.sequence, 10),
    "weights": (Case.weights, 8), "checkpoints": (Case.checkpoints, 5), "documents": (Case.documents, 9),
    "plans": (Case.plans, 4), "references": (Case.references, 4), "archives": (Case.archives, 6),
    "pictures": (Case.pictures_, 4), "films": (Case.films, 4), "results": (Case.results, 3),
    "arguments": (Case.arguments, 5), "jobs": (Case.jobs, 8), "environment": (Case.variables, 5), "models": (Case.models, 8),
}  # fmt: skip
if NETWORK.exists():
    CLASSES["modules"] = (Case.modules, 3)
