"""The parts of `tools/prove/faults.py`: the commands whose outputs must be whole or absent."""
