import FileFormats
import AppCore
import ArgumentParser
import Geometry

/// Which effects are placed.
struct EffectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Place an effect on an object, for example 0=debugCube. Repeatable. Effects: "
        + "\(EffectType.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "id=effect"))
  var effect: [String] = []

  @Option(
    help: ArgumentHelp(
      "Place an effect on the object at a pixel of the original picture. Repeatable.", valueName: "x,y=effect"
    ))
  var tap: [String] = []

  func validate() throws { _ = try requests() }

  /// What was asked for, in order: first by id, then by tap.
  func requests() throws -> [EffectRequest] {
    try effect.map { try EffectRequest(id: $0) } + tap.map { try EffectRequest(tap: $0) }
  }
}

extension EffectRequest {
  /// A wish of a page.
  init(object: Int, type: EffectType) {
    self.init(type, on: .object(object), text: "\(object)=\(type.rawValue)")
  }

  init(id text: String) throws {
    let (head, type) = try Self.split(text, option: "--effect ID=EFFECT")
    guard let id = integer(of: head, in: DetectionsFile.ids) else {
      throw ValidationError("--effect \(text): \"\(head)\" is not the id of an object")
    }
    self.init(type, on: .object(id), text: text)
  }

  init(tap text: String) throws {
    let (head, type) = try Self.split(text, option: "--tap X,Y=EFFECT")
    let numbers = head.split(separator: ",", omittingEmptySubsequences: false).compactMap { Double($0) }
    guard numbers.count == 2, numbers.allSatisfy(\.isFinite) else {
      throw ValidationError("--tap \(text): \"\(head)\" is not a pixel X,Y")
    }
    self.init(type, on: .point(Point2(numbers[0], numbers[1])), text: text)
  }

  private static func split(_ text: String, option: String) throws -> (String, EffectType) {
    let parts = text.split(separator: "=", maxSplits: 1).map(String.init)
    guard parts.count == 2 else { throw ValidationError("\(text): give \(option)") }
    guard let type = EffectType(name: parts[1]) else {
      throw ValidationError(
        "\(text): there is no effect \"\(parts[1])\"; choose one of "
          + EffectType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return (parts[0], type)
  }
}
