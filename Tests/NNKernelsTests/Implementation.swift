import Glibc
import NNKernelInterface
import NNRuntime
import Testing

/// Kernels of single precision under test: one for each instruction set of this CPU, and the OpenBLAS backend where
/// its library is installed.
enum Implementation: CustomTestStringConvertible, Sendable {
  case native(InstructionSet)
  case openBLAS
  /// The plain kernels of all operations but dense convolutions.
  case plain

  static let all =
    InstructionSet.available.filter { !$0.hasReducedPrecision }.map(Implementation.native)
    + (hasOpenBLAS ? [.openBLAS] : []) + [.plain]

  static let hasOpenBLAS = (try? openBLASCatalogue()) != nil

  func catalogue() throws -> KernelCatalogue {
    switch self {
    case .native(let set): try Backend.native.catalogue(set)
    case .openBLAS: try openBLASCatalogue()
    case .plain: .plain()
    }
  }

  var testDescription: String {
    switch self {
    case .native(let set): set.rawValue
    case .openBLAS: "openblas"
    case .plain: "plain"
    }
  }
}

extension Kernel {
  /// Computes some items, in guarded memory of its own.
  func run(_ task: inout Task, _ items: Range<Int>) {
    let scratch = unsafe GuardedFloats(count: scratch(&task))
    unsafe run(&task, Share(items: items, scratch: scratch.pointer))
    #expect(scratch.guardsAreIntact)
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

extension Activation {
  /// Whether it is made of straight lines, and as exact as a product.
  var isStraight: Bool {
    switch self {
    case .none, .relu, .leakyReLU, .clip: true
    case .silu, .gelu, .sigmoid, .hardSwish: false
    }
  }
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
    case .hardSwish: x * min(max(x + 3, 0), 6) / 6
    case .clip(let low, let high, let scale, let shift):
      min(max(x, Double(low)), Double(high)) * Double(scale) + Double(shift)
    }
  return Expected(value: value, magnitude: expected.magnitude)
}

extension InstructionSet {
  /// Whether it multiplies in bf16.
  var hasReducedPrecision: Bool { catalogue?.precisions.contains(.bf16) ?? false }
}
