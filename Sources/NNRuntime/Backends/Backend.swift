import NNKernelInterface

/// Whose kernels run a plan.
///
/// Backends check each other: they share no arithmetic.
public enum Backend: Hashable, Sendable {
  /// The kernels of this project, in the instruction set that the CPU (or `ARDF_ISA`) gives.
  case native
  /// im2col and OpenBLAS's SGEMM, plain loops for the rest.
  case openBLAS

  /// Its kernels, those of `instructionSet` or of the one that is selected.
  package func catalogue(_ instructionSet: InstructionSet? = nil) throws -> KernelCatalogue {
    switch self {
    case .native: try (instructionSet ?? InstructionSet.selected()).usable()
    case .openBLAS: try openBLASCatalogue()
    }
  }
}
