"""What `bench_peers.py` is made of: engines, models, reports."""
