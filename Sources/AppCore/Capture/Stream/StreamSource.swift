import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// A source of pictures without a known end, in contrast to a capture, whose frames are listed before they are read.
package enum StreamSource: Sendable, Equatable {
  /// Standard input.
  case standardInput
  /// A named pipe, or the one that a shell opens for `<(...)`.
  case pipe(String)
  /// A film, read by the user's `ffmpeg`.
  case film(String)
  /// A camera of the system's (Video4Linux), read by the user's `ffmpeg`.
  case device(String)
  /// An RTSP or HTTP address, read by the user's `ffmpeg`.
  case address(String)

  private static let schemes = ["rtsp://", "rtsps://", "http://", "https://"]

  /// The source that a user names; nil for a picture, a capture or a folder.
  package init?(_ text: String) {
    if text == "-" || text == "/dev/stdin" {
      self = .standardInput
    } else if Self.schemes.contains(where: text.lowercased().hasPrefix) {
      self = .address(text)
    } else {
      switch pathKind(text) {
      case .characterDevice: self = .device(text)
      case .pipe: self = .pipe(text)
      case .folder: return nil
      case .file, .other, nil:
        guard FilmKind.isFilm(text) else { return nil }
        self = .film(text)
      }
    }
  }

  /// Whether bytes come as they are, and not through `ffmpeg`.
  package var isPipe: Bool {
    switch self {
    case .standardInput, .pipe: true
    case .film, .device, .address: false
    }
  }

  /// Whether pictures are made as time goes by, by what may be switched off: a camera or an address.
  package var isCamera: Bool {
    switch self {
    case .device, .address: true
    case .standardInput, .pipe, .film: false
    }
  }

  /// The source's name in messages and results; an address without the password that it may hold.
  package var name: String {
    switch self {
    case .standardInput: "-"
    case .pipe(let path), .film(let path), .device(let path): path
    case .address(let address): Self.withoutPassword(address)
    }
  }

  private static func withoutPassword(_ address: String) -> String {
    guard let start = address.firstRange(of: "://")?.upperBound else { return address }
    let host = address[start...].prefix { $0 != "/" && $0 != "?" }
    guard let at = host.lastIndex(of: "@") else { return address }
    return String(address[..<start]) + "...@" + address[address.index(after: at)...]
  }
}
