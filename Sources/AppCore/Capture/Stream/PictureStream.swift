import FileFormats
import Geometry
import Imaging

/// One picture of a stream, or the damage found in its place.
package struct StreamedPicture: Sendable {
  /// A picture of the stream, or the bytes in place of one.
  package enum Content: Sendable {
    /// A picture as it was stored, how it is turned upright, and the focal length on 35 mm film that EXIF says.
    case picture(RGBImage, Orientation, focalLengthIn35mmFilm: Int?)
    /// Bytes that make no picture, and why.
    case damaged(String)
  }

  /// Its position in the stream, from 0.
  package let number: Int
  /// The picture, or the reason why there is none.
  package let content: Content
  /// When it is shown, in seconds of the stream's clock, as `ffmpeg` says; nil where nothing says so.
  package let time: Double?

  /// A picture of a stream.
  package init(number: Int, content: Content, time: Double? = nil) {
    (self.number, self.content, self.time) = (number, content, time)
  }
}

/// Why a stream of pictures ends before its end.
package enum StreamError: Error, Equatable, CustomStringConvertible {
  /// `ffmpeg` is not there or has failed.
  case media(MediaError)
  /// The stream cannot be read.
  case file(FileError)
  /// Pictures of more pixels than are allowed.
  case tooManyPixels(name: String, width: Int, height: Int, limit: Int)
  /// A camera or an address that gave no picture at all; `ffmpeg`'s words.
  case unreachable(name: String, message: String)
  /// A camera or an address that failed after its pictures so far; `ffmpeg`'s words.
  case lost(name: String, message: String)
  /// Output of `ffmpeg` in another format than was asked for.
  case noPicture(name: String)

  /// The defect and what to do.
  package var description: String {
    switch self {
    case .media(let error): error.description
    case .file(let error): error.description
    case .tooManyPixels(let name, let width, let height, let limit):
      "\(name): pictures of \(width)x\(height) are more than \(limit) pixels; make them smaller"
    case .unreachable(let name, let message):
      "\(name): cannot be reached (ffmpeg: \(message)); check that it is on, and its address, or wait for it with --reconnect"
    case .lost(let name, let message):
      "\(name): the connection was lost (ffmpeg: \(message)); open it again with --reconnect"
    case .noPicture(let name):
      "\(name): ffmpeg gave no picture where one should be; look at the film with ffprobe"
    }
  }
}

/// Pictures one after the other from a source without a known end; holds one at a time.
package final class PictureStream {
  private enum Reader {
    case encoded(EncodedPictures)
    case raw(ByteReader, PixelSize)
    case ffmpeg(FFmpegProcess, ByteReader)
  }

  private let source: StreamSource
  private let limits: CaptureLimits
  private let reader: Reader
  private var number = 0
  /// Time of the last picture that had one.
  private var time: Double?
  private var isOver = false

  /// Opens a source.
  ///
  /// - `rawSize`: of pictures that come as rows of red, green and blue bytes; nil for JPEG and PNG pictures. Only for
  ///   pipes.
  /// - `isLive`: asks `ffmpeg` for pictures of a camera at once, and not for smooth ones.
  /// - `ffmpeg`: the program's path; nil for the first in `$PATH`.
  /// - Throws: `StreamError`.
  package init(
    _ source: StreamSource, rawSize: PixelSize? = nil, isLive: Bool = false,
    limits: CaptureLimits = CaptureLimits(),
    ffmpeg: String? = nil
  ) throws(StreamError) {
    self.source = source
    self.limits = limits
    if let rawSize { try Self.check(rawSize.width, rawSize.height, source, limits) }
    do {
      switch source {
      case .standardInput, .pipe:
        let pipe: InputPipe =
          if case .pipe(let path) = source { try InputPipe(path: path) } else { .standardInput }
        let bytes = ByteReader(pipe)
        reader =
          rawSize.map { .raw(bytes, $0) } ?? .encoded(EncodedPictures(bytes, limit: limits.frameFileBytes))
      case .film(let path):
        // ffmpeg would say it in its own words.
        _ = try FileBytes(path: path)
        reader = try Self.ffmpeg(FFmpeg.input(path), source, isLive, ffmpeg)
      case .device(let path): reader = try Self.ffmpeg(FFmpeg.device(path), source, isLive, ffmpeg)
      case .address(let address): reader = try Self.ffmpeg(FFmpeg.address(address), source, isLive, ffmpeg)
      }
    } catch let error as FileError {
      throw .file(error)
    } catch let error as MediaError {
      throw .media(error)
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private static func ffmpeg(
    _ input: [String], _ source: StreamSource, _ isLive: Bool, _ path: String?
  ) throws(MediaError) -> Reader {
    // What a file begins with would be lost.
    let hasOwnPace = if case .film = source { false } else { !source.name.lowercased().hasPrefix("http") }
    let arguments =
      (isLive && hasOwnPace ? ["-fflags", "nobuffer", "-flags", "low_delay"] : []) + input + [
        "-map", "0:v:0", "-vf", FFmpegMessages.timeFilter, "-fps_mode", "passthrough", "-f", "image2pipe",
        "-c:v", "ppm", "-pix_fmt", "rgb24", "pipe:1",
      ]
    let process = try FFmpegProcess(FFmpeg(path: path), arguments, isRead: true, about: source.name)
    return .ffmpeg(process, ByteReader(InputPipe(name: source.name, owning: process.output)))
  }

  private static func check(
    _ width: Int, _ height: Int, _ source: StreamSource, _ limits: CaptureLimits
  ) throws(StreamError) {
    let (pixels, overflow) = width.multipliedReportingOverflow(by: height)
    guard width > 0, height > 0, !overflow, pixels <= limits.pixels else {
      throw .tooManyPixels(name: source.name, width: width, height: height, limit: limits.pixels)
    }
  }

  deinit { if case .ffmpeg(let process, _) = reader, !isOver { process.abandon() } }

  /// The next picture, which may have to be waited for; nil at the end.
  ///
  /// - Throws: `StreamError`.
  package func next() throws(StreamError) -> StreamedPicture? {
    guard !isOver, let content = try content() else {
      isOver = true
      return nil
    }
    defer { number += 1 }
    if case .ffmpeg(let process, _) = reader { time = process.time(ofPicture: number) ?? time }
    return StreamedPicture(number: number, content: content, time: time)
  }

  private func content() throws(StreamError) -> StreamedPicture.Content? {
    do {
      switch reader {
      case .encoded(let pictures):
        return try pictures.next().map(decoded)
      case .raw(let bytes, let size):
        var pixels: [UInt8] = []
        let whole = try bytes.append(size.width * size.height * 3, to: &pixels)
        if pixels.isEmpty { return nil }
        return whole
          ? .picture(
            RGBImage(width: size.width, height: size.height, pixels: pixels), .up, focalLengthIn35mmFilm: nil)
          : .damaged(
            "a picture of \(counted(pixels.count, "byte")) at the end, not of \(3 * size.width * size.height)"
          )
      case .ffmpeg(let process, let bytes):
        return try portablePixmap(bytes, process)
      }
    } catch let error as FileError {
      throw .file(error)
    } catch let error as MediaError {
      isOver = true
      throw .media(error)
    } catch let error as StreamError {
      throw error
    } catch {
      preconditionFailure("\(error)")
    }
  }

  private func decoded(_ part: EncodedPictures.Part) -> StreamedPicture.Content {
    switch part {
    case .damaged(let reason): return .damaged(reason)
    case .picture(let bytes):
      do throws(ImageError) {
        let name = "\(source.name), picture \(number)"
        var limits = ImageLimits.default
        limits.maxPixels = self.limits.pixels
        let header = try ImageCodec.header(bytes, name: name, limits: limits)
        let picture = try ImageCodec.decode(bytes, name: name, limits: limits)
        return .picture(
          picture.image, picture.orientation, focalLengthIn35mmFilm: header.focalLengthIn35mmFilm)
      } catch {
        return .damaged("\(error.defect)")
      }
    }
  }

  /// A picture as `ffmpeg` prints it: `P6`, width, height, 255, and three bytes per pixel.
  private func portablePixmap(
    _ bytes: ByteReader, _ process: FFmpegProcess
  ) throws -> StreamedPicture.Content? {
    guard let first = try bytes.next() else {
      isOver = true
      // The pictures that there were are done; those that are missing are reported as a damaged one is.
      return try finish(process).map { .damaged("ffmpeg: \($0): pictures may be missing or wrong") }
    }
    bytes.unread([first])
    guard try word(bytes) == "P6", let width = try integer(of: word(bytes), in: Self.sides),
      let height = try integer(of: word(bytes), in: Self.sides),
      try word(bytes) == "255"
    else { throw StreamError.noPicture(name: source.name) }
    try Self.check(width, height, source, limits)
    var pixels: [UInt8] = []
    pixels.reserveCapacity(width * height * 3)
    guard try bytes.append(width * height * 3, to: &pixels) else {
      // It has ended inside a picture: what it said tells why.
      isOver = true
      let complaint = try finish(process)
      return .damaged("a picture that ffmpeg did not finish" + (complaint.map { ": \($0)" } ?? ""))
    }
    return .picture(RGBImage(width: width, height: height, pixels: pixels), .up, focalLengthIn35mmFilm: nil)
  }

  /// Waits for the end of `ffmpeg`; returns its messages, nil without any.
  ///
  /// That a camera is gone ends its pictures, and damages none.
  private func finish(_ process: FFmpegProcess) throws -> String? {
    guard source.isCamera else { return try process.finish() }
    do throws(MediaError) {
      return try process.finish(passingOver: Self.endsOfConnections)
    } catch {
      guard case .ffmpeg(let name, let message) = error else { throw error }
      if number > 0 { throw StreamError.lost(name: name, message: message) }
      guard !Self.foreignContents.contains(where: message.contains) else { throw error }
      throw StreamError.unreachable(name: name, message: message)
    }
  }

  /// Messages of `ffmpeg` about a connection that the other side closed.
  ///
  /// A length of 2^64 - 1 is one that is not stated.
  private static let endsOfConnections = [
    "should be \(UInt64.max)", ": Input/output error", ": End of file", ": Connection reset by peer",
    ": Connection timed out", ": Broken pipe",
  ]
  /// Messages of `ffmpeg` about a source that answers, but has no pictures that it can read.
  private static let foreignContents = [
    "Invalid data found", "matches no streams", "does not contain any stream", "Inappropriate ioctl",
    "Invalid argument",
  ]
  /// Valid widths and heights in a header, which has up to eight digits for each.
  private static let sides = 1...1 << 24

  /// Characters up to a space or the end of a line; those of a header are few.
  private func word(_ bytes: ByteReader) throws(FileError) -> String {
    var characters: [UInt8] = []
    while characters.count < 8, let byte = try bytes.next(), byte > 0x20 { characters.append(byte) }
    return String(decoding: characters, as: UTF8.self)
  }
}

extension StreamError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .media(let error): error.fault
    case .file(let error): error.fault
    case .unreachable: .unavailable
    case .lost: .inputOutput
    case .tooManyPixels, .noPicture: .malformedInput
    }
  }
}
