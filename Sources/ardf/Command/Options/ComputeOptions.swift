import ArgumentParser
import NNRuntime

/// How networks are computed.
struct ComputeOptions: ParsableArguments {
  @Option(
    name: .shortAndLong,
    help: "Threads; the results are the same for any number. By default one per processor."
  )
  var threads: Int?

  @OptionGroup var precision: PrecisionOption

  @Flag(help: "Accept infinities and NaN in weights.")
  var allowNonfinite = false

  func validate() throws {
    if let threads, !(1...1024).contains(threads) {
      throw ValidationError("--threads \(threads): give a number from 1 to 1024")
    }
  }

  /// The same as a plain value.
  var settings: ComputeSettings {
    ComputeSettings(threads: threads, arithmetic: arithmetic, allowsNonFinite: allowNonfinite)
  }

  var arithmetic: NetworkArithmetic { precision.arithmetic }

  func makePool() -> ThreadPool { settings.makePool() }
}
