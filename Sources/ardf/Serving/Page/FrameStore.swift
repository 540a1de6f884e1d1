import AppCore
import FileFormats
import HTTPServing
import Reporting

/// The frames of a page, and the work that the page requests.
package protocol FrameStore: Sendable {
  /// Whether there are networks to run on dropped files.
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

  /// Runs the flow on the picture, or on the first frame of the capture, at a path; the files are removed with the last
  /// reference to `upload`.
  ///
  /// - Returns: the new frame.
  func run(path: String, of upload: UploadFolder) async throws -> Int

  /// Runs the flow on another frame, by its position from 0, of `frame`'s capture.
  ///
  /// - Returns: the frame's number, new or existing; nil where there is no such frame.
  func turn(to position: Int, from frame: Int) async throws -> Int?
}

/// An effect wanted on an object.
package struct PlacementWish: Sendable, Equatable {
  /// The object's `id`.
  package var object: Int
  /// The effect.
  package var effect: EffectType

  /// A request from its parts.
  package init(object: Int, effect: EffectType) {
    self.object = object
    self.effect = effect
  }

  /// Most effects in one request.
  static let limit = 1000

  /// The effects of a request's body: `{"effects": [{"object": 0, "effect": "smoke"}]}`.
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
  /// The reasons of effects that were not placed.
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
