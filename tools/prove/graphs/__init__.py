"""Seeded networks as ONNX graphs: how they are drawn, run, judged and made smaller where they fail."""
