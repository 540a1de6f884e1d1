#!/usr/bin/env python3
"""Counts the files that an addition touches, and prints the tables of docs/decisions/0004-kernel-catalogue.md.

    tools/docs/count-files.py            both tables
    tools/docs/count-files.py --files    the names of each count of the code
    tools/docs/count-files.py --write    writes both tables into the page
    tools/docs/count-files.py --check    ends with 1 where the page has another table of the code

The first table counts the code: for one example of each kind of addition, the files in which its name is found. A file
counts as *its own* if the addition brought it, as *edited* otherwise. Code that only uses the example (a network that has
the activation) counts too, so a count is an upper bound; comments that name it count as well. What a reader must edit
without naming the example is listed by hand in `ALSO`. The second table counts commits, where the clone has them. Most
landed more than one addition, so these are upper bounds as well.
"""

import argparse
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PAGE = ROOT / "docs/decisions/0004-kernel-catalogue.md"
MARKS = ("<!-- counts of files -->", "<!-- end of counts of files -->")
#: Kind, example, the pattern of its name (extended regular expression), the pattern of paths that are its own, and, unless
#: it is Sources, the folder in which the name means the example.
ROWS = [
    ("an operator", "mean over a window", r"[Aa]veragePool|Pooling\.", r"/Pooling"),
    ("an operator on another's kernel", "product of a map with a vector", r"ChannelProduct", r"/ChannelProduct"),
    ("an activation", "leaky ReLU", r"leakyReLU", r"(?!)"),
    ("an activation", "hard-swish", r"hardSwish", r"/HardSwish"),
    ("a fusion (prologue)", "normalize", r"\.normalize\b|case normalize", r"(?!)", "Sources/NNRuntime"),
    ("a fusion (prologue)", "enlarge", r"\.enlarge\b|case enlarge", r"(?!)", "Sources/NNRuntime"),
    ("an instruction set", "AVX2", r"\.avx2|AVX2", r"/AVX2/"),
    ("an instruction set, a new architecture", "NEON", r"\.neon\b|NEON\b", r"/NEON/"),
    ("a family of depth networks", "Depth Anything", r"DepthAnythingFamily", r"/DepthAnything"),
    ("a family of detectors", "YOLO", r"YOLOFamily", r"/YOLO/"),
    ("a family of detectors of ONNX files", "DETR", r"DETRFamily", r"/DETR/"),
    ("a network of a family", "YOLO26", r"\bv26\b", r"(?!)"),
    ("a capture format", "TUM RGB-D", r"TUMSequence|tumRGBD", r"/TUMSequence"),
    ("a verb", "infer", r'\bInfer\.self|struct Infer\b|"infer"', r"/Commands/Infer\.", "Sources/ardf/Command"),
]
#: Edited without naming the example.
ALSO = {
    "an instruction set": "two or more links to sources (Sources/NNRuntime/Kernels/README.md)",
    "a family of detectors": "its network, in the same folder",
    "a family of detectors of ONNX files": "its error, pre- and postprocessing; `RecognizedNetwork`, `NetworkFault`",
    "a family of depth networks": "its network, in the same folder",
}
#: Commits that landed additions, most of them with other changes.
COMMITS = [
    ("edc83823", "three operators, an activation, convolutions in groups"),
    ("17227114", "an architecture: NEON"),
    ("6f49b654", "detector families and tasks: YOLOv8, YOLO11, YOLO26"),
    ("1d927311", "capture formats: MCAP, ROS 2 bags, RTAB-Map"),
    ("89e7c111", "a depth coding of a capture format: RVL"),
    ("afdf8076", "a verb: quantize, and 8-bit weights"),
    ("466dfda3", "a verb: demo, and packages"),
]


def git(*words):
    return subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)


def known(pattern, *paths):
    """The files under `paths` that contain the pattern, without binary files and links."""
    found = git("grep", "-lIE", "--untracked", pattern, "--", *paths).stdout.split("\n")
    return sorted(name for name in found if name and not (ROOT / name).is_symlink())


def counted():
    """For each row: own and edited files of Sources, the manifest among them, and the files of tests."""
    for kind, example, pattern, own, *folder in ROWS:
        files = known(pattern, *(folder or ["Sources"]), "Package.swift")
        mine = [name for name in files if re.search(own, name)]
        yield kind, example, mine, [name for name in files if name not in mine], known(pattern, "Tests/*.swift")


def table_of_code():
    """The first table as lines of Markdown."""
    lines = ["| to add | example | its own | edited | of these for ONNX files | tests | also |", "|---|---|---|---|---|---|---|"]
    for kind, example, mine, edited, tests in counted():
        lowering = sum(bool(re.search(r"NNRuntime/(Lowering|ONNX)/", name)) for name in mine + edited)
        lines.append(
            f"| {kind} | {example} | {len(mine)} | {len(edited)} | {lowering} | {len(tests)} | {ALSO.get(kind, '')} |")
    return lines


def table_of_history():
    """The second table; None in a clone that lacks one of the commits."""
    lines = ["| commit | landed | files of Sources | files of Tests |", "|---|---|---|---|"]
    for commit, landed in COMMITS:
        shown = git("show", "--name-only", "--format=", commit, "--")
        if shown.returncode:
            return None
        names = shown.stdout.split()
        sources, tests = (sum(name.startswith(folder) for name in names) for folder in ("Sources/", "Tests/"))
        lines.append(f"| {commit} | {landed} | {sources} | {tests} |")
    return lines


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    for name in ("files", "write", "check"):
        parser.add_argument(f"--{name}", action="store_true")
    given = parser.parse_args()
    if given.files:
        for kind, example, mine, edited, tests in counted():
            print(f"{kind}: {example}")
            for label, names in (("its own", mine), ("edited", edited), ("test", tests)):
                print("".join(f"  {label:8} {name}\n" for name in names), end="")
        return
    code, history = table_of_code(), table_of_history()
    if given.check or given.write:
        before, rest = PAGE.read_text().split(MARKS[0])
        now, after = rest.split(MARKS[1])
        if given.check:
            if "\n".join(code) not in now:
                sys.exit("count-files: the table of docs/decisions/0004-kernel-catalogue.md is not what the code gives: make counts")
            return
        if history is None:
            sys.exit("count-files: this clone lacks the history of the second table")
        PAGE.write_text(f"{before}{MARKS[0]}\n{chr(10).join(code)}\n\n{chr(10).join(history)}\n{MARKS[1]}{after}")
        return
    print("\n".join(code))
    print("\n" + "\n".join(history) if history else "\nThis clone lacks the commits of the second table.")


if __name__ == "__main__":
    main()
