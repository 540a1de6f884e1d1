import FileFormats
import AppCore
import ArgumentParser
import Geometry

/// Which effects are placed.
struct EffectOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Place an effect on an object, by its id or its class: 0=debugCube, bed=snow. Repeatable. Effects: "
        + "\(EffectType.allCases.map(\.rawValue).joined(separator: ", ")).", valueName: "object=effect"))
  var effect: [String] = []

  @Option(
    help: ArgumentHelp(
      "Place an effect on the object at a pixel of the original picture. Repeatable.", valueName: "x,y=effect"
    ))
  var tap: [String] = []

  func validate() throws { _ = try requests() }

  /// The requested effects, in order: first by id, then by tap.
  func requests() throws -> [EffectRequest] {
    try effect.map { try EffectRequest(id: $0) } + tap.map { try EffectRequest(tap: $0) }
  }
}

extension EffectRequest {
  /// An effect that the page requests.
  init(object: Int, type: EffectType) {
    self.init(type, on: .object(object), text: "\(object)=\(type.rawValue)")
  }

  init(id text: String) throws {
    let (head, type) = try Self.split(text, option: "--effect OBJECT=EFFECT, for example 0=smoke or bed=snow")
    let id = CheckedInt(head)
    guard !head.isEmpty, id.map({ $0.within(DetectionsFile.ids) != nil }) ?? true else {
      throw ValidationError("--effect \(text): \"\(head)\" is neither an id nor a class")
    }
    self.init(
      type, on: id?.within(DetectionsFile.ids).map { .object($0) } ?? .className(head), text: text)
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
    guard let sign = text.lastIndex(of: "=") else { throw ValidationError("\(text): give \(option)") }
    let name = String(text[text.index(after: sign)...])
    guard let type = EffectType(name: name) else {
      throw ValidationError(
        "\(text): there is no effect \"\(name)\"; choose one of "
          + EffectType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    return (String(text[..<sign]), type)
  }
}
