import AppCore
import FileFormats

/// The settings of a tracker in a file of Ultralytics', such as `botsort.yaml`: lines of `key: value`.
///
/// Of YAML this is the part that such a file needs. Anything else is refused by its line, as what is not understood would
/// change identities without a word.
package enum TrackerFile {
  /// How many pictures a track may outlive its object's last detection.
  static let buffers = 0...100_000
  /// Bytes that settings may have.
  private static let mostBytes = 1 << 16
  private static let keys = [
    "tracker_type", "track_high_thresh", "track_low_thresh", "new_track_thresh", "track_buffer",
    "match_thresh", "fuse_score", "gmc_method", "proximity_thresh", "appearance_thresh", "with_reid", "model",
  ]
  /// Trackers of Ultralytics' that there are not here.
  private static let otherTrackers = ["deepocsort", "fasttrack", "ocsort", "tracktrack"]

  /// One setting, with the line that it stands in.
  private struct Setting {
    let place: String
    let key: String
    let value: String

    func error(_ text: String) -> CommandError {
      .input("\(place): \(key) \(printableName(value)): \(text)")
    }

    /// A share, from 0 to 1.
    func share() throws -> Double {
      guard value.wholeMatch(of: /[0-9]*\.?[0-9]*(?:[eE]-?[0-9]+)?/) != nil, let number = Double(value),
        (0...1).contains(number)
      else { throw error("give a number from 0 to 1") }
      return number
    }

    func flag() throws -> Bool {
      switch value.lowercased() {
      case "true", "yes", "on": return true
      case "false", "no", "off": return false
      default: throw error("give True or False")
      }
    }

    func pictures() throws -> Int {
      guard let match = value.wholeMatch(of: /([0-9]+)(?:\.0*)?/),
        let number = integer(of: String(match.1), in: buffers)
      else {
        throw error("give a number of pictures from 0 to \(buffers.upperBound)")
      }
      return number
    }
  }

  /// The rules that a file states; what it leaves out has Ultralytics' defaults.
  ///
  /// - Parameter path: The file.
  /// - Returns: The rules.
  /// - Throws: `CommandError` of a file that is malformed or asks for what there is not; `FileError`.
  package static func rules(path: String) throws -> TrackingRules {
    let settings = try settings(path: path)
    guard let type = settings.first(where: { $0.key == "tracker_type" }) else {
      throw CommandError.input("\(printableName(path)): has no tracker_type; give bytetrack or botsort")
    }
    guard let method = TrackingRules.Method(rawValue: type.value) else {
      guard !otherTrackers.contains(type.value) else {
        throw CommandError.unsupported(
          "\(type.place): tracker_type: \(type.value) is not implemented; give bytetrack or botsort")
      }
      throw type.error("give bytetrack or botsort")
    }
    var rules = TrackingRules(method)
    for setting in settings { try apply(setting, to: &rules) }
    guard rules.lowScore <= rules.highScore else {
      throw CommandError.input(
        "\(printableName(path)): track_low_thresh \(rules.lowScore) is above track_high_thresh "
          + "\(rules.highScore)")
    }
    return rules
  }

  private static func apply(_ setting: Setting, to rules: inout TrackingRules) throws {
    switch setting.key {
    case "track_high_thresh": rules.highScore = Float(try setting.share())
    case "track_low_thresh": rules.lowScore = Float(try setting.share())
    case "new_track_thresh": rules.newScore = Float(try setting.share())
    case "track_buffer": rules.buffer = try setting.pictures()
    case "match_thresh": rules.mostCost = try setting.share()
    case "fuse_score": rules.fusesScores = try setting.flag()
    case "gmc_method": rules.followsCamera = try followsCamera(setting)
    // They belong to appearance.
    case "proximity_thresh", "appearance_thresh": _ = try setting.share()
    case "tracker_type", "model": break
    case "with_reid":
      guard try !setting.flag() else {
        throw CommandError.unsupported(
          "\(setting.place): with_reid: objects are not compared by their appearance; set it to False")
      }
    default:
      throw CommandError.input(
        "\(setting.place): \(setting.key) is not a setting of \(rules.method.rawValue); remove the line. There are: "
          + keys.joined(separator: ", "))
    }
  }

  private static func followsCamera(_ setting: Setting) throws -> Bool {
    if let method = MotionCompensation(argument: setting.value) {
      return method == .sparseFlow
    }
    switch setting.value {
    case "None", "null", "~", "": return false
    case "orb", "sift", "ecc":
      throw CommandError.unsupported(
        "\(setting.place): gmc_method: \(setting.value) is not implemented; give sparseOptFlow or none")
    default: throw setting.error("give sparseOptFlow or none")
    }
  }

  private static func settings(path: String) throws -> [Setting] {
    let bytes = try FileBytes.contents(of: path)
    // Editors of Windows begin a text with this mark.
    let content = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? bytes.dropFirst(3) : bytes[...]
    guard bytes.count <= mostBytes, let text = String(validating: content, as: UTF8.self) else {
      throw CommandError.input(
        "\(printableName(path)): is not a tracker's settings; give a file such as Ultralytics' botsort.yaml")
    }
    var found: [Setting] = []
    let lines = text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline)
    for (index, line) in lines.enumerated() {
      let place = "\(printableName(path)), line \(index + 1)"
      let content = withoutComment(line)
      if content.isEmpty || content == "---" && found.isEmpty { continue }
      if content == "..." { break }
      guard let parts = content.wholeMatch(of: /([A-Za-z_][A-Za-z0-9_]*):(?:[ \t]+(.*))?/) else {
        throw CommandError.input(
          "\(place): is not of the form 'key: value'; settings are such lines, and no other YAML is read")
      }
      let key = String(parts.1)
      guard !found.contains(where: { $0.key == key }) else {
        throw CommandError.input("\(place): \(key) is given twice; remove one of them")
      }
      found.append(Setting(place: place, key: key, value: unquoted(String(parts.2 ?? ""))))
    }
    return found
  }

  /// A line without its comment and the blanks at its end.
  private static func withoutComment(_ line: Substring) -> Substring {
    var content = line
    var previous: Character = " "
    for index in line.indices {
      if line[index] == "#", previous == " " || previous == "\t" {
        content = line[..<index]
        break
      }
      previous = line[index]
    }
    while let last = content.last, last == " " || last == "\t" { content.removeLast() }
    return content
  }

  /// A value without the quotes around it.
  private static func unquoted(_ value: String) -> String {
    let value = value.drop { $0 == " " || $0 == "\t" }
    guard value.count > 1, let first = value.first, first == value.last, first == "'" || first == "\"" else {
      return String(value)
    }
    return String(value.dropFirst().dropLast())
  }
}
