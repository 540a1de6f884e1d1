"""Reference implementations in PyTorch and the files they are compared through."""
