"""Programs that `ardf` has started, pipes where files are meant, and what killed jobs leave."""

import os
import signal
import subprocess
import time

from .commands import GOLDENS, NETWORKS

#: Seconds after which something that should have ended by itself is taken to wait for ever.
PATIENCE = 60
#: A program that gives a picture and then nothing, as ffmpeg does on a camera that has stalled.
SILENT = "#!/bin/sh\necho $$ >\"$PIDFILE\"\nprintf 'P6\\n4 4\\n255\\n'\nhead -c 48 /dev/zero\nexec sleep 600\n"


def is_running(number):
    try:
        with open(f"/proc/{number}/stat") as file:
            return file.read().rsplit(")", 1)[1].split()[0] not in "ZX"
    except OSError:
        return False


def wait_for(condition):
    end = time.monotonic() + PATIENCE
    while not condition():
        if time.monotonic() > end:
            return False
        time.sleep(0.01)
    return True


def children(place, count, generator, failures):
    """Sends signals to commands that read from a silent program: none may outlive them, nor leave a file."""
    folder = place.folder.parent / "children"
    (folder / "bin").mkdir(parents=True)
    (folder / "scratch").mkdir()
    (folder / "bin/ffmpeg").write_text(SILENT)
    (folder / "bin/ffmpeg").chmod(0o755)
    (folder / "clip.mp4").write_text("a film")
    pid = folder / "pid"
    environment = place.environment | {
        "PATH": f"{folder}/bin:{os.environ['PATH']}", "TMPDIR": str(folder / "scratch"), "PIDFILE": str(pid)
    }  # fmt: skip
    for index in range(count):
        number = [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGKILL][index % 4]
        command = [["detect", "clip.mp4", *NETWORKS[:8]], ["depth", "clip.mp4", *NETWORKS[8:]]][index // 4 % 2]
        pid.unlink(missing_ok=True)
        process = subprocess.Popen(
            [place.ardf, *command, "--out", "-"], cwd=folder, env=environment, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )  # fmt: skip
        if not wait_for(lambda: pid.exists() and pid.read_text().endswith("\n")):
            failures.append(f"children: {command[0]} has not started its program")
            process.kill()
            process.wait()
            continue
        time.sleep(generator.uniform(0, 0.2))
        process.send_signal(number)
        process.wait(timeout=PATIENCE)
        child = int(pid.read_text())
        if not wait_for(lambda child=child: not is_running(child)):
            failures.append(f"children: signal {number} to {command[0]}: its program still runs")
            os.kill(child, signal.SIGKILL)
        if left := os.listdir(folder / "scratch"):
            failures.append(f"children: signal {number} to {command[0]} left {left}")
    return count


def pipes(place, failures):
    """Gives every command a named pipe for each of its files: it says at once that a pipe is not a file."""
    folder = place.folder
    os.mkfifo(folder / "fifo")
    detector, depth, pipe = str(GOLDENS / "yolo11-tiny-n.safetensors"), str(GOLDENS / "depth-tiny.safetensors"), "fifo"
    picture, capture = "capture/image.png", "capture"
    commands = [
        ["detect", picture, "--yolo", pipe], ["depth", picture, "--depth", pipe],
        ["detect", picture, "--yolo", detector, "--plan", pipe],
        ["run", "--from", pipe, "--keep", "records", *NETWORKS], ["merge", capture, "--from", pipe],
        ["run", picture, *NETWORKS, "--intrinsics", pipe],
        ["run", picture, *NETWORKS, "--depth-map", pipe, "--intrinsics", "9,9,9,9"],
        ["fuse", "--relative", pipe, "--capture", capture], ["fuse", "--relative", "relative.npy", "--capture", pipe],
        ["compose", "--detections", pipe, "--capture", capture], ["place", "--detections", pipe, "--capture", capture],
        ["compose", "--detections", "detections.json", "--objects", pipe, "--capture", capture],
        ["convert", pipe, "none.safetensors"], ["inspect", "weights", pipe], ["inspect", "plan", pipe],
        ["verify", "--weights", detector, "--reference", pipe], ["trace", "--weights", depth, "--input", pipe],
        ["quantize", detector, "--calibrate", pipe], ["simulate", pipe], ["status", pipe], ["capture", "check", pipe],
        ["evaluate", pipe, "--weights", detector], ["serve", "--models", pipe],
    ]  # fmt: skip
    for arguments in commands:
        writes = arguments[0] not in ("convert", "inspect", "status", "capture", "evaluate", "serve")
        out = ["--out", "none.safetensors"] if writes else []
        try:
            run = subprocess.run(
                [place.ardf, *arguments, *out], cwd=folder, env=place.environment, stdin=subprocess.DEVNULL,
                capture_output=True, timeout=PATIENCE,
            )  # fmt: skip
            if run.returncode not in (64, 65, 66):
                failures.append(f"pipes: {' '.join(arguments)} ended with {run.returncode}: {run.stderr.decode()}")
        except subprocess.TimeoutExpired:
            failures.append(f"pipes: {' '.join(arguments)} waits for ever")
    (folder / "fifo").unlink()
    return len(commands)


def jobs(place, count, generator, failures):
    """Kills jobs that keep frames' folders; the next run of each leaves nothing of theirs."""
    folder = place.folder.parent / "jobs"
    folder.mkdir()
    (folder / "list").write_text("".join(f"{place.folder}/scans/{name}\n" for name in "abc"))
    command = [place.ardf, "run", "--from", "list", "--keep", "all", "--out", "job", "--resume", *NETWORKS]
    start = time.monotonic()
    subprocess.run(command, cwd=folder, env=place.environment, check=True, capture_output=True)
    length = time.monotonic() - start
    for _ in range(count):
        subprocess.run(["rm", "-rf", "job"], cwd=folder, check=True)
        process = subprocess.Popen(
            command, cwd=folder, env=place.environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        time.sleep(generator.uniform(0.2, 1) * length)
        process.kill()
        process.wait()
        subprocess.run(command, cwd=folder, env=place.environment, check=True, capture_output=True)
        if left := [str(path) for path in folder.rglob(".*.partial*")]:
            failures.append(f"jobs: the next run left {left}")
    return count
