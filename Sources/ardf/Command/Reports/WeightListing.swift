import Digests
import FileFormats
import Models
import NNRuntime
import NNVerification

/// A weight file as `ardf inspect weights` shows it.
struct WeightListing {
  private struct Entry {
    let name: String
    let type: DType
    let shape: [Int]
    let statistics: TensorStatistics
  }

  /// SHA-256 of the file.
  private let digest: String
  private let metadata: [String: String]
  private let entries: [Entry]

  /// Reads every element of the file.
  ///
  /// - Throws: `WeightError`, `FileError`.
  init(file: GivenPath) throws {
    let store = try WeightStore(file, allowNonFinite: true)
    digest = try sha256Hex(path: file.path)
    metadata = store.metadata
    entries = try store.names.map { name in
      let tensor = try store.tensor(named: name)
      return Entry(
        name: name, type: store.storedType(of: name) ?? tensor.dtype, shape: tensor.shape,
        statistics: TensorStatistics(tensor))
    }
  }

  private var origin: CheckpointOrigin { CheckpointOrigin(metadata: metadata, sha256: digest) }
  private var values: Int { entries.reduce(0) { $0 + $1.statistics.count } }
  private var nonFinite: Int { entries.reduce(0) { $0 + $1.statistics.nonFinite } }

  /// A warning of elements that are infinite or NaN; nil without any.
  var warning: String? {
    guard nonFinite > 0 else { return nil }
    let names = entries.filter { $0.statistics.nonFinite > 0 }.map(\.name)
    return
      "\(counted(nonFinite, "element is", "elements are")) infinite or NaN, in \(names.prefix(3).joined(separator: ", "))"
      + (names.count > 3 ? " and \(counted(names.count - 3, "more tensor"))" : "")
  }

  var document: JSONValue {
    [
      "schema": "ardf.weights-list/1", "origin": .string("\(origin)"), "sha256": .string(digest),
      "values": .integer(values),
      "nonFinite": .integer(nonFinite), "metadata": .object(metadata.mapValues(JSONValue.string)),
      "tensors": .array(
        entries.map { entry in
          let statistics = entry.statistics
          return [
            "name": .string(entry.name), "dtype": .string(entry.type.rawValue),
            "shape": .array(entry.shape.map(JSONValue.integer)), "min": .number(statistics.minimum),
            "max": .number(statistics.maximum), "mean": .number(statistics.mean),
            "deviation": .number(statistics.deviation), "nonFinite": .integer(statistics.nonFinite),
          ]
        }),
    ]
  }

  var text: String {
    var table = TextTable(
      ["tensor", "type", "shape", "min", "max", "mean", "deviation", "not finite"],
      rightAligned: [3, 4, 5, 6, 7])
    for entry in entries {
      let statistics = entry.statistics
      table.add(
        [entry.name, entry.type.rawValue, entry.shape.map(String.init).joined(separator: "x")]
          + [statistics.minimum, statistics.maximum, statistics.mean, statistics.deviation].map(scientific)
          + [statistics.nonFinite == 0 ? "" : "\(statistics.nonFinite)"])
    }
    return "weights: \(origin)\nsha256: \(digest)\n"
      + metadata.sorted { $0.key < $1.key }.map { printableLine("\($0): \($1)") + "\n" }.joined()
      + "\(counted(entries.count, "tensor")), \(counted(values, "value"))\n" + table.text
  }
}
