import AppCore
import ArgumentParser
import FileFormats
import Geometry

/// How pictures are taken from a film, a pipe, a camera or an address.
struct StreamOptions: ParsableArguments {
  @Flag(
    help: """
      Cameras, addresses and pipes: always take the newest picture, and drop (and count) those that arrived during \
      processing.
      """)
  var live = false

  @Option(
    help: ArgumentHelp(
      "Pipes: pictures are raw RGB bytes of this size, row by row, instead of JPEG or PNG.",
      valueName: "wxh"))
  var rawSize: String?

  @Option(
    help: ArgumentHelp(
      "Cameras and addresses: seconds without a picture that count as a stall; 10 by default.",
      valueName: "seconds"))
  var stall: Double?

  @Flag(
    help: """
      Cameras and addresses: open the source again whenever it stalls, ends or cannot be opened, until Ctrl-C. \
      Without it a stalled source ends the command with exit code 75.
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

  /// The stream among the sources, which must then be the only source; nil without one.
  ///
  /// Films beside other files are left out of these, as they are of a folder.
  func source(among sources: [String]) throws -> StreamSource? {
    for source in sources where source.hasPrefix("/dev/") && !fileExists(source) {
      throw FileError.missing(path: source)
    }
    let found = sources.flatMap(Self.films)
    let streams = found.compactMap(StreamSource.init)
    let film = streams.count == found.count ? streams.first : nil
    guard let stream = streams.first(where: { !$0.isFilm }) ?? film else {
      if let option = given.first(where: \.isGiven)?.name {
        throw CommandError.usage("\(option) belongs to a film, a pipe (-), a camera or an address")
      }
      return nil
    }
    guard sources.count == 1, found.count == 1 else {
      throw CommandError.usage("\(stream.name): goes alone; run the other sources by themselves")
    }
    if let option = given.first(where: { $0.isGiven && $0.isOfConnections })?.name, !stream.isCamera {
      throw CommandError.usage("\(option) belongs to a camera or an address; \(stream.name) is neither")
    }
    if rawSize != nil, !stream.isPipe {
      throw CommandError.usage("--raw-size belongs to a pipe; \(stream.name) tells its pictures' size itself")
    }
    if case .film(let path) = stream, !fileExists(path) { throw FileError.missing(path: path) }
    return stream
  }

  /// The films that match a pattern, possibly none; any other source unchanged.
  private static func films(_ source: String) -> [String] {
    guard case .film? = StreamSource(source), !fileExists(source), PathPattern.isPattern(source) else {
      return [source]
    }
    return PathPattern.paths(matching: source)
  }

  /// The given options that apply to streams only, and whether each applies to cameras and addresses only.
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
  /// - `output`: the target of the results; in a folder the number of pictures is limited to the frames of `limits`.
  /// - `onChange`: whether pictures without a change of objects are left out.
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
  fileprivate var isFilm: Bool {
    if case .film = self { true } else { false }
  }

  /// Whether pictures arrive as they are taken; those of films and pipes may be old.
  func hasTimeOfDay(isLive: Bool) -> Bool { isCamera || isPipe && isLive }
}
