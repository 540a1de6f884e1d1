import FileFormats

/// A frame of a sequence kept in files: its name, its metadata file and its time.
struct SequenceFrame: Sendable {
  let reference: FrameReference
  /// The metadata's name within the capture.
  let file: String
}

/// Sorts what a listing found into frames, by time, and skipped ones.
///
/// The rule of every layout: a frame that was recorded without a part (`CaptureError.Kind.gap`) is skipped. One that is
/// damaged stays among the frames, in its place, and reading it throws: whoever reads the others names and records it.
struct SequenceListing {
  private(set) var frames: [SequenceFrame] = []
  /// Positions in `frames` of damaged ones, and why.
  private(set) var defects: [Int: CaptureError] = [:]
  private(set) var skipped: [SkippedFrame] = []

  private let path: String
  private let limits: CaptureLimits
  /// In the order of the listing; of damaged frames the time is not known.
  private var found: [(name: String, file: String, time: Result<Double, CaptureError>)] = []

  /// Entries that nothing can open.
  private let unnamed: [SkippedFrame]

  /// Frames that an index, a recording or an archive lists.
  init(path: String, limits: CaptureLimits) {
    self.path = path
    self.limits = limits
    unnamed = []
  }

  /// Frames that the names of files alone list: those with names that are not UTF-8 are skipped.
  ///
  /// `subfolders`: Where these files lie; nil for the folder itself.
  init(filesOf folder: CaptureFolder, in subfolders: [String?] = [nil]) {
    path = folder.path
    limits = folder.limits
    unnamed = subfolders.flatMap(folder.skippedNames)
  }

  /// Adds a frame with the time that `timestamp` finds, as damaged with the error that it throws, or skips it.
  mutating func add(
    name: String, file: String, timestamp: () throws(CaptureError) -> Double
  ) throws(CaptureError) {
    guard found.count + skipped.count < limits.frames else {
      throw .tooManyFrames(path: path, limit: limits.frames)
    }
    do {
      found.append((name, file, .success(try timestamp())))
    } catch  where error.kind == .gap {
      skipped.append(SkippedFrame(name: name, reason: error.description))
    } catch {
      found.append((name, file, .failure(error)))
    }
  }

  /// Orders by time, then name; a damaged frame follows the one that it follows in the listing.
  mutating func finish() throws(CaptureError) {
    var sound: [(frame: SequenceFrame, followers: [(name: String, file: String, error: CaptureError)])] = []
    var leading: [(name: String, file: String, error: CaptureError)] = []
    for (name, file, time) in found {
      switch time {
      case .success(let time):
        sound.append(
          (SequenceFrame(reference: FrameReference(name: name, timestamp: time), file: file), []))
      case .failure(let error) where sound.isEmpty: leading.append((name, file, error))
      case .failure(let error): sound[sound.count - 1].followers.append((name, file, error))
      }
    }
    guard !sound.isEmpty else {
      throw .noUsableFrame(
        path: path,
        firstReason: leading.first?.error.description ?? skipped.first?.reason ?? "the folder is empty")
    }
    sound.sort { a, b in
      let (a, b) = (a.frame.reference, b.frame.reference)
      return a.timestamp == b.timestamp ? naturallyPrecedes(a.name, b.name) : a.timestamp < b.timestamp
    }
    add(leading, at: sound[0].frame.reference.timestamp)
    for (frame, followers) in sound {
      frames.append(frame)
      add(followers, at: frame.reference.timestamp)
    }
    found = []
    skipped += unnamed
  }

  private mutating func add(_ damaged: [(name: String, file: String, error: CaptureError)], at time: Double) {
    for (name, file, error) in damaged {
      defects[frames.count] = error
      frames.append(SequenceFrame(reference: FrameReference(name: name, timestamp: time), file: file))
    }
  }
}
