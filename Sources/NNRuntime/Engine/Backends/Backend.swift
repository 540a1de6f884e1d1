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
  package func catalogue(_ instructionSet: InstructionSet? = nil) throws(PlanError) -> KernelCatalogue {
    switch self {
    case .native:
      do throws(InstructionSetError) {
        if let instructionSet { return try instructionSet.usable() }
        return try InstructionSet.selected().usable()
      } catch {
        throw .instructionSet(error)
      }
    case .openBLAS:
      do throws(OpenBLASError) {
        return try openBLASCatalogue()
      } catch {
        throw .openBLAS(error)
      }
    }
  }
}
