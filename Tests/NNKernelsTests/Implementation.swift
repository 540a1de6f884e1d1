import Glibc
import NNKernelInterface
import NNRuntime
import Testing

/// A table of kernels under test: one for each instruction set of this CPU, and the OpenBLAS backend where
/// its library is installed.
enum Implementation: CustomTestStringConvertible, Sendable {
  case native(InstructionSet)
  case openBLAS

  static let all =
    [InstructionSet.portable, .avx2, .avx512].filter(InstructionSet.available.contains)
    .map(Implementation.native) + (hasOpenBLAS ? [.openBLAS] : [])

  static let hasOpenBLAS = (try? openBLASKernels()) != nil

  func kernels() throws -> KernelTable {
    switch self {
    case .native(let set): set.kernels
    case .openBLAS: try openBLASKernels()
    }
  }

  var testDescription: String {
    switch self {
    case .native(let set): set.rawValue
    case .openBLAS: "openblas"
    }
  }
}

/// A value in double precision, and the sum of the magnitudes that it was added up from, at least 1: what its
/// rounding errors are measured by.
struct Expected {
  var value = 0.0
  var magnitude = 1.0

  mutating func add(_ a: Float, _ b: Float = 1) {
    let term = Double(a) * Double(b)
    value += term
    magnitude += abs(term)
  }
}

/// The largest errors allowed, relative to the magnitude of `Expected`.
enum Tolerance {
  /// Sums of products in single precision, in any order.
  static let product = 2e-6
  /// Sums of products by Strassen's algorithm, whose terms are sums themselves.
  static let strassen = 4e-6
  /// Winograd F(4x4,3x3) and F(6x6,3x3): their transforms cancel digits.
  static let winograd = 2e-5
  /// Winograd convolutions in integers of 16 bits.
  static let integers = 2e-3
  /// Elementary functions, on arguments of a few units.
  static let function = 1e-6
  /// Means and variances of a row, and their quotient.
  static let normalisation = 4e-6
  /// Attention: a product, an exponential, a product.
  static let attention = 4e-6
}

/// Expects values within `tolerance` of the reference, and names the worst.
func expectClose(
  _ found: [Float], _ expected: [Expected], tolerance: Double, _ what: @autoclosure () -> String,
  sourceLocation: SourceLocation = #_sourceLocation
) {
  #expect(found.count == expected.count, sourceLocation: sourceLocation)
  var worst = (error: -1.0, index: 0)
  for (index, (a, b)) in zip(found, expected).enumerated() {
    let error = abs(Double(a) - b.value) / b.magnitude
    if !(error <= worst.error) { worst = (error.isNaN ? .infinity : error, index) }
  }
  guard !expected.isEmpty, !(worst.error <= tolerance) else { return }
  Issue.record(
    """
    \(what()): element \(worst.index) is \(found[worst.index]), expected \(expected[worst.index].value), \
    relative error \(worst.error) > \(tolerance)
    """, sourceLocation: sourceLocation)
}

/// The definition of an activation.
func activated(_ expected: Expected, _ activation: Activation) -> Expected {
  let x = expected.value
  let value: Double =
    switch activation {
    case .none: x
    case .relu: max(x, 0)
    case .leakyReLU(let slope): x < 0 ? Double(slope) * x : x
    case .silu: x / (1 + exp(-x))
    case .gelu: x / 2 * (1 + erf(x / 2.0.squareRoot()))
    case .sigmoid: 1 / (1 + exp(-x))
    }
  return Expected(value: value, magnitude: expected.magnitude)
}
