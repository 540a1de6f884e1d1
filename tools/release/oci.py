#!/usr/bin/env python3
"""Puts folders together as the layers of an OCI image (image-spec 1.1), as one archive.

    tools/release/oci.py FOLDER LAYER... --version 0.2.0 --machine x86_64 --revision COMMIT

Writes FOLDER/ardf-VERSION-oci-MACHINE.tar. The entry point is /usr/bin/ardf, run by user 65532 in /results. The same layers give
the same bytes ($SOURCE_DATE_EPOCH is the time).
"""

import argparse
import gzip
import hashlib
import io
import json
import os
import sys
import tarfile
from datetime import datetime, timezone
from pathlib import Path

#: What the image specification calls processors.
ARCHITECTURES = {"x86_64": "amd64", "aarch64": "arm64"}


def added(archive, name, content, moment):
    entry = tarfile.TarInfo(name)
    entry.size, entry.mtime, entry.mode = len(content), moment, 0o644
    archive.addfile(entry, io.BytesIO(content))


def layer(folder, moment):
    """`folder` as a tar whose files are root's, and of one time."""
    buffer = io.BytesIO()

    def owned(entry):
        entry.uid = entry.gid = 65532 if entry.name == "results" else 0
        entry.uname = entry.gname = ""
        entry.mtime = moment
        return entry

    with tarfile.open(fileobj=buffer, mode="w", format=tarfile.USTAR_FORMAT) as archive:
        for path in sorted(folder.rglob("*")):
            archive.add(path, path.relative_to(folder).as_posix(), recursive=False, filter=owned)
    return buffer.getvalue()


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("layers", type=Path, nargs="+")
    for option in ("--version", "--machine", "--revision"):
        parser.add_argument(option, required=True)
    options = parser.parse_args()
    moment = int(os.environ.get("SOURCE_DATE_EPOCH", 0))
    created = datetime.fromtimestamp(moment, timezone.utc).strftime("%Y-%m-%dT%H:%M:%SZ")
    blobs, descriptions, identities, whole = {}, [], [], 0

    def blob(content, kind):
        digest = hashlib.sha256(content).hexdigest()
        blobs[digest] = content
        return {"mediaType": f"application/vnd.oci.image.{kind}", "digest": f"sha256:{digest}", "size": len(content)}

    for folder in options.layers:
        raw = layer(folder, moment)
        whole += len(raw)
        identities.append(f"sha256:{hashlib.sha256(raw).hexdigest()}")
        descriptions.append(blob(gzip.compress(raw, 9, mtime=0), "layer.v1.tar+gzip"))
    labels = {
        "org.opencontainers.image.title": "ardf",
        "org.opencontainers.image.version": options.version,
        "org.opencontainers.image.revision": options.revision,
        "org.opencontainers.image.licenses": "Apache-2.0",
        "org.opencontainers.image.created": created,
    }
    configuration = {
        "created": created,
        "architecture": ARCHITECTURES[options.machine],
        "os": "linux",
        "config": {
            "User": "65532:65532",
            "Env": ["PATH=/usr/bin", "HOME=/results", "ARDF_WEIGHTS=/weights"],
            "Entrypoint": ["/usr/bin/ardf"],
            "WorkingDir": "/results",
            "Labels": labels,
        },
        "rootfs": {"type": "layers", "diff_ids": identities},
    }
    manifest = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.manifest.v1+json",
        "config": blob(json.dumps(configuration).encode(), "config.v1+json"),
        "layers": descriptions,
        "annotations": labels,
    }
    index = {
        "schemaVersion": 2,
        "mediaType": "application/vnd.oci.image.index.v1+json",
        "manifests": [
            {
                **blob(json.dumps(manifest).encode(), "manifest.v1+json"),
                "platform": {"architecture": ARCHITECTURES[options.machine], "os": "linux"},
                "annotations": {"org.opencontainers.image.ref.name": options.version},
            }
        ],
    }
    path = options.folder / f"ardf-{options.version}-oci-{options.machine}.tar"
    with tarfile.open(path, "w", format=tarfile.USTAR_FORMAT) as archive:
        added(archive, "oci-layout", b'{"imageLayoutVersion": "1.0.0"}', moment)
        added(archive, "index.json", json.dumps(index).encode(), moment)
        for digest in sorted(blobs):
            added(archive, f"blobs/sha256/{digest}", blobs[digest], moment)
    print(f"oci: {path}: {path.stat().st_size} bytes, {whole} unpacked", file=sys.stderr)


if __name__ == "__main__":
    main()
