import FileFormats
import Geometry
import Imaging
import TestSupport

extension PublishedLayout {
  /// A recording of a robot whose tf tells where its camera stood in its world.
  func writeBag(_ fixture: CaptureFixture) throws {
    var bag = BagWriter()
    for (index, pose) in try RoomScene.poses().enumerated() {
      let time = BagWriter.start + index * 100_000_000
      let m = Matrix(pose).withOpenCVCamera.withZUpWorld
      bag.add(
        transform: m.translation + (try m.quaternion), "/tf", time: time, parent: "map", child: "optical")
      let size = RoomScene.pictureSize
      let image = [UInt8](repeating: UInt8(9 * index), count: 3 * size.width * size.height)
      bag.add(image: image, "/rgb/image_rect", "rgb8", size: size, time: time, frame: "optical")
      // The sensors are not quite in step.
      let depth = try RoomScene.depth(from: pose, size: depthSize, unitsPerMeter: unitsPerMeter)
      bag.add(
        image: rawBytes(of: depth.elements.map(\.littleEndian)), "/depth/image_rect", "16UC1",
        size: depthSize,
        time: time + 8_000_000, frame: "optical")
    }
    bag.add(camera: [50, 51, 32.5, 22.5], "/rgb/camera_info", size: RoomScene.pictureSize, frame: "optical")
    // The same field on half as many cells a side.
    bag.add(camera: [25, 25.5, 16, 11], "/depth/camera_info", size: depthSize, frame: "optical")
    try fixture.directory.write("rosbag2_bagfile_information: {}\n", to: "metadata.yaml")
    try fixture.directory.write(bag.file(chunked: true), to: "room_0.mcap")
  }

  /// As `rtabmap-export --images --poses_camera --poses_format 11` names and writes them.
  func writeRTABMap(_ fixture: CaptureFixture) throws {
    for folder in ["rgb", "depth", "calib"] { try fixture.makeFolder("map_\(folder)") }
    var poses = "#timestamp x y z qx qy qz qw id\n"
    for (index, pose) in try RoomScene.poses().enumerated() {
      let name = names[index]
      try writePixels(fixture, index, "map_rgb/\(name).jpg", "map_depth/\(name).png")
      try fixture.directory.write(
        """
        %YAML:1.0
        ---
        camera_name: "map"
        image_width: 64
        image_height: 48
        camera_matrix:
           rows: 3
           cols: 3
           data: [ 50., 0., 32.5, 0., 51.,
               22.5, 0., 0., 1. ]
        local_transform:
           rows: 3
           cols: 4
           data: [ 0., 0., 1., 0., -1., 0., 0., 0., 0., -1., 0., 0. ]

        """, to: "map_calib/\(name).yaml")
      let m = Matrix(pose).withOpenCVCamera.withZUpWorld
      let numbers = m.translation + (try m.quaternion)
      poses += "\(name) " + numbers.map { "\($0)" }.joined(separator: " ") + " \(index + 1)\n"
    }
    try fixture.directory.write(poses, to: "map_camera_poses.txt")
  }
}
