import NNRuntime
import Testing

@Suite("Average pools keep to their definition")
struct AveragePoolTests {
  /// Windows of 3x2 that reach over two sides, with gaps, and over nothing.
  private static let windows: [Window] = {
    var uneven = Window(height: 3, width: 2, stride: 2)
    (uneven.top, uneven.right) = (2, 1)
    (uneven.strideAcross, uneven.dilationAcross) = (1, 3)
    return [
      Window(height: 3, width: 3, stride: 2, padding: 1), Window(height: 2, width: 2, stride: 2), uneven,
    ]
  }()

  @Test(arguments: windows, [true, false])
  func pooled(_ window: Window, countsPadding: Bool) throws {
    try OperatorReference.check(MapShape(height: 9, width: 7, channels: 19)) {
      $0.averagePool(window, countsPadding: countsPadding, name: "pool")
    } _: { map in
      var pooled = OperatorReference.Map(
        MapShape(
          height: (9 + window.top + window.bottom - window.dilationDown * (window.height - 1) - 1)
            / window.strideDown + 1,
          width: (7 + window.left + window.right - window.dilationAcross * (window.width - 1) - 1)
            / window.strideAcross + 1, channels: 19))
      for y in 0..<pooled.shape.height {
        for x in 0..<pooled.shape.width {
          let places = (0..<window.height * window.width).map {
            (
              y * window.strideDown + $0 / window.width * window.dilationDown - window.top,
              x * window.strideAcross + $0 % window.width * window.dilationAcross - window.left
            )
          }
          let count = countsPadding ? places.count : places.filter { map.isInside($0.0, $0.1) }.count
          for channel in 0..<19 {
            pooled[y, x, channel] = places.reduce(0) { $0 + map[$1.0, $1.1, channel] } / Double(count)
          }
        }
      }
      return pooled
    }
  }

  @Test("of all pixels")
  func global() throws {
    try OperatorReference.check(MapShape(height: 6, width: 11, channels: 35)) {
      $0.globalAveragePool(name: "squeeze")
    } _: { map in
      let means = (0..<35).map { channel in
        (0..<66).reduce(0) { $0 + map[$1 / 11, $1 % 11, channel] } / 66
      }
      return OperatorReference.Map(MapShape(height: 1, width: 1, channels: 35), means)
    }
  }
}
