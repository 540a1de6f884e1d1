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

  /// The arguments of a kernel; offsets count elements of the input as it lies in memory.
  @safe struct Task {
    var width, channels: Int
    var input: UnsafePointer<Float>
    var output: MutableMapPointer
    var starts: UnsafePointer<Int32>
    var channelStride: Int
    var channelOffsets: UnsafePointer<Int32>?
  }

  var name: String { "rearrange" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 1 }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
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

  func step(_ layer: PlacedNode, _ kernel: Kernel<Task>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    let (input, output) = (builder.shapes[node.inputs[0]], builder.shapes[node.output])
    let pixel = builder.map(node.inputs[0]).pixelStride
    func place(_ element: Int) -> Int { element / input.channels * pixel + element % input.channels }
    let starts = TaskMemory(array: order.starts.map { $0 < 0 ? -1 : Int32(place(Int($0))) })
    let offsets =
      order.channelOffsets.isEmpty
      ? nil : TaskMemory(array: order.channelOffsets.map { Int32(place(Int($0))) })
    let task = unsafe TaskMemory(
      Task(
        width: output.width, channels: output.channels, input: builder.pointer(node.inputs[0]),
        output: builder.mutableMap(node.output), starts: starts.pointer,
        channelStride: place(order.channelStride),
        channelOffsets: offsets.map { unsafe UnsafePointer($0.pointer) }),
      keeping: [starts, builder.arena] + builder.operands + (offsets.map { [$0] } ?? []))
    return builder.step(
      layer.index, kernel, task, items: output.pixels, together: builder.pixelsTogether(output))
  }

  /// Items are pixels of the result.
  static let plain = PlainKernel<Task>(
    name: "rearrange-f32", computes: "elements in another order", tolerance: .exact
  ) { task, share in
    let (channels, step) = (task.channels, task.channelStride)
    var pixel = share.items.lowerBound
    share.forEachPixel(width: task.width) { y, x in
      let target = unsafe task.output.pixel(y, x)
      let start = unsafe Int(task.starts[pixel])
      pixel += 1
      let source = unsafe task.input + start
      if start < 0 {
        unsafe target.update(repeating: 0, count: channels)
      } else if let offsets = unsafe task.channelOffsets {
        for channel in 0..<channels { unsafe target[channel] = source[Int(offsets[channel])] }
      } else if channels == 3 {
        // Color pictures, by far the most often.
        unsafe (target[0], target[1], target[2]) = (source[0], source[step], source[2 &* step])
      } else if step == 1, channels > 8 {
        unsafe target.update(from: source, count: channels)
      } else {
        for channel in 0..<channels { unsafe target[channel] = source[channel &* step] }
      }
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
