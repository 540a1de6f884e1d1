import ArgumentParser
import FileFormats
import NNRuntime

/// What networks compute in, and with which algorithms.
struct PrecisionOption: ParsableArguments {
  @Option(
    help: """
      What is multiplied: fp32; int16, integers with more digits than bf16; bf16, rounded numbers, where the CPU has \
      AVX-512 BF16, AMX or arm64's bf16; int8; fp16, half precision, on arm64. The error is what verify --precision int8 --against fp32 says.
      """)
  var precision = Precision.fp32

  @Option(
    name: .customLong("plan"),
    help: ArgumentHelp(
      "Algorithms that ardf tune measured; may be given for each network.", valueName: "plan.json"))
  var plans: [String] = []

  /// `options` with what was asked for.
  func options(_ options: PlanOptions = PlanOptions()) throws -> PlanOptions {
    var options = options
    options.precision = precision
    for path in plans {
      try InFile.naming(path) {
        let choices = try MeasuredChoices(JSONValue.read(path: path))
        options.measured = try options.measured?.merging(choices) ?? choices
      }
    }
    return options
  }
}

extension Precision: ExpressibleByArgument {}
