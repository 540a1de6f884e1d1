import FileFormats

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The memory of this process.
enum ProcessMemory {
  /// Resident bytes; nil where the system does not report them.
  static var residentBytes: Int? {
    guard let text = FileManager.default.contents(atPath: "/proc/self/status") else { return nil }
    for line in String(decoding: text, as: UTF8.self).split(separator: "\n") where line.hasPrefix("VmRSS:") {
      return line.split(whereSeparator: \.isWhitespace).dropFirst().first.flatMap {
        integer(of: $0, in: 0...1 << 50)
      }.map { $0 << 10 }
    }
    return nil
  }
}
