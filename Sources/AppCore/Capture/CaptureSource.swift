import FileFormats
import Imaging

/// The file layouts a capture may come in.
public enum CaptureLayout: String, Sendable, CaseIterable {
  /// `ardf.capture/1`: frame.json beside its files, or a sequence of those.
  case native
  /// `NNNNN.json`, `_rgb.jpg`, `_depth.png`, `_conf.png`.
  case clipFolder
  /// `index.jsonl` and `messages.bin`, or an archive that holds them.
  case recordedClip
  /// 3D Scanner App's "All Data" export.
  case scannerApp
  /// Stray Scanner's export with its pictures in `rgb/`.
  case strayScanner
  /// `transforms.json` of nerfstudio and instant-ngp.
  case transforms
  /// A sequence of the TUM RGB-D benchmark.
  case tumRGBD
  /// An RGB-D folder of Redwood and Open3D.
  case redwood
  /// Polycam's raw data.
  case polycam
  /// A video of ARKitScenes.
  case arkitScenes
  /// Record3D's `.r3d`, or the folder that it was unpacked to.
  case record3D
  /// A video of ARKitScenes' depth upsampling, which has no camera.
  case arkitUpsampling
  /// A video of CA-1M.
  case ca1m
  /// A recording of ROS 2: MCAP, or rosbag2's SQLite files.
  case rosBag
  /// RTAB-Map's export of pictures and poses.
  case rtabMap
  /// A picture or a folder of pictures, their depth and a stated camera.
  case imageWithDepth
  /// A picture or a folder of pictures.
  case images

  /// The layout's units and axes as stored, in words.
  public var conventions: String {
    switch self {
    case .native:
      "depth float32 meters or u16 millimeters; intrinsics and camera-to-world column-major, ARKit axes"
    case .clipFolder, .recordedClip:
      "depth u16 millimeters; fx fy cx cy in pixels; camera-to-world column-major, ARKit axes"
    case .scannerApp:
      "depth u16 millimeters; intrinsics and camera-to-world row-major, ARKit axes"
    case .strayScanner:
      "depth u16 millimeters, confidence 0 1 2; camera matrix row-major for 1920x1440; camera-to-world as "
        + "x y z qx qy qz qw, camera axes OpenCV's, world +y up"
    case .transforms:
      "depth u16 or float32 in the file's unit, thousandths of a meter by default; principal point from the "
        + "corner; camera-to-world row-major, camera axes OpenGL's (ARKit's), world +z up"
    case .tumRGBD:
      "depth u16, 5000 a meter; camera file column-major, 525 525 319.5 239.5 for 640x480 without one; "
        + "camera-to-world as tx ty tz qx qy qz qw, camera axes OpenCV's, world +z up"
    case .redwood:
      "depth u16 millimeters; camera file column-major, 525 525 319.5 239.5 for 640x480 without one; "
        + "camera-to-world row-major, camera axes OpenCV's, world up as the first camera's"
    case .polycam:
      "depth u16 millimeters, confidence 0 127 255; fx fy cx cy in pixels; camera-to-world row-major (t_RC), "
        + "ARKit axes"
    case .arkitScenes:
      "depth u16 millimeters, confidence 0 1 2; fx fy cx cy in pixels; world-to-camera as axis-angle and "
        + "translation, camera axes OpenCV's, world +z up"
    case .record3D:
      "depth float32 or float16 meters, LZFSE; confidence 0 1 2; camera matrix column-major, or fx fy cx cy of each "
        + "frame; camera-to-world as qx qy qz qw x y z, ARKit axes"
    case .arkitUpsampling:
      "depth u16 millimeters, confidence 0 1 2; no cameras, no poses"
    case .ca1m:
      "depth u16 millimeters; camera matrix row-major; camera-to-world row-major, camera axes OpenCV's, "
        + "world +z up"
    case .rosBag:
      "depth u16 millimeters or float32 meters; camera matrix row-major; camera-to-world by tf as x y z qx qy qz qw, "
        + "camera axes OpenCV's (optical frames), world +z up"
    case .rtabMap:
      "depth u16 millimeters; camera matrix row-major; camera-to-world as x y z qx qy qz qw, camera axes OpenCV's, "
        + "world +z up"
    case .imageWithDepth:
      "depth float32 meters, or u16 of the stated unit, millimeters by default; fx fy cx cy in pixels as stated; no "
        + "poses, every camera level at the origin"
    case .images:
      "pictures only: no depth, no camera but what EXIF says"
    }
  }
}

extension CaptureLayout {
  /// Whether captures of the layout state camera poses.
  public var hasPoses: Bool { ![.images, .imageWithDepth, .arkitUpsampling].contains(self) }

  /// The sensor that captures of the layout come from, unless stated otherwise; no layout states a range.
  public var sensor: SensorModel {
    switch self {
    case .clipFolder, .recordedClip, .scannerApp, .strayScanner, .polycam, .arkitScenes, .arkitUpsampling,
      .ca1m, .record3D:
      SensorModel(.lidar)
    case .tumRGBD, .redwood: SensorModel(.structuredLight)
    case .native, .transforms, .rosBag, .rtabMap, .imageWithDepth, .images: SensorModel()
    }
  }
}

/// A frame that can be read, as found when the capture was listed.
public struct FrameReference: Sendable, Equatable {
  /// Name within the capture.
  public let name: String
  /// Seconds on the recording's own clock.
  public let timestamp: Double

  /// A reference by name and time.
  public init(name: String, timestamp: Double) {
    self.name = name
    self.timestamp = timestamp
  }
}

/// A frame that was found but cannot be used.
public struct SkippedFrame: Sendable, Equatable {
  /// Name within the capture.
  public let name: String
  /// Why it is left out.
  public let reason: String
  /// Whether it is an entry that may be a frame or a part of one, and that nothing can open, since its name is not UTF-8.
  package let isUnnamed: Bool

  /// A skipped frame and why.
  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
    isUnnamed = false
  }

  /// An entry of a folder whose name is not UTF-8.
  ///
  /// `name`: with each byte beyond printable ASCII as `\xHH`.
  package init(notText name: String) {
    self.name = name
    reason = Self.notText
    isUnnamed =
      !lastComponent(name).contains(".") || [".json", ".npy"].contains { hasEnding(name, $0) }
      || CaptureReader.isSourceFile(name)
  }

  /// Why an entry is left out whose name no text can hold.
  package static let notText = "its name is not UTF-8; rename it"

  /// Most names in a line.
  private static let mostNamed = 10

  /// Lists skipped frames for people: a line for all frames that lack the same thing, in the order of the first of
  /// each.
  ///
  /// Apps that store every third picture leave out hundreds of frames.
  ///
  /// - Parameters:
  ///   - skipped: The frames, with what they lack.
  ///   - used: How many frames can be used.
  ///   - unit: What they are called.
  /// - Returns: The lines.
  public static func lines(_ skipped: [SkippedFrame], besides used: Int, unit: String = "frame") -> [String] {
    var alike: NameTable<[SkippedFrame]> = [:]
    var order: [String] = []
    for frame in skipped {
      // Reasons name the frame's own files.
      let kind = frame.reason.filter { !$0.isNumber }
      if alike[kind] == nil { order.append(kind) }
      alike[kind, default: []].append(frame)
    }
    return order.compactMap { alike[$0] }.map { frames in
      let (first, last) = (frames[0], frames[frames.count - 1])
      guard frames.count > 1 else { return "skipped \(first.name): \(first.reason)" }
      let head = "skipped \(frames.count) of \(counted(used + skipped.count, unit)), "
      guard frames.allSatisfy({ $0.reason == first.reason }) else {
        return head + "\(first.name) to \(last.name): \(first.reason), and so on"
      }
      let more = frames.count - mostNamed
      return head + frames.prefix(mostNamed).map(\.name).joined(separator: ", ")
        + (more > 0 ? " and \(more) more" : "") + ": \(first.reason)"
    }
  }
}

/// A capture or a sequence of them: frames listed at once, decoded on demand.
public protocol CaptureSource: Sendable {
  /// The layout it was recognized as.
  var layout: CaptureLayout { get }
  /// The path it was opened from.
  var path: String { get }
  /// Frames in the order of their timestamps, one that can be read at least.
  var frames: [FrameReference] { get }
  /// Positions in `frames` of those that were found damaged when the capture was opened, and why; reading one throws
  /// that. Their timestamps are those of the frames before them.
  var defects: [Int: CaptureError] { get }
  /// Frames that lack a part, and files that are not frames: they are left out.
  var skipped: [SkippedFrame] { get }
  /// Whether it states camera poses: as its layout does, unless that may leave them out.
  var hasPoses: Bool { get }
  /// Choices and assumptions made in reading the capture, one line each, for people.
  var notes: [String] { get }

  /// Reads one frame.
  ///
  /// - `index`: Position in `frames`.
  /// - `decodingImage`: false leaves the picture undecoded (`image` is nil), which is much faster.
  /// - Throws: `CaptureError`.
  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame

  /// The picture of a frame as it is stored; nil where the frame has none.
  ///
  /// - Throws: `CaptureError`.
  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture?

  /// Runs a step that reads further files of the capture, given the folder or file where they lie: `path`, but of an archive
  /// where it was unpacked.
  ///
  /// - Throws: what the step throws, with files named as in the capture.
  func reading<Result>(_ step: (String) throws(CaptureError) -> Result) throws(CaptureError) -> Result
}

extension CaptureSource {
  /// Runs the step at `path`.
  ///
  /// - Throws: what the step throws.
  public func reading<Result>(
    _ step: (String) throws(CaptureError) -> Result
  ) throws(CaptureError) -> Result { try step(path) }

  /// None.
  public var defects: [Int: CaptureError] { [:] }
  /// As its layout.
  public var hasPoses: Bool { layout.hasPoses }
  /// Nothing.
  public var notes: [String] { [] }

  /// Reads one frame with its picture.
  ///
  /// - Throws: `CaptureError`.
  public func frame(at index: Int) throws(CaptureError) -> CapturedFrame {
    try frame(at: index, decodingImage: true)
  }

  /// The reference at an index.
  ///
  /// - Throws: `.noSuchFrame`; of a frame that is known to be damaged, why.
  func reference(at index: Int) throws(CaptureError) -> FrameReference {
    guard frames.indices.contains(index) else {
      throw .noSuchFrame(index: index, count: frames.count)
    }
    if let defect = defects[index] { throw defect }
    return frames[index]
  }
}
