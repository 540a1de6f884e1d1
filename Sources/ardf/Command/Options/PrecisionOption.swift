import ArgumentParser
import NNRuntime

/// The precision and the algorithms of networks.
struct PrecisionOption: ParsableArguments {
  @Option(
    name: .customLong("precision"),
    help: """
      Arithmetic: fp32 (default), bf16 (AVX-512 BF16, AMX, arm64), fp16 (arm64), int16 or int8 (dynamic quantization, \
      no calibration), or auto for the fastest here whose stated error is at most 0.5 % (auto:0.01 for 1 %). A --plan \
      sets it for its network. verify --precision int8 --against fp32 measures the error.
      """)
  var asked: AskedPrecision?

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      "Algorithms that ardf tune measured, or precisions of layers from ardf verify --sensitivity; may be given for "
        + "each network.", valueName: "plan.json"))
  var plans: [String] = []

  /// The same as a plain value.
  var arithmetic: NetworkArithmetic { NetworkArithmetic(asked: asked, plans: plans) }
}

extension Precision: ExpressibleByArgument {}
extension AskedPrecision: ExpressibleByArgument {}
