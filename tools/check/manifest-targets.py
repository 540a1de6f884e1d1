#!/usr/bin/env python3
"""The modules that each target of Package.swift may import, on all architectures: `TARGET FOLDER MODULE...` lines.

    tools/check/manifest-targets.py [--files | --compare DUMP]

Only targets under Sources. `--files` prints `TARGET FILE` for each of their Swift files. Read from the text, in milliseconds; `--compare` ends with 1 where the output of
`swift package dump-package` in the file DUMP says otherwise for the targets that it names.
"""

import argparse
import json
import os
import re
import sys
from pathlib import Path

MANIFEST = Path(__file__).resolve().parents[2] / "Package.swift"
OPENING, CLOSING = "([{", ")]}"


def without_comments(text):
    return re.sub(r'("(?:\\.|[^"\\\n])*")|//[^\n]*', lambda match: match[1] or "", text)


def arguments(text, start):
    """The labeled arguments of the call whose parenthesis is at `start`, as texts by label."""
    found, depth, quoted, at = {}, 0, False, start
    begin = start + 1
    while True:
        mark = text[at]
        if mark == '"' and text[at - 1] != "\\":
            quoted = not quoted
        elif not quoted and mark in OPENING:
            depth += 1
        elif not quoted and mark in CLOSING:
            depth -= 1
        if depth == 0 or (mark == "," and depth == 1 and not quoted):
            label = re.match(r"\s*(\w+):\s*(.*)", text[begin:at], re.DOTALL)
            if label:
                found[label[1]] = label[2]
            begin = at + 1
        if depth == 0:
            return found
        at += 1


def targets(text):
    """Folder and modules by name of target."""
    text = without_comments(text)
    table = re.search(r"let instructionSets\b.*?(?=\nlet )", text, re.DOTALL)
    folders = dict(re.findall(r'\("?\s*"(\w+)",\s*"([\w/]+)",', table[0])) if table else {}
    sets = list(folders)
    found = {}
    for call in re.finditer(r"\.(?:target|executableTarget)\(", text):
        given = arguments(text, call.end() - 1)
        if "dependencies" not in given and "swiftSettings" not in given and "path" not in given:
            # A target without Swift, or the name of a dependency.
            continue
        modules = given.get("dependencies", "")
        every = sets if "instructionSets" in modules else []
        modules = re.sub(r'package:\s*"[^"]*"', "", modules)
        modules = [*re.findall(r'"(\w+)"', modules), *every]
        literal = re.fullmatch(r'"(\w+)"', given["name"].strip())
        for name in [literal[1]] if literal else sets if given["name"].strip() == "set.target" else []:
            path = re.fullmatch(r'"(.*)"', given.get("path", "").strip())
            folder = path[1] if path else f"Sources/{name}"
            found[name] = (folder.replace(r"\(set.folder)", folders.get(name, "")), modules)
    return {name: target for name, target in found.items() if target[0].startswith("Sources/")}


def files(found):
    """Pairs of target and Swift file: a file is the target's whose folder is its nearest. Links are followed."""
    owners = {folder: name for name, (folder, _) in found.items()}
    for name, (folder, _) in sorted(found.items()):
        for place, inner, names in os.walk(MANIFEST.parent / folder, followlinks=True):
            inner[:] = [each for each in inner if os.path.relpath(Path(place, each), MANIFEST.parent) not in owners]
            yield from ((name, os.path.relpath(Path(place, each), MANIFEST.parent)) for each in names if each.endswith(".swift"))


def dumped(file):
    """The same of a dump, whose dependencies are by kind: `{"byName": [NAME, null]}`, `{"product": [NAME, ...]}`."""
    return {
        target["name"]: sorted(next(iter(kind.values()))[0] for kind in target["dependencies"])
        for target in json.loads(Path(file).read_text())["targets"]
    }


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--files", action="store_true")
    parser.add_argument("--compare", metavar="DUMP")
    arguments = parser.parse_args()
    found = targets(MANIFEST.read_text())
    if arguments.files:
        for pair in files(found):
            print(*pair)
        return 0
    if not arguments.compare:
        for name, (folder, modules) in sorted(found.items()):
            print(name, folder, *modules)
        return 0
    theirs = dumped(arguments.compare)
    kernels = {name for name in found if name.startswith("NNKernels")} - theirs.keys()
    wrong = [
        f"{name}: {sorted(set(modules) - kernels)}, not {theirs.get(name)}"
        for name, (_, modules) in sorted(found.items())
        if name not in kernels and sorted(set(modules) - kernels) != theirs.get(name)
    ]
    for line in wrong:
        print(line, file=sys.stderr)
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
