#!/usr/bin/env python3
"""Holds the examples' manifests to the schema of Kubernetes, and to what docs/guides/scale.md and
docs/guides/serving.md say.

tools/check/check-kubernetes.py [VERSION]     needs kubernetes-validate (pip)
"""

import re
import sys
from pathlib import Path

import kubernetes_validate
import yaml

ROOT = Path(__file__).resolve().parents[2]


def never_again() -> set[int]:
    """The exit codes that the table of docs/guides/scale.md tells schedulers not to try again."""
    rows = re.findall(r"^\| ([0-9, ]+) \|.*\| never \|$", (ROOT / "docs/guides/scale.md").read_text(), re.MULTILINE)
    return {int(code) for row in rows for code in row.split(",")}


def serving(version: str) -> dict[str, bool]:
    """The checks of the Deployment of Examples/Serving, by name."""
    manifests = list(yaml.safe_load_all((ROOT / "Examples/Serving/kubernetes.yaml").read_text()))
    for manifest in manifests:
        kubernetes_validate.validate(manifest, version, strict=True)
    deployment, service = manifests
    pod = deployment["spec"]["template"]["spec"]
    container = pod["containers"][0]
    words = dict(word.lstrip("-").split("=", 1) for word in container["args"] if "=" in word)
    port = int(words["listen"].rsplit(":", 1)[1])
    probes = [container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "readiness", "liveness")]
    page = (ROOT / "docs/guides/serving.md").read_text()
    return {
        "probes are addresses of the protocol": all(path.lstrip("/").startswith("v2/health/") for path in probes),
        "the port that is listened on": container["ports"][0]["containerPort"] == port
        and service["spec"]["ports"][0]["port"] == port,
        "requests may finish": pod["terminationGracePeriodSeconds"]
        > float(words["timeout"]) + container["lifecycle"]["preStop"]["sleep"]["seconds"],
        "a token": words["token-file"].startswith(container["volumeMounts"][1]["mountPath"]),
        "options that docs/guides/serving.md has": all(f"--{option}" in page for option in words),
        "no rights for the server": container["securityContext"]["readOnlyRootFilesystem"]
        and pod["securityContext"]["runAsNonRoot"],
    }


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
        "exit codes as docs/guides/scale.md": codes == never_again() != set(),
        "the shards are as many as the completions": f"--shard=auto/{spec['completions']}" in container["args"],
        "a shard continues where it stopped": "--resume" in container["args"],
        "as many threads as processors": container["resources"]["requests"]["cpu"]
        == container["resources"]["limits"]["cpu"],
        "no rights": container["securityContext"]["readOnlyRootFilesystem"] and pod["securityContext"]["runAsNonRoot"],
    }
    expected |= serving(version)
    for what, holds in expected.items():
        print(("ok    " if holds else "FAIL  ") + what)
    print(f"manifests: valid for Kubernetes {used}")
    raise SystemExit(0 if all(expected.values()) else 1)


if __name__ == "__main__":
    main()
