import ArgumentParser
import NNRuntime

/// What networks compute in.
struct PrecisionOption: ParsableArguments {
  @Option(
    help: """
      fp32, or bf16: products of rounded numbers, sums in fp32, several times as fast where the CPU has AVX-512 BF16 \
      or AMX; the error is what verify --precision bf16 --against fp32 says.
      """)
  var precision = Precision.fp32
}

extension Precision: ExpressibleByArgument {}
