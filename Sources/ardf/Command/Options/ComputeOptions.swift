import ArgumentParser
import NNRuntime

/// How networks are computed.
struct ComputeOptions: ParsableArguments {
  @Option(
    name: .shortAndLong, help: "Threads; the results are the same for any number. By default one a processor."
  )
  var threads: Int?

  @OptionGroup var arithmetic: PrecisionOption

  @Flag(help: "Accept infinities and NaN in weights.")
  var allowNonfinite = false

  func validate() throws {
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
  }

  /// How the network of some weights, nil for any, is planned; a wrong `ARDF_ISA` is reported before anything is written.
  func planOptions(for weights: WeightStore? = nil) throws -> PlanOptions {
    _ = try InstructionSet.selected()
    return try arithmetic.options(for: weights)
  }

  func makePool() -> ThreadPool { ThreadPool(threads: threads ?? ProcessorShare.threads) }
}
