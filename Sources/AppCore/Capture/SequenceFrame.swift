import FileFormats

/// A frame of a sequence kept in files: its name, its metadata file and its time.
struct SequenceFrame: Sendable {
  let reference: FrameReference
  /// The metadata's name within the capture.
  let file: String
}

/// Sorts what a listing found into usable frames, by time, and skipped ones.
struct SequenceListing {
  private(set) var frames: [SequenceFrame] = []
  private(set) var skipped: [SkippedFrame] = []

  private let path: String
  private let limits: CaptureLimits

  init(path: String, limits: CaptureLimits) {
    self.path = path
    self.limits = limits
  }

  /// Adds a frame with the time that `timestamp` finds, or skips it with the reason that it throws.
  mutating func add(
    name: String, file: String, timestamp: () throws(CaptureError) -> Double
  ) throws(CaptureError) {
    guard frames.count + skipped.count < limits.frames else {
      throw .tooManyFrames(path: path, limit: limits.frames)
    }
    do {
      let time = try timestamp()
      frames.append(SequenceFrame(reference: FrameReference(name: name, timestamp: time), file: file))
    } catch {
      skipped.append(SkippedFrame(name: name, reason: error.description))
    }
  }

  /// Orders by time, then name.
  mutating func finish() throws(CaptureError) {
    guard !frames.isEmpty else {
      throw .noUsableFrame(path: path, firstReason: skipped.first?.reason ?? "the folder is empty")
    }
    frames.sort { a, b in
      a.reference.timestamp == b.reference.timestamp
        ? naturallyPrecedes(a.reference.name, b.reference.name)
        : a.reference.timestamp < b.reference.timestamp
    }
  }
}
