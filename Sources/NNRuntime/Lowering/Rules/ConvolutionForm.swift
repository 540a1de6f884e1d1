import NNRuntime

/// A convolution in the forms that the engine's fast kernels have: one stride, one padding, no dilation, dense or with one
/// filter a channel.
///
/// Everything else is brought to that: dilated kernels and those with uneven paddings get zeros, or their windows are written
/// side by side, maps are padded, groups become dense convolutions side by side, with several narrow groups in one.
struct ConvolutionForm {
  /// How windows move along an axis.
  struct Axis {
    /// nil: there is one window.
    var stride: Int?
    var dilation: Int
    var before, after: Int
    /// Windows along the axis.
    var output: Int
  }

  /// (out, in / groups, height, width).
  var weights: WeightTensor
  /// One per output channel of a dense convolution, where weights are integers of 8 bits.
  var scale: [Float]?
  var bias: WeightTensor?
  var groups: Int
  var down, across: Axis

  /// Most elements of a kernel with zeros in it.
  static let largestKernel = 196
  /// How much more than without zeros a kernel may be, rather than that the map is padded.
  private static let mostZeros = 1.8
  /// Channels that groups are taken together up to.
  private static let groupChannels = 32
  /// Most convolutions side by side.
  private static let mostParts = 64

  private static func isSmall(_ height: Int, _ width: Int) -> Bool {
    elementCount([height, width]).map { $0 <= largestKernel } ?? false
  }

  /// The convolution of a map; nil where it has no such form.
  func applied(to value: MapValue, _ name: String, _ operands: Operands) -> MapValue? {
    if let gathered = gathered(from: value, name, operands) { return gathered }
    var form = self
    let shape = value.shape
    guard groups > 0, shape.channels % groups == 0, weights.shape[1] == shape.channels / groups,
      weights.shape[0] % groups == 0, weights.count > 0, form.spread()
    else { return nil }
    let stride = form.down.stride ?? form.across.stride ?? 1
    // Along an axis with one window the stride does not matter.
    guard form.down.output == 1 || form.down.stride ?? stride == stride || form.across.output == 1,
      let step = form.commonStride
    else { return nil }
    var map = value
    let pads = [form.down.before, form.down.after, form.across.before, form.across.after]
    if Set(pads).count > 1 || pads[0] < 0 {
      if form.joinsPadding(shape), let padded = form.padded(map, operands) {
        map = padded
      } else if let wider = form.widened(on: shape, step) {
        form = wider
      } else if let padded = form.padded(map, operands) {
        map = padded
      } else {
        return nil
      }
    }
    let padding = form.down.before
    let (height, width) = (form.weights.shape[2], form.weights.shape[3])
    let (rows, columns) = (map.shape.height + 2 * padding - height, map.shape.width + 2 * padding - width)
    guard padding >= 0, rows >= 0, columns >= 0, rows / step + 1 == down.output,
      columns / step + 1 == across.output
    else { return nil }
    return form.parts(of: map, stride: step, padding: padding, name, operands)
  }

  /// The stride of both axes.
  private var commonStride: Int? {
    let (a, b) = (down.stride ?? 1, across.stride ?? 1)
    if a == b { return a }
    if down.output == 1 { return b }
    return across.output == 1 ? a : nil
  }

  /// Whether the engine joins zeros around the map to the convolution that reads it: those above are as many as those to the
  /// left, and it is one convolution.
  private func joinsPadding(_ shape: MapShape) -> Bool {
    let (height, width) = (weights.shape[2], weights.shape[3])
    guard down.before == across.before, min(down.before, down.after, across.after) >= 0,
      max(down.before, down.after) < height, max(across.before, across.after) < width
    else { return false }
    return groups == 1 || groups == shape.channels && weights.shape[0] == groups && height == width
  }

  /// Writes dilations into the kernel; whether it is small enough then.
  private mutating func spread() -> Bool {
    let (height, width) = (weights.shape[2], weights.shape[3])
    let (tall, wide) = ((height - 1) * down.dilation + 1, (width - 1) * across.dilation + 1)
    guard tall != height || wide != width else { return true }
    guard Self.isSmall(tall, wide) else { return false }
    let (vertical, horizontal) = (down.dilation, across.dilation)
    place(height: tall, width: wide) { ($0 * vertical, $1 * horizontal) }
    (down.dilation, across.dilation) = (1, 1)
    return true
  }

  /// Puts the kernel's elements into a larger one of zeros.
  private mutating func place(height: Int, width: Int, _ place: (Int, Int) -> (Int, Int)) {
    let (old, source) = (weights.shape, weights.floats())
    var target = [Float](repeating: 0, count: old[0] * old[1] * height * width)
    for filter in 0..<old[0] * old[1] {
      for row in 0..<old[2] {
        for column in 0..<old[3] {
          let (y, x) = place(row, column)
          target[(filter * height + y) * width + x] = source[(filter * old[2] + row) * old[3] + column]
        }
      }
    }
    weights = WeightTensor(shape: [old[0], old[1], height, width], floats: target)
  }

  /// The same with one padding on all sides and zeros in the kernel; nil where that is too many.
  private func widened(on shape: MapShape, _ step: Int) -> ConvolutionForm? {
    let padding = max(down.before, down.after, across.before, across.after)
    guard min(down.before, across.before, down.after, across.after) >= 0 else { return nil }
    func size(_ axis: Axis, _ kernel: Int, _ input: Int) -> Int? {
      let size = kernel + padding - axis.before
      return [size, size + padding - axis.after].first { whole in
        let rest = input + 2 * padding - whole
        return rest >= 0 && rest / step + 1 == axis.output
      }
    }
    let (height, width) = (weights.shape[2], weights.shape[3])
    guard let tall = size(down, height, shape.height), let wide = size(across, width, shape.width),
      Self.isSmall(tall, wide)
    else { return nil }
    let isDepthwise = groups > 1 && groups == shape.channels
    guard isDepthwise || Double(tall * wide) <= Self.mostZeros * Double(height * width) else { return nil }
    var form = self
    let (top, left) = (padding - down.before, padding - across.before)
    form.place(height: tall, width: wide) { ($0 + top, $1 + left) }
    (form.down.before, form.down.after) = (padding, padding)
    (form.across.before, form.across.after) = (padding, padding)
    return form
  }

  /// The map with zeros around it, and no padding left.
  private mutating func padded(_ map: MapValue, _ operands: Operands) -> MapValue? {
    let padded = MapPadding(
      top: down.before, bottom: down.after, left: across.before, right: across.after, mode: .zeros
    ).applied(to: map, operands)
    (down.before, down.after, across.before, across.after) = (0, 0, 0, 0)
    return padded
  }

  /// The convolution, as one or several side by side.
  private func parts(
    of map: MapValue, stride: Int, padding: Int, _ name: String, _ operands: Operands
  ) -> MapValue? {
    if groups == 1 {
      return map.convolution(
        weights, scale: scale, bias: bias, stride: stride, padding: padding, name: name)
    }
    let (out, perGroup) = (weights.shape[0], weights.shape[1])
    if perGroup == 1, out == groups, let square = squared(stride, padding, map.shape) {
      return map.convolution(
        square, bias: bias, stride: stride, padding: padding, groups: groups, name: name)
    }
    let made = out / groups
    let together =
      (1...groups).last { groups % $0 == 0 && $0 * max(perGroup, made) <= Self.groupChannels } ?? 1
    let count = groups / together
    guard count <= Self.mostParts else { return nil }
    let (source, biases) = (weights.floats(), bias?.floats())
    let area = weights.shape[2] * weights.shape[3]
    let (ins, outs) = (together * perGroup, together * made)
    let convolved = (0..<count).map { part -> MapValue in
      var filters = [Float](repeating: 0, count: outs * ins * area)
      for channel in 0..<outs {
        let from = (part * outs + channel) * perGroup * area
        let to = (channel * ins + channel / made * perGroup) * area
        for index in 0..<perGroup * area { filters[to + index] = source[from + index] }
      }
      let tensor = WeightTensor(
        shape: [outs, ins, weights.shape[2], weights.shape[3]], floats: filters)
      let shift = biases.map {
        WeightTensor(shape: [outs], floats: Array($0[part * outs..<(part + 1) * outs]))
      }
      let channels = map.channels(part * ins..<(part + 1) * ins, name: operands.helper("group"))
      let own = count == 1 ? name : operands.helper("part")
      return (count == 1 ? map : channels).convolution(
        tensor, bias: shift, stride: stride, padding: padding, name: own)
    }
    return count == 1 ? convolved[0] : operands.island.builder.concatenate(convolved, name: name)
  }

  /// The kernel as a square with zeros below or to the right, if windows stay where they are.
  private func squared(_ stride: Int, _ padding: Int, _ shape: MapShape) -> WeightTensor? {
    let edge = max(weights.shape[2], weights.shape[3])
    guard weights.shape[2] != weights.shape[3] else { return weights }
    let (rows, columns) = (shape.height + 2 * padding - edge, shape.width + 2 * padding - edge)
    guard rows >= 0, columns >= 0, rows / stride + 1 == down.output, columns / stride + 1 == across.output,
      Self.isSmall(edge, edge)
    else { return nil }
    var form = self
    form.place(height: edge, width: edge) { ($0, $1) }
    return form.weights
  }
}
