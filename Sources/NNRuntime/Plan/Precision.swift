import NNKernelInterface

/// What products are computed in; sums, and all arithmetic between products, are single precision always.
public enum Precision: String, CaseIterable, Sendable {
  /// Single precision throughout.
  case fp32
  /// Weights and inputs of products rounded to bf16: twice to sixteen times the rate, 2 to 3 digits.
  case bf16
}

/// Why a network cannot be computed in bf16.
public enum PrecisionError: Error, Equatable, CustomStringConvertible {
  /// The CPU, or what `ARDF_ISA` leaves of it, has no bf16 instructions.
  case noInstructions(instructionSet: String)
  /// Only the native kernels compute in bf16.
  case nativeOnly

  /// What is wrong, and what to do.
  public var description: String {
    switch self {
    case .noInstructions(let set):
      "--precision bf16 needs a CPU with AVX-512 BF16 (the flag avx512_bf16); the kernels here are \(set): use "
        + "--precision fp32"
    case .nativeOnly:
      "--precision bf16 is for the native kernels: OpenBLAS computes in single precision"
    }
  }
}

extension PlanOptions {
  /// The kernels of reduced precision; nil where none is asked for.
  func mixedKernels() throws -> MixedKernelTable? {
    guard precision == .bf16 else { return nil }
    guard backend == .native else { throw PrecisionError.nativeOnly }
    let set = try instructionSet ?? InstructionSet.selected()
    guard let kernels = set.mixedKernels else {
      throw PrecisionError.noInstructions(instructionSet: set.rawValue)
    }
    return kernels
  }

  /// Whether the kernels of reduced precision that there are have Winograd convolutions in integers.
  func hasIntegers() throws -> Bool {
    let set = try instructionSet ?? InstructionSet.selected()
    return set.mixedKernels?.winograd != nil
  }
}
