#!/usr/bin/env python3
"""Runs the recipes of docs/guides/scale.md, DuckDB's and pyarrow's, on the records of a job, and compares their tables.

    tools/check/check-parquet.py [RECORDS.jsonl] [--ardf .build/release/ardf]

Without records it makes some: 24 captures, two of which are no pictures. Needs duckdb and pyarrow (pip).
"""

import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pyarrow.parquet

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from jobs.captures import NETWORKS, Checks, write_captures

ROOT = Path(__file__).resolve().parents[2]


def recipes(language: str) -> list[str]:
    """The blocks of a language in the chapter on tables."""
    chapter = (ROOT / "docs/guides/scale.md").read_text().split("\n## Tables\n")[1].split("\n## ")[0]
    return re.findall(rf"```{language}\n(.*?)```", chapter, re.DOTALL)


def make_records(ardf: Path, place: Path) -> Path:
    manifest = write_captures(place, 24)
    words = ["--from", str(manifest), "--keep", "records", "--max-errors", "2", "--out", str(place / "job"), *NETWORKS]
    subprocess.run([str(ardf), "run", *words], check=True, capture_output=True)
    records = place / "made.jsonl"
    subprocess.run([str(ardf), "merge", str(place / "job"), "--out", str(records)], check=True, capture_output=True)
    return records


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("records", type=Path, nargs="?")
    options.add_argument("--ardf", type=Path, default=ROOT / ".build/release/ardf")
    given = options.parse_args()
    place = Path(tempfile.mkdtemp(prefix="ardf-tables-"))
    records = (given.records or make_records(given.ardf.resolve(), place)).resolve()
    lines = [json.loads(line) for line in records.read_text().splitlines()]
    objects = [thing for line in lines for thing in (line["summary"] or {"objects": []})["objects"]]
    checks = Checks("check_parquet")

    for name, blocks in (("DuckDB", recipes("sql")), ("pyarrow", recipes("python"))):
        folder = place / name
        folder.mkdir()
        shutil.copy(records, folder / "records.jsonl")
        checks.that(bool(blocks), f"docs/guides/scale.md has recipes for {name}")
        os.chdir(folder)
        for block in blocks:
            if name == "DuckDB":
                duckdb.sql(block) if ";" not in block else duckdb.execute(block)
            else:
                exec(compile(block, "docs/guides/scale.md", "exec"), {})
        frames = pyarrow.parquet.read_table("frames.parquet").to_pylist()
        rows = pyarrow.parquet.read_table("objects.parquet").to_pylist()
        checks.that(
            [row["id"] for row in frames] == [line["id"] for line in lines], f"{name}: {len(frames)} frames in order"
        )
        failed = [row["errorKind"] for row in frames if row["error"]]
        checks.that(failed == [line["errorKind"] for line in lines if line["error"]], f"{name}: errors {failed}")
        found = [(row["class"], row["confidence"]) for row in rows]
        expected = [(thing["className"], thing["confidence"]) for thing in objects]
        checks.that(sorted(found) == sorted(expected) and bool(found), f"{name}: {len(rows)} objects")
        distances = sorted(row["distance_m"] for row in rows if row["distance_m"] is not None)
        known = sorted(thing["distanceMeters"] for thing in objects if thing["distanceMeters"] is not None)
        checks.that(distances == known, f"{name}: {len(known)} distances")
    os.chdir(ROOT)
    shutil.rmtree(place)
    checks.end()


if __name__ == "__main__":
    main()
