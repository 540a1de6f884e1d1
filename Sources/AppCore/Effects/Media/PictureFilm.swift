import FileFormats
import Geometry
import Imaging
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A film of pictures: PNG files of a folder, or a video that the user's `ffmpeg` unpacked.
package struct PictureFilm: EffectFilm {
  /// Pictures a second for folders of pictures.
  package static let folderRate = 30.0
  /// Largest side of a film's pictures, which are made smaller, and most pictures of a film, which is cut.
  static let longestSide = 512
  static let mostPictures = 900

  private enum Pictures: Sendable {
    /// Files, decoded one at a time.
    case files([String])
    /// Red, green, blue, alpha bytes of one picture after the other.
    case raw(FileBytes)
  }

  private let file: String
  private let pictures: Pictures
  private let size: PixelSize
  private let count: Int
  private let framesPerSecond: Double

  /// Width over height.
  package var aspect: Double { Double(size.width) / Double(size.height) }
  /// As films are placed.
  package var pivot: Billboard.Pivot { .center }

  /// The film of a folder's PNG files, in the order of their names.
  ///
  /// - Throws: `MediaError`.
  package init(folder: String, framesPerSecond: Double = folderRate) throws(MediaError) {
    let names: [String]
    do {
      names = try folderNames(of: folder).filter { hasEnding($0, ".png") }.sortedNaturally()
    } catch {
      throw .file(error)
    }
    guard let first = names.first else { throw .empty(file: folder) }
    file = folder
    pictures = .files(names.prefix(Self.mostPictures).map { "\(folder)/\($0)" })
    count = min(names.count, Self.mostPictures)
    self.framesPerSecond = framesPerSecond
    let picture = try Self.decode("\(folder)/\(first)")
    size = PixelSize(width: picture.width, height: picture.height)
  }

  /// The film of a video file, unpacked once into a nameless file of the system's.
  ///
  /// - Throws: `MediaError`.
  package init(video: String, ffmpeg: FFmpeg) throws(MediaError) {
    let directory: AtomicDirectory
    do throws(FileError) {
      directory = try AtomicDirectory.scratch("film")
    } catch {
      throw .file(error)
    }
    defer { directory.discard() }
    let folder = directory.temporaryPath
    let side = Self.longestSide
    // A first picture tells the size that the scaling gives.
    let scale = "scale='min(\(side),iw)':'min(\(side),ih)':force_original_aspect_ratio=decrease,format=rgba"
    let fps = "fps=\(Int(clamping: Self.folderRate))"
    try ffmpeg.run(
      FFmpeg.input(video) + ["-vf", scale, "-frames:v", "1", FFmpeg.pictures("first.png", in: folder)],
      about: video)
    let first = try Self.decode("\(folder)/first.png")
    try ffmpeg.run(
      FFmpeg.input(video) + [
        "-an", "-vf", "\(fps),\(scale)", "-frames:v", "\(Self.mostPictures)", "-f", "rawvideo",
        "-pix_fmt", "rgba", FFmpeg.file("\(folder)/pictures"),
      ], about: video)
    let bytes: FileBytes
    do {
      // Stays mapped when the name is gone.
      bytes = try FileBytes(path: "\(folder)/pictures")
    } catch {
      throw .file(error)
    }
    file = video
    size = PixelSize(width: first.width, height: first.height)
    count = bytes.count / (first.width * first.height * 4)
    guard count > 0 else { throw .empty(file: video) }
    pictures = .raw(bytes)
    framesPerSecond = Self.folderRate
  }

  /// The picture at a time; the film begins again when it ends.
  ///
  /// - Throws: `MediaError`.
  package func picture(at time: Double) throws -> RGBAImage {
    let index = Billboard.frameIndex(time: time, framesPerSecond: framesPerSecond, count: count)
    switch pictures {
    case .files(let files):
      let picture = try Self.decode(files[index])
      guard picture.width == size.width, picture.height == size.height else {
        throw MediaError.sizes(file: file)
      }
      return picture
    case .raw(let bytes):
      let length = size.width * size.height * 4
      let part = bytes.slice(index * length..<(index + 1) * length)
      return RGBAImage(width: size.width, height: size.height, pixels: part.array())
    }
  }

  private static func decode(_ path: String) throws(MediaError) -> RGBAImage {
    do {
      return try ImageCodec.decodeRGBA(path: path)
    } catch {
      throw .picture(error)
    }
  }
}
