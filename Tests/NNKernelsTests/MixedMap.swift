import NNKernelInterface
import NNRuntime
import Testing

/// The nearest bf16 as a float, ties to even.
func roundedToBF16(_ x: Float) -> Float {
  Float(bitPattern: (x.bitPattern &+ 0x7FFF &+ (x.bitPattern >> 16 & 1)) & 0xFFFF_0000)
}

/// A channels-last map of floats or bf16 that is a slice of a wider buffer: everything around its channels is a
/// guard, not a number.
@safe final class MixedMap: TestMap {
  let height, width, channels: Int
  let element: ElementType
  let pixelStride, rowStride, offset, count: Int
  private let memory: UnsafeMutableRawPointer

  /// A map of guards; `gap` elements around the channels of each pixel, `rowGap` after each row.
  init(_ element: ElementType, height: Int, width: Int, channels: Int, gap: Int = 0, rowGap: Int = 0) {
    (self.height, self.width, self.channels, self.element) = (height, width, channels, element)
    pixelStride = channels + 2 * gap
    rowStride = pixelStride * width + rowGap
    offset = gap
    count = height * rowStride + 2 * gap + GuardedFloats.guardCount
    unsafe memory = .allocate(byteCount: count * 4, alignment: 64)
    for index in 0..<count { write(Float(bitPattern: GuardedFloats.guardBits), index) }
  }

  /// A map of test numbers.
  convenience init(
    _ element: ElementType, height: Int, width: Int, channels: Int, gap: Int = 0, rowGap: Int = 0, seed: Int,
    scale: Float = 1
  ) {
    self.init(element, height: height, width: width, channels: channels, gap: gap, rowGap: rowGap)
    fill(seed: seed, scale: scale)
  }

  deinit { unsafe memory.deallocate() }

  private func index(_ y: Int, _ x: Int, _ channel: Int) -> Int {
    offset + y * rowStride + x * pixelStride + channel
  }

  private func write(_ value: Float, _ index: Int) {
    switch element {
    case .float32: unsafe memory.storeBytes(of: value, toByteOffset: 4 * index, as: Float.self)
    case .bfloat16:
      let bits = value.isNaN ? value.bitPattern : roundedToBF16(value).bitPattern
      unsafe memory.storeBytes(of: UInt16(bits >> 16), toByteOffset: 2 * index, as: UInt16.self)
    }
  }

  private func read(_ index: Int) -> Float {
    switch element {
    case .float32: unsafe memory.load(fromByteOffset: 4 * index, as: Float.self)
    case .bfloat16:
      unsafe Float(bitPattern: UInt32(memory.load(fromByteOffset: 2 * index, as: UInt16.self)) << 16)
    }
  }

  subscript(y: Int, x: Int, channel: Int) -> Float {
    get { read(index(y, x, channel)) }
    set { write(newValue, index(y, x, channel)) }
  }

  private var base: UnsafeMutablePointer<Float> {
    unsafe (memory + offset * (element == .float32 ? 4 : 2)).assumingMemoryBound(to: Float.self)
  }

  var input: MapPointer {
    unsafe MapPointer(base: base, pixelStride: pixelStride, rowStride: rowStride, element: element)
  }

  var output: MutableMapPointer {
    unsafe MutableMapPointer(base: base, pixelStride: pixelStride, rowStride: rowStride, element: element)
  }

  /// Whether nothing outside the map's own channels was written.
  var guardsAreIntact: Bool {
    var own = [Bool](repeating: false, count: count)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<channels { own[index(y, x, channel)] = true }
      }
    }
    let guardBits = GuardedFloats.guardBits
    return own.indices.allSatisfy { index in
      own[index] || read(index).bitPattern >> 16 == guardBits >> 16
    }
  }
}

/// The instruction sets of this CPU with kernels of reduced precision.
enum MixedImplementation {
  static let all = InstructionSet.available.filter(\.hasReducedPrecision)
}

/// The element types of a test's input and output maps.
struct ElementPair: CustomTestStringConvertible, Sendable {
  var input, output: ElementType

  static let all: [ElementPair] = [
    .init(input: .bfloat16, output: .bfloat16), .init(input: .float32, output: .bfloat16),
    .init(input: .bfloat16, output: .float32), .init(input: .float32, output: .float32),
  ]

  /// The pairs to test for a kernel of such maps.
  static func all(of maps: MapElements) -> [ElementPair] {
    maps == .any ? all : [.init(input: .float32, output: .float32)]
  }

  var testDescription: String { "\(input) to \(output)" }

  /// The largest error relative to the magnitude: of a kernel that errs by `own`, and of the stored result, half a
  /// unit in the last place.
  func tolerance(_ own: Double) -> Double { own + (output == .bfloat16 ? 1.0 / 256 : 0) }
}
