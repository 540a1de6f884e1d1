#!/usr/bin/env python3
"""Runs shards against a store of objects, which can neither append nor rename: an S3 server, mounted by rclone.

    tools/check/check-objects.py [--ardf .build/release/ardf]

Four shards of 40 captures work in a folder of this machine (--stage) and copy a part each to the store; one is killed
half-way, and again while it copies. Then the store must hold one object a shard, none of them ever replaced, and the
parts merged from the mount, or from a copy of the store, must be the bytes of a single run. Needs moto's server (pip:
moto[server]), rclone with fusermount3, and the right to mount; ends with 77, visibly, where one is missing.
"""

import argparse
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from jobs.captures import NETWORKS, Checks, records, write_captures

ROOT = Path(__file__).resolve().parents[2]
SHARDS = 4
CAPTURES = 40


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Store:
    """A server and its mount, for as long as a `with` lasts."""

    def __init__(self, place: Path):
        self.mount = place / "mount"
        self.mount.mkdir()
        port = free_port()
        server = shutil.which("moto_server") or str(Path(sys.executable).parent / "moto_server")
        if not Path(server).exists() or not shutil.which("rclone") or not shutil.which("fusermount3"):
            print("check-objects: skipped: needs moto_server, rclone and fusermount3", file=sys.stderr)
            raise SystemExit(77)
        self.log = (place / "store.log").open("w")
        self.environment = {
            name: value
            for name, value in os.environ.items()
            if name not in ("AWS_CA_BUNDLE", "http_proxy", "HTTP_PROXY")
        }
        settings = {"TYPE": "s3", "PROVIDER": "Other", "ENDPOINT": f"http://127.0.0.1:{port}", "ACCESS_KEY_ID": "x"}
        settings |= {"SECRET_ACCESS_KEY": "y", "REGION": "us-east-1"}
        self.environment |= {f"RCLONE_CONFIG_STORE_{name}": value for name, value in settings.items()}
        self.server = subprocess.Popen(
            [server, "-H", "127.0.0.1", "-p", str(port)], stdout=self.log, stderr=self.log, env=self.environment
        )
        for _ in range(300):
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", port)) == 0:
                    break
            time.sleep(0.1)
        self.rclone("mkdir", "store:bucket")
        # No cache of writes: what the store cannot do, the mount cannot.
        self.mounting = subprocess.Popen(
            ["rclone", "mount", "store:bucket", str(self.mount), "--vfs-cache-mode", "off", "--dir-cache-time", "0s"],
            env=self.environment, stdout=self.log, stderr=self.log,
        )  # fmt: skip
        for _ in range(100):
            if self.mount.is_mount():
                return
            time.sleep(0.1)
        self.end()
        print("check-objects: skipped: rclone may not mount here", file=sys.stderr)
        raise SystemExit(77)

    def rclone(self, *words: str) -> str:
        done = subprocess.run(["rclone", *words], env=self.environment, capture_output=True, text=True)
        if done.returncode != 0:
            raise SystemExit(f"check-objects: rclone {' '.join(words)}: {done.stderr}")
        return done.stdout

    def objects(self) -> dict[str, str]:
        """Size and time of every object, by key."""
        lines = self.rclone("lsf", "store:bucket", "-R", "--files-only", "--format", "pst").splitlines()
        return {line.split(";")[0]: line for line in lines}

    def end(self) -> None:
        subprocess.run(["fusermount3", "-u", str(self.mount)], stderr=subprocess.DEVNULL)
        for process in (self.mounting, self.server):
            process.terminate()
            process.wait()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--ardf", type=Path, default=ROOT / ".build/release/ardf")
    ardf = str(options.parse_args().ardf.resolve())
    place = Path(tempfile.mkdtemp(prefix="ardf-objects-"))
    manifest = write_captures(place, CAPTURES)
    run = [ardf, "run", "--from", str(manifest), "--keep", "records", "--max-errors", "2", "--threads", "1", *NETWORKS]
    merge = [ardf, "merge", "--from", str(manifest), "--out"]
    checks = Checks("check-objects")

    def done(*words: str) -> int:
        return subprocess.run([*words], capture_output=True).returncode

    checks.that(done(*run, "--out", str(place / "single")) == 0, "a single run on a plain folder")
    checks.that(done(*merge, str(place / "single.jsonl"), str(place / "single")) == 0, "its records")
    store = Store(place)
    try:
        job = store.mount / "job"
        job.mkdir()

        def shard(number: int, *words: str) -> list[str]:
            stage = str(place / f"node{number}")
            return [*run, "--shard", f"{number}/{SHARDS}", "--stage", stage, "--resume", "--out", str(job), *words]

        direct = subprocess.run([*run, "--out", str(store.mount / "direct")], capture_output=True, text=True)
        checks.that(
            direct.returncode == 64 and "--stage" in direct.stderr,
            f"without --stage the run says that it needs it ({direct.returncode})",
        )
        victim = subprocess.Popen(shard(1), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        part = place / f"node1/part-00001-of-{SHARDS:05}.jsonl"
        while victim.poll() is None and records(part) < 3:
            time.sleep(0.01)
        victim.send_signal(signal.SIGKILL)
        victim.wait()
        checks.that(
            not list(job.iterdir()), f"a shard killed after {records(part)} records has left nothing in the store"
        )
        for number in range(1, SHARDS + 1):
            checks.that(done(*shard(number)) == 0, f"shard {number} is done")
        before = store.objects()
        parts = [key for key in before if key.startswith("job/part-")]
        checks.that(
            len(parts) == SHARDS == sum(key.startswith("job/") for key in before), f"one object a shard: {parts[0]}"
        )
        checks.that(done(*shard(2)) == 0 and store.objects() == before, "doing a shard once more writes nothing")
        shutil.rmtree(place / "node3")
        checks.that(done(*shard(3)) == 0 and store.objects() == before, "nor does another machine")

        single = (place / "single.jsonl").read_bytes()
        checks.that(done(*merge, str(place / "merged.jsonl"), str(job)) == 0, "all captures are in the store")
        checks.that((place / "merged.jsonl").read_bytes() == single, "the bytes of a single run, from the mount")
        store.rclone("copy", "store:bucket/job", str(place / "copy"))
        checks.that(done(*merge, str(place / "copied.jsonl"), str(place / "copy")) == 0, "a copy by rclone is whole")
        checks.that((place / "copied.jsonl").read_bytes() == single, "the bytes of a single run, from the copy")

        # An object that was cut short, as by a machine that died while it copied.
        key = Path(parts[0]).name
        whole = (place / "copy" / key).read_bytes()
        (place / "cut").write_bytes(whole[: len(whole) // 2])
        store.rclone("copyto", str(place / "cut"), f"store:bucket/job/{key}")
        checks.that(done(*merge, str(place / "torn.jsonl"), str(job)) == 65, "an object that is not whole is refused")
        checks.that(done(*shard(int(key[5:10]))) == 0, "and copied again by its shard")
        checks.that(done(*merge, str(place / "again.jsonl"), str(job)) == 0, "and then all is there")
        checks.that((place / "again.jsonl").read_bytes() == single, "the bytes of a single run once more")
    finally:
        store.end()
    shutil.rmtree(place)
    checks.end()


if __name__ == "__main__":
    main()
