#!/usr/bin/env python3
"""Writes recordings of ROS 2 of the kinds that are read, as goldens, by the writers of their formats' makers and of rosbags.

    python tools/reference/goldens/make-bag-goldens.py --out Tests/AppCoreTests/Goldens --captures Fuzz/Captures

Wants `mcap`, `mcap-ros2-support`, `rosbags`, `numpy`, `pillow`. Three frames of 16x12: color is (8 column, 10 row, 60
frame), depth 1 + row / 16 + column / 64 meters plus a quarter for each frame, and the camera moves 0.1 m a frame along the
robot's x axis.

- `zstd.mcap`: rgb8 and registered 16UC1, poses by tf over two frames; by mcap-ros2-support.
- `lz4.mcap`: PNG and compressedDepth (quantized 32FC1 as compressed_depth_image_transport defines it), poses by Odometry.
- `plain.mcap`: no chunks, big-endian CDR, bgr8 with rows padded and 32FC1, poses by PoseStamped.
- `rosbag2/`: SQLite, depth of a camera 0.25 m beside the color camera.
- the captures: a recording without checksums, so that damage reaches the messages, and one in SQLite.
"""

import argparse
import io
import shutil
import sqlite3
import struct
import tempfile
from pathlib import Path

import numpy as np
from mcap.writer import CompressionType, Writer
from mcap_ros2.writer import Writer as ROS2Writer
from PIL import Image
from rosbags.rosbag2 import StoragePlugin
from rosbags.rosbag2 import Writer as BagWriter
from rosbags.typesys import Stores, get_typestore

STORE = get_typestore(Stores.ROS2_HUMBLE)
T = STORE.types
WIDTH, HEIGHT, FRAMES = 16, 12, 3
#: Nanoseconds of the first frame, and from one to the next.
START, STEP = 1_700_000_000_000_000_000, 100_000_000
ROWS, COLUMNS = np.mgrid[0:HEIGHT, 0:WIDTH]
OPTICAL = (-0.5, 0.5, -0.5, 0.5)
UPRIGHT = (0.0, 0.0, 0.0, 1.0)


def stamp(time):
    return T["builtin_interfaces/msg/Time"](sec=time // 10**9, nanosec=time % 10**9)


def header(time, frame):
    return T["std_msgs/msg/Header"](stamp=stamp(time), frame_id=frame)


def color(frame):
    return np.stack([8 * COLUMNS, 10 * ROWS, np.full_like(ROWS, 60 * frame)], axis=2).astype(np.uint8)


def depth(frame):
    return (1 + ROWS / 16 + COLUMNS / 64 + frame / 4).astype(np.float32)


def image(time, frame, encoding, pixels, padding=0, big=False):
    pixels = np.ascontiguousarray(pixels.astype(pixels.dtype.newbyteorder(">" if big else "<")))
    rows = [row.tobytes() + b"\xee" * padding for row in pixels]
    return T["sensor_msgs/msg/Image"](
        header=header(time, frame), height=HEIGHT, width=WIDTH, encoding=encoding, is_bigendian=int(big),
        step=len(rows[0]), data=np.frombuffer(b"".join(rows), np.uint8))


def compressed(time, frame, form, data):
    return T["sensor_msgs/msg/CompressedImage"](
        header=header(time, frame), format=form, data=np.frombuffer(data, np.uint8))


def png(pixels):
    file = io.BytesIO()
    Image.fromarray(pixels).save(file, "PNG")
    return file.getvalue()


def info(time, frame, focal=20.0, distortion=0.0):
    k = np.array([focal, 0, 7.5, 0, focal, 5.5, 0, 0, 1.0])
    p = np.array([focal, 0, 7.5, 0, 0, focal, 5.5, 0, 0, 0, 1.0, 0])
    region = T["sensor_msgs/msg/RegionOfInterest"](x_offset=0, y_offset=0, height=0, width=0, do_rectify=False)
    return T["sensor_msgs/msg/CameraInfo"](
        header=header(time, frame), height=HEIGHT, width=WIDTH, distortion_model="plumb_bob",
        d=np.array([distortion, 0, 0, 0, 0.0]), k=k, r=np.eye(3).ravel(), p=p, binning_x=0, binning_y=0, roi=region)


def vector(kind, place):
    return T[f"geometry_msgs/msg/{kind}"](x=float(place[0]), y=float(place[1]), z=float(place[2]))


def rotation(q):
    return T["geometry_msgs/msg/Quaternion"](x=q[0], y=q[1], z=q[2], w=q[3])


def transform(time, parent, child, place, q=UPRIGHT):
    return T["geometry_msgs/msg/TransformStamped"](
        header=header(time, parent), child_frame_id=child,
        transform=T["geometry_msgs/msg/Transform"](translation=vector("Vector3", place), rotation=rotation(q)))


def transforms(*parts):
    return T["tf2_msgs/msg/TFMessage"](transforms=list(parts))


def pose(place, q=UPRIGHT):
    return T["geometry_msgs/msg/Pose"](position=vector("Point", place), orientation=rotation(q))


def odometry(time, place):
    still = T["geometry_msgs/msg/Twist"](linear=vector("Vector3", (0, 0, 0)), angular=vector("Vector3", (0, 0, 0)))
    return T["nav_msgs/msg/Odometry"](
        header=header(time, "odom"), child_frame_id="base_link",
        pose=T["geometry_msgs/msg/PoseWithCovariance"](pose=pose(place), covariance=np.zeros(36)),
        twist=T["geometry_msgs/msg/TwistWithCovariance"](twist=still, covariance=np.zeros(36)))


def quantized(meters, quantization=100.0, limit=10.0):
    """32FC1 as compressed_depth_image_transport stores it: a / depth + b in 16 bits, after the format and a and b."""
    a = quantization * (quantization + 1)
    b = 1 - a / limit
    return struct.pack("<iff", 0, a, b) + png(np.rint(a / meters + b).astype(np.uint16))


def mounted(time, frame="camera_optical"):
    """A camera half a meter above the robot's middle, looking ahead."""
    return transforms(transform(time, "base_link", frame, (0, 0, 0.5), OPTICAL))


def common(kind):
    """The messages of a recording: topic, time, message."""
    found = [("/tf_static", START, mounted(START))] if kind != "plain" else []
    for frame in range(FRAMES):
        time, frame_id = START + frame * STEP, "camera_optical"
        place = (0.1 * frame, 0, 0)
        if kind == "zstd":
            # Between two samples: they are interpolated.
            found.append(("/tf", time, transforms(
                transform(time - STEP // 2, "odom", "base_link", (0.1 * frame - 0.05, 0, 0)),
                transform(time - STEP // 2, "map", "odom", (0, 0, 1)))))
            found.append(("/camera/color/image_raw", time, image(time, frame_id, "rgb8", color(frame))))
            millimeters = np.rint(depth(frame) * 1000).astype(np.uint16)
            found.append(("/camera/aligned_depth_to_color/image_raw", time + 1, image(time, frame_id, "16UC1", millimeters)))
        elif kind == "lz4":
            found.append(("/odom", time, odometry(time, place)))
            found.append(("/rgb/image_raw/compressed", time, compressed(time, frame_id, "rgb8; png compressed ", png(color(frame)))))
            found.append(("/depth/image_raw/compressedDepth", time, compressed(
                time + STEP // 10, frame_id, "32FC1; compressedDepth png", quantized(depth(frame)))))
        else:
            found.append(("/slam/pose", time, T["geometry_msgs/msg/PoseStamped"](
                header=header(time, "world"), pose=pose((0.1 * frame, 0, 0.5), OPTICAL))))
            found.append(("/image_raw", time, image(time, frame_id, "bgr8", color(frame)[:, :, ::-1], padding=3)))
            found.append(("/depth_image", time, image(time, frame_id, "32FC1", depth(frame), big=True)))
        place = {"zstd": "/camera/color", "lz4": "/rgb", "plain": ""}[kind]
        found.append((f"{place}/camera_info", time, info(time, frame_id)))
    if kind == "zstd":
        last = START + FRAMES * STEP - STEP // 2
        found.append(("/tf", last, transforms(
            transform(last, "odom", "base_link", (0.1 * FRAMES - 0.05, 0, 0)), transform(last, "map", "odom", (0, 0, 1)))))
    return found


def definition(name):
    text, _ = STORE.generate_msgdef(name, ros_version=2)
    return text


def write_mcap(path, messages, big=False, **options):
    writer = Writer(str(path), **options)
    writer.start(profile="ros2", library="")
    channels = {}
    for topic, time, message in messages:
        kind = message.__msgtype__
        if topic not in channels:
            schema = writer.register_schema(kind, "ros2msg", b"")
            channels[topic] = writer.register_channel(topic, "cdr", schema)
        data = bytes(STORE.serialize_cdr(message, kind, little_endian=not big))
        writer.add_message(channels[topic], time, data, time)
    writer.finish()


def plain(value):
    """A message of rosbags as mcap-ros2-support takes it."""
    if isinstance(value, (list, tuple)):
        return [plain(element) for element in value]
    if isinstance(value, np.ndarray):
        return value.tobytes() if value.dtype == np.uint8 else value.tolist()
    if hasattr(value, "__msgtype__"):
        return {name: plain(getattr(value, name)) for name in value.__dataclass_fields__ if name != "__msgtype__"}
    return value


def write_ros2(path, messages):
    writer = ROS2Writer(str(path), chunk_size=4096, compression=CompressionType.ZSTD)
    schemas = {}
    for topic, time, message in messages:
        kind = message.__msgtype__
        if kind not in schemas:
            schemas[kind] = writer.register_msgdef(kind, definition(kind))
        writer.write_message(topic, schemas[kind], plain(message), time, time)
    writer.finish()


def write_bag(folder, messages):
    """By rosbags; written again with small pages by SQLite itself."""
    shutil.rmtree(folder, ignore_errors=True)
    with BagWriter(folder, version=8, storage_plugin=StoragePlugin.SQLITE3) as writer:
        connections = {}
        for topic, time, message in messages:
            kind = message.__msgtype__
            if topic not in connections:
                connections[topic] = writer.add_connection(topic, kind, typestore=STORE)
            writer.write(connections[topic], time, STORE.serialize_cdr(message, kind))
    (path,) = folder.glob("*.db3")
    with sqlite3.connect(path) as database:
        if database.execute("SELECT count(*) FROM sqlite_master WHERE name = 'message_definitions'").fetchone()[0]:
            database.execute("DELETE FROM message_definitions")
        database.execute("UPDATE topics SET offered_qos_profiles = '', type_description_hash = ''")
    database = sqlite3.connect(path, isolation_level=None)
    database.execute("PRAGMA page_size = 512")
    database.execute("VACUUM")
    database.close()
    return path


def beside(frames):
    """Depth of a camera 0.25 m to the right of the color camera, of a wider field: 2 m on the left, 3 m on the right."""
    millimeters = np.where(COLUMNS < WIDTH // 2, 2000, 3000).astype(np.uint16)
    found = [("/tf_static", START, transforms(
        transform(START, "base_link", "color_optical", (0, 0, 0.5), OPTICAL),
        transform(START, "color_optical", "depth_optical", (0.25, 0, 0))))]
    for frame in range(frames):
        time = START + frame * STEP
        found += [
            ("/color/image_raw", time, image(time, "color_optical", "rgb8", color(frame))),
            ("/color/camera_info", time, info(time, "color_optical", distortion=0.5)),
            ("/depth/image_rect_raw", time, image(time, "depth_optical", "16UC1", millimeters)),
            ("/depth/camera_info", time, info(time, "depth_optical", focal=10.0)),
        ]
    return found


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--out", required=True, type=Path)
    parser.add_argument("--captures", required=True, type=Path)
    options = parser.parse_args()
    write_ros2(options.out / "zstd.mcap", common("zstd"))
    write_mcap(options.out / "lz4.mcap", common("lz4"), compression=CompressionType.LZ4)
    write_mcap(
        options.out / "plain.mcap", common("plain"), big=True, use_chunking=False, enable_data_crcs=True,
        use_statistics=False, use_summary_offsets=False)
    write_bag(options.out / "rosbag2", beside(1))
    folder = options.captures / "rosBag"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
    write_mcap(folder / "bag.mcap", common("lz4")[:6], compression=CompressionType.NONE, enable_crcs=False)
    with tempfile.TemporaryDirectory() as scratch:
        path = write_bag(Path(scratch) / "bag", beside(1))
        folder = options.captures / "rosBagSQLite"
        folder.mkdir(parents=True, exist_ok=True)
        (folder / "metadata.yaml").write_text("rosbag2_bagfile_information: {}\n")
        shutil.copy(path, folder / "bag.db3")


if __name__ == "__main__":
    main()
