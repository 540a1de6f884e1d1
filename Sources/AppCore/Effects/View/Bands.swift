/// Pictures made in bands of rows, side by side on as many cores as there are.
enum Bands {
  /// The bytes of all bands, from the top.
  ///
  /// `draw`: Makes the bytes of some rows, whoever makes the others.
  static func drawn(
    height: Int, bandHeight: Int, _ draw: @escaping @Sendable (_ rows: Range<Int>) -> [UInt8]
  ) async -> [UInt8] {
    let bands = stride(from: 0, to: height, by: bandHeight).map { $0..<min($0 + bandHeight, height) }
    guard bands.count > 1 else { return draw(0..<height) }
    return await withTaskGroup(of: (Int, [UInt8]).self) { group in
      for (number, rows) in bands.enumerated() { group.addTask { (number, draw(rows)) } }
      var early: [Int: [UInt8]] = [:]
      var pixels: [UInt8] = []
      var next = 0
      // What comes in order is joined while the rest is being drawn.
      for await (number, part) in group {
        early[number] = part
        while let part = early.removeValue(forKey: next) {
          if next == 0 { pixels.reserveCapacity(part.count * bands.count) }
          pixels.append(contentsOf: part)
          next += 1
        }
      }
      return pixels
    }
  }
}
