import FileFormats
import NNRuntime
import ONNX

/// An error of a network, whatever its family.
public protocol NetworkFault: Error {
  /// The kind of error, for the user who runs the network.
  var kind: NetworkFaultKind { get }
}

/// Kind of a network's error, for the user who runs it.
public enum NetworkFaultKind: Sendable {
  /// The weights cannot be read.
  case weights(WeightError)
  /// The network cannot be planned on this machine.
  case plan(PlanError)
  /// An output holds an infinity or a NaN.
  case nonFiniteOutput
  /// The boxes of all objects cover more pixels of the picture than the limit for masks.
  case tooManyMaskPixels
  /// There is no memory for the masks.
  case noMaskMemory
  /// The caller has given up.
  case unwanted
  /// The weights, the input or the picture are not what the network takes.
  case unfit
}

extension YOLOError: NetworkFault {
  /// The kind of error, for the user who runs the network.
  public var kind: NetworkFaultKind {
    switch self {
    case .weights(let error): .weights(error)
    case .plan(let error): .plan(error)
    case .nonFiniteOutput: .nonFiniteOutput
    case .tooManyMaskPixels: .tooManyMaskPixels
    case .noMaskMemory: .noMaskMemory
    case .unwanted: .unwanted
    case .unknownArchitecture, .invalidInputSize, .notSquare, .convertedBefore, .convertedLater, .port: .unfit
    }
  }
}

extension DepthError: NetworkFault {
  /// The kind of error, for the user who runs the network.
  public var kind: NetworkFaultKind {
    switch self {
    case .weights(let error): .weights(error)
    case .plan(let error): .plan(error)
    case .nonFiniteOutput: .nonFiniteOutput
    case .tooElongated, .invalidBound, .notWholePatches, .unknownArchitecture, .noPrompt, .convertedBefore,
      .convertedLater,
      .port:
      .unfit
    }
  }
}

extension DETRError: NetworkFault {
  /// The kind of error, for the user who runs the network.
  public var kind: NetworkFaultKind {
    switch self {
    case .plan(let error): .plan(error)
    case .nonFiniteOutput: .nonFiniteOutput
    case .export, .config, .otherPorts, .severalPictures, .otherSide, .otherShape: .unfit
    }
  }
}

extension NetworkError: NetworkFault {
  /// The kind of error, for the user who runs the network.
  public var kind: NetworkFaultKind {
    switch self {
    case .yolo(let error): error.kind
    case .depth(let error): error.kind
    case .detr(let error): error.kind
    case .unsupported, .unknown: .unfit
    }
  }
}

/// The underlying error, where the weights or the machine are at fault; else the error itself.
package func innermost(_ error: any Error) -> any Error {
  switch (error as? any NetworkFault)?.kind {
  case .weights(let error): error
  case .plan(let error): error
  case .nonFiniteOutput, .tooManyMaskPixels, .noMaskMemory, .unwanted, .unfit, nil:
    switch error {
    case NetworkError.yolo(let error): error
    case NetworkError.depth(let error): error
    case NetworkError.detr(let error): error
    default: error
    }
  }
}

/// Fault of a network's error: that of its weights or of the machine, where these are the cause.
private func fault(of kind: NetworkFaultKind) -> Fault {
  switch kind {
  case .weights(let error): error.fault
  case .plan(let error): error.fault
  case .nonFiniteOutput, .tooManyMaskPixels, .noMaskMemory, .unwanted, .unfit: .malformedInput
  }
}

extension YOLOError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { Models.fault(of: kind) }
}

extension DepthError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { Models.fault(of: kind) }
}

extension DETRError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    if case .export(let error) = self { error.fault } else { Models.fault(of: kind) }
  }
}

extension NetworkError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { if case .detr(let error) = self { error.fault } else { Models.fault(of: kind) } }
}
