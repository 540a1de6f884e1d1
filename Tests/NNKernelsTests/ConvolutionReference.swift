import NNKernelInterface

/// The operands of a dense convolution, and what comes out of it by its definition.
struct ConvolutionReference {
  let test: ConvolutionCase
  /// The rounding of a number before it is multiplied, or none.
  let factor: (Float) -> Float

  let weights, scale, bias, edges: [Float]
  /// The map that is read: the input, the smaller map that it is enlarged from, or its planes.
  let input: MixedMap
  let gamma, beta: [Float]
  let rows, columns: Axis
  let residual, addend: MixedMap
  /// In each direction 2 to this power output pixels share a pixel of the addend.
  let shift: Int
  /// Output channels of the 1x1 convolution after it.
  let projected = 37
  /// Its weights and bias.
  let behind, behindBias: [Float]

  static let epsilon: Float = 1e-6
  /// Some inputs lie beyond the least of them.
  static let steps = ByteSteps(scale: 0.007, low: -100, high: 155)
  var shape: ConvolutionShape { test.shape }

  /// One axis of a table of two taps.
  struct Axis {
    var indices: [Int32] = []
    var weights: [Float] = []

    init(from input: Int, to output: Int) {
      for position in 0..<output {
        let place = Float(position) * Float(input - 1) / Float(max(output - 1, 1))
        let first = min(Int(place), input - 1)
        indices += [Int32(first), Int32(min(first + 1, input - 1))]
        weights += [1 - (place - Float(first)), place - Float(first)]
      }
    }

    func element(_ position: Int, _ read: (Int) -> Double) -> Double {
      Double(weights[2 * position]) * read(Int(indices[2 * position]))
        + Double(weights[2 * position + 1]) * read(Int(indices[2 * position + 1]))
    }
  }

  init(
    _ test: ConvolutionCase, _ pair: ElementPair, _ prologue: ConvolutionKernel.Prologues,
    products: ProductElement
  ) {
    let shape = test.shape
    let (enlarged, stepped) = (prologue == .enlarge, prologue == .quantize)
    var numbers = TestNumbers(seed: 7)
    self.test = test
    factor = products == .bfloat16 ? { roundedToBF16($0) } : { $0 }
    let numbersOfWeights = numbers.next(
      shape.outChannels * shape.inChannels * shape.kernelHeight * shape.kernelWidth)
    let scales = numbers.next(shape.outChannels)
    weights = stepped ? numbersOfWeights.map { min(($0 * 128).rounded(), 127) } : numbersOfWeights
    scale = stepped ? scales.map { $0 / 128 } : scales
    bias = numbers.next(shape.outChannels)
    edges = numbers.next(3 * shape.outChannels)
    (gamma, beta) = (numbers.next(shape.inChannels), numbers.next(shape.inChannels))
    behind = numbers.next(projected * shape.outChannels)
    behindBias = numbers.next(projected)
    let (height, width) =
      enlarged ? ((shape.inHeight + 1) / 2, (shape.inWidth + 1) / 2) : (shape.inHeight, shape.inWidth)
    let sides =
      prologue == .planes ? (shape.inChannels, height, width) : (height, width, shape.inChannels)
    input = MixedMap(
      pair.input, height: sides.0, width: sides.1, channels: sides.2, gap: test.gap, rowGap: test.gap, seed: 1
    )
    rows = Axis(from: height, to: shape.inHeight)
    columns = Axis(from: width, to: shape.inWidth)
    residual = MixedMap(
      pair.output, height: shape.outHeight, width: shape.outWidth, channels: shape.outChannels, gap: test.gap,
      seed: 2)
    shift = shape.outHeight % 2 == 0 && shape.outWidth % 2 == 0 ? 1 : 0
    addend = MixedMap(
      .float32, height: shape.outHeight >> shift, width: shape.outWidth >> shift,
      channels: shape.outChannels, gap: test.gap, rowGap: test.gap, seed: 3)
  }

  /// The sums with their bias, row-major: of one place of the output pixels where they are subpixels.
  func sums(_ prologue: ConvolutionKernel.Prologues, row: Int = 0, column: Int = 0) -> [Expected] {
    let seen = seen(prologue)
    let kernel = shape.kernelHeight
    let filter = (0..<weights.count).map { index in
      let out = index / (shape.inChannels * kernel * kernel)
      return factor(weights[index] * (shape.kind == .subpixel ? 1 : scale[out]))
    }
    var result: [Expected] = []
    for y in 0..<shape.outHeight {
      for x in 0..<shape.outWidth {
        let (top, left) = (y * shape.stride - shape.padding + row, x * shape.stride - shape.padding + column)
        for out in 0..<shape.outChannels {
          var sum = Expected()
          for position in 0..<kernel * kernel {
            let (inY, inX) = (top + position / kernel, left + position % kernel)
            if inY < 0 || inX < 0 || inY >= shape.inHeight || inX >= shape.inWidth { continue }
            let pixel = (inY * shape.inWidth + inX) * shape.inChannels
            for channel in 0..<shape.inChannels {
              sum.add(
                seen[pixel + channel], filter[(out * shape.inChannels + channel) * kernel * kernel + position]
              )
            }
          }
          sum.add(bias[out])
          result.append(sum)
        }
      }
    }
    return result
  }

  /// The input as it is multiplied, row-major.
  private func seen(_ prologue: ConvolutionKernel.Prologues) -> [Float] {
    var result: [Float] = []
    for y in 0..<shape.inHeight {
      for x in 0..<shape.inWidth {
        let pixel = (0..<shape.inChannels).map { channel in
          prologue == .enlarge
            ? rows.element(y) { row in columns.element(x) { Double(input[row, $0, channel]) } }
            : Double(prologue == .planes ? input[channel, y, x] : input[y, x, channel])
        }
        if prologue == .multiply {
          result += zip(pixel, gamma).map { Float($0) * $1 }
          continue
        }
        if prologue == .quantize {
          result += pixel.map { Self.stepped(Float($0)) }
          continue
        }
        guard prologue == .normalize else {
          result += pixel.map { factor(Float($0)) }
          continue
        }
        let mean = pixel.reduce(0, +) / Double(pixel.count)
        let variance = pixel.reduce(0) { $0 + ($1 - mean) * ($1 - mean) } / Double(pixel.count)
        for (channel, value) in pixel.enumerated() {
          let normal = (value - mean) / (variance + Double(Self.epsilon)).squareRoot()
          result.append(Float(normal * Double(gamma[channel]) + Double(beta[channel])))
        }
      }
    }
    return result
  }

  /// The nearest of the steps.
  private static func stepped(_ x: Float) -> Float {
    min(max(x * (1 / steps.scale), steps.low), steps.high).rounded(.toNearestOrEven) * steps.scale
  }

  /// The outputs: the sums after the epilogue.
  func finished(
    _ sums: [Expected], _ fused: FusedCase, row: Int = 0, column: Int = 0
  ) -> [Expected] {
    var result: [Expected] = []
    for pixel in 0..<shape.outHeight * shape.outWidth {
      let (y, x) = pixel.quotientAndRemainder(dividingBy: shape.outWidth)
      let values = (0..<shape.outChannels).map { out in
        var sum = sums[pixel * shape.outChannels + out]
        if let edge = edge(y, x, row, column) { sum.add(edges[edge * shape.outChannels + out]) }
        if fused.epilogue == .addend { sum.add(addend[y >> shift, x >> shift, out]) }
        if fused.joinsSums { sum.add(residual[y, x, out]) }
        sum = activated(sum, test.activation)
        if fused.epilogue == .residual, !fused.joinsSums { sum.add(residual[y, x, out]) }
        return sum
      }
      result += fused.epilogue == .project ? projection(values) : values
    }
    return result
  }

  /// Which of the edges' sums a subpixel gets.
  private func edge(_ y: Int, _ x: Int, _ row: Int, _ column: Int) -> Int? {
    guard shape.kind == .subpixel else { return nil }
    let isInRow = y == (row == 0 ? 0 : shape.outHeight - 1)
    let isInColumn = x == (column == 0 ? 0 : shape.outWidth - 1)
    return isInRow ? (isInColumn ? 2 : 0) : isInColumn ? 1 : nil
  }

  private func projection(_ pixel: [Expected]) -> [Expected] {
    (0..<projected).map { out in
      var sum = Expected()
      for (channel, value) in pixel.enumerated() {
        let weight = Double(behind[out * shape.outChannels + channel])
        sum.value += value.value * weight
        sum.magnitude += value.magnitude * abs(weight)
      }
      sum.add(behindBias[out])
      return activated(sum, .relu)
    }
  }
}
