import NNKernelInterface
import NNRuntime
import Testing

/// Elements of a map in another order, to try kernels on.
private struct RearrangeCase: Sendable, CustomTestStringConvertible {
  var name: String
  /// Sizes of the input and of the output.
  var input, output: MapSize
  var run = RearrangeTask.Run.none
  /// The input's pixel and channel for each pixel and channel of the output; nil: zeros.
  var source: @Sendable (_ y: Int, _ x: Int, _ channel: Int) -> (y: Int, x: Int, channel: Int)?

  struct MapSize: Sendable { var height, width, channels: Int }

  var testDescription: String { name }

  /// Channels become rows of planes, or come from them; pixels are copied, cropped, padded, repeated and shuffled.
  static let all: [RearrangeCase] = [
    .init(
      name: "channels first", input: .init(height: 5, width: 19, channels: 37),
      output: .init(height: 37, width: 5, channels: 19), run: .column
    ) { y, x, channel in (x, channel, y) },
    .init(
      name: "channels first, few", input: .init(height: 3, width: 7, channels: 5),
      output: .init(height: 5, width: 3, channels: 7), run: .column
    ) { y, x, channel in (x, channel, y) },
    .init(
      name: "channels last", input: .init(height: 3, width: 6, channels: 35),
      output: .init(height: 6, width: 35, channels: 3), run: .row
    ) { y, x, channel in (channel, y, x) },
    .init(
      name: "tokens from planes", input: .init(height: 50, width: 1, channels: 33),
      output: .init(height: 1, width: 33, channels: 50), run: .row
    ) { _, x, channel in (channel, 0, x) },
    .init(
      name: "the same, pixel by pixel", input: .init(height: 50, width: 1, channels: 33),
      output: .init(height: 1, width: 33, channels: 50)
    ) { _, x, channel in (channel, 0, x) },
    .init(
      name: "padded", input: .init(height: 4, width: 5, channels: 21),
      output: .init(height: 6, width: 8, channels: 21)
    ) { y, x, channel in (1...4).contains(y) && (2...6).contains(x) ? (y - 1, x - 2, channel) : nil },
    .init(
      name: "shuffled", input: .init(height: 3, width: 4, channels: 24),
      output: .init(height: 3, width: 4, channels: 24)
    ) { y, x, channel in (y, x, channel % 3 * 8 + channel / 3) },
  ]
}

@Suite("Maps in another order hold the same elements")
struct RearrangeConformance {
  @Test(arguments: InstructionSet.available.map { Optional($0) } + [nil], RearrangeCase.all)
  fileprivate func rearrange(_ set: InstructionSet?, _ test: RearrangeCase) throws {
    let catalogue = try set.map { try Backend.native.catalogue($0) } ?? KernelCatalogue.plain()
    for kernel in catalogue.kernels(of: RearrangeTask.self) {
      for pair in ElementPair.all(of: kernel.maps) { check(test, kernel, pair) }
    }
  }

  private func check(_ test: RearrangeCase, _ kernel: Kernel<RearrangeTask>, _ pair: ElementPair) {
    let (from, to) = (test.input, test.output)
    let input = MixedMap(
      pair.input, height: from.height, width: from.width, channels: from.channels, gap: 3, seed: 1)
    let map = input.input
    func place(_ y: Int, _ x: Int, _ channel: Int) -> Int32? {
      test.source(y, x, channel).map {
        Int32(($0.y * from.width + $0.x) * map.pixelStride + $0.channel)
      }
    }
    var starts: [Int32] = []
    for y in 0..<to.height { for x in 0..<to.width { starts.append(place(y, x, 0) ?? -1) } }
    let first = starts.firstIndex { $0 >= 0 } ?? 0
    let offsets = (0..<to.channels).map { channel in
      (place(first / to.width, first % to.width, channel) ?? 0) - starts[first]
    }
    let step = to.channels > 1 ? offsets[1] : 1
    let isEven = offsets.indices.allSatisfy { offsets[$0] == Int32($0) * step }
    func run(split: Bool, table: Bool) -> [Float] {
      let output = MixedMap(
        pair.output, height: to.height, width: to.width, channels: to.channels, gap: 2, rowGap: 1)
      unsafe starts.withUnsafeBufferPointer { starts in
        unsafe offsets.withUnsafeBufferPointer { offsets in
          var task = unsafe RearrangeTask(
            height: to.height, width: to.width, channels: to.channels, input: map, output: output.output,
            starts: starts.baseAddress!, channelStride: table ? 0 : Int(step),
            offsets: table ? offsets.baseAddress! : nil, run: test.run)
          let together = split ? 1 : task.items
          for begin in stride(from: 0, to: task.items, by: together) {
            kernel.run(&task, begin..<begin + together)
          }
        }
      }
      #expect(output.guardsAreIntact)
      return output.values
    }
    var expected: [Float] = []
    for y in 0..<to.height {
      for x in 0..<to.width {
        for channel in 0..<to.channels {
          let element = test.source(y, x, channel).map { input[$0.y, $0.x, $0.channel] } ?? 0
          expected.append(pair.output == .bfloat16 ? roundedToBF16(element) : element)
        }
      }
    }
    for split in [false, true] {
      #expect(run(split: split, table: true) == expected, "\(kernel.fullName), \(pair.testDescription)")
      guard isEven else { continue }
      #expect(run(split: split, table: false) == expected, "\(kernel.fullName), \(pair.testDescription)")
    }
  }
}
