import FileFormats
import OutputFolders
import Synchronization

/// A capture that was unpacked from an archive into a temporary folder, which is gone with it and with the process.
struct UnpackedCapture: CaptureSource {
  /// The archive's.
  let path: String

  private let source: any CaptureSource
  private let folder: UnpackedFolder

  /// Unpacks an archive and opens what is inside, however many folders hold nothing but it.
  ///
  /// `open`: opens a folder or file.
  init(
    _ archive: CaptureArchive, open: (String) throws(CaptureError) -> any CaptureSource
  ) throws(CaptureError) {
    path = archive.path
    guard archive.mayHoldCapture else { throw .archive(path: path, .nothing) }
    folder = try UnpackedFolder(archive)
    do throws(CaptureError) {
      source = try open(folder.innermost())
    } catch {
      throw folder.told(error)
    }
  }

  var layout: CaptureLayout { source.layout }
  var frames: [FrameReference] { source.frames }
  var defects: [Int: CaptureError] { source.defects.mapValues(folder.told) }
  var skipped: [SkippedFrame] { source.skipped }
  var hasPoses: Bool { source.hasPoses }
  var notes: [String] { source.notes }

  func frame(at index: Int, decodingImage: Bool) throws(CaptureError) -> CapturedFrame {
    do throws(CaptureError) {
      return try source.frame(at: index, decodingImage: decodingImage)
    } catch {
      throw folder.told(error)
    }
  }

  func encodedPicture(at index: Int) throws(CaptureError) -> EncodedPicture? {
    do throws(CaptureError) {
      return try source.encodedPicture(at: index)
    } catch {
      throw folder.told(error)
    }
  }

  func reading<Result>(_ step: (String) throws(CaptureError) -> Result) throws(CaptureError) -> Result {
    do throws(CaptureError) {
      return try source.reading(step)
    } catch {
      throw folder.told(error)
    }
  }
}

/// The temporary folder of an archive's files, the user's alone.
private final class UnpackedFolder: Sendable {
  /// Bytes of all such folders of the process: many archives may be open at a time, and the folder for temporary files
  /// may lie in memory.
  private static let mostBytes = 4 << 30
  private static let taken = Mutex(0)

  private let folder: AtomicDirectory
  private let archive: String
  private let bytes: Int
  private let holdsPictures: Bool

  init(_ archive: CaptureArchive) throws(CaptureError) {
    self.archive = archive.path
    holdsPictures = archive.files.contains { hasPictureEnding($0.name) }
    let bytes = archive.files.reduce(0) { $0 + $1.bytes }
    let hasRoom = Self.taken.withLock { taken in
      guard taken + bytes <= Self.mostBytes else { return false }
      taken += bytes
      return true
    }
    guard hasRoom else { throw .archive(path: archive.path, .tooManyOpen(limit: Self.mostBytes)) }
    self.bytes = bytes
    do {
      folder = try AtomicDirectory.scratch("capture")
    } catch {
      Self.taken.withLock { $0 -= bytes }
      throw .archive(path: archive.path, .notUnpacked(reason: "\(error)"))
    }
    for file in archive.files {
      let contents = try archive.contents(of: file).array()
      do {
        try folder.write(contents, to: file.name)
      } catch {
        throw .archive(
          path: archive.path,
          .notUnpacked(reason: told("\(error)")))
      }
    }
  }

  deinit { Self.taken.withLock { $0 -= bytes } }

  /// The file or folder inside folders that hold nothing but it.
  func innermost() throws(CaptureError) -> String {
    var path = folder.temporaryPath
    do throws(FileError) {
      while try POSIX.kind(of: path) == .directory {
        let names = try POSIX.entries(of: path)
        guard names.count == 1 else { break }
        path += "/\(names[0])"
      }
    } catch {
      throw CaptureError(error, of: archive)
    }
    return path
  }

  /// A text with files named as in the archive.
  private func told(_ text: String) -> String {
    [folder.temporaryPath, folder.path].reduce(text) { text, place in
      text.replacing("\(place)/", with: "\(archive)/").replacing(place, with: archive)
    }
  }

  /// An error with files named as in the archive; what only a folder can be read from, as that.
  func told(_ error: CaptureError) -> CaptureError {
    switch error {
    case .unrecognizedLayout where holdsPictures:
      return .archive(path: archive, .unpackFirst(reason: "holds several folders of pictures or captures"))
    case .unrecognizedLayout, .archive: return .archive(path: archive, .nothing)
    case .severalCaptures(_, let names):
      return .archive(
        path: archive,
        .unpackFirst(
          reason: "holds several captures (\(names.prefix(3).joined(separator: ", "))"
            + "\(names.count > 3 ? ", ..." : "")), which are not frames of one sequence"))
    case .severalTopics(_, let what, let names):
      return .archive(
        path: archive,
        .unpackFirst(
          reason: "holds a recording with several \(what) topics (\(names.prefix(8).joined(separator: ", ")))"
        )
      )
    case .noTopic(let path, let wanted, let found):
      return .noTopic(path: told(path), wanted: wanted, found: found)
    case .noCameraInfo(let path, let topic): return .noCameraInfo(path: told(path), topic: topic)
    case .unregisteredDepth(let path, let depth, let lacks):
      return .unregisteredDepth(path: told(path), depth: depth, lacks: lacks)
    case .noTrajectory(_, let pictures, let depths):
      return .archive(
        path: archive, .unpackFirst(reason: "holds \(pictures)/ and \(depths)/ but no poses (trajectory.log)")
      )
    case .picturesInVideo(let video, _):
      return .archive(
        path: archive,
        .unpackFirst(
          reason: "\(told(video)): the pictures are still inside the video, for ardf capture frames"))
    case .noUsableFrame(let path, let reason):
      return .noUsableFrame(path: told(path), firstReason: told(reason))
    case .tooManyFrames(let path, let limit): return .tooManyFrames(path: told(path), limit: limit)
    case .foreignLayout(let path, let layout): return .foreignLayout(path: told(path), layout: layout)
    case .notFound(let path): return .notFound(path: told(path))
    case .notADirectory(let path): return .notADirectory(path: told(path))
    case .unreadable(let file, let reason): return .unreadable(file: told(file), reason: told(reason))
    case .malformed(let file, let reason): return .malformed(file: told(file), reason: told(reason))
    case .noSuchFrame, .fileTooLarge, .tooManyPixels, .tooMuchUnpacking, .foreignPicture, .film,
      .missingLibrary, .unsupportedSchema, .missingField, .badField, .nameEscapesCapture, .missingFile,
      .notARegularFile, .imageSizeMismatch, .confidenceSizeMismatch, .depthSizeMismatch, .depthAspectMismatch,
      .badDepthFormat, .badConfidenceFormat, .badDepthValue, .badConfidenceValue, .confidenceWithoutDepth,
      .badIntrinsics, .badPose, .unknownOrientation, .badMessage, .badLine, .nothingNear, .noGroundTruth,
      .untimedName, .noDepthOfPicture, .sameStem, .pointer, .notRecorded, .noPoseOfFrame, .unpairedFiles,
      .unsupportedLens, .unwritable:
      return error
    }
  }
}
