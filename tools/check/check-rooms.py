#!/usr/bin/env python3
"""Folders of Sources: each stands in the README above it, and those of AppCore know only folders above them in its table.

    tools/check/check-rooms.py

The order of AppCore's folders is that of the rows of `Sources/AppCore/README.md`. A file there may name types that are
declared at the top level of a file in its own folder or in one above it. Of every other folder the
nearest README above it says what it holds, by its name in a code span. Ends with 1 where something is missing.
"""

import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
APP_CORE = ROOT / "Sources" / "AppCore"
MODIFIERS = r"(?:(?:public|package|internal|final|indirect|nonisolated|@\w+(?:\([^)]*\))?)\s+)*"
DECLARATION = re.compile(rf"^{MODIFIERS}(?:struct|class|enum|actor|protocol|typealias)\s+(\w+)", re.MULTILINE)
INTERPOLATION = re.compile(r"\\\(((?:[^()]|\((?:[^()]|\([^()]*\))*\))*)\)")


def code(text: str) -> str:
    """A Swift file without comments, and with nothing of its strings but the interpolated code."""
    text = re.sub(r"^\s*//.*$", "", text, flags=re.MULTILINE)
    string = r'"""[\s\S]*?"""|"(?:\\\([^\n]*?\)|\\.|[^"\\\n])*"'
    text = re.sub(string, lambda match: '""' + " ".join(INTERPOLATION.findall(match[0])), text)
    return re.sub(r"//.*", "", text)


def breaches_of_order() -> list[str]:
    """Files of AppCore that name a type of a later folder."""
    order = re.findall(r"^\| `(\w+)` \|", (APP_CORE / "README.md").read_text(), re.MULTILINE)
    texts = {path: path.read_text() for room in order for path in sorted((APP_CORE / room).rglob("*.swift"))}
    rooms = {path: order.index(path.relative_to(APP_CORE).parts[0]) for path in texts}
    declared: dict[str, int] = {}
    for path, text in texts.items():
        for name in DECLARATION.findall(text):
            declared[name] = min(rooms[path], declared.get(name, len(order)))
    return [
        f"{path.relative_to(ROOT)} names {name}, which {order[declared[name]]} declares: a later folder of AppCore"
        for path, text in texts.items()
        for name in sorted(set(re.findall(r"(?<![.\w])[A-Z]\w*", code(text))))
        if declared.get(name, -1) > rooms[path]
    ]


def folders_without_line() -> list[str]:
    """Folders of Sources that the nearest README above them does not name."""
    missing = []
    for folder in sorted(path for path in (ROOT / "Sources").rglob("*") if path.is_dir()):
        if folder.suffix == ".docc" or not any(folder.iterdir()):
            continue
        readme = next(parent / "README.md" for parent in folder.parents if (parent / "README.md").exists())
        names = {part for span in re.findall(r"`([^`\n]+)`", readme.read_text()) for part in span.split("/")}
        if folder.name not in names:
            missing.append(f"{readme.relative_to(ROOT)} does not name the folder {folder.relative_to(ROOT)}")
    return missing


def main() -> int:
    """Prints every breach."""
    breaches = breaches_of_order() + folders_without_line()
    for breach in breaches:
        print(f"check-rooms: {breach}", file=sys.stderr)
    return 1 if breaches else 0


sys.exit(main())
