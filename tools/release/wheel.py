#!/usr/bin/env python3
"""Wheels of a tree of tools/release/bundle: ardf, without checkpoints, and ardf-weights, the depth checkpoint alone.

    tools/release/wheel.py TREE FOLDER --version 0.2.0 --machine x86_64 --glibc 2.35

No Python runs when ardf does: the program itself is the wheel's script, the rest is data that goes beside it (lib/ardf and
share below the environment's folder), where it looks. The same tree gives the same bytes ($SOURCE_DATE_EPOCH is the time).
"""

import argparse
import base64
import hashlib
import json
import os
import time
import zipfile
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
WEIGHTS = "share/ardf/weights"
SUMMARY = "Finds objects in photographs and iPhone LiDAR captures, measures them, and places effects on them."


def metadata(name, version, licenses, more, description):
    lines = [
        "Metadata-Version: 2.4",
        f"Name: {name}",
        f"Version: {version}",
        f"License-Expression: {' AND '.join(licenses)}",
        "Author: The authors of ardf",
        "Project-URL: Source, https://example.com/ardf",
        "Description-Content-Type: text/markdown",
        *more,
    ]
    return ("\n".join(lines) + "\n\n" + description).encode()


def write(path, tag, name, version, files, about):
    """A wheel of `files`, `{name: (bytes, is executable)}`, with what `.dist-info` holds besides."""
    information = f"{name}-{version}.dist-info"
    pure = "true" if tag.endswith("-any") else "false"
    files = {**files, **{f"{information}/{key}": (value, False) for key, value in about.items()}}
    files[f"{information}/WHEEL"] = (
        f"Wheel-Version: 1.0\nGenerator: ardf tools/release/wheel.py\nRoot-Is-Purelib: {pure}\nTag: {tag}\n".encode(),
        False,
    )
    record = ""
    for key in sorted(files):
        content = files[key][0]
        digest = base64.urlsafe_b64encode(hashlib.sha256(content).digest()).rstrip(b"=").decode()
        record += f"{key},sha256={digest},{len(content)}\n"
    files[f"{information}/RECORD"] = (f"{record}{information}/RECORD,,\n".encode(), False)
    moment = time.gmtime(max(int(os.environ.get("SOURCE_DATE_EPOCH", 0)), 315532800))[:6]
    with zipfile.ZipFile(path, "w") as archive:
        # As PEP 427 wants it, .dist-info comes last.
        for key in sorted(files, key=lambda key: (".dist-info/" in key, key)):
            entry = zipfile.ZipInfo(key, moment)
            entry.create_system = 3
            entry.external_attr = (0o100755 if files[key][1] else 0o100644) << 16
            entry.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(entry, files[key][0], compresslevel=9)


def licenses(tree):
    """List of components, license expressions and texts of a wheel of the program: all but the checkpoint's."""
    listed = json.loads((tree / "share/doc/ardf/ardf.cdx.json").read_text())
    inside = [one for one in listed["components"] if one["type"] != "machine-learning-model"]
    listed["components"] = inside
    listed["dependencies"][0]["dependsOn"] = [one["bom-ref"] for one in inside]
    expressions = sorted({one["licenses"][0]["expression"] for one in inside})
    texts = {f"licenses/{text.name}": text.read_bytes() for text in sorted((tree / "share/doc/ardf/licenses").iterdir())}
    bom = (json.dumps(listed, indent=1, ensure_ascii=False) + "\n").encode()
    return bom, [f"({one})" if " AND " in one else one for one in expressions], texts


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree", type=Path)
    parser.add_argument("folder", type=Path)
    for option in ("--version", "--machine", "--glibc"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    tree, version = options.tree, options.version
    bom, expressions, texts = licenses(tree)

    data = f"ardf-{version}.data"
    files = {f"{data}/scripts/ardf": ((tree / "bin/ardf").read_bytes(), True)}
    # Pages of the documentation are in the tarball and the Debian package.
    for path in sorted(tree.rglob("*")):
        name = path.relative_to(tree).as_posix()
        if path.is_file() and name.startswith(("lib/", "share/")) and not name.startswith(("share/doc/", WEIGHTS)):
            files[f"{data}/data/{name}"] = (path.read_bytes(), False)
    more = [
        f"Summary: {SUMMARY}",
        "Requires-Python: >=3.8",
        "Classifier: Operating System :: POSIX :: Linux",
        "Provides-Extra: weights",
        f'Requires-Dist: ardf-weights=={version}; extra == "weights"',
        *(f"License-File: {name.removeprefix('licenses/')}" for name in sorted(texts)),
    ]
    about = {
        "METADATA": metadata("ardf", version, expressions, more, (ROOT / "README.md").read_text()),
        "sboms/ardf.cdx.json": bom,
        **texts,
    }
    tag = f"py3-none-manylinux_{options.glibc.replace('.', '_')}_{options.machine}"
    write(options.folder / f"ardf-{version}-{tag}.whl", tag, "ardf", version, files, about)

    files = {
        f"ardf_weights-{version}.data/data/{WEIGHTS}/{path.name}": (path.read_bytes(), False)
        for path in sorted((tree / WEIGHTS).iterdir())
    }
    card = (tree / WEIGHTS / "MODEL_CARD.md").read_text()
    more = ["Summary: The depth network of ardf, 50 MB.", "License-File: LICENSE"]
    about = {
        "METADATA": metadata("ardf-weights", version, ["Apache-2.0"], more, card),
        "licenses/LICENSE": (ROOT / "LICENSE").read_bytes(),
    }
    write(
        options.folder / f"ardf_weights-{version}-py3-none-any.whl", "py3-none-any", "ardf_weights", version, files, about
    )


if __name__ == "__main__":
    main()
