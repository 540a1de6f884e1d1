#!/usr/bin/env python3
"""Runs a list of captures as an array on a real Slurm cluster and disturbs it: is nothing lost, and nothing done twice?

    tools/check/check-slurm.py [--ardf .build/release/ardf] [--captures 200] [--keep-folder DIR]

Starts a cluster of two nodes on this machine (tools/check/slurm-cluster) and submits Examples/Jobs/slurm.sbatch as
eight shards. While they work, one process is killed with SIGKILL, one task is requeued, one is preempted by a job of a
higher partition, and one node is drained. Then the merged parts must be the bytes of a single run's, every exit code as
docs/guides/scale.md says, and the frames whose networks ran more than once no more than those that were in work when a
process was ended. Two of the captures are no pictures. Needs root, and Debian's slurm-wlm and munge.
"""

import argparse
import json
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from jobs.captures import NETWORKS, Checks, records, write_captures

ROOT = Path(__file__).resolve().parents[2]
SHARDS = 8


class Cluster:
    """The array as Slurm sees it."""

    def __init__(self, place: Path, environment: dict[str, str]):
        self.place = place
        self.environment = environment
        self.job = ""

    def call(self, *words: str) -> str:
        done = subprocess.run(words, env=self.environment, capture_output=True, text=True, cwd=self.place)
        if done.returncode != 0:
            raise SystemExit(f"check-slurm: {' '.join(words)}: {done.stderr.strip()}")
        return done.stdout.strip()

    def running(self) -> dict[int, str]:
        """The nodes of the tasks that run, by task."""
        lines = self.call("squeue", "-h", "-p", "main", "-t", "R", "-o", "%a|%K|%N", "--array").splitlines()
        return {int(task): node for _, task, node in (line.split("|") for line in lines) if task.isdigit()}

    def waits(self) -> bool:
        return bool(self.call("squeue", "-h", "-p", "main", "-o", "%i"))

    def state(self, task: int) -> dict[str, str]:
        text = self.call("scontrol", "show", "job", "-o", f"{self.job}_{task}").splitlines()[-1]
        return dict(word.split("=", 1) for word in text.split() if "=" in word)

    def part(self, task: int) -> Path:
        return self.place / "job" / f"part-{task + 1:05}-of-{SHARDS:05}.jsonl"

    def await_busy(self, enough: int, size: int, others: set[int]) -> tuple[int, str]:
        """A task in the middle of its work, and its node; none of `others`."""
        deadline = time.monotonic() + 300
        while time.monotonic() < deadline:
            for task, node in self.running().items():
                if task not in others and enough <= records(self.part(task)) < size - 3:
                    return task, node
            if not self.waits():
                break
            time.sleep(0.02)
        raise SystemExit("check-slurm: no task was seen in the middle of its work; give more --captures")


def process_of(task: int, job_folder: Path) -> int:
    """The `ardf` of a task."""
    for entry in Path("/proc").iterdir():
        if not entry.name.isdigit():
            continue
        try:
            words = (entry / "cmdline").read_bytes().split(b"\0")
            variables = (entry / "environ").read_bytes().split(b"\0")
        except OSError:
            continue
        is_ardf = words[0].endswith(b"ardf") and b"run" in words and str(job_folder).encode() in words
        if is_ardf and f"SLURM_ARRAY_TASK_ID={task}".encode() in variables:
            return int(entry.name)
    raise SystemExit(f"check-slurm: task {task} has no process of ardf")


def disturb(cluster: Cluster, size: int) -> list[str]:
    """Kills, requeues, preempts and drains; says what was done, and to which tasks."""
    done = []
    touched: set[int] = set()
    for number, action in enumerate(["kill", "requeue", "preempt", "drain"]):
        enough = 3 + number
        task, node = cluster.await_busy(enough, size, touched)
        have = records(cluster.part(task))
        if action == "kill":
            os.kill(process_of(task, cluster.place / "job"), signal.SIGKILL)
        elif action == "requeue":
            cluster.call("scontrol", "requeue", f"{cluster.job}_{task}")
        elif action == "preempt":
            cluster.call("sbatch", "-p", "urgent", "-w", node, "-o", "/dev/null", "--wrap", "sleep 2")
        else:
            cluster.call("scontrol", "update", f"nodename={node}", "state=drain", "reason=test")
        touched.add(task)
        done.append(f"{action} task {task} on {node} at {have} records")
        print(f"check-slurm: {done[-1]}", file=sys.stderr)
    return done


def repeats(job: Path) -> tuple[int, int, int]:
    """Frames whose networks were started more than once, those whose first start had come to its end, processes."""
    again = finished_before = processes = 0
    for log in job.glob("events-*.jsonl"):
        starts: Counter[str] = Counter()
        ended: set[str] = set()
        for line in log.read_text().splitlines():
            event = json.loads(line)
            processes += event["event"] == "began"
            if event["event"] == "started":
                if starts[event["at"]]:
                    again += 1
                    finished_before += event["at"] in ended
                starts[event["at"]] += 1
            elif event["event"] == "done":
                ended.add(event["at"])
    return again, finished_before, processes


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ardf", type=Path, default=ROOT / ".build/release/ardf")
    options.add_argument("--captures", type=int, default=200)
    options.add_argument("--keep-folder", type=Path)
    given = options.parse_args()
    ardf = given.ardf.resolve()
    place = given.keep_folder or Path(tempfile.mkdtemp(prefix="ardf-slurm-"))
    place.mkdir(parents=True, exist_ok=True)
    manifest = write_captures(place, given.captures)

    print("check-slurm: one run of all", file=sys.stderr)
    start = time.monotonic()
    run = [str(ardf), "run", "--from", str(manifest), "--keep", "records", "--max-errors", "2", "--threads", "1"]
    single = subprocess.run([*run, "--out", str(place / "single"), *NETWORKS], capture_output=True, text=True)
    if single.returncode != 0:
        raise SystemExit(f"check-slurm: the single run ended with {single.returncode}: {single.stderr}")
    seconds = time.monotonic() - start
    merge = [str(ardf), "merge", "--from", str(manifest), "--out"]
    subprocess.run([*merge, str(place / "single.jsonl"), str(place / "single")], check=True, capture_output=True)

    subprocess.run(
        [ROOT / "tools/check/slurm-cluster", "start", place / "slurm"], check=True, stdout=subprocess.DEVNULL
    )
    environment = {
        **os.environ, "SLURM_CONF": str(place / "slurm/slurm.conf"), "LIST": str(manifest), "JOB": str(place / "job"),
        "ARDF": str(ardf), "SHARDS": str(SHARDS), "MAX_ERRORS": "2",
    }  # fmt: skip
    cluster = Cluster(place, environment)
    try:
        script = str(ROOT / "Examples/Jobs/slurm.sbatch")
        cluster.job = cluster.call(
            "sbatch", "--parsable", f"--array=0-{SHARDS - 1}", "--cpus-per-task=1", "--mem-per-cpu=0", script, *NETWORKS
        )
        done = disturb(cluster, given.captures // SHARDS)
        time.sleep(1)
        while cluster.waits():
            states = cluster.call("sinfo", "-h", "-N", "-p", "main", "-o", "%N %t")
            drained = [line.split()[0] for line in states.splitlines() if line.endswith("drain")]
            # The work continues on other nodes until one task is left.
            if drained and len(cluster.call("squeue", "-h", "-p", "main", "-o", "%i", "--array").splitlines()) <= 2:
                cluster.call("scontrol", "update", f"nodename={drained[0]}", "state=resume")
            time.sleep(0.5)
        codes = [cluster.state(task)["ExitCode"] for task in range(SHARDS)]
        restarts = sum(int(cluster.state(task)["Restarts"]) for task in range(SHARDS))
    finally:
        subprocess.run([ROOT / "tools/check/slurm-cluster", "stop", place / "slurm"])

    checks = Checks("check-slurm")
    merged = subprocess.run([*merge, str(place / "merged.jsonl"), str(place / "job")], capture_output=True, text=True)
    checks.that(merged.returncode == 0, f"all captures are in the parts: {merged.stderr.strip()}")
    same = merged.returncode == 0 and (place / "merged.jsonl").read_bytes() == (place / "single.jsonl").read_bytes()
    checks.that(same, "the merged parts are the bytes of a single run")
    parts = b"".join(path.read_bytes() for path in sorted((place / "job").glob("part-*.jsonl")))
    ordered = b"".join(sorted(parts.splitlines(keepends=True)))
    checks.that(ordered == (place / "single.jsonl").read_bytes(), "so are the parts' lines, sorted")
    checks.that(codes == ["0:0"] * SHARDS, f"every task ends with 0 in the end: {' '.join(codes)}")
    again, finished_before, processes = repeats(place / "job")
    checks.that(restarts == 3, f"{restarts} tasks were started again: killed, requeued, preempted")
    checks.that(processes == SHARDS + restarts, f"{processes} processes took up {SHARDS} shards")
    checks.that(
        again <= restarts and finished_before == 0,
        f"{again} frames were computed twice, {finished_before} of them though they were done: "
        f"no more than the {restarts} in work when a process was ended",
    )
    status = json.loads(subprocess.run([str(ardf), "status", str(place / "job"), "--json"], capture_output=True).stdout)
    checks.that(
        (status["done"], status["failed"], status["begunMoreThanOnce"]) == (given.captures - 2, 2, again)
        and status["progress"] == {"done": given.captures, "total": given.captures},
        f"ardf status: {status['done']} done, {status['errors']}",
    )
    print(f"check-slurm: {given.captures} captures, {seconds:.0f} s in a single run; {'; '.join(done)}")
    if not given.keep_folder:
        shutil.rmtree(place)
    checks.end()


if __name__ == "__main__":
    main()
