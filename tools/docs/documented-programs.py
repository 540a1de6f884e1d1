#!/usr/bin/env python3
"""Writes the Swift programs of README, docs and DocC articles as one Swift file that can be compiled.

python tools/docs/documented-programs.py > main.swift

The programs of a document become a function, whose parameters are what the document takes as given.
"""

import re
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
#: What documents leave to their readers.
GIVEN = {
    "docs/guides/profile.md": "graph: Graph, input: [Float]",
    "docs/guides/verify.md": "network: InspectedNetwork, session: Session",
    "Sources/Models/Models.docc/DetectingObjects.md": "lidar: Plane<Float>",
}


def main() -> None:
    documents = [ROOT / "README.md", *sorted(ROOT.glob("docs/**/*.md")), *sorted(ROOT.glob("Sources/**/*.docc/*.md"))]
    imports: set[str] = set()
    functions: list[str] = []
    for document in documents:
        lines: list[str] = []
        for block in programs(document.read_text(encoding="utf-8")):
            for line in block.splitlines():
                if line.startswith("import "):
                    imports.add(line)
                else:
                    lines.append(f"  {line}".rstrip())
        if lines:
            name = document.relative_to(ROOT).as_posix()
            body = "\n".join(lines)
            functions.append(f"/// {name}\nfunc {identifier(name)}({GIVEN.get(name, '')}) throws {{\n{body}\n}}\n")
    print("\n".join([*sorted(imports), "", *functions, f'print("{len(functions)} documents")']))


def programs(text: str) -> list[str]:
    """Code blocks that are no part of a manifest."""
    blocks: list[str] = re.findall(r"^```swift\n(.*?)^```", text, re.M | re.S)
    return [block for block in blocks if ".package(" not in block]


def identifier(name: str) -> str:
    return re.sub(r"\W", "_", name)


if __name__ == "__main__":
    main()
