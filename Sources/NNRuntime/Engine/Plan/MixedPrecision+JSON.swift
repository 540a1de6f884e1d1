import FileFormats

// {"schema": "ardf.mixed/1", "network": "yolo11n-seg", "precision": "int8", "layers": {"model.2.cv1": "int16"}}; what else
// such a file says is for people.

extension MixedPrecision {
  /// The schema name in a file of mixed precision.
  package static let schema = "ardf.mixed/1"

  /// The members of a file.
  package var document: [String: JSONValue] {
    [
      "schema": .string(Self.schema), "network": .string(network), "precision": .string(precision.rawValue),
      "layers": .object(exceptions.mapValues { .string($0.rawValue) }),
    ]
  }

  /// Contents of a file.
  ///
  /// - Throws: `MixedPrecisionError`.
  package init(_ document: JSONValue) throws(MixedPrecisionError) {
    guard document["schema"]?.string == Self.schema else {
      throw .malformed("\"schema\" must be \"\(Self.schema)\"")
    }
    guard let network = document["network"]?.string else { throw .malformed("\"network\" must be a name") }
    guard let precision = document["precision"]?.string.flatMap(Precision.init(rawValue:)) else {
      throw .malformed("\"precision\" must be one of \(Precision.names)")
    }
    guard let layers = document["layers"]?.object else {
      throw .malformed("\"layers\" must be an object of precisions by layer names")
    }
    var exceptions: [String: Precision] = [:]
    for (name, value) in layers.sorted(by: { $0.key < $1.key }) {
      guard let precision = value.string.flatMap(Precision.init(rawValue:)) else {
        throw .malformed("\"layers\": \"\(printableName(name))\" must be one of \(Precision.names)")
      }
      exceptions[name] = precision
    }
    self.init(network: network, precision: precision, exceptions: exceptions)
  }
}

extension Precision {
  /// All of them, for people.
  package static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// Why a file of mixed precision cannot be used.
package enum MixedPrecisionError: Error, Equatable, CustomStringConvertible {
  /// The document is not one of mixed precision.
  case malformed(String)
  /// Two files say different things of one network.
  case twice(network: String)
  /// The file is of another precision than the one asked for.
  case otherPrecision(Precision, asked: Precision)

  /// One line that says what is wrong and what to do.
  package var description: String {
    switch self {
    case .malformed(let place):
      "no file of mixed precision (\(place)); write it again with ardf verify --sensitivity"
    case .twice(let network):
      "there are two plans of mixed precision for \(printableName(network)): give one"
    case .otherPrecision(let precision, let asked):
      "the plan is of precision \(precision.rawValue): leave --precision \(asked.rawValue) away, or the plan"
    }
  }
}

extension MixedPrecisionError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
