import NNKernelInterface
import NNRuntime
import Testing

@Suite("Products over pixels in integers and halves lose no more than their rounding")
struct IntegerRowsTests {
  static let kernels: [DeclaredKernel] = DeclaredKernel.all.filter {
    $0.kernel.algorithm == .gemm && [.int16, .int8, .float16].contains($0.kernel.products)
      && !$0.kernel.prologues.contains(.quantize)
  }

  /// A 1x1 convolution of `rows`, all of as many channels, with `columns` of weights.
  private func product(
    _ kernel: ConvolutionKernel, _ rows: [[Float]], _ columns: [[Float]]
  ) -> [Float] {
    let (channels, outChannels) = (rows[0].count, columns.count)
    let shape = ConvolutionShape(
      inHeight: rows.count, inWidth: 1, inChannels: channels, outHeight: rows.count, outWidth: 1,
      outChannels: outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
    let weights = GuardedFloats(columns.flatMap(\.self))
    let packed = GuardedFloats(count: kernel.packedCount(shape))
    unsafe kernel.pack(shape, weights.pointer, nil, packed.pointer)
    let (input, output) = (
      GuardedFloats(rows.flatMap(\.self)), GuardedFloats(count: rows.count * outChannels)
    )
    let none = GuardedFloats([Float](repeating: 0, count: max(channels, outChannels) + 64))
    let scratch = GuardedFloats(count: kernel.scratch(shape, rows.count))
    var task = unsafe ConvolutionTask(
      shape: shape, input: MapPointer(base: input.pointer, pixelStride: channels, rowStride: channels),
      output: MutableMapPointer(base: output.pointer, pixelStride: outChannels, rowStride: outChannels),
      weights: packed.pointer, bias: none.pointer, zeros: none.pointer, activation: .none)
    unsafe kernel.run(
      &task,
      Share(items: 0..<rows.count, panels: 0..<kernel.panels(shape), scratch: scratch.pointer))
    #expect(packed.guardsAreIntact && output.guardsAreIntact && scratch.guardsAreIntact)
    return (0..<output.count).map { output[$0] }
  }

  @Test("numbers that are integers on their row's scale are multiplied exactly", arguments: kernels)
  func exact(_ declared: DeclaredKernel) {
    // Every row has both ends of its range, and weights are as large as any or zero.
    var rows = [[Float]](repeating: [], count: 31)
    for row in rows.indices {
      for channel in 0..<67 {
        let number = (row * 31 + channel * 7) % 256
        rows[row].append(channel == 3 ? -10 : channel == 4 ? 53.75 : Float(number) * 0.25 - 10)
      }
    }
    var columns = [[Float]](repeating: [], count: 37)
    for column in columns.indices {
      for channel in 0..<67 {
        let number = (column * 13 + channel * 5) % 7 % 3
        columns[column].append(channel == 5 ? 64 : 64 * (Float(number) - 1))
      }
    }
    let found = product(declared.kernel, rows, columns)
    for (row, values) in rows.enumerated() {
      for (column, weights) in columns.enumerated() {
        var (expected, magnitude) = (0.0, 0.0)
        for (value, weight) in zip(values, weights) {
          let product = Double(value) * Double(weight)
          expected += product
          magnitude += abs(product)
        }
        let bound = [.int8: 1e-6, .int16: 5e-4][declared.kernel.products, default: 1e-3]
        #expect(abs(Double(found[row * 37 + column]) - expected) < bound * magnitude, "\(row), \(column)")
      }
    }
  }

  /// Those of 8 bits but AVX2's, whose weights have one bit less.
  static let bytes = kernels.filter { $0.kernel.products == .int8 && $0.kernel.set != "avx2" }

  @Test(
    "whatever instructions multiply them, sums of 8 bits are the same bytes",
    .enabled(if: bytes.count > 1, "this CPU has kernels of one kind"))
  func sameBytes() throws {
    var (rows, columns) = ([[Float]](), [[Float]]())
    for row in 0..<37 { rows.append((0..<83).map { Float(($0 * 7919 + row * 104_729) % 1013) / 1013 - 0.4 }) }
    for column in 0..<35 { columns.append((0..<83).map { Float(($0 * 31 + column * 17) % 101) / 50 - 1 }) }
    let expected = product(try #require(Self.bytes.first).kernel, rows, columns)
    for other in Self.bytes.dropFirst() { #expect(product(other.kernel, rows, columns) == expected) }
  }

  @Test("no sum of 8 bits can have more products than 32 bits hold")
  func bound() {
    func shape(channels: Int, edge: Int) -> ConvolutionShape {
      ConvolutionShape(
        inHeight: 9, inWidth: 9, inChannels: channels, outHeight: 9, outWidth: 9, outChannels: 64,
        kernelHeight: edge, kernelWidth: edge, stride: 1, padding: edge / 2)
    }
    let most = Int(Int32.max) / (255 * 128)
    for declared in DeclaredKernel.all where declared.kernel.products == .int8 {
      let edge = declared.kernel.algorithm == .gemm ? 1 : 3
      let channels = most / (edge * edge)
      #expect(declared.kernel.domain.contains(shape(channels: channels, edge: edge)), "\(declared)")
      #expect(!declared.kernel.domain.contains(shape(channels: channels + 1, edge: edge)), "\(declared)")
    }
  }

  @Test("the largest sums that there can be", arguments: kernels)
  func largestSums(_ declared: DeclaredKernel) {
    let channels = 2048
    let rows = [Float](repeating: 3, count: channels)
    for sign: Float in [-1, 1] {
      let found = product(declared.kernel, [rows], [rows.map { $0 * sign }])
      #expect(abs(found[0] - sign * 9 * Float(channels)) < 2e-3 * 9 * Float(channels))
    }
  }

  @Test("a large number costs its own pixel digits, no other", arguments: kernels)
  func largeNumber(_ declared: DeclaredKernel) {
    var rows = (0..<20).map { row in (0..<64).map { Float(($0 + row) % 9) - 4 } }
    let columns = [(0..<64).map { Float($0 % 5) - 2 }]
    let before = product(declared.kernel, rows, columns)
    rows[7][11] = 1e6
    let after = product(declared.kernel, rows, columns)
    for row in 0..<20 where row != 7 { #expect(after[row] == before[row]) }
    #expect(abs(after[7] / (1e6 * columns[0][11]) - 1) < 0.02)
  }

  @Test("zeros give zeros, and what is no number makes its pixel none", arguments: kernels)
  func specialNumbers(_ declared: DeclaredKernel) {
    let ones = [Float](repeating: 1, count: 40)
    let zeros = [Float](repeating: 0, count: 40)
    #expect(product(declared.kernel, [zeros], [ones]) == [0])
    #expect(product(declared.kernel, [ones], [zeros]) == [0])
    for special: Float in [.nan, -.nan, .infinity, -.infinity] {
      for place in [0, 17, 39] {
        var broken = ones
        broken[place] = special
        let found = product(declared.kernel, [ones, broken, ones], [ones])
        #expect(!found[1].isFinite, "\(special) at \(place)")
        #expect(abs(found[0] - 40) < 0.1 && abs(found[2] - 40) < 0.1)
      }
    }
  }
}
