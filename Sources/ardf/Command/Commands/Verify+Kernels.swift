import ArgumentParser
import NNRuntime

/// The kernels that are verified, and those that they are compared with.
extension Verify {
  /// The kernels to run: a backend, or the native one with a given instruction set.
  struct Kernels: ExpressibleByArgument {
    let name: String

    init?(argument: String) {
      guard Self.allValueStrings.contains(argument) else { return nil }
      name = argument
    }

    private init(name: String) { self.name = name }
    static let native = Kernels(name: "native")
    static let allValueStrings = ["native", "openblas"] + InstructionSet.compiled.map(\.rawValue)

    var defaultValueDescription: String { name }
    var backend: Backend { name == "openblas" ? .openBLAS : .native }
    var instructionSet: InstructionSet? { InstructionSet(rawValue: name) }
  }

  /// The reference of a network without recorded tensors: other kernels, or single precision.
  struct Opposite: ExpressibleByArgument {
    let kernels: Kernels
    let isSinglePrecision: Bool

    init?(argument: String) {
      isSinglePrecision = argument == "fp32"
      guard let kernels = isSinglePrecision ? .native : Kernels(argument: argument) else { return nil }
      self.kernels = kernels
    }

    static let allValueStrings = Kernels.allValueStrings + ["fp32"]

    var name: String { isSinglePrecision ? "fp32" : kernels.name }
  }
}
