"""The parts of `bench-peers.py`: engines, models, reports."""
