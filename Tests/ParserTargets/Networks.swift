import FileFormats
import FoundationEssentials
import Models
import NNRuntime
import NNVerification
import TestSupport

extension ParserTarget {
  /// The parsers of metadata in files of weights and of references.
  static let networks: [ParserTarget] = [
    ParserTarget("detector-metadata") { bytes in
      let architecture = try YOLOArchitecture(TinyWeights.detector.with(metadata: bytes))
      precondition(architecture.classNames.count == 4, "classes without a name")
    },
    ParserTarget("depth-metadata") { bytes in
      let architecture = try DepthAnythingArchitecture(TinyWeights.depth.with(metadata: bytes))
      precondition(architecture.taps.count == 4, "taps that are not four")
    },
    reference("npz"), reference("safetensors"),
  ]

  private static func reference(_ format: String) -> ParserTarget {
    ParserTarget("reference-\(format)", corpus: "Corpus/\(format)", usesFiles: true) { bytes in
      let place = try TemporaryDirectory()
      let file = try ReferenceFile(path: place.write(bytes, to: "reference.\(format)"))
      for name in file.names {
        let (shape, elements) = try file.tensor(name)
        precondition(elements.count == shape.reduce(1, *), "elements and shape differ")
      }
    }
  }
}

/// A network of reduced width, whose metadata can be replaced.
private struct TinyWeights: Sendable {
  static let detector = TinyWeights("yolo11-tiny-n")
  static let depth = TinyWeights("depth-tiny")

  private let tensors: [String: Tensor]

  private init(_ name: String) {
    let path = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/\(name).safetensors"
    do {
      let store = try WeightStore(path: path)
      tensors = try Dictionary(uniqueKeysWithValues: store.names.map { ($0, try store.tensor(named: $0)) })
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Its weights with the metadata of a JSON object of texts.
  func with(metadata bytes: [UInt8]) throws -> WeightStore {
    let members = try JSONValue.parse(bytes).object ?? [:]
    var metadata: [String: String] = [:]
    for (name, member) in members { metadata[name] = member.string }
    return WeightStore(tensors: tensors, metadata: metadata)
  }
}
