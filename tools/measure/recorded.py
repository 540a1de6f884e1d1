"""How the results of measurements are kept: docs/benchmarks, which tools/measure/write-figures.py reads."""

import json


def text(value, depth=0):
    """As JSON, with what is short on a line."""
    line = json.dumps(value)
    if len(line) < 100 and depth:
        return line
    if isinstance(value, dict) and any(isinstance(inner, dict | list) for inner in value.values()):
        inside = ",\n".join(f"{' ' * (depth + 1)}{json.dumps(k)}: {text(v, depth + 1)}" for k, v in value.items())
        return f"{{\n{inside}\n{' ' * depth}}}" + ("\n" if depth == 0 else "")
    if isinstance(value, list) and any(isinstance(inner, dict | list) for inner in value):
        inside = ",\n".join(" " * (depth + 1) + json.dumps(inner) for inner in value)
        return f"[\n{inside}\n{' ' * depth}]"
    return json.dumps(value)
