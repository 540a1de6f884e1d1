"""The parts of `tools/mutate`: odd values, damaged files, the commands that read them, and what is wrong with a run."""
