"""What `bench-peers.py` is made of: engines, models, reports."""
