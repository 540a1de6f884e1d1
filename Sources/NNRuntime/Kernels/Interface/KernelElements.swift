/// Element type of the factors of a kernel's products; sums are single precision, or exact.
public enum ProductElement: UInt8, Sendable, CaseIterable {
  /// Single precision.
  case float32
  /// Rounded to bf16.
  case bfloat16
  /// Scaled and rounded to half precision; some products are summed up in it.
  case float16
  /// Scaled and rounded to integers of 16 bits, which share a scale a position and a channel.
  case int16
  /// Scaled and rounded to integers of 8 bits, which share a scale a position and a channel.
  case int8

  /// The field's name, as in the names of kernels.
  public var name: String {
    switch self {
    case .float32: "f32"
    case .bfloat16: "bf16"
    case .float16: "f16"
    case .int16: "i16"
    case .int8: "i8"
    }
  }
}

/// Element types that the maps of a task may have.
public struct MapElements: OptionSet, Hashable, Sendable {
  /// A bit for each type.
  public let rawValue: UInt8
  /// The types of some bits.
  public init(rawValue: UInt8) { self.rawValue = rawValue }

  /// Floats alone.
  public static let float32 = MapElements(rawValue: 1 << ElementType.float32.rawValue)
  /// bf16 alone.
  public static let bfloat16 = MapElements(rawValue: 1 << ElementType.bfloat16.rawValue)
  /// Each map either.
  public static let any = MapElements(rawValue: float32.rawValue | bfloat16.rawValue)

  /// The type of one map.
  public init(_ element: ElementType) { self.init(rawValue: 1 << element.rawValue) }
}

/// How far a kernel may be from its definition.
public struct KernelTolerance: Sendable {
  /// Error of sums, relative to the magnitudes that were added up.
  public var sums: Double
  /// Error of activations that are not piecewise linear, on arguments of a few units.
  public var functions: Double

  private init(sums: Double, functions: Double = 1e-6) {
    self.sums = sums
    self.functions = functions
  }

  /// Nothing but copies and comparisons.
  public static let exact = KernelTolerance(sums: 0)
  /// Elementary functions in single precision.
  public static let function = KernelTolerance(sums: 1e-6)
  /// Sums of products in single precision, in any order.
  public static let product = KernelTolerance(sums: 2e-6)
  /// Sums of products by Strassen's algorithm, whose terms are sums themselves.
  public static let strassen = KernelTolerance(sums: 4e-6)
  /// Winograd's convolutions: their transforms cancel digits.
  public static let winograd = KernelTolerance(sums: 2e-5)
  /// Means and variances of a row, and their quotient.
  public static let normalization = KernelTolerance(sums: 4e-6)
  /// Attention: a product, an exponential, a product.
  public static let attention = KernelTolerance(sums: 4e-6)
  /// Sums of exact products of bf16 in single precision, in any order, or exact sums of bytes of known steps, rounded once;
  /// activations that are made for bf16.
  public static let roundedProduct = KernelTolerance(sums: 4e-6, functions: 2e-4)
  /// Attention in bf16: the weights are rounded to it.
  public static let roundedAttention = KernelTolerance(sums: 4e-3, functions: 2e-4)
  /// Attention whose scores are products of 8-bit integers: they become exponents.
  public static let byteAttention = KernelTolerance(sums: 4e-2, functions: 2e-4)
  /// Products of half precision, Winograd's convolutions among them.
  public static let float16 = KernelTolerance(sums: 4e-3, functions: 2e-4)
  /// Products of integers of 16 bits, Winograd's convolutions among them.
  public static let integers = KernelTolerance(sums: 2e-3, functions: 2e-4)
  /// Products of integers of 8 bits.
  public static let bytes = KernelTolerance(sums: 2e-2, functions: 2e-2)
}
