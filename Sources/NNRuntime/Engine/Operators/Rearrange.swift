import FileFormats
import NNKernelInterface

/// Where the elements of a rearranged map come from.
///
/// Elements of the input are counted as in a dense map: pixel after pixel, all channels of each.
public struct Rearrangement: Sendable {
  /// The size of the result.
  public var height, width, channels: Int
  /// For every pixel of the result the element that its first channel is; negative: the pixel is all zeros.
  public var starts: [Int32]
  /// Elements from one channel's source to the next one's: less than a pixel's, which then holds all of them, or a
  /// multiple of a pixel's.
  public var channelStride: Int
  /// Elements from a pixel's first source to the source of each channel, where they are not equally far apart; else empty.
  public var channelOffsets: [Int32] = []

  /// A rearrangement to a map of this size.
  public init(height: Int, width: Int, channels: Int, starts: [Int32], channelStride: Int) {
    (self.height, self.width, self.channels) = (height, width, channels)
    self.starts = starts
    self.channelStride = channelStride
  }

  /// A rearrangement to a map of this size, with a channel for each offset.
  public init(height: Int, width: Int, starts: [Int32], channelOffsets: [Int32]) {
    self.init(
      height: height, width: width, channels: channelOffsets.count, starts: starts, channelStride: 0)
    self.channelOffsets = channelOffsets
  }
}

/// The elements of a map in another order: transposes, windows, crops, shuffles, repeats, padding with zeros.
struct Rearrange: VectorOperator {
  var order: Rearrangement

  var name: String { "rearrange" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .none }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .ofInputs }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    let result = try MapShape.result(height: order.height, width: order.width, channels: order.channels)
    guard order.starts.count == result.pixels else {
      throw .wrongAttributes("\(counted(order.starts.count, "start")) for \(counted(result.pixels, "pixel"))")
    }
    guard (0...MapShape.mostAlongSide).contains(order.channelStride) else {
      throw .wrongAttributes("\(counted(order.channelStride, "element")) from channel to channel")
    }
    guard order.channelOffsets.isEmpty else {
      guard order.reaches(inputs[0]) else {
        throw .wrongInputs(inputs, needed: "which does not hold all elements of the order")
      }
      return result
    }
    let (input, span) = (inputs[0], (order.channels - 1) * order.channelStride)
    let isWhole = order.channelStride % input.channels == 0
    for start in order.starts where start >= 0 {
      guard
        isWhole ? Int(start) + span < input.count : Int(start) % input.channels + span < input.channels,
        Int(start) < input.count
      else { throw .wrongInputs(inputs, needed: "beyond which the order takes elements from \(start) on") }
    }
    return result
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<RearrangeTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let map = builder.map(node.inputs[0])
    func place(_ element: Int) -> Int {
      element / input.channels * map.pixelStride + element % input.channels
    }
    let placed = order.starts.map { $0 < 0 ? -1 : Int32(place(Int($0))) }
    let starts = TaskMemory(array: placed)
    let offsets =
      order.channelOffsets.isEmpty
      ? nil : TaskMemory(array: order.channelOffsets.map { Int32(place(Int($0))) })
    let order = unsafe RearrangeTask(
      height: output.height, width: output.width, channels: output.channels, input: map,
      output: builder.mutableMap(node.output), starts: starts.pointer,
      channelStride: place(order.channelStride),
      offsets: offsets.map { unsafe UnsafePointer($0.pointer) },
      run: Self.run(placed, output, isCopy: offsets == nil && order.channelStride == 1))
    let task = TaskMemory(
      order, keeping: [starts, builder.arena] + builder.operands + (offsets.map { [$0] } ?? []))
    let pixels = max(1, output.pixels / max(1, order.items))
    return builder.step(
      layer.index, kernel, task, items: order.items,
      together: max(1, builder.pixelsTogether(output) / pixels))
  }

  /// The pixels of a result whose starts follow each other, where that is worth more than copying pixels whole.
  private static func run(_ starts: [Int32], _ output: MapShape, isCopy: Bool) -> RearrangeTask.Run {
    let (height, width) = (output.height, output.width)
    if isCopy, output.channels > fewChannels { return .none }
    func follow(_ step: Int, _ ends: (Int) -> Bool) -> Bool {
      starts.indices.allSatisfy { starts[$0] >= 0 && (ends($0) || starts[$0 + step] == starts[$0] + 1) }
    }
    if width >= shortestRun, follow(1, { $0 % width == width - 1 }) { return .row }
    if height >= shortestRun, follow(width, { $0 / width == height - 1 }) { return .column }
    return .none
  }

  /// Channels up to which pixels are too short to be copied, and pixels from which on a run is worth a block.
  private static let (fewChannels, shortestRun) = (8, 4)

  /// Items are pixels of the result, or blocks of them.
  static let plain = PlainKernel<RearrangeTask>(
    name: "rearrange-f32", computes: "elements in another order", tolerance: .exact
  ) { task, share in
    for item in share.items {
      for (y, x) in task.pixels(of: item) {
        let start = unsafe Int(task.starts[y * task.width + x])
        for channel in 0..<task.channels {
          let offset = unsafe task.offsets.map { unsafe Int($0[channel]) } ?? channel * task.channelStride
          task.output[y, x, channel] = start < 0 ? 0 : unsafe task.input.base[start + offset]
        }
      }
    }
  }
}

extension RearrangeTask {
  /// The pixels of an item.
  fileprivate func pixels(of item: Int) -> [(y: Int, x: Int)] {
    switch run {
    case .none: return [(item / width, item % width)]
    case .row:
      let (y, block) = item.quotientAndRemainder(dividingBy: (width + 15) / 16)
      return (16 * block..<min(16 * block + 16, width)).map { (y, $0) }
    case .column:
      let (block, x) = item.quotientAndRemainder(dividingBy: width)
      return (16 * block..<min(16 * block + 16, height)).map { ($0, x) }
    }
  }
}

extension Rearrangement {
  /// Whether a map has all sources of an order with offsets, of each pixel within pixels at the same places from each other.
  fileprivate func reaches(_ input: MapShape) -> Bool {
    guard channelOffsets.count == channels, let first = channelOffsets.min(), first >= 0 else { return false }
    func most(_ numbers: [Int32], _ part: (Int) -> Int) -> Int { numbers.map { part(Int($0)) }.max() ?? 0 }
    let kept = starts.filter { $0 >= 0 }
    return most(kept) { $0 % input.channels } + most(channelOffsets) { $0 % input.channels } < input.channels
      && most(kept) { $0 } + most(channelOffsets) { $0 } < input.count
  }
}

extension Value {
  /// The elements of the map in another order; those of a batch's images each for itself.
  public func rearranged(_ order: Rearrangement, name: String) -> Value {
    applying(Rearrange(order: order), name: name)
  }
}
