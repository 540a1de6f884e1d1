import FileFormats
import NNKernelInterface

/// Numbers that are the same in every run.
struct TestNumbers {
  private var numbers: SplitMix64

  init(seed: Int) { numbers = SplitMix64(seed: UInt64(seed) &* SplitMix64.increment) }

  /// Between -1 and 1.
  mutating func next() -> Float { numbers.signed() }

  mutating func next(_ count: Int) -> [Float] { (0..<count).map { _ in next() } }
}

/// Floats on a cache line boundary, followed by guards: a guard that a kernel reads makes its result NaN, one
/// that it writes is found.
@safe final class GuardedFloats {
  let count: Int
  let pointer: UnsafeMutablePointer<Float>
  static let guardCount = 64
  /// A quiet NaN with a payload that no arithmetic makes.
  static let guardBits: UInt32 = 0x7FC5_A5A5

  init(count: Int) {
    self.count = count
    let total = count + Self.guardCount
    let memory = UnsafeMutableRawPointer.allocate(byteCount: total * 4, alignment: 64)
    unsafe pointer = memory.bindMemory(to: Float.self, capacity: total)
    unsafe pointer.initialize(repeating: Float(bitPattern: Self.guardBits), count: total)
  }

  convenience init(_ values: [Float]) {
    self.init(count: values.count)
    for (index, value) in values.enumerated() { unsafe pointer[index] = value }
  }

  deinit { unsafe pointer.deallocate() }

  subscript(index: Int) -> Float {
    get {
      precondition(index >= 0 && index < count)
      return unsafe pointer[index]
    }
    set {
      precondition(index >= 0 && index < count)
      unsafe pointer[index] = newValue
    }
  }

  /// Whether a float is still a guard.
  func isGuard(_ index: Int) -> Bool { unsafe pointer[index].bitPattern == Self.guardBits }

  /// Whether the guards after the floats are untouched.
  var guardsAreIntact: Bool { (count..<count + Self.guardCount).allSatisfy(isGuard) }
}

/// A channels-last map that is a slice of a wider buffer: everything around its channels is a guard.
final class GuardedMap: TestMap {
  let height, width, channels: Int
  let pixelStride, rowStride, offset: Int
  let floats: GuardedFloats

  /// A map of guards; `gap` floats around the channels of each pixel, `rowGap` after each row.
  init(height: Int, width: Int, channels: Int, gap: Int = 0, rowGap: Int = 0) {
    (self.height, self.width, self.channels) = (height, width, channels)
    pixelStride = channels + 2 * gap
    rowStride = pixelStride * width + rowGap
    offset = gap
    floats = GuardedFloats(count: height * rowStride + 2 * gap)
  }

  /// A map of test numbers.
  convenience init(
    height: Int, width: Int, channels: Int, gap: Int = 0, rowGap: Int = 0, seed: Int, scale: Float = 1
  ) {
    self.init(height: height, width: width, channels: channels, gap: gap, rowGap: rowGap)
    fill(seed: seed, scale: scale)
  }

  subscript(y: Int, x: Int, channel: Int) -> Float {
    get { floats[offset + y * rowStride + x * pixelStride + channel] }
    set { floats[offset + y * rowStride + x * pixelStride + channel] = newValue }
  }

  var input: MapPointer {
    unsafe MapPointer(base: floats.pointer + offset, pixelStride: pixelStride, rowStride: rowStride)
  }

  var output: MutableMapPointer {
    unsafe MutableMapPointer(base: floats.pointer + offset, pixelStride: pixelStride, rowStride: rowStride)
  }

  /// Whether nothing outside the map's own channels was written.
  var guardsAreIntact: Bool {
    var own = [Bool](repeating: false, count: floats.count)
    for y in 0..<height {
      for x in 0..<width {
        let first = offset + y * rowStride + x * pixelStride
        for channel in 0..<channels { own[first + channel] = true }
      }
    }
    return floats.guardsAreIntact && own.indices.allSatisfy { own[$0] || floats.isGuard($0) }
  }
}
