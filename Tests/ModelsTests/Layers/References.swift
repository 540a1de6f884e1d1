import Foundation
import NNRuntime

/// Reference outputs of whole networks, too big for the package: made by `tools/reference/make-reference-outputs.py` into a
/// folder that the environment variable `ARDF_REFERENCES` names.
enum References {
  static let folder = ProcessInfo.processInfo.environment["ARDF_REFERENCES"]
  static let available = folder != nil

  static func exists(_ name: String) -> Bool {
    folder.map { FileManager.default.fileExists(atPath: "\($0)/\(name).safetensors") } ?? false
  }

  static func store(_ name: String) throws -> WeightStore {
    try WeightStore(path: "\(folder ?? "")/\(name).safetensors")
  }
}
