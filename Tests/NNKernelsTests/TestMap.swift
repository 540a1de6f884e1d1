import NNKernelInterface

/// A channels-last map of a test, whatever its elements are stored as.
protocol TestMap: AnyObject {
  var height: Int { get }
  var width: Int { get }
  var channels: Int { get }
  subscript(y: Int, x: Int, channel: Int) -> Float { get set }
}

extension TestMap {
  /// All values, row-major.
  var values: [Float] {
    var values: [Float] = []
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<channels { values.append(self[y, x, channel]) }
      }
    }
    return values
  }

  /// Zero beyond the edges.
  func padded(_ y: Int, _ x: Int, _ channel: Int) -> Float {
    y >= 0 && y < height && x >= 0 && x < width ? self[y, x, channel] : 0
  }

  /// Makes every value a test number.
  func fill(seed: Int, scale: Float) {
    var numbers = TestNumbers(seed: seed)
    for y in 0..<height {
      for x in 0..<width {
        for channel in 0..<channels { self[y, x, channel] = numbers.next() * scale }
      }
    }
  }
}
