import AppCore
import ArgumentParser
import FileFormats

/// The value of `--track`.
enum TrackerChoice: Equatable, ExpressibleByArgument {
  case off
  /// A tracker with its defaults.
  case named(TrackingRules.Method)
  /// The settings of a file of Ultralytics'.
  case file(String)

  /// A tracker's name, or a file of settings; the name of one of Ultralytics' own files that is not there is the
  /// tracker's.
  init?(argument: String) {
    let ending = [".yaml", ".yml"].first { hasEnding(argument, $0) }
    let name = String(argument.dropLast(ending?.count ?? 0))
    if argument == "off" {
      self = .off
    } else if ending == nil || !fileExists(argument), let method = TrackingRules.Method(rawValue: name) {
      self = .named(method)
    } else if ending != nil {
      self = .file(argument)
    } else {
      return nil
    }
  }

  static var allValueStrings: [String] {
    TrackingRules.Method.allCases.map(\.rawValue) + ["off", "a tracker's settings, FILE.yaml"]
  }

  var defaultValueDescription: String {
    switch self {
    case .off: "off"
    case .named(let method): method.rawValue
    case .file(let path): path
    }
  }

  /// The rules that it stands for; nil of none.
  func rules() throws -> TrackingRules? {
    switch self {
    case .off: nil
    case .named(let method): TrackingRules(method)
    case .file(let path): try TrackerFile.rules(path: path)
    }
  }
}
