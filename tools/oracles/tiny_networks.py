"""Networks of reduced width, of which the tests have goldens."""

from oracles import depth_anything

#: Reduced detectors, each of the kind of a variant: (depth multiple, width multiple, most channels).
TINY_DETECTORS = {"n": (0.5, 0.125, 1024), "l": (1.0, 0.125, 512)}
#: The least network of every other family: family, (depth multiple, width multiple, most channels), key points.
LEAST_NETWORKS = [
    ("yolo11", (0.5, 0.125, 256), None),
    ("yolo11-pose", (0.5, 0.125, 256), (5, 3)),
    ("yolo11-obb", (0.5, 0.125, 256), None),
    ("yolo11-cls", (0.5, 0.125, 256), None),
    ("yolov8", (0.33, 0.125, 256), None),
    ("yolov8-seg", (0.67, 0.125, 256), None),
    ("yolov8-pose", (0.33, 0.125, 256), (4, 2)),
    ("yolov8-obb", (0.33, 0.125, 256), None),
    ("yolov8-cls", (0.33, 0.125, 256), None),
    ("yolo26", (0.5, 0.125, 256), None),
    ("yolo26-seg", (1.0, 0.125, 256), None),
    ("yolo26-pose", (0.5, 0.125, 256), (5, 3)),
    ("yolo26-obb", (0.5, 0.125, 256), None),
]
TINY_CLASSES = 4
TINY_DEPTH = depth_anything.Shape(
    embed_dim=48, depth=4, heads=2, taps=(0, 1, 2, 3), features=16, out_channels=(16, 24, 32, 48)
)
