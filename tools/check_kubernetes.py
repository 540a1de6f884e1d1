#!/usr/bin/env python3
"""Holds Examples/Jobs/kubernetes.yaml to the schema of Kubernetes, and to what docs/scale.md says of exit codes.

tools/check_kubernetes.py [VERSION]     needs kubernetes-validate (pip)
"""

import re
import sys
from pathlib import Path

import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parent.parent


def never_again() -> set[int]:
    """The exit codes that the table of docs/scale.md tells schedulers not to try again."""
    rows = re.findall(r"^\| ([0-9, ]+) \|.*\| never \|$", (ROOT / "docs/scale.md").read_text(), re.MULTILINE)
    return {int(code) for row in rows for code in row.split(",")}


def main() -> None:
    job = yaml.safe_load((ROOT / "Examples/Jobs/kubernetes.yaml").read_text())
    version = sys.argv[1] if len(sys.argv) > 1 else kubernetes_validate.latest_version()
    used = kubernetes_validate.validate(job, version, strict=True)
    spec = job["spec"]
    pod = spec["template"]["spec"]
    container = pod["containers"][0]
    codes = {
        code
        for rule in spec["podFailurePolicy"]["rules"]
        if rule["action"] == "FailIndex"
        for code in rule["onExitCodes"]["values"]
    }
    expected = {
        "exit codes as docs/scale.md": codes == never_again() != set(),
        "the shards are as many as the completions": f"--shard=auto/{spec['completions']}" in container["args"],
        "a shard goes on where it was": "--resume" in container["args"],
        "as many threads as processors": container["resources"]["requests"]["cpu"]
        == container["resources"]["limits"]["cpu"],
        "no rights": container["securityContext"]["readOnlyRootFilesystem"] and pod["securityContext"]["runAsNonRoot"],
    }
    for what, holds in expected.items():
        print(("ok    " if holds else "FAIL  ") + what)
    print(f"kubernetes.yaml: valid for Kubernetes {used}")
    raise SystemExit(0 if all(expected.values()) else 1)


if __name__ == "__main__":
    main()
