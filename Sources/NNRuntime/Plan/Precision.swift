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
      "--precision bf16 needs a CPU with \(Self.needed); the kernels here are \(set): use --precision fp32"
    case .nativeOnly:
      "--precision bf16 is for the native kernels: OpenBLAS computes in single precision"
    }
  }
}

extension PrecisionError {
  /// What CPUs of this architecture must have to multiply in bf16, and what /proc/cpuinfo calls it.
  private static var needed: String {
    #if arch(arm64)
      return "FEAT_BF16 (the flag bf16: Neoverse V1, N2 and V2, Cortex-A510, A710 and X2, and newer)"
    #else
      return "AVX-512 BF16 (the flag avx512_bf16)"
    #endif
  }
}

extension PlanOptions {
  /// The kernels that a plan is made of.
  func catalogue() throws(PlanError) -> KernelCatalogue {
    let catalogue = try backend.catalogue(instructionSet)
    guard precision == .bf16, !catalogue.multiplies(.bfloat16) else { return catalogue }
    throw .precision(backend == .native ? .noInstructions(instructionSet: catalogue.name) : .nativeOnly)
  }

  /// What decides which layers are joined: for the precision that is asked for, as its kernels can.
  func fusing() throws(PlanError) -> Fusing {
    let joining = joining ?? precision
    let kernels = try joining == .bf16 ? Backend.native.catalogue(instructionSet) : catalogue()
    return Fusing(catalogue: kernels, precision: joining)
  }
}
