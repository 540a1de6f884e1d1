#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Where weight files are looked for when a command names none, in this order.
enum WeightFolders {
  /// A folder of the user's choice.
  static let variable = "ARDF_WEIGHTS"

  private static let environment = ProcessInfo.processInfo.environment

  static var all: [String] {
    ["weights", environment[variable], user, installed].compactMap(\.self)
  }

  /// The folder into which `ardf weights get` writes: `$XDG_DATA_HOME/ardf`, by default `~/.local/share/ardf`.
  static var user: String? { home("XDG_DATA_HOME", default: ".local/share") }

  /// Checkpoints converted on their first use, by digest: `$XDG_CACHE_HOME/ardf`, by default `~/.cache/ardf`.
  static var converted: String? { home("XDG_CACHE_HOME", default: ".cache") }

  /// Beside an installed program: PREFIX/share/ardf/weights for PREFIX/bin/ardf.
  private static var installed: String? {
    guard program.count > 2, program[program.count - 2] == "bin" else { return nil }
    return "/" + (program.dropLast(2) + ["share", "ardf", "weights"]).joined(separator: "/")
  }

  /// The program's path, links followed, in its parts.
  static let program: [String] =
    ((try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? "")
    .split(separator: "/").map(String.init)

  /// A folder of the XDG Base Directory Specification, which lets relative paths be ignored.
  private static func home(_ variable: String, default fallback: String) -> String? {
    if let given = environment[variable], given.hasPrefix("/") { return "\(given)/ardf" }
    return environment["HOME"].flatMap { $0.hasPrefix("/") ? "\($0)/\(fallback)/ardf" : nil }
  }

  /// For messages: `./weights, $ARDF_WEIGHTS (not set), ...`.
  static var text: String {
    let set = environment[variable] ?? "$\(variable) (not set)"
    return (["./weights", set] + all.filter { $0 != "weights" && $0 != environment[variable] })
      .joined(separator: ", ")
  }
}
