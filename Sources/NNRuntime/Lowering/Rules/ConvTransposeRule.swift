import NNRuntime
import ONNX

/// `ConvTranspose` of two axes with known weights.
///
/// A kernel as large as its stride is the engine's own. For any other, the pixels of the result with the same place in a
/// stride are a convolution of the small map, all of which are computed as one, its channels spread over the pixels
/// afterwards: along an axis, where o + padding = stride q + m, output o is the sum over j of x[q - j] w[m + stride j].
enum ConvTransposeRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard let x = operands.settled(0), x.shape.count == 4, let weights = operands.weights(1),
      let shape = operands.outputShape(), step.int("group") ?? 1 == 1, weights.shape.count == 4,
      operands.hasBias(of: weights.shape[1]), let map = operands.island.map(x, operands.name),
      step.ints("kernel_shape") ?? Array(weights.shape[2...]) == Array(weights.shape[2...]),
      step.ints("dilations") ?? [1, 1] == [1, 1], step.ints("output_shape") == nil,
      (step.string("auto_pad") ?? "NOTSET") == "NOTSET", weights.shape[0] == x.shape[1]
    else { return nil }
    let strides = step.ints("strides") ?? [1, 1]
    let pads = step.ints("pads") ?? [0, 0, 0, 0]
    let kernel = Array(weights.shape[2...])
    guard strides.count == 2, pads.count == 4, strides.allSatisfy({ $0 > 0 }),
      pads.allSatisfy((0..<ONNXTensor.mostElements).contains), weights.count > 0
    else { return nil }
    if strides[0] == strides[1], kernel == strides, shape[2] == x.shape[2] * strides[0],
      shape[3] == x.shape[3] * strides[1], pads == [0, 0, 0, 0]
    {
      let made = map.transposedConvolution(
        weights, bias: operands.weights(2), stride: strides[0], name: operands.name)
      return [operands.island.tensor(made)]
    }
    guard let places = elementCount(strides), places <= Self.mostPlaces else { return nil }
    let (down, across) = (
      Phases(kernel: kernel[0], stride: strides[0], padding: pads[0], output: shape[2]),
      Phases(kernel: kernel[1], stride: strides[1], padding: pads[1], output: shape[3])
    )
    let area = kernel[0] * kernel[1]
    guard
      let elements = elementCount([places, down.offsets.count, across.offsets.count]),
      elements <= max(Self.largestKernel, Self.mostZeros * area),
      elementCount([elements, weights.shape[0], weights.shape[1]]) != nil,
      let small = joint(map, weights, operands.weights(2), down, across, operands),
      small.shape.of(images: 1).count <= Int(Int32.max)
    else { return nil }
    let order = spread(small.shape, shape, down.stride, across.stride)
    return [operands.island.tensor(small.rearranged(order, name: operands.name))]
  }

  /// Places in a stride, down and across.
  private static let mostPlaces = 1 << 10
  /// Elements of all places' kernels that are never too many, and how much more than the kernel's own they may be.
  private static let (largestKernel, mostZeros) = (196, 4)

  /// The taps and offsets of the outputs along an axis.
  private struct Phases {
    var stride: Int
    /// By place in the stride: taps of the kernel and where on the small map, from the pixel of the place on.
    var taps: [[(offset: Int, tap: Int)]]
    var output: Int

    init(kernel: Int, stride: Int, padding: Int, output: Int) {
      self.stride = stride
      self.output = output
      taps = (0..<stride).map { place in
        let (first, rest) = (place + padding).quotientAndRemainder(dividingBy: stride)
        return Swift.stride(from: rest, to: kernel, by: stride).enumerated().map { (first - $0, $1) }
      }
    }

    var offsets: ClosedRange<Int> {
      let all = taps.flatMap(\.self).map(\.offset)
      return (all.min() ?? 0)...(all.max() ?? 0)
    }
    /// Pixels of the small result.
    var count: Int { (output + stride - 1) / stride }

    func axis(on size: Int) -> ConvolutionForm.Axis {
      ConvolutionForm.Axis(
        stride: 1, dilation: 1, before: -offsets.lowerBound,
        after: count - size + offsets.upperBound, output: count)
    }
  }

  /// All places at once: (down, across, out) channels.
  private static func joint(
    _ map: MapValue, _ weights: WeightTensor, _ bias: WeightTensor?, _ down: Phases, _ across: Phases,
    _ operands: Operands
  ) -> MapValue? {
    let (ins, outs) = (weights.shape[0], weights.shape[1])
    let (rows, columns) = (down.offsets, across.offsets)
    let (height, width) = (rows.count, columns.count)
    let source = weights.floats()
    let places = down.stride * across.stride
    var filters = [Float](repeating: 0, count: places * outs * ins * height * width)
    for (v, vertical) in down.taps.enumerated() {
      for (u, horizontal) in across.taps.enumerated() {
        for out in 0..<outs {
          for input in 0..<ins {
            let filter = ((v * across.stride + u) * outs + out) * ins + input
            let from = (input * outs + out) * weights.shape[2] * weights.shape[3]
            for (y, row) in vertical {
              for (x, column) in horizontal {
                filters[(filter * height + y - rows.lowerBound) * width + x - columns.lowerBound] =
                  source[from + row * weights.shape[3] + column]
              }
            }
          }
        }
      }
    }
    let biases = bias.map { tensor in
      let floats = tensor.floats()
      return WeightTensor(
        shape: [places * outs], floats: (0..<places * outs).map { floats[$0 % outs] })
    }
    let form = ConvolutionForm(
      weights: WeightTensor(shape: [places * outs, ins, height, width], floats: filters), bias: biases,
      groups: 1, down: down.axis(on: map.shape.height), across: across.axis(on: map.shape.width))
    return form.applied(to: map, operands.helper("places"), operands)
  }

  /// The channels of a small map spread over pixels.
  private static func spread(_ small: MapShape, _ shape: [Int], _ down: Int, _ across: Int) -> Rearrangement {
    let channels = shape[1]
    var starts: [Int32] = []
    starts.reserveCapacity(shape[2] * shape[3])
    for y in 0..<shape[2] {
      for x in 0..<shape[3] {
        let pixel = y / down * small.width + x / across
        starts.append(Int32(pixel * small.channels + (y % down * across + x % across) * channels))
      }
    }
    return Rearrangement(
      height: shape[2], width: shape[3], channels: channels, starts: starts, channelStride: 1)
  }
}
