/// Two neighboring source cells an output cell, with weights of 11 fractional bits, as
/// `cv2.INTER_LINEAR` computes them for 8-bit pictures.
struct FixedPointTaps {
  struct Entry {
    var first: Int32
    var second: Int32
    var firstWeight: Int16
    var secondWeight: Int16
  }

  let entries: [Entry]

  private static let one: Float = 2048

  init(from source: Int, to target: Int) {
    let scale = 1 / (Double(target) / Double(source))
    let last = Int32(source - 1)
    entries = (0..<target).map { i in
      let position = Float((Double(i) + 0.5) * scale - 0.5)
      let floor = position.rounded(.down)
      let fraction = position - floor
      let cell = Int32(floor)
      return Entry(
        first: min(max(cell, 0), last), second: min(max(cell + 1, 0), last),
        firstWeight: Int16(((1 - fraction) * Self.one).rounded(.toNearestOrEven)),
        secondWeight: Int16((fraction * Self.one).rounded(.toNearestOrEven)))
    }
  }
}
