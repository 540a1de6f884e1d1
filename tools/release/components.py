#!/usr/bin/env python3
"""Licenses and a CycloneDX 1.6 list of a tree of tools/release/bundle, from tools/release/components.json.

    tools/release/components.py TREE

Writes TREE/share/doc/ardf/licenses/NAME.txt, a text for each component, and TREE/share/doc/ardf/ardf.cdx.json. Versions are
those of this machine's packages, compiler ($ARDF_SWIFT_VERSION where that is on another) and package checkouts. Ends with 1
where the tree holds a library that the list does not name, or a license's text is not found. The same tree gives the same
bytes.
"""

import argparse
import hashlib
import json
import os
import re
import subprocess
import sys
import uuid
from datetime import datetime, timezone
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILDS = (".build", ".build-static", ".build-arm64-static")


def output(*command):
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


def fail(message):
    print(f"components: {message}", file=sys.stderr)
    sys.exit(1)


def package(path):
    """The Debian package that a file belongs to, its version and its license's text."""
    real = Path(path).resolve()
    merged = Path("/", *real.parts[2:]) if real.parts[1] == "usr" else real
    for candidate in (real, Path(path), merged):
        found = subprocess.run(["dpkg-query", "-S", str(candidate)], capture_output=True, text=True)
        if found.returncode == 0:
            name = found.stdout.split(":")[0].split(",")[0]
            version = output("dpkg-query", "-W", "-f", "${Version}\n", name).split("\n")[0]
            return name, version, Path("/usr/share/doc", name, "copyright")
    return fail(f"no Debian package has {path}")


def linked_library(program, soname):
    """Where the dynamic linker of this machine finds a library of the program."""
    for line in output("ldd", str(program)).split("\n"):
        match = re.match(r"\s*(\S+) => (\S+) ", line)
        if match and match[1] == soname and not match[2].startswith(str(program.parents[1])):
            return match[2]
    cache = output("/sbin/ldconfig", "-p")
    match = re.search(rf"^\s*{re.escape(soname)} .*=> (\S+)$", cache, re.MULTILINE)
    return match[1] if match else fail(f"{soname} is not found on this machine")


def checkout(name):
    for build in BUILDS:
        folder = ROOT / build / "checkouts" / name
        for text in ("LICENSE.txt", "LICENSE"):
            if (folder / text).exists():
                pins = json.loads((ROOT / "Package.resolved").read_text())["pins"]
                pin = next(pin for pin in pins if pin["identity"] == name.lower())
                return pin["state"]["version"], pin["location"], folder / text
    return fail(f"{name} is not among the package checkouts")


def toolchain():
    """The version of Swift and where its license lies."""
    texts = [Path("/usr/share/doc/swiftlang/copyright")]
    version = os.environ.get("ARDF_SWIFT_VERSION")
    if not version:
        version = re.search(r"Swift version (\S+)", output("swiftc", "--version"))[1]
        texts.insert(0, Path(output("which", "swiftc")).resolve().parents[1] / "share/swift/LICENSE.txt")
    for text in texts:
        if text.exists():
            return version, text
    return fail("the license of Swift is not found beside the compiler")


def component(entry, tree, version):
    """`(component, license's text)`, as CycloneDX has it."""
    made = {"type": entry.get("type", "library"), "name": entry["name"], "version": entry.get("version", version)}
    text, purl = entry.get("text") and ROOT / entry["text"], entry.get("purl")
    if "checkout" in entry:
        made["version"], location, text = checkout(entry["checkout"])
        purl = f"pkg:{location.removeprefix('https://').removesuffix('.git')}@{made['version']}".replace(
            "pkg:github.com", "pkg:github"
        )
    elif "toolchain" in entry:
        made["version"], text = toolchain()
        purl = f"pkg:github/swiftlang/swift@{made['version']}"
    elif "linked" in entry or entry.get("file", "").startswith("lib/"):
        if "linked" in entry:
            path = output("gcc", f"-print-file-name={entry['linked']}")
        else:
            path = linked_library(tree / "bin/ardf", Path(entry["file"]).name)
        name, made["version"], text = package(path)
        purl = f"pkg:deb/debian/{name}@{made['version']}"
    elif entry["name"] == "ardf":
        made["type"], purl = "application", f"{purl}@{version}"
    if purl:
        made["purl"] = purl
    made["licenses"] = [{"expression": entry["license"]}]
    if "about" in entry:
        made["description"] = entry["about"]
    file = tree / entry.get("file", "bin/ardf" if entry["name"] == "ardf" else "none")
    if file.is_file():
        made["hashes"] = [{"alg": "SHA-256", "content": hashlib.sha256(file.read_bytes()).hexdigest()}]
    if not text or not text.exists():
        fail(f"{entry['name']}: there is no license at {text}")
    made["bom-ref"] = entry["name"]
    return made, text.read_bytes()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("tree", type=Path)
    tree = parser.parse_args().tree.resolve()
    entries = json.loads((ROOT / "tools/release/components.json").read_text())
    named = {entry["file"] for entry in entries if "file" in entry}
    for library in sorted((tree / "lib/ardf").iterdir()):
        if f"lib/ardf/{library.name}" not in named:
            fail(f"components.json does not name {library.name}")
    version = re.search(r'static let version = "(.*)"', (ROOT / "Sources/ardf/Command/ARDF.swift").read_text())[1]
    commit = output("git", "rev-parse", "HEAD")
    time = datetime.fromtimestamp(int(output("git", "log", "-1", "--format=%ct")), timezone.utc)
    documents = tree / "share/doc/ardf"
    (documents / "licenses").mkdir(parents=True, exist_ok=True)
    made = []
    for entry in entries:
        if "file" in entry and not (tree / entry["file"]).exists():
            continue
        described, text = component(entry, tree, version)
        (documents / "licenses" / f"{entry['name'].replace(' ', '-')}.txt").write_bytes(text)
        made.append(described)
    whole = {**made[0], "bom-ref": "whole"}
    whole["properties"] = [{"name": "commit", "value": commit}]
    bom = {
        "$schema": "http://cyclonedx.org/schema/bom-1.6.schema.json",
        "bomFormat": "CycloneDX",
        "specVersion": "1.6",
        "serialNumber": f"urn:uuid:{uuid.uuid5(uuid.NAMESPACE_URL, json.dumps(made, sort_keys=True) + commit)}",
        "version": 1,
        "metadata": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ"), "component": whole},
        "components": made,
        "dependencies": [{"ref": "whole", "dependsOn": [one["bom-ref"] for one in made]}],
    }
    (documents / "ardf.cdx.json").write_text(json.dumps(bom, indent=1, ensure_ascii=False) + "\n")


if __name__ == "__main__":
    main()
