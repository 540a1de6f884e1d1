import FileFormats
import Geometry
import Imaging

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Why a film could not be read or written.
package enum MediaError: Error, Equatable, CustomStringConvertible {
  /// The user's machine has no `ffmpeg`.
  case noFFmpeg
  /// `ffmpeg` refused; its last words.
  case ffmpeg(file: String, message: String)
  /// A film that `ffmpeg` could read a part of; what it complained of.
  case damaged(file: String, message: String)
  /// A file that is no film of a kind that is read, and what it is or seems to be.
  case noFilm(file: String, kind: String)
  /// A film that should have been written, and was not.
  case unwritten(file: String)
  /// A film without pictures.
  case empty(file: String)
  /// Pictures of one film that differ in size.
  case sizes(file: String)
  /// A picture that cannot be read.
  case picture(ImageError)
  /// A file that cannot be read or written.
  case file(FileError)

  /// The defect and what to do.
  package var description: String {
    switch self {
    case .noFFmpeg:
      "ffmpeg was not found; install it (apt-get install ffmpeg), or give pictures in place of films and addresses"
    case .ffmpeg(let file, let message): "\(file): ffmpeg: \(message)"
    case .damaged(let file, let message):
      "\(file): the film is damaged, and not all of it could be read: ffmpeg: \(message); copy or download it again"
    case .noFilm(let file, let kind): "\(file): \(kind); give it the ending of what it is, or convert it"
    case .unwritten(let file): "\(file): ffmpeg ended without a word and wrote no film"
    case .empty(let file): "\(file): the film has no pictures; give another"
    case .sizes(let file): "\(file): the film's pictures differ in size; make them all as the first"
    case .picture(let error): error.description
    case .file(let error): error.description
    }
  }
}

/// The user's own `ffmpeg`, which reads and writes films.
package struct FFmpeg: Sendable {
  /// The program.
  package let path: String

  /// The program of a path, or the first `ffmpeg` in `$PATH`.
  ///
  /// - Throws: `MediaError.noFFmpeg`, `.file` for a path that leads to no program.
  package init(path: String? = nil) throws(MediaError) {
    if let path {
      guard let kind = pathKind(path) else { throw .file(.missing(path: path)) }
      guard kind != .folder else { throw .file(.isDirectory(path: path)) }
      guard FileManager.default.isExecutableFile(atPath: path) else {
        throw .file(.permissionDenied(path: path))
      }
      self.path = path
      return
    }
    let folders = ProcessInfo.processInfo.environment["PATH"]?.split(separator: ":") ?? []
    let found = folders.map { "\($0)/ffmpeg" }.first(where: FileManager.default.isExecutableFile)
    guard let found else { throw .noFFmpeg }
    self.path = found
  }

  /// The arguments that name a film to be read: a file and nothing else, by the demuxer of its content.
  ///
  /// Without them a name such as `http:x` is an address to ffmpeg, and a film's content may name other files and
  /// addresses to open (playlists, for example).
  ///
  /// - Throws: `MediaError.noFilm`, `.file`.
  package static func input(_ path: String) throws(MediaError) -> [String] {
    ["-protocol_whitelist", "file", "-f", try FilmKind.demuxer(of: path), "-i", file(path)]
  }

  /// A path in a form that ffmpeg reads as a file, even where it looks like an address.
  package static func file(_ path: String) -> String { "file:\(path)" }

  /// A path of numbered pictures in a folder, whose name may hold a percent sign.
  package static func pictures(_ name: String, in folder: String) -> String {
    file("\(folder.replacing("%", with: "%%"))/\(name)")
  }

  /// The arguments that name a camera of the system's (Video4Linux) to be read.
  package static func device(_ path: String) -> [String] { ["-f", "v4l2", "-i", path] }

  /// The arguments that name an address to be read: what it says may name other addresses of its kind, and no files.
  package static func address(_ address: String) -> [String] {
    let isRTSP = address.lowercased().hasPrefix("rtsp")
    return isRTSP
      ? ["-protocol_whitelist", "rtsp,rtsps,rtp,srtp,udp,tcp,tls", "-rtsp_transport", "tcp", "-i", address]
      : ["-protocol_whitelist", "http,https,tcp,tls", "-rw_timeout", "30000000", "-i", address]
  }

  /// Runs the program to its end on a film, all of which it must be able to read.
  ///
  /// - Throws: `MediaError.ffmpeg` with what it said last, `.damaged`.
  package func run(_ arguments: [String], about file: String) throws(MediaError) {
    if let complaint = try FFmpegProcess(self, arguments, about: file).finish() {
      throw .damaged(file: file, message: complaint)
    }
  }
}

/// One run of `ffmpeg`.
final class FFmpegProcess {
  private var child: ChildProcess
  private let file: String
  private var messages = FFmpegMessages()

  /// Starts it; `isFed` opens its standard input for `feed`, `isRead` its standard output, `output`.
  ///
  /// `file`: What messages are about.
  init(
    _ ffmpeg: FFmpeg, _ arguments: [String], isFed: Bool = false, isRead: Bool = false, about file: String
  ) throws(MediaError) {
    self.file = file
    do {
      child = try ChildProcess(
        path: ffmpeg.path,
        arguments: ["-nostdin", "-hide_banner", "-loglevel", "error", "-y"] + arguments, isFed: isFed,
        isRead: isRead)
    } catch {
      throw .ffmpeg(file: file, message: "\(error)")
    }
  }

  /// Where its standard output is read, for the caller to close.
  var output: Int32 { child.output }

  /// When a picture is shown, in seconds of the source's clock; nil where the source says none.
  ///
  /// Asked for each picture in order, after it has been read, of a program with `FFmpegMessages.timeFilter`.
  func time(ofPicture number: Int) -> Double? {
    hear()
    return messages.time(ofPicture: number)
  }

  /// Takes in what it has said, and frees that.
  private func hear(toEnd: Bool = false) {
    let isLong = messages.add(child.messages(from: messages.bytes), isWhole: toEnd)
    if isLong { child.forgetMessages(before: messages.bytes) }
  }

  /// Writes to its standard input.
  func feed(_ bytes: [UInt8]) throws(MediaError) {
    do {
      try child.feed(bytes)
    } catch {
      // It has ended early: what it said tells why.
      try finish()
      throw .ffmpeg(file: file, message: "\(error)")
    }
  }

  /// Waits for its end, and returns its first complaint if it did its work; nil without complaints.
  ///
  /// - `passingOver`: parts of complaints that do not concern this source.
  @discardableResult
  func finish(passingOver: [String] = []) throws(MediaError) -> String? {
    let status = child.finish()
    // Which part of it says so, without where that lies in its memory.
    hear(toEnd: true)
    let lines = messages.complaints.map { $0.replacing(/\[([^\]@]*) @ 0x[0-9a-f]+\]/) { "\($0.1):" } }
    guard status == 0 else {
      // The last line may be advice on ffmpeg's own options.
      let reason = lines.last { !$0.hasPrefix("To ignore this") }
      throw .ffmpeg(
        file: file, message: reason ?? status.map { "ended with status \($0)" } ?? "was killed")
    }
    let harmless = Self.harmless + passingOver
    let complaints = lines.filter { line in !harmless.contains { line.contains($0) } }
    guard let first = complaints.first else { return nil }
    return first + (complaints.count > 1 ? ", and \(complaints.count - 1) more" : "")
  }

  /// Messages that `ffmpeg` writes about whole films too: pictures that refer to some before the film's cut, equal
  /// times, repetitions.
  private static let harmless = [
    "mmco: unref short failure", "co located POCs unavailable", "non monotonically increasing dts",
    "Last message repeated",
    "deprecated",
  ]

  /// Ends it without a result.
  func abandon() { child.abandon() }
}

/// Writes pictures of one size as a film, H.264 in MP4.
package final class VideoWriter {
  private let process: FFmpegProcess
  private let path: String
  private let size: PixelSize

  /// Starts a film.
  ///
  /// - Throws: `MediaError`.
  package init(path: String, size: PixelSize, framesPerSecond: Double, ffmpeg: FFmpeg) throws(MediaError) {
    self.path = path
    self.size = size
    let rate = String(min(max(framesPerSecond, 0.1), 1000))
    process = try FFmpegProcess(
      ffmpeg,
      [
        "-f", "rawvideo", "-pixel_format", "rgb24", "-video_size", "\(size.width)x\(size.height)",
        "-framerate", rate, "-i", "pipe:0", "-vf", "pad=ceil(iw/2)*2:ceil(ih/2)*2", "-c:v", "libx264",
        "-preset", "veryfast", "-crf", "20", "-pix_fmt", "yuv420p", "-movflags", "+faststart", "-f", "mp4",
        FFmpeg.file(path),
      ], isFed: true, about: path)
  }

  /// Adds a picture.
  ///
  /// - Throws: `MediaError.sizes` if it has another size, `.ffmpeg`.
  package func add(_ picture: RGBImage) throws(MediaError) {
    guard picture.size == size else { throw .sizes(file: path) }
    try process.feed(picture.pixels)
  }

  /// Ends the film.
  ///
  /// - Throws: `MediaError.ffmpeg`, `.unwritten`.
  package func finish() throws(MediaError) {
    try process.finish()
    guard let bytes = try? FileBytes(path: path), bytes.count > 0 else { throw .unwritten(file: path) }
  }

  /// Gives the film up.
  package func abandon() { process.abandon() }
}

extension MediaError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .noFFmpeg: .missingInput
    case .file(let error): error.fault
    case .picture(let error): error.fault
    case .ffmpeg, .damaged, .noFilm, .empty, .sizes: .malformedInput
    case .unwritten: .inputOutput
    }
  }
}
