import AppCore
import Digests
import FileFormats
import NNRuntime

/// The options that change results.
extension Run {
  /// The files that were asked for besides the usual ones.
  var files: FrameFiles {
    var files = FrameFiles()
    sceneExport.add(to: &files)
    depthExport.add(to: &files)
    files.pictures = pictures.pictureFormat
    return files
  }

  /// Version of the content of frames' folders: raise it when a frame gets another file, so that resumed runs compute
  /// older frames again.
  private static let folderLayout = 7

  /// Options that change results, besides the networks.
  func options(_ requests: [EffectRequest]) throws -> JSONValue {
    var options: [String: JSONValue] = [
      "folderLayout": .integer(Self.folderLayout),
      "depthSize": depthOptions.depthSize.map(JSONValue.integer) ?? .null,
      "fusion": [.string(fusionOptions.fusion.rawValue), .string(fusionOptions.fit.rawValue)],
      "effects": .array(requests.map { .string($0.text) }), "format": .string(format.format.rawValue),
      "precision": .string(
        (compute.arithmetic.asked?.text ?? "") + " " + compute.arithmetic.precision.rawValue),
      "plans": .array(try compute.arithmetic.plans.map { .string(try sha256Hex(path: $0)) }),
      "files": [
        .bool(files.usda), .bool(files.usdz), .bool(files.pfm), .number(files.depthScale),
        .string(files.pictures.rawValue),
      ],
    ]
    if let rules = try tracking.rules() {
      options["track"] = [
        .string(rules.method.rawValue), .number(Double(rules.highScore)), .number(Double(rules.lowScore)),
        .number(Double(rules.newScore)), rules.buffer.map(JSONValue.integer) ?? .null,
        .number(rules.mostCost), .bool(rules.fusesScores), .bool(rules.followsCamera),
      ]
    }
    if batch.keepsRecords { options["keep"] = .string((batch.keep ?? .all).rawValue) }
    return .object(options)
  }
}
