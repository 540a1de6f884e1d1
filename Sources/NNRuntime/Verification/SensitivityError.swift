import FileFormats
import NNRuntime

/// Why layers or weights of a network cannot be lowered.
package enum SensitivityError: Error, Equatable, CustomStringConvertible {
  /// No layer of the network is multiplied in the precision.
  case nothingToLower(network: String, Precision)
  /// With every layer in a precision, the outputs are off by more than is allowed.
  case outOfReach(kept: Precision, error: Double)
  /// A detector finds nothing in this many of the pictures.
  case emptyPictures(Int, of: Int)

  /// The defect and its remedy.
  package var description: String {
    switch self {
    case .nothingToLower(let network, let precision):
      "no layer of \(printableName(network)) is multiplied in \(precision.rawValue), so that none can be lowered; give another --precision"
    case .outOfReach(let kept, let error):
      "with every layer in \(kept.rawValue) the outputs are off by \(scientific(error)) already: state a larger error, "
        + "or another --precision"
    case .emptyPictures(let count, let total):
      "the network finds nothing in \(count) of \(counted(total, "picture")): give pictures of what it will see"
    }
  }
}

extension SensitivityError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
