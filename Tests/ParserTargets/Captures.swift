import AppCore
import FoundationEssentials
import Glibc
import Synchronization
import TestSupport

extension ParserTarget {
  /// Captures of every layout, each with one of its files replaced; messages of recordings by themselves.
  static let captures: [ParserTarget] = [
    ParserTarget("ros-message") { bytes in
      var limits = CaptureLimits()
      (limits.pixels, limits.depthCells) = (1 << 16, 1 << 16)
      try ROSMessageTrial.decode(bytes, limits: limits)
    },
    capture("native", "frame.json"), capture("clip", "00000.json"), capture("recorded", "messages.bin"),
    capture("recorded", "index.jsonl"), capture("scannerApp", "frame_00000.json"),
    capture("strayScanner", "odometry.csv"), capture("strayScanner", "camera_matrix.csv"),
    capture("transforms", "transforms.json"), capture("tumRGBD", "rgb.txt"),
    capture("tumRGBD", "groundtruth.txt"), capture("redwood", "rgbd.match"),
    capture("redwood", "trajectory.log"), capture("polycam", "keyframes/cameras/5510200000.json"),
    capture("record3D", "metadata"), capture("record3D", "rgbd/0.depth"),
    capture("arkitScenes", "lowres_wide.traj"), capture("rosBag", "bag.mcap"),
    // Of a library that a machine may lack.
    capture("rosBagSQLite", "bag.db3", acceptsSeeds: false), capture("rtabMap", "map_camera_poses.txt"),
    capture("rtabMap", "map_calib/1.yaml"),
    capture("arkitScenes", "lowres_wide_intrinsics/41048190_3308.623.pincam"),
  ]

  private static func capture(
    _ layout: String, _ file: String, acceptsSeeds: Bool = true
  ) -> ParserTarget {
    let name = "\(layout)-" + file.split(separator: "/").last!
    return ParserTarget(
      name, corpus: "Captures/\(layout)/\(file)", usesFiles: true, acceptsSeeds: acceptsSeeds
    ) { bytes in
      try ScratchCapture.withCopy(of: layout, for: name) { folder in
        try Data(bytes).write(to: URL(filePath: "\(folder)/\(file)"))
        let source = try CaptureReader.open(folder)
        for index in source.frames.indices { _ = try source.frame(at: index, decodingImage: false) }
      }
    }
  }
}

/// Copies of the captures in `Fuzz/Captures`, as many as are in use at once, removed when the process ends.
private enum ScratchCapture {
  private static let idle = Mutex<[String: [TemporaryDirectory]]>([:])
  private static let removal: Void = { _ = atexit { ScratchCapture.idle.withLock { $0 = [:] } } }()

  /// A copy is used again by its target only: all files but the target's are sound.
  static func withCopy(of layout: String, for target: String, _ body: (String) throws -> Void) throws {
    _ = removal
    let copy = try idle.withLock { $0[target]?.popLast() } ?? make(layout)
    defer { idle.withLock { $0[target, default: []].append(copy) } }
    try body(copy.file("capture"))
  }

  private static func make(_ layout: String) throws -> TemporaryDirectory {
    let directory = try TemporaryDirectory()
    try FileManager.default.copyItem(
      atPath: "\(ParserTarget.fuzzFolder)/Captures/\(layout)", toPath: directory.file("capture"))
    return directory
  }
}
