import NNRuntime
import Testing

/// A convolution in groups on a map of 8x9 pixels with 12 channels.
private struct GroupedCase: Sendable, CustomTestStringConvertible {
  var groups: Int
  var outPerGroup: Int
  var window: Window

  /// Fast kernels compute all but what is dilated, or moves differently along the axes.
  var tolerance: Double {
    let isEven = window.strideDown == window.strideAcross && window.top == window.left
    return isEven && window.dilationDown == 1 && window.dilationAcross == 1
      ? OperatorReference.fast : OperatorReference.plain
  }
  /// Fast kernels compute what is dense.
  var transposedTolerance: Double { groups == 1 ? OperatorReference.fast : OperatorReference.plain }

  var testDescription: String { "\(groups) groups to \(outPerGroup) each, \(window)" }

  static let all: [GroupedCase] = {
    var sides = Window(height: 3, width: 2)
    (sides.top, sides.left, sides.bottom, sides.right) = (1, 0, 2, 1)
    var axes = Window(height: 2, width: 3, padding: 2)
    (axes.strideDown, axes.strideAcross, axes.dilationDown, axes.dilationAcross) = (3, 1, 1, 2)
    return [1, 3, 12].flatMap { groups in
      [
        Window(height: 1, width: 1), Window(height: 3, width: 3, padding: 1),
        Window(height: 3, width: 3, stride: 2, padding: 1), Window(height: 2, width: 2, stride: 2),
        Window(height: 3, width: 3, padding: 2, dilation: 2), sides, axes,
      ].flatMap { window in [1, 4].map { GroupedCase(groups: groups, outPerGroup: $0, window: window) } }
    }
  }()
}

@Suite("Convolutions in groups keep to their definition, for each axis and side")
struct GroupedConvolutionTests {
  private let input = MapShape(height: 8, width: 9, channels: 12)

  @Test(arguments: GroupedCase.all)
  fileprivate func convolution(_ test: GroupedCase) throws {
    let (window, inGroup, out) = (test.window, 12 / test.groups, test.groups * test.outPerGroup)
    let weights = JoinedNetwork.tensor([out, inGroup, window.height, window.width], seed: 1)
    let bias = JoinedNetwork.tensor([out], seed: 2)
    let numbers = weights.floats()
    try OperatorReference.check(input, tolerance: test.tolerance) {
      $0.convolution(weights, bias: bias, over: window, groups: test.groups, name: "conv")
    } _: { map in
      let (reachDown, reachAcross) = (
        window.dilationDown * (window.height - 1), window.dilationAcross * (window.width - 1)
      )
      var sums = OperatorReference.Map(
        MapShape(
          height: (8 + window.top + window.bottom - reachDown - 1) / window.strideDown + 1,
          width: (9 + window.left + window.right - reachAcross - 1) / window.strideAcross + 1, channels: out))
      for (index, weight) in numbers.enumerated() {
        let (filter, position) = index.quotientAndRemainder(dividingBy: window.height * window.width)
        let (row, column) = position.quotientAndRemainder(dividingBy: window.width)
        let channel = filter / inGroup
        let source = channel / test.outPerGroup * inGroup + filter % inGroup
        for y in 0..<sums.shape.height {
          for x in 0..<sums.shape.width {
            let inY = y * window.strideDown + row * window.dilationDown - window.top
            let inX = x * window.strideAcross + column * window.dilationAcross - window.left
            sums[y, x, channel] += map[inY, inX, source] * Double(weight)
          }
        }
      }
      return Self.adding(bias, to: sums)
    }
  }

  @Test(arguments: GroupedCase.all)
  fileprivate func transposed(_ test: GroupedCase) throws {
    let (window, inGroup, out) = (test.window, 12 / test.groups, test.groups * test.outPerGroup)
    let weights = JoinedNetwork.tensor([12, test.outPerGroup, window.height, window.width], seed: 3)
    let bias = JoinedNetwork.tensor([out], seed: 4)
    let numbers = weights.floats()
    try OperatorReference.check(input, tolerance: test.transposedTolerance) {
      $0.transposedConvolution(weights, bias: bias, over: window, groups: test.groups, name: "conv")
    } _: { map in
      var sums = OperatorReference.Map(
        MapShape(
          height: 7 * window.strideDown + window.dilationDown * (window.height - 1) + 1 - window.top
            - window.bottom,
          width: 8 * window.strideAcross + window.dilationAcross * (window.width - 1) + 1 - window.left
            - window.right, channels: out))
      // Each pixel of the input is spread over its window.
      for (index, weight) in numbers.enumerated() {
        let (filter, position) = index.quotientAndRemainder(dividingBy: window.height * window.width)
        let (row, column) = position.quotientAndRemainder(dividingBy: window.width)
        let source = filter / test.outPerGroup
        let channel = source / inGroup * test.outPerGroup + filter % test.outPerGroup
        for y in 0..<8 {
          for x in 0..<9 {
            let outY = y * window.strideDown + row * window.dilationDown - window.top
            let outX = x * window.strideAcross + column * window.dilationAcross - window.left
            sums[outY, outX, channel] += map[y, x, source] * Double(weight)
          }
        }
      }
      return Self.adding(bias, to: sums)
    }
  }

  private static func adding(_ bias: Tensor, to map: OperatorReference.Map) -> OperatorReference.Map {
    var map = map
    let bias = bias.floats()
    for index in map.values.indices { map.values[index] += Double(bias[index % bias.count]) }
    return map
  }
}
