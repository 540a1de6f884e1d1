import AppCore
import ArgumentParser
import FileFormats
import Geometry

/// How pictures are taken from a film, a pipe, a camera or an address.
struct StreamOptions: ParsableArguments {
  @Flag(
    help: """
      Of a camera, an address or a pipe: continue with the newest picture, and leave out (and count) those that came \
      while one was worked on.
      """)
  var live = false

  @Option(
    help: ArgumentHelp(
      "Of a pipe: its pictures are rows of red, green and blue bytes, of this size, and not JPEG or PNG.",
      valueName: "wxh"))
  var rawSize: String?

  func validate() throws {
    guard let rawSize else { return }
    guard Self.size(rawSize) != nil else {
      throw ValidationError("--raw-size \(rawSize): give WIDTHxHEIGHT, for example 1280x720")
    }
  }

  /// The source without a known end among what was given, which is then the only one; nil where there is none.
  func source(among sources: [String]) throws -> StreamSource? {
    for source in sources where source.hasPrefix("/dev/") && !fileExists(source) {
      throw FileError.missing(path: source)
    }
    guard let stream = sources.lazy.compactMap(StreamSource.init).first else {
      if let option = live ? "--live" : rawSize != nil ? "--raw-size" : nil {
        throw CommandError.usage("\(option) belongs to a film, a pipe (-), a camera or an address")
      }
      return nil
    }
    guard sources.count == 1 else {
      throw CommandError.usage("\(stream.name): goes alone; run the other sources by themselves")
    }
    if rawSize != nil, !stream.isPipe {
      throw CommandError.usage("--raw-size belongs to a pipe; \(stream.name) tells its pictures' size itself")
    }
    return stream
  }

  /// The pictures of a source.
  ///
  /// - `output`: where results go; in a folder they pile up, and there are no more than `limits` has frames.
  /// - `onChange`: Whether pictures are left out in which nothing came or went.
  func pictures(
    of source: StreamSource, limits: LimitOptions, output: OutputOptions, onChange: Bool = false
  ) -> StreamedPictures {
    StreamedPictures(
      source: source, rawSize: rawSize.flatMap(Self.size), isLive: live, limits: limits.capture,
      most: output.isStandardOutput ? nil : limits.maxFrames.count, change: onChange ? SeenChange() : nil)
  }

  private static func size(_ text: String) -> PixelSize? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap {
      integer(of: $0, in: 1...1 << 20)
    }
    return sides.count == 2 ? try? PixelSize(checking: sides[0], sides[1]) : nil
  }
}
