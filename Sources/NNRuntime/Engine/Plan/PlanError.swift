import FileFormats

/// Why a graph cannot be planned on this machine.
public enum PlanError: Error, Equatable, CustomStringConvertible {
  /// The processor lacks the instruction set asked for.
  case instructionSet(InstructionSetError)
  /// OpenBLAS cannot be had.
  case openBLAS(OpenBLASError)
  /// The precision cannot be had.
  case precision(PrecisionError)
  /// Algorithms were measured with other kernels than those that are to run.
  case otherKernels(measured: String, running: String)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .instructionSet(let error): "\(error)"
    case .openBLAS(let error): "\(error)"
    case .precision(let error): "\(error)"
    case .otherKernels(let measured, let running):
      "the plan file was measured with the \(measured) kernels, but \(running) are to run: tune again with them"
    }
  }
}

extension PlanError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .instructionSet, .openBLAS, .precision: .usage
    case .otherKernels: .malformedInput
    }
  }
}
