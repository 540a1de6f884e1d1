import NNRuntime

/// A convolution in the forms that the engine's fast kernels have: one stride, one padding, no dilation, in groups that are
/// not too narrow or with one filter a channel.
///
/// Everything else is brought to that: dilated kernels and those with uneven paddings get zeros, or their windows are written
/// side by side, maps are padded, several narrow groups become one.
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
  /// One per output channel, where weights are integers of 8 bits.
  var scale: [Float]?
  var bias: WeightTensor?
  var groups: Int
  var down, across: Axis

  /// Most elements of a kernel with zeros in it.
  static let largestKernel = 196
  /// How much more than without zeros a kernel may be, rather than that the map is padded.
  private static let mostZeros = 1.8
  /// Output channels that groups are taken together up to: those of a vector, which take no longer than fewer.
  private static let groupChannels = 16

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
      if form.joinsPadding, let padded = form.padded(map, operands) {
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
    return form.convolved(map, stride: step, padding: padding, name)
  }

  /// The stride of both axes.
  private var commonStride: Int? {
    let (a, b) = (down.stride ?? 1, across.stride ?? 1)
    if a == b { return a }
    if down.output == 1 { return b }
    return across.output == 1 ? a : nil
  }

  /// Whether there is one filter for each channel of the input.
  private var hasFilterPerChannel: Bool { groups > 1 && weights.shape[1] == 1 && weights.shape[0] == groups }

  /// Whether the engine joins zeros around the map to the convolution that reads it: those above are as many as those to the
  /// left, and its kernel stays as it is.
  private var joinsPadding: Bool {
    let (height, width) = (weights.shape[2], weights.shape[3])
    guard down.before == across.before, min(down.before, down.after, across.after) >= 0,
      max(down.before, down.after) < height, max(across.before, across.after) < width
    else { return false }
    return height == width || !hasFilterPerChannel
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

  /// The convolution, with narrow groups taken together.
  private func convolved(_ map: MapValue, stride: Int, padding: Int, _ name: String) -> MapValue? {
    func convolved(_ weights: WeightTensor, _ groups: Int) -> MapValue {
      map.convolution(
        weights, scale: scale, bias: bias, stride: stride, padding: padding, groups: groups, name: name)
    }
    if hasFilterPerChannel, let square = squared(stride, padding, map.shape) {
      return convolved(square, groups)
    }
    let made = weights.shape[0] / groups
    let together = (1...groups).last { groups % $0 == 0 && $0 * made <= Self.groupChannels } ?? 1
    if together > 1 { return convolved(joined(together), groups / together) }
    return hasFilterPerChannel ? nil : convolved(weights, groups)
  }

  /// The weights of as many groups at a time, with zeros from the channels of one to those of another.
  private func joined(_ together: Int) -> WeightTensor {
    let source = weights.floats()
    let (out, made, area) = (weights.shape[0], weights.shape[0] / groups, weights.shape[2] * weights.shape[3])
    let (own, whole) = (weights.shape[1] * area, together * weights.shape[1] * area)
    var filters = [Float](repeating: 0, count: out * whole)
    for channel in 0..<out {
      let first = channel * whole + channel / made % together * own
      for index in 0..<own { filters[first + index] = source[channel * own + index] }
    }
    return WeightTensor(
      shape: [out, together * weights.shape[1], weights.shape[2], weights.shape[3]], floats: filters)
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
