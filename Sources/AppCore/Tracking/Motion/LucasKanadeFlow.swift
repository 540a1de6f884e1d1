import FileFormats

/// Where points of a picture are in another one: squares around them are laid over each other, the smallest pictures first.
///
/// The limits are OpenCV's: squares of 21 pixels, four sizes, thirty steps or until one is shorter than 0.01 pixels.
///
/// Source: B. Lucas and T. Kanade, *An iterative image registration technique with an application to stereo vision*, IJCAI
/// (1981); J.-Y. Bouguet, *Pyramidal implementation of the affine Lucas Kanade feature tracker* (2001).
package enum LucasKanadeFlow {
  private static let steps = 30
  private static let shortest: Float = 0.01
  /// From a square's corner to its middle.
  private static let half = Float(FlowPicture.side - 1) / 2

  /// The places of points in the next picture.
  ///
  /// - Parameters:
  ///   - points: Columns and rows in the previous picture.
  ///   - previous: The picture in which they are known.
  ///   - next: The picture in which they are looked for, of the same size.
  ///   - threads: That work side by side.
  /// - Returns: The place of each point; nil of one that is lost.
  package static func moved(
    _ points: [SIMD2<Float>], from previous: FlowPicture, to next: FlowPicture,
    threads: Int = Parallel.threads
  ) -> [SIMD2<Float>?] {
    precondition(previous.isAsLarge(as: next), "flow is between pictures of one size")
    let places: [SIMD2<Float>] = Parallel.rows(points.count, width: 1, threads: threads) { range, places in
      var square = FlowSquare()
      for (index, point) in range.enumerated() {
        places[index] = place(of: points[point], previous, next, &square) ?? SIMD2(repeating: .nan)
      }
    }
    return places.map { $0.x.isNaN || $0.y.isNaN ? nil : $0 }
  }

  private static func place(
    of point: SIMD2<Float>, _ previous: FlowPicture, _ next: FlowPicture, _ square: inout FlowSquare
  ) -> SIMD2<Float>? {
    let smallest = previous.levels.count - 1
    var found = point / Float(1 << smallest)
    for index in stride(from: smallest, through: 0, by: -1) {
      if index < smallest { found *= 2 }
      let corner = point / Float(1 << index) - half
      // What cannot be seen at a small size may be at the next.
      guard previous.levels[index].holds(corner), square.take(previous.levels[index], at: corner) else {
        if index == 0 { return nil }
        continue
      }
      found = refined(found, square, in: next.levels[index])
    }
    return next.levels[0].holds(found - half) ? found : nil
  }

  /// The place at which a square fits best, by Gauss and Newton's steps from the one given.
  private static func refined(
    _ start: SIMD2<Float>, _ square: FlowSquare, in level: FlowLevel
  ) -> SIMD2<Float> {
    var found = start
    var before = SIMD2<Float>.zero
    for step in 0..<steps {
      // It ran out of the picture, where it stays.
      guard level.holds(found - half) else { return found }
      let move = square.move(in: level, at: found - half)
      found += move
      if (move * move).sum() <= shortest * shortest { return found }
      let turn = move + before
      // To and fro: in the middle.
      if step > 0, abs(turn.x) < shortest, abs(turn.y) < shortest { return found - move * 0.5 }
      before = move
    }
    return found
  }
}

/// A square of a picture and its derivatives, between pixels.
private struct FlowSquare {
  private typealias Lanes = SIMD8<Float>
  /// Blocks of eight columns.
  private static let blocks = (FlowPicture.side + 7) / 8
  /// The derivatives' smaller eigenvalue, a pixel, from which on a square can be found.
  private static let leastTexture: Float = 104.8576
  /// The least determinant of their sums.
  private static let leastDeterminant: Float = 131_072

  private var levels: [Lanes]
  private var across: [Lanes]
  private var down: [Lanes]
  /// Sums of the derivatives' products, and their determinant.
  private var (xx, xy, yy, determinant): (Float, Float, Float, Float) = (0, 0, 0, 0)
  /// 1 where the last block belongs to the square.
  private let last: Lanes

  init() {
    levels = [Lanes](repeating: .zero, count: FlowPicture.side * Self.blocks)
    (across, down) = (levels, levels)
    var last = Lanes.zero
    for lane in 0..<FlowPicture.side - 8 * (Self.blocks - 1) { last[lane] = 1 }
    self.last = last
  }

  /// Takes the square with this corner, which touches the picture; false of one that could be anywhere.
  mutating func take(_ level: FlowLevel, at corner: SIMD2<Float>) -> Bool {
    let place = Place(corner, in: level)
    var (xx, xy, yy) = (Lanes.zero, Lanes.zero, Lanes.zero)
    let (source, sourceAcross, sourceDown) = (level.levels.span, level.across.span, level.down.span)
    for block in 0..<Self.blocks {
      let mask = block == Self.blocks - 1 ? last : Lanes(repeating: 1)
      var element = place.start + 8 * block
      var upper = place.lanes(source, element)
      var (upperAcross, upperDown) = (place.lanes(sourceAcross, element), place.lanes(sourceDown, element))
      for row in 0..<FlowPicture.side {
        element += level.stride
        let lower = place.lanes(source, element)
        let (lowerAcross, lowerDown) = (place.lanes(sourceAcross, element), place.lanes(sourceDown, element))
        let x = place.between(upperAcross, lowerAcross) * mask
        let y = place.between(upperDown, lowerDown) * mask
        let index = block * FlowPicture.side + row
        levels[index] = place.between(upper, lower)
        across[index] = x
        down[index] = y
        xx += x * x
        xy += x * y
        yy += y * y
        (upper, upperAcross, upperDown) = (lower, lowerAcross, lowerDown)
      }
    }
    (self.xx, self.xy, self.yy) = (xx.sum(), xy.sum(), yy.sum())
    determinant = self.xx * self.yy - self.xy * self.xy
    let apart = (self.xx - self.yy) * (self.xx - self.yy) + 4 * self.xy * self.xy
    let smaller = (self.xx + self.yy - apart.squareRoot()) / 2
    let pixels = Float(FlowPicture.side * FlowPicture.side)
    return smaller / pixels >= Self.leastTexture && determinant >= Self.leastDeterminant
  }

  /// The step that lays the square better over what is at a corner.
  func move(in level: FlowLevel, at corner: SIMD2<Float>) -> SIMD2<Float> {
    let place = Place(corner, in: level)
    var (x, y) = (Lanes.zero, Lanes.zero)
    let (source, own) = (level.levels.span, levels.span)
    let (ownAcross, ownDown) = (across.span, down.span)
    for block in 0..<Self.blocks {
      var element = place.start + 8 * block
      var upper = place.lanes(source, element)
      for index in block * FlowPicture.side..<(block + 1) * FlowPicture.side {
        element += level.stride
        let lower = place.lanes(source, element)
        let difference = place.between(upper, lower) - own[index]
        x += difference * ownAcross[index]
        y += difference * ownDown[index]
        upper = lower
      }
    }
    let (sumX, sumY) = (x.sum(), y.sum())
    // Derivatives are 32 times the change a pixel.
    return SIMD2(xy * sumY - yy * sumX, xy * sumX - xx * sumY) * (32 / determinant)
  }

  /// A corner between four pixels.
  private struct Place {
    /// The element of the pixel above and left.
    let start: Int
    /// How far it is from there, in pixels.
    private let part: SIMD2<Float>

    init(_ corner: SIMD2<Float>, in level: FlowLevel) {
      let whole = corner.rounded(.down)
      part = corner - whole
      start = level.element(Int(clamping: whole.x), Int(clamping: whole.y))
    }

    /// Eight values of a row, between its pixels, from an element on.
    @inline(__always)
    func lanes(_ values: Span<Float>, _ element: Int) -> Lanes {
      let nine = values.extracting(element..<element + 9)
      let here = Lanes(nine[0], nine[1], nine[2], nine[3], nine[4], nine[5], nine[6], nine[7])
      let next = Lanes(nine[1], nine[2], nine[3], nine[4], nine[5], nine[6], nine[7], nine[8])
      return here + (next - here) * part.x
    }

    /// Values between those of two rows.
    @inline(__always)
    func between(_ upper: Lanes, _ lower: Lanes) -> Lanes { upper + (lower - upper) * part.y }
  }
}
