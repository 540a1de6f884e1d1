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
  /// A picture or a folder of pictures.
  case images

  /// The layout's units and axes as stored, in words.
  public var conventions: String {
    switch self {
    case .native:
      "depth float32 metres or u16 millimetres; intrinsics and camera-to-world column-major, ARKit axes"
    case .clipFolder, .recordedClip:
      "depth u16 millimetres; fx fy cx cy in pixels; camera-to-world column-major, ARKit axes"
    case .scannerApp:
      "depth u16 millimetres; intrinsics and camera-to-world row-major, ARKit axes"
    case .images:
      "pictures only: no depth, no camera"
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

  /// A skipped frame and why.
  public init(name: String, reason: String) {
    self.name = name
    self.reason = reason
  }
}

/// A capture or a sequence of them: frames listed at once, decoded on demand.
public protocol CaptureSource: Sendable {
  /// The layout it was recognised as.
  var layout: CaptureLayout { get }
  /// The path it was opened from.
  var path: String { get }
  /// Usable frames in the order of their timestamps; never empty.
  var frames: [FrameReference] { get }
  /// Frames that were found but left out.
  var skipped: [SkippedFrame] { get }

  /// Reads one frame.
  ///
  /// - Parameters:
  ///   - index: Position in `frames`.
  ///   - decodingImage: false leaves the picture undecoded (`image` is nil), which is much faster.
  /// - Throws: `CaptureError`.
  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame

  /// The picture of a frame as it is stored; nil where the frame has none.
  ///
  /// - Throws: `CaptureError`.
  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture?
}

extension CaptureSource {
  /// Reads one frame with its picture.
  ///
  /// - Throws: `CaptureError`.
  public func frame(at index: Int) throws(CaptureError) -> CapturedFrame {
    try frame(at: index, decodingImage: true)
  }

  /// The reference at an index.
  func reference(at index: Int) throws(CaptureError) -> FrameReference {
    guard frames.indices.contains(index) else {
      throw .noSuchFrame(index: index, count: frames.count)
    }
    return frames[index]
  }
}

/// Limits on what a capture may ask of the machine.
public struct CaptureLimits: Sendable {
  /// Frames of a sequence.
  public var frames = 100_000
  /// Bytes of one JSON file.
  public var metadataBytes = 1 << 20
  /// Bytes of one picture, depth or confidence file.
  public var frameFileBytes = 256 << 20
  /// Bytes of a recorded clip's data.
  public var clipBytes = 8 << 30
  /// Bytes of a recorded clip's data that are unpacked from an archive into memory.
  public var archivedClipBytes = 1 << 30
  /// Cells of a depth grid.
  public var depthCells = 16 << 20

  /// The defaults.
  public init() {}
}
