import FileFormats
import NNKernelInterface

/// Precision of products; sums, and all arithmetic between products, are always single precision.
public enum Precision: String, CaseIterable, Sendable {
  /// Single precision throughout.
  case fp32
  /// Weights and inputs of products rounded to bf16: twice to sixteen times the rate, 2 to 3 digits.
  case bf16
  /// fp16 products with partial fp16 accumulation; one scale per pixel and output channel: up to twice the rate on arm64,
  /// 3 digits.
  case fp16
  /// Products of 16-bit integers with exact sums; one scale per pixel and output channel: twice the rate, 3 to 4 digits.
  case int16
  /// 8-bit products over pixels and tokens, with the same scales: four times the rate, 2 digits; others of 16 bits.
  case int8
}

extension Precision {
  /// The relative L2 error of a layer's output at most (of fp16, of a network's outputs), as
  /// docs/explanation/reduced-precision.md states it; nil where it depends on the network.
  package var statedError: Double? {
    switch self {
    case .fp32: 1e-6
    case .int16: 0.001
    case .bf16: 0.005
    case .fp16: 0.013
    case .int8: nil
    }
  }
}

/// Why a network cannot be computed in the precision asked for.
public enum PrecisionError: Error, Equatable, CustomStringConvertible {
  /// The CPU, or what `ARDF_ISA` leaves of it, has no instructions for it.
  case noInstructions(Precision, instructionSet: String, available: [Precision])
  /// Only the native kernels compute in less than single precision.
  case nativeOnly(Precision)

  /// The defect and its remedy.
  public var description: String {
    switch self {
    case .noInstructions(let precision, let set, let available):
      "--precision \(precision.rawValue) needs a CPU with \(precision.instructions); the kernels here are \(set): "
        + "use --precision \(available.map(\.rawValue).joined(separator: " or "))"
    case .nativeOnly(let precision):
      "--precision \(precision.rawValue) is for the native kernels, OpenBLAS computes in single precision; leave one of the two out"
    }
  }
}

extension Precision {
  /// Features that a processor needs.
  fileprivate var instructions: String {
    switch self {
    case .fp32: "nothing"
    case .bf16:
      #if arch(arm64)
        "FEAT_BF16 (the flag bf16: Neoverse V1, N2 and V2, Cortex-A510, A710 and X2, and newer)"
      #else
        "AVX-512 BF16 (the flag avx512_bf16)"
      #endif
    case .fp16: "FEAT_FP16 of arm64 (the flag asimdhp: Cortex-A55 and A76, Neoverse N1, and newer)"
    case .int16, .int8:
      #if arch(arm64)
        self == .int16
          ? "Advanced SIMD (the kernels neon)"
          : "FEAT_DotProd (the flag asimddp: Cortex-A55 and A76, Neoverse N1, and newer)"
      #else
        "AVX-512 VNNI (the flag avx512_vnni), or the kernels of AVX2 (ARDF_ISA=avx2)"
      #endif
    }
  }
}

extension PlanOptions {
  /// The kernels that a plan is made of.
  func catalogue() throws(PlanError) -> KernelCatalogue {
    let catalogue = try backend.catalogue(instructionSet)
    try check(precision, catalogue)
    return catalogue
  }

  /// Checks that kernels multiply in `precision`.
  func check(_ precision: Precision, _ catalogue: KernelCatalogue) throws(PlanError) {
    guard !catalogue.multiplies(precision.products) else { return }
    guard backend == .native else { throw .precision(.nativeOnly(precision)) }
    throw .precision(
      .noInstructions(precision, instructionSet: catalogue.name, available: catalogue.precisions))
  }

  /// The rules of which layers are fused: those of the requested precision, as far as its kernels can.
  func fusing() throws(PlanError) -> Fusing {
    let joining = joining ?? precision
    let kernels = try joining == .fp32 ? catalogue() : Backend.native.catalogue(instructionSet)
    return Fusing(arithmetic: Arithmetic(precision: joining, catalogue: kernels))
  }
}

extension PrecisionError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .usage }
}
