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

  @Option(
    help: ArgumentHelp(
      "Seconds without a picture of a camera or an address after which it has stalled; 10 by default.",
      valueName: "seconds"))
  var stall: Double?

  @Flag(
    help: """
      Open a camera or an address again where it stalls, ends or cannot be opened, until Ctrl-C; otherwise one that stalls \
      ends the command, with exit code 75.
      """)
  var reconnect = false

  private static let usualStall = 10.0
  private static let stalls = 0.1...86_400

  func validate() throws {
    if let stall, !Self.stalls.contains(stall) {
      throw ValidationError("--stall \(stall): give seconds from 0.1 to 86400")
    }
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
    let found = sources.flatMap(Self.films)
    guard let stream = found.lazy.compactMap(StreamSource.init).first else {
      if let option = given.first(where: \.isGiven)?.name {
        throw CommandError.usage("\(option) belongs to a film, a pipe (-), a camera or an address")
      }
      return nil
    }
    guard sources.count == 1, found.count == 1 else {
      throw CommandError.usage("\(stream.name): goes alone; run the other sources by themselves")
    }
    if let option = given.first(where: { $0.isGiven && $0.isOfConnections })?.name, !stream.isCamera {
      throw CommandError.usage("\(option) belongs to a camera or an address; \(stream.name) is none")
    }
    if rawSize != nil, !stream.isPipe {
      throw CommandError.usage("--raw-size belongs to a pipe; \(stream.name) tells its pictures' size itself")
    }
    if case .film(let path) = stream, !fileExists(path) { throw FileError.missing(path: path) }
    return stream
  }

  /// The films that a pattern matches; none where nothing does, and any other source as it is.
  private static func films(_ source: String) -> [String] {
    guard case .film? = StreamSource(source), !fileExists(source), PathPattern.isPattern(source) else {
      return [source]
    }
    return PathPattern.paths(matching: source)
  }

  /// The options that only streams have, and whether they are only of cameras and addresses.
  private var given: [(name: String, isGiven: Bool, isOfConnections: Bool)] {
    [
      ("--live", live, false), ("--raw-size", rawSize != nil, false), ("--stall", stall != nil, true),
      ("--reconnect", reconnect, true),
    ]
  }

  /// Whether the pictures of a source have the time of day.
  func hasTimeOfDay(_ source: StreamSource) -> Bool { source.hasTimeOfDay(isLive: live) }

  /// The pictures of a source.
  ///
  /// - `output`: where results go; in a folder they pile up, and there are no more than `limits` has frames.
  /// - `onChange`: Whether pictures are left out in which nothing came or went.
  func pictures(
    of source: StreamSource, limits: LimitOptions, output: OutputOptions, onChange: Bool = false
  ) -> StreamedPictures {
    StreamedPictures(
      source: source, rawSize: rawSize.flatMap(Self.size), isLive: live, limits: limits.capture,
      most: output.isStandardOutput ? nil : limits.maxFrames.count, change: onChange ? SeenChange() : nil,
      stall: source.isCamera ? .seconds(stall ?? Self.usualStall) : nil, reconnects: reconnect)
  }

  private static func size(_ text: String) -> PixelSize? {
    let sides = text.split(separator: "x", omittingEmptySubsequences: false).compactMap {
      integer(of: $0, in: 1...1 << 20)
    }
    return sides.count == 2 ? try? PixelSize(checking: sides[0], sides[1]) : nil
  }
}

extension StreamSource {
  /// Whether pictures come when they are made: what a film or a pipe holds may have been taken long ago.
  func hasTimeOfDay(isLive: Bool) -> Bool { isCamera || isPipe && isLive }
}
