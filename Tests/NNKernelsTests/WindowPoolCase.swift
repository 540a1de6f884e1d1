import NNKernelInterface

/// A pool over any window to try kernels on.
struct WindowPoolCase: Sendable {
  /// A window along one axis.
  struct Axis: Sendable {
    var size, stride, dilation, before, after: Int

    init(_ size: Int, stride: Int = 1, dilation: Int = 1, before: Int = 0, after: Int = 0) {
      (self.size, self.stride, self.dilation) = (size, stride, dilation)
      (self.before, self.after) = (before, after)
    }

    /// Windows that begin on a map of `input` pixels, the last of which may reach beyond its paddings.
    func outputs(_ input: Int) -> Int {
      (max(0, input + before + after - dilation * (size - 1) - 1) + stride - 1) / stride + 1
    }

    func of(_ input: Int) -> WindowAxis {
      WindowAxis(
        input: input, size: size, stride: stride, dilation: dilation, before: before, after: after)
    }
  }

  var height, width, channels: Int
  var rows, columns: Axis
  var gap: Int

  init(_ height: Int, _ width: Int, channels: Int, rows: Axis, columns: Axis, gap: Int = 0) {
    (self.height, self.width, self.channels) = (height, width, channels)
    (self.rows, self.columns, self.gap) = (rows, columns, gap)
  }

  var outHeight: Int { rows.outputs(height) }
  var outWidth: Int { columns.outputs(width) }

  func task(_ kind: WindowPoolTask.Kind, _ input: MapPointer, _ output: MutableMapPointer) -> WindowPoolTask {
    WindowPoolTask(
      kind: kind, rows: rows.of(height), columns: columns.of(width), outHeight: outHeight,
      outWidth: outWidth, channels: channels, input: input, output: output)
  }

  /// The output by its definition.
  func expected(_ kind: WindowPoolTask.Kind, of map: GuardedMap) -> [Expected] {
    var result: [Expected] = []
    for y in 0..<outHeight {
      for x in 0..<outWidth {
        let ys = (0..<rows.size).map { y * rows.stride - rows.before + $0 * rows.dilation }
        let xs = (0..<columns.size).map { x * columns.stride - columns.before + $0 * columns.dilation }
        let (insideY, insideX) = (ys.filter((0..<height).contains), xs.filter((0..<width).contains))
        let inside = insideY.count * insideX.count
        let padded =
          ys.filter { $0 < height + rows.after }.count * xs.filter { $0 < width + columns.after }.count
        for channel in 0..<channels {
          var elements: [Float] = []
          for inY in insideY {
            for inX in insideX { elements.append(map[inY, inX, channel]) }
          }
          var sum = Expected()
          switch kind {
          case .maximum: sum.add(elements.max() ?? -.infinity)
          case .mean(let countsPadding):
            for element in elements { sum.add(element) }
            let count = Double(max(1, countsPadding ? padded : inside))
            (sum.value, sum.magnitude) = (sum.value / count, sum.magnitude / count)
          }
          result.append(sum)
        }
      }
    }
    return result
  }
}
