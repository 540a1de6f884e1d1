import FileFormats
import NNRuntime
import Synchronization

/// The value of `--precision`.
enum AskedPrecision: Equatable, Sendable {
  case exactly(Precision)
  /// The fastest precision on this processor whose stated error is at most this share.
  case fastest(within: Double)

  /// The default bound, which bf16 meets.
  static let usualBound = 0.005
  private static let automatic = "auto"

  init?(argument: String) {
    if let precision = Precision(rawValue: argument) {
      self = .exactly(precision)
      return
    }
    let parts = argument.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard parts[0] == Self.automatic else { return nil }
    let bound = parts.count == 1 ? Self.usualBound : Double(FieldWords.ofOne(String(parts[1])))
    guard let bound, bound > 0, bound < 1 else { return nil }
    self = .fastest(within: bound)
  }

  static let allValueStrings = Precision.allCases.map(\.rawValue) + [automatic]

  /// The spellings that the option accepts.
  var text: String {
    switch self {
    case .exactly(let precision): precision.rawValue
    case .fastest(let bound): "\(Self.automatic):\(bound)"
    }
  }

  var defaultValueDescription: String { text }
}

/// The choice of `--precision auto` for a network on this processor.
struct AutomaticPrecision {
  let precision: Precision
  private let error: Double
  private let bound: Double
  private let isOfFile: Bool

  /// From the fastest to the exact one.
  private static let bySpeed: [Precision] = [.int8, .bf16, .fp16, .int16, .fp32]
  private static let told = Mutex<NameSet>([])

  /// - Parameters:
  ///   - bound: The greatest error.
  ///   - own: The error in int8 that `ardf quantize` wrote into the weight file; nil for none.
  ///   - available: The precisions of the kernels.
  ///   - kernels: The names of the kernels.
  init(within bound: Double, own: Double?, available: [Precision], kernels: String) {
    for precision in Self.bySpeed where available.contains(precision) {
      // With AVX2 alone products of integers gain nothing on fp32's.
      if precision == .int16, kernels == InstructionSet.avx2.rawValue { continue }
      guard let error = precision.statedError ?? own, error <= bound else { continue }
      (self.precision, self.error, isOfFile) = (precision, error, precision.statedError == nil)
      self.bound = bound
      return
    }
    (precision, error, self.bound, isOfFile) = (.fp32, Precision.fp32.statedError ?? 0, bound, false)
  }

  /// The choice as text for people.
  var text: String {
    let share = decimal(100 * error, error < 1e-4 ? 4 : 2)
    return "--precision auto: \(precision.rawValue), whose error is stated as \(share) % of "
      + (isOfFile ? "the outputs by the weight file" : "a layer's output at most")
      + " (asked for: \(decimal(100 * bound, 2)) %)"
  }

  /// Prints the choice, once for each network.
  func tell(of network: String) {
    let isNew = Self.told.withLock { told in
      guard !told.contains(network) else { return false }
      told.insert(network)
      return true
    }
    if isNew { Console.inform("\(network): \(text)") }
  }
}
