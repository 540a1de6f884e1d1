#!/usr/bin/env python3
"""Runs every example of every `--help`, of README.md and of docs/, exactly as printed, in a folder that holds what the
examples speak of: CAPTURE, RESULTS and other such names are links there.

    python tools/docs/check-help.py --ardf .build/release/ardf --checkpoint yolo11n-seg.pt --depth weights/*.safetensors

Each verb and each page has a folder of its own, its examples run there in order, and each must end with 0 and leave
what its --out names; what a page's example writes may be there from the one before. Examples of `serve` are asked for
their page and interrupted. Needs NumPy and Pillow, and ffmpeg, jq and PyTorch for the examples that do. With `--python`
the lines of guides and reference that begin with `python` are run too, by that interpreter, from a folder in which
`tools` lies as in a clone: `make check-guides`. Ends with 1 where an example fails.
"""

import argparse
import ctypes.util
import json
import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from oracles.protocol_buffers import message, number

SCRIPT = {"schema": "ardf.simulation/1", "duration": 0.2, "render": {"service": [0.04]}}
SCRIPT["arrivals"] = {"framesPerSecond": 60}
FRAMES = 3
#: What examples name and may be missing.
NOT_AT_HAND = (
    *("depth_anything_v2_vits.pth", "depth_anything_v2_metric_hypersim_vits.pth"),
    *("metric-indoor", "recording", "weights get", "/dev/video0", "rtsp://"),
    *("weights/depth_anything_v2_vits.safetensors", "n-faulty.safetensors", "best.safetensors", "--frame 00030"),
    *("hf/model.safetensors", "IMG_0001.HEIC", "prompted.safetensors", "yolo26s-seg.safetensors", "45261179"),
    *("yolo11n-pose.pt", "yolo11n-obb.pt"),
)
#: Scripts that take more than the prepared folder, and what runs them.
ELSEWHERE = {
    "bench-peers.py": "make peers",
    **dict.fromkeys(("check-evaluate.py", "compare-detections.py", "compare-tasks.py"), "make check-references"),
}
ROOT = Path(__file__).resolve().parents[2]


def verbs(command, path=()):
    """`(verb, examples)` of the tree that `--experimental-dump-help` describes."""
    path = (*path, command["commandName"])
    if command["commandName"] == "help" or command.get("shouldDisplay") is False:
        return
    lines = re.sub(r"\\\n +", "", command.get("discussion") or "").split("\n")
    examples = [line.strip() for line in lines if re.match(r"  (ardf|env|cat) ", line)]
    yield " ".join(path), examples
    for child in command.get("subcommands", []):
        yield from verbs(child, path)


def pages(known, python=None):
    """`(page, examples)` of README.md and docs/: the lines of its code that run one of the `known` verbs, or `python`."""
    for page in [ROOT / "README.md", *sorted((ROOT / "docs").rglob("*.md"))]:
        examples = []
        for block in re.findall(r"```\w*\n(.*?)```", page.read_text(), re.DOTALL):
            for line in re.sub(r"\\\n\s*", "", block).split("\n"):
                match = re.match(r"(?:\$ )?(ardf (\w+).*)", line)
                if match and match[2] in known:
                    examples.append(match[1].strip())
                elif python and page.parent.name in ("guides", "reference") and line.startswith("python "):
                    examples.append(line.strip())
        if examples:
            yield page.relative_to(ROOT).as_posix().replace("/", "-"), examples


class Place:
    """A folder of everything that examples need, and the shell that runs them there."""

    def __init__(self, folder, arguments):
        self.folder, self.ardf = folder, Path(arguments.ardf).resolve()
        # Not a link: an interpreter finds its environment from where it lies.
        python = [str(Path(arguments.python).absolute().parent)] if arguments.python else []
        self.python = str(Path(arguments.python).absolute()) if arguments.python else sys.executable
        self.path = ":".join([*python, os.environ["PATH"]])
        self.environment = {**os.environ, "PATH": f"{folder}/bin:{self.path}"}
        for name in ("bin", "weights", "pictures", "hf"):
            (folder / name).mkdir()
        (folder / "tools").symlink_to(ROOT / "tools")
        (folder / "bin/ardf").symlink_to(self.ardf)
        shutil.copy(arguments.checkpoint, folder / "yolo11n-seg.pt")
        shutil.copy(arguments.depth, folder / "weights/dav2s-ardf-fp16.safetensors")
        if arguments.published:
            shutil.copy(arguments.published, folder / "depth_anything_v2_vits.pth")
        self.must("ardf convert yolo11n-seg.pt weights/yolo11n-seg.safetensors")
        self.must(f"ardf capture convert {Path(arguments.capture).resolve()} --out all-frames")
        frames = sorted((folder / "all-frames").glob("[0-9]*.json"))
        for name, chosen in (("scan", frames[:2]), ("scans", frames[:FRAMES]), ("one", frames[:1])):
            (folder / name).mkdir()
            for frame in chosen:
                shutil.copy(frame, folder / name)
                for key in ("image", "depth", "confidence"):
                    shutil.copy(folder / "all-frames" / json.loads(frame.read_text())[key], folder / name)
        first = json.loads(frames[0].read_text())
        for target in ("bus.jpg", "photo.jpg", "drone.jpg", "pictures/one.jpg"):
            shutil.copy(folder / "all-frames" / first["image"], folder / target)
        # One frame of a robot.
        shutil.copy(ROOT / "Fuzz/Captures/rosBag/bag.mcap", folder / "robot.mcap")
        # What a phone hands over, and settings of a tracker.
        shutil.copy(ROOT / "Tests/AppCoreTests/Goldens/lidar.r3d", folder / "scan.r3d")
        if ctypes.util.find_library("heif"):
            shutil.copy(ROOT / "Tests/ImagingTests/Goldens/phone_parts.heic", folder / "IMG_0001.HEIC")
        (folder / "shop.yaml").write_text("tracker_type: botsort\ntrack_buffer: 60\ngmc_method: sparseOptFlow\n")
        self.depth_map(folder / "all-frames" / first["depth"])
        # What pages call scans are captures beside each other.
        (folder / "captures").mkdir()
        shutil.copytree(folder / "scan", folder / "captures/hall")
        shutil.copytree(folder / "one", folder / "captures/door")
        self.camera(first, folder / "all-frames")
        (folder / "script.json").write_text(json.dumps(SCRIPT))
        weights = "weights/yolo11n-seg.safetensors"
        self.must(f"ardf trace --weights {weights} --input bus.jpg --out reference.safetensors")
        self.must("ardf detect scan --frame 0 --out objects")
        self.labels()
        self.must("ardf run scan --frame 0 --out results")
        (folder / "relative").mkdir()
        shutil.copy(folder / "results/relative.npy", folder / "relative")
        for name, target in (
            *(("W", weights), ("R.safetensors", "reference.safetensors"), ("SCRIPT", "script.json")),
            *(("RESULTS", "results"), ("CLIP", "scan"), ("best.pt", "yolo11n-seg.pt"), ("CAPTURE", "one")),
            *(("n.safetensors", weights), ("n.ref.safetensors", "reference.safetensors")),
        ):
            (folder / name).symlink_to(target)
        self.must("ardf fuse --relative relative/relative.npy --capture scan --frame 0 --out fused")
        self.must("ardf place --detections objects/detections.json --capture scan --frame 0 --out placed")
        self.others()
        self.model()
        if shutil.which("ffmpeg"):
            self.recording(first)
            self.must("ffmpeg -v error -loop 1 -i bus.jpg -t 0.5 -r 4 -vf scale=640:-2 clip.mp4")

    def others(self):
        """Several pictures, a list with the parts made of it, and networks of other tasks, of random weights."""
        from PIL import Image

        # The frames of the capture lie on their side.
        picture = Image.open(self.folder / "bus.jpg").transpose(Image.Transpose.ROTATE_270)
        for index in range(1, 5):
            picture.crop((16 * index, 0, *picture.size)).save(self.folder / f"pictures/{index}.jpg", quality=95)
        shutil.copy(self.folder / "bus.jpg", self.folder / "street.jpg")
        (self.folder / "tiles").mkdir()
        shutil.copy(self.folder / "bus.jpg", self.folder / "tiles/1.jpg")
        (self.folder / "photos.txt").write_text("photo.jpg\nbus.jpg\n")
        self.must("ardf run --from photos.txt --shard 1/1 --keep records --out job")
        links = {
            "LABELED": "labeled",
            "PICTURES": "pictures",
            "yolo11n-seg.safetensors": "weights/yolo11n-seg.safetensors",
        }
        for name, target in links.items():
            (self.folder / name).symlink_to(target)
        # Whose name says less than its file holds.
        (self.folder / "weights/yolo11n.safetensors").symlink_to("yolo11n-seg.safetensors")
        # With PyTorch alone; without it their examples are left out, and named.
        if subprocess.run([self.python, "-c", "import torch"], stderr=subprocess.DEVNULL).returncode == 0:
            for name in ("yolo11n-pose", "yolo11n-obb"):
                tool = ROOT / "tools/reference/make-random-checkpoint.py"
                self.must(f"{self.python} {tool} {name} --out {name}.pt")

    def model(self):
        """An ONNX file of one node, values for it, and what it makes of them."""
        import numpy as np

        shape = [1, 3, 224, 224]

        def write(path, first):
            sides = [message(1, first), *(message(1, number(1, side)) for side in shape[1:])]
            kind = message(1, number(1, 1) + message(2, b"".join(sides)))
            node = message(1, "pixels") + message(2, "y") + message(3, "only") + message(4, "Relu")
            ports = (message(at, message(1, name) + message(2, kind)) for at, name in ((11, "pixels"), (12, "y")))
            graph = message(1, node) + message(2, "one") + b"".join(ports)
            path.write_bytes(number(1, 8) + message(7, graph) + message(8, number(2, 18)))

        write(self.folder / "model.onnx", number(1, 1))
        write(self.folder / "dynamic.onnx", message(2, "batch"))
        picture = np.linspace(-1, 1, 3 * 224 * 224, dtype=np.float32).reshape(shape)
        values = {"pixels": picture, "y": np.maximum(picture, 0)}
        np.save(self.folder / "picture.npy", picture)
        np.savez(self.folder / "recorded.npz", **values)
        # ONNX's own layout of test data.
        case = self.folder / "FOLDER/test_data_set_0"
        case.mkdir(parents=True)
        for name, tensor in zip(("input_0", "output_0"), values.values(), strict=True):
            axes = b"".join(number(1, side) for side in shape)
            (case / f"{name}.pb").write_bytes(axes + number(2, 1) + message(9, tensor.tobytes()))

    def labels(self):
        """A picture with what is found in it as labels, in both layouts."""
        for part in ("images", "labels"):
            (self.folder / "labeled" / part).mkdir(parents=True)
        shutil.copy(self.folder / "bus.jpg", self.folder / "labeled/images/1.jpg")
        self.must("ardf detect labeled/images/1.jpg --conf 0.01 --max-det 5 --out for-labels")
        found = json.loads((self.folder / "for-labels/detections.json").read_text())
        width, height = found["imageSize"]
        lines, annotations, categories = [], [], {}
        for index, detection in enumerate(found["detections"]):
            x, y, across, down = (detection["box"][key] for key in ("x", "y", "width", "height"))
            corners = [x, y, x + across, y, x + across, y + down, x, y + down]
            shares = " ".join(f"{value / (height if at % 2 else width):.6f}" for at, value in enumerate(corners))
            lines.append(f"{detection['classId']} {shares}\n")
            entry = {"id": index + 1, "image_id": 1, "category_id": detection["classId"], "bbox": [x, y, across, down]}
            annotations.append({**entry, "segmentation": [corners]})
            categories[detection["classId"]] = detection["className"]
        (self.folder / "labeled/labels/1.txt").write_text("".join(lines))
        document = {"images": [{"id": 1, "file_name": "1.jpg", "width": width, "height": height}]}
        document["annotations"] = annotations
        document["categories"] = [{"id": number, "name": name} for number, name in categories.items()]
        (self.folder / "labeled/instances.json").write_text(json.dumps(document))

    def depth_map(self, depth):
        """The LiDAR's depth as photo-depth.png."""
        if depth.suffix == ".png":
            shutil.copy(depth, self.folder / "photo-depth.png")
        else:
            # The example names a PNG, and `run` writes one of any depth.
            self.must("ardf run scan --frame 0 --out for-depth")
            shutil.copy(self.folder / "for-depth/metric.png", self.folder / "photo-depth.png")

    def camera(self, frame, frames):
        """Folders of pictures and of their depths, with the camera in a file, as depth cameras leave them."""
        (self.folder / "color").mkdir()
        (self.folder / "depth").mkdir()
        shutil.copy(frames / frame["image"], self.folder / "color/000000.jpg")
        shutil.copy(self.folder / "photo-depth.png", self.folder / "depth/000000.png")
        fx, _, _, _, fy, _, cx, cy, _ = frame["intrinsics"]
        width, height = frame["imageSize"]
        camera = {"fx": fx, "fy": fy, "ppx": cx, "ppy": cy, "width": width, "height": height}
        (self.folder / "camera.json").write_text(json.dumps(camera))

    def recording(self, frame):
        """A Stray Scanner export whose pictures are still in the video."""
        folder = self.folder / "recording"
        (folder / "depth").mkdir(parents=True)
        (folder / "confidence").mkdir()
        fx, _, _, _, fy, _, cx, cy, _ = frame["intrinsics"]
        (folder / "camera_matrix.csv").write_text(f"{fx},0,{cx}\n0,{fy},{cy}\n0,0,1\n")
        lines = ["timestamp, frame, x, y, z, qx, qy, qz, qw"]
        for index in range(2):
            lines.append(f"{index / 30}, {index:06}, 0, 0, 0, 0, 0, 0, 1")
            shutil.copy(self.folder / "photo-depth.png", folder / f"depth/{index:06}.png")
        (folder / "odometry.csv").write_text("\n".join(lines) + "\n")
        width, height = frame["imageSize"]
        video = f"ffmpeg -v error -f lavfi -i testsrc=size={width}x{height}:rate=30 -frames:v 2 recording/rgb.mp4"
        self.must(video)

    def run(self, line):
        """Runs a line, where a scheduler gives the shard once for each; its status and messages."""
        shards = re.search(r"--shard auto/(\d+)", line)
        for task in range(int(shards[1]) if shards else 0):
            status, messages = self.started(line, {**self.environment, "SLURM_ARRAY_TASK_ID": str(task)})
            if status:
                return status, messages
        return (0, "") if shards else self.started(line, self.environment)

    def started(self, line, environment):
        done = subprocess.run(
            ["bash", "-o", "pipefail", "-c", line],
            cwd=self.folder,
            env=environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
        )
        return done.returncode, done.stderr

    def must(self, line):
        status, messages = self.run(line)
        if status:
            raise SystemExit(f"{line}: {status}: {messages}")

    def serve(self, line):
        """Starts the service, asks for its page, and interrupts it; as `run`."""
        service = subprocess.Popen(
            line.partition("#")[0].split(),
            cwd=self.folder,
            env=self.environment,
            text=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
        )
        said, page = "", ""
        # A token in the address is answered with a cookie.
        asked = urllib.request.build_opener(urllib.request.HTTPCookieProcessor())
        try:
            while not page and (text := service.stdout.readline()):
                said += text
                if not (address := re.search(r"http://[^\s/]+:\d+\S*", text)):
                    continue
                if "/v1/vision/" in address[0]:
                    post = ["curl", "-sS", "-F", f"image=@{self.folder / 'bus.jpg'}", address[0]]
                    page = subprocess.run(post, capture_output=True, text=True, check=False).stdout
                else:
                    page = asked.open(address[0]).read().decode()
        finally:
            service.send_signal(signal.SIGINT)
            service.wait()
        answers = ("</html>", '"name":"ardf"', '"success":true')
        fine = any(answer in page for answer in answers) and service.returncode in (0, 130)
        return (0, said) if fine else (service.returncode or 1, said)


def named_outputs(line):
    """The files that an example names as its outputs."""
    names = re.findall(r"--out (\S+)", line) + re.findall(r"> (\S+)", line)
    if match := re.match(r"ardf convert \S+ (\S+)", line):
        names.append(match[1])
    return [name for name in names if name != "-"]


def remove(target):
    """Removes a file, a folder or a link, whatever there is."""
    if target.is_dir() and not target.is_symlink():
        shutil.rmtree(target)
    else:
        target.unlink(missing_ok=True)


def check(verb, examples, prepared, work, apart=False):
    """How many examples of a verb or a page fail.

    `apart`: each begins without what it writes, which one before may have left.
    """
    folder = work / verb.replace(" ", "-")
    # Links are enough: commands replace files, they don't write into them.
    shutil.copytree(prepared.folder, folder, symlinks=True, copy_function=os.link)
    place = object.__new__(Place)
    place.folder = folder
    place.environment = {**prepared.environment, "PATH": f"{folder}/bin:{prepared.path}"}
    failures = 0
    if apart:
        remove(folder / "scans")
        (folder / "captures").rename(folder / "scans")
    for name in {name for line in examples if "--force" not in line for name in named_outputs(line)}:
        remove(folder / name)
    for line in examples:
        if other := next((ELSEWHERE[name] for name in ELSEWHERE if name in line), None):
            print(f"--   {line}: {other} runs it")
            continue
        needs = next((name for name in NOT_AT_HAND if name in line), None)
        if needs and not line.startswith("python ") and not (folder / needs).exists():
            print(f"--   {line}: needs {needs}")
            continue
        if apart and "--resume" not in line and "--force" not in line:
            for name in named_outputs(line):
                remove(folder / name)
        begin = time.monotonic()
        status, messages = place.serve(line) if line.startswith("ardf serve") else place.run(line)
        # 1 says that this run was slower than the one before, which is the machine's affair.
        status = 0 if status == 1 and "--compare" in line else status
        missing = [name for name in named_outputs(line) if not (folder / name).exists()]
        failures += bool(status or missing)
        print(f"{'FAIL' if status or missing else 'ok  '} {line} ({time.monotonic() - begin:.1f} s)", flush=True)
        if status or missing:
            print(f"     status {status}, not written: {missing}; {messages.strip()}")
    shutil.rmtree(folder)
    return failures


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--checkpoint", required=True, help="yolo11n-seg.pt")
    parser.add_argument("--depth", required=True, help="weights of the depth network")
    parser.add_argument("--published", help="depth_anything_v2_vits.pth, for the example that converts it")
    parser.add_argument("--capture", required=True, help="a capture of some frames")
    parser.add_argument("--only", help="only verbs and pages of which the name holds this")
    parser.add_argument("--python", help="an interpreter with the frameworks, for the lines of guides that begin so")
    arguments = parser.parse_args()
    dump = subprocess.run([arguments.ardf, "--experimental-dump-help"], stdout=subprocess.PIPE, check=True).stdout
    failures = count = 0
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        (work / "prepared").mkdir()
        prepared = Place(work / "prepared", arguments)
        helped = list(verbs(json.loads(dump)["command"]))
        known = {verb.split()[1] for verb, _ in helped if " " in verb}
        for apart, found in ((False, helped), (True, list(pages(known, arguments.python)))):
            for verb, examples in found:
                if not arguments.only or arguments.only in verb:
                    failures += check(verb, examples, prepared, work, apart)
                    count += len(examples)
    print(f"{count} examples, {failures} failed")
    sys.exit(bool(failures))


if __name__ == "__main__":
    main()
