import AppCore
import FileFormats
import HTTPServing
import Reporting

/// Who knows the frames and does what a page asks for.
package protocol Workshop: Sendable {
  /// Whether there are networks to run on what is dropped.
  var canRun: Bool { get }

  /// The newest frame; nil while there is none.
  func newest() async -> Int?

  /// The page about a frame; nil where there is no such frame.
  func page(of frame: Int, service: ReportPage.Service) async throws -> [UInt8]?

  /// One of `fileNames` of a frame; nil where there is none.
  func file(_ name: String, of frame: Int) async throws -> [UInt8]?

  /// The names that `file` knows.
  var fileNames: [String] { get }

  /// Places effects; nil where there is no such frame.
  func place(_ wishes: [PlacementWish], on frame: Int) async throws -> PlacementAnswer?

  /// Runs the flow on a picture, or on the first frame of a capture, at a path; what lies there goes with the last
  /// reference to `upload`.
  ///
  /// - Returns: the new frame.
  func run(path: String, of upload: UploadFolder) async throws -> Int

  /// Runs the flow on another frame, by its position from 0, of the capture that `frame` is of.
  ///
  /// - Returns: the frame, which may have been there already; nil where there is no such frame.
  func turn(to position: Int, from frame: Int) async throws -> Int?
}

/// An effect wanted on an object.
package struct PlacementWish: Sendable, Equatable {
  /// The object's `id`.
  package var object: Int
  /// The effect.
  package var effect: EffectType

  /// A wish from its parts.
  package init(object: Int, effect: EffectType) {
    self.object = object
    self.effect = effect
  }

  /// The most wishes of one request.
  static let limit = 1000

  /// The wishes of a request's body: `{"effects": [{"object": 0, "effect": "smoke"}]}`.
  static func list(_ json: JSONValue) throws(Refusal) -> [PlacementWish] {
    guard let entries = json["effects"]?.array, entries.count <= limit else {
      throw .badRequest("\"effects\" must be a list of at most \(limit) objects")
    }
    var wishes: [PlacementWish] = []
    for entry in entries {
      guard let object = entry["object"]?.integer(in: DetectionsFile.ids),
        let effect = entry["effect"]?.string.flatMap(EffectType.init(name:))
      else {
        throw .badRequest("every effect needs the number of an \"object\" and the name of an \"effect\"")
      }
      wishes.append(PlacementWish(object: object, effect: effect))
    }
    return wishes
  }
}

/// The results of placement requests.
package struct PlacementAnswer: Sendable {
  /// All effects of the frame, earlier ones included.
  package var effects: [PlacedEffect]
  /// Why wishes were not met.
  package var refused: [String]

  /// An answer from its parts.
  package init(effects: [PlacedEffect], refused: [String]) {
    self.effects = effects
    self.refused = refused
  }

  var json: JSONValue {
    [
      "effects": SceneFile(effects: effects).json["effects"] ?? [],
      "refused": .array(refused.map(JSONValue.string)),
    ]
  }
}
