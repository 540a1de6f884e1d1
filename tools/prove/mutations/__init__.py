"""The parts of `tools/prove/mutate.py`: odd values, damaged files, the commands that read them, and what is wrong with
a run."""
