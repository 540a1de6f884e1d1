#!/usr/bin/env python3
"""Verifies models of ONNX files against what ONNX Runtime makes of every node.

    python tools/reference/check-onnx-references.py --ardf .build/release/ardf out/families

FOLDER holds cases: folders with `model.onnx` and `test_data_set_0`, of a family each. A reference of every value is recorded
(`make-onnx-reference.py --case`), and `ardf verify model.onnx --reference` has to end with 0. Where the folder is missing,
`--export SCRIPT` makes it, ten minutes; without either the check is left out, and says so. Ends with 1 where a case fails.
"""

import argparse
import subprocess
import sys
import tempfile
import time
from pathlib import Path

RECORDER = Path(__file__).parent / "make-onnx-reference.py"


def verify(ardf, case, place):
    """Exit code, the last line of each mode's summary, and the error."""
    reference = place / "reference.npz"
    make = [sys.executable, RECORDER, case / "model.onnx", reference, "--case", case / "test_data_set_0"]
    made = subprocess.run(make, capture_output=True, text=True, check=False)
    if made.returncode:
        return made.returncode, "", made.stderr.strip().splitlines()[-1]
    command = [ardf, "verify", case / "model.onnx", "--reference", reference]
    run = subprocess.run(command, capture_output=True, text=True, check=False)
    reference.unlink()
    counts = [line for line in run.stdout.splitlines() if "compared," in line or line.startswith("sensitive:")]
    return run.returncode, "; ".join(line.split(" are ")[0] for line in counts), run.stderr.strip()


def main():
    """Verifies all cases."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--ardf", default=".build/release/ardf", help="the built program")
    parser.add_argument("--export", type=Path, metavar="SCRIPT", help="makes the folder where it is missing")
    options = parser.parse_args()
    if not options.folder.is_dir():
        if options.export is None or not options.export.exists():
            print(f"--   no {options.folder} and no {options.export}: families of ONNX files are not verified")
            return
        subprocess.run([sys.executable, options.export, options.folder], check=True)
    cases = sorted(path.parent for path in options.folder.glob("*/model.onnx"))
    if not cases:
        raise SystemExit(f"{options.folder}: holds no case")
    failed = 0
    with tempfile.TemporaryDirectory() as place:
        for case in cases:
            start = time.monotonic()
            code, counts, error = verify(options.ardf, case, Path(place))
            failed += code != 0
            verdict = "FAIL" if code else "ok  "
            print(f"{verdict} {case.name:24} {time.monotonic() - start:6.1f} s  {counts}", flush=True)
            if code:
                print(f"     {code}: {error}")
    print(f"{len(cases) - failed} of {len(cases)} cases verified")
    raise SystemExit(int(failed > 0))


if __name__ == "__main__":
    main()
