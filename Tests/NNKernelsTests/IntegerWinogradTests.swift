import NNKernelInterface
import NNRuntime
import Testing

@Suite("Winograd convolutions in 16 bits, integers or halves, stay within their range, whatever the numbers")
struct IntegerWinogradTests {
  static let kernels: [WinogradCase] = DeclaredKernel.all.compactMap { declared in
    let kernel = declared.kernel
    guard case .tiles = kernel.items, [.int16, .float16].contains(kernel.products),
      kernel.domain.kind == .whole, let stride = kernel.domain.stride
    else { return nil }
    return WinogradCase(kernel: kernel, stride: stride)
  }

  @Test("the largest sums that Cauchy and Schwarz allow", arguments: kernels)
  func largestSums(_ winograd: WinogradCase) {
    // Weights in proportion to the pixels: every product of a frequency has the same sign.
    let channels = 64
    let pixel = (0..<channels).map { Float($0 % 7) - 3 }
    let found = winograd.convolve(channels: channels, pixel: { _, _ in pixel }, weights: { pixel[$0] })
    let inside = 9 * pixel.reduce(0) { $0 + $1 * $1 }
    for (index, value) in found.enumerated() where winograd.isInside(index) {
      #expect(abs(value - inside) < 2e-3 * inside, "output \\(index) of \\(winograd)")
    }
  }

  @Test("one channel that holds all there is", arguments: kernels)
  func oneChannel(_ winograd: WinogradCase) {
    let found = winograd.convolve(
      channels: 32, pixel: { _, _ in (0..<32).map { $0 == 5 ? -1e6 : 0 } }, weights: { $0 == 5 ? 1e-3 : 0 })
    for (index, value) in found.enumerated() where winograd.isInside(index) {
      #expect(abs(value + 9000) < 20, "output \\(index) of \\(winograd)")
    }
  }

  @Test("a large pixel costs its own windows digits, no others", arguments: kernels)
  func largePixel(_ winograd: WinogradCase) {
    let found = winograd.convolve(
      channels: 16, pixel: { y, x in [Float](repeating: y == 2 && x == 3 ? 1e5 : 1, count: 16) },
      weights: { _ in 0.5 })
    let far = winograd.outputs * winograd.outputs - 1 - winograd.outputs - 1
    #expect(abs(found[far] - 72) < 0.2)
  }

  @Test("zeros give zeros, and what is not a number stays one", arguments: kernels)
  func specialNumbers(_ winograd: WinogradCase) {
    let zeros = winograd.convolve(
      channels: 16, pixel: { _, _ in [Float](repeating: 0, count: 16) }, weights: { _ in 1 })
    #expect(zeros.allSatisfy { $0 == 0 })
    let weightless = winograd.convolve(
      channels: 16, pixel: { _, _ in [Float](repeating: 3, count: 16) }, weights: { _ in 0 })
    #expect(weightless.allSatisfy { $0 == 0 })
    let broken = winograd.convolve(
      channels: 16, pixel: { y, x in [Float](repeating: y == 2 && x == 2 ? .nan : 1, count: 16) },
      weights: { _ in 1 })
    #expect(broken[(2 / winograd.stride) * winograd.outputs + 2 / winograd.stride].isNaN)
    #expect(broken.last.map { !$0.isNaN } == true)
  }
}

/// A kernel of 16 bits and its stride, on a map of 24 x 24 pixels with the same weights at all positions.
struct WinogradCase: CustomTestStringConvertible, Sendable {
  var kernel: ConvolutionKernel
  var stride: Int

  var testDescription: String { kernel.fullName }

  private static let side = 24
  var outputs: Int { Self.side / stride }

  /// Whether the window of an output lies inside the map.
  func isInside(_ index: Int) -> Bool {
    let (y, x) = index.quotientAndRemainder(dividingBy: outputs)
    return y > 0 && x > 0 && y < outputs - 1 && x < outputs - 1
  }

  /// The first of sixteen equal output channels, row-major.
  func convolve(
    channels: Int, pixel: (_ y: Int, _ x: Int) -> [Float], weights: (_ channel: Int) -> Float
  ) -> [Float] {
    let side = Self.side
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: channels, outHeight: outputs, outWidth: outputs,
      outChannels: 16, kernelHeight: 3, kernelWidth: 3, stride: stride, padding: 1)
    var map: [Float] = []
    for y in 0..<side { for x in 0..<side { map += pixel(y, x) } }
    let filters = (0..<16 * channels * 9).map { weights($0 / 9 % channels) }
    let (input, source) = (GuardedFloats(map), GuardedFloats(filters))
    let packed = GuardedFloats(count: kernel.packedCount(shape))
    unsafe kernel.pack(shape, source.pointer, nil, packed.pointer)
    let (bias, zeros) = (
      GuardedFloats([Float](repeating: 0, count: 64)), GuardedFloats([Float](repeating: 0, count: channels))
    )
    let output = GuardedFloats(count: outputs * outputs * 16)
    let scratch = GuardedFloats(count: kernel.scratch(shape, kernel.work(shape).items))
    var task = unsafe ConvolutionTask(
      shape: shape,
      input: MapPointer(base: input.pointer, pixelStride: channels, rowStride: channels * side),
      output: MutableMapPointer(base: output.pointer, pixelStride: 16, rowStride: 16 * outputs),
      weights: packed.pointer, bias: bias.pointer, zeros: zeros.pointer, activation: .none)
    unsafe kernel.run(&task, Share(items: 0..<kernel.work(shape).items, scratch: scratch.pointer))
    #expect(packed.guardsAreIntact && output.guardsAreIntact && scratch.guardsAreIntact)
    return (0..<outputs * outputs).map { unsafe output.pointer[16 * $0] }
  }
}
