import FileFormats

/// How well measured boxes agree with annotated ones over many frames.
package struct BoxAccuracy: Sendable {
  /// A box that was measured in a frame.
  package struct Measured: Sendable {
    package let frame: Int
    package let score: Double
    package let box: UprightBox
    /// Whether its sides along its own x, y and z were seen to end.
    package let isObserved: (x: Bool, y: Bool, z: Bool)

    package init(frame: Int, score: Double, box: UprightBox, isObserved: (x: Bool, y: Bool, z: Bool)) {
      (self.frame, self.score, self.box, self.isObserved) = (frame, score, box, isObserved)
    }
  }

  /// A box that a frame is annotated with.
  package struct Annotated: Sendable {
    package let frame: Int
    package let box: UprightBox

    package init(frame: Int, box: UprightBox) { (self.frame, self.box) = (frame, box) }
  }

  /// Annotated boxes.
  package let labels: Int
  /// Measured boxes.
  package let measured: Int
  /// Average precision at an overlap of volumes of .25: the area beneath the curve of the greatest precision at each recall
  /// or beyond (PASCAL VOC 2010); nil without annotated boxes.
  package let at25: Double?
  /// The same at .5.
  package let at50: Double?
  /// |measured / annotated - 1| of each side seen to end, of the boxes found at .25, the least first.
  package let sides: [Double]

  /// - Parameters:
  ///   - measured: What was measured, in any order.
  ///   - annotated: What there is.
  package init(_ measured: [Measured], annotated: [Annotated]) {
    labels = annotated.count
    self.measured = measured.count
    let ranked = measured.enumerated().sorted {
      ($1.element.score, $0.offset) < ($0.element.score, $1.offset)
    }
    .map(\.element)
    let quarter = Self.matches(ranked, annotated, least: 0.25)
    let half = Self.matches(ranked, annotated, least: 0.5)
    at25 = annotated.isEmpty ? nil : Self.precision(quarter.map { $0 != nil }, of: annotated.count)
    at50 = annotated.isEmpty ? nil : Self.precision(half.map { $0 != nil }, of: annotated.count)
    sides = zip(ranked, quarter).flatMap { found, match -> [Double] in
      guard let match else { return [] }
      let (own, truth) = (found.box.sides(alongAxesOf: annotated[match].box), annotated[match].box.sides)
      let isTurned = own.x != found.box.sides.x
      let seen = found.isObserved
      let pairs = [
        (own.x, truth.x, isTurned ? seen.z : seen.x), (own.y, truth.y, seen.y),
        (own.z, truth.z, isTurned ? seen.x : seen.z),
      ]
      return pairs.filter { $0.2 && $0.1 > 0 }.map { abs($0.0 / $0.1 - 1) }
    }.sorted()
  }

  /// The side error below which a share of them lies; nil without any.
  package func side(_ share: Double) -> Double? {
    sides.isEmpty ? nil : sides[min(sides.count - 1, Int(clamping: share * Double(sides.count)))]
  }

  /// The annotated box that each measured one is the first to find, the surest first; nil for those that find none.
  private static func matches(_ ranked: [Measured], _ annotated: [Annotated], least: Double) -> [Int?] {
    var isTaken = annotated.map { _ in false }
    return ranked.map { found in
      var best: (index: Int, overlap: Double)?
      for (index, label) in annotated.enumerated() where label.frame == found.frame {
        let overlap = found.box.overlap(with: label.box)
        if overlap > best?.overlap ?? 0 { best = (index, overlap) }
      }
      guard let best, best.overlap >= least, !isTaken[best.index] else { return nil }
      isTaken[best.index] = true
      return best.index
    }
  }

  private static func precision(_ isRight: [Bool], of labels: Int) -> Double {
    var right = 0
    let curve = isRight.enumerated().map { index, isRight -> (recall: Double, precision: Double) in
      if isRight { right += 1 }
      return (Double(right) / Double(labels), Double(right) / Double(index + 1))
    }
    var (area, greatest, last) = (0.0, 0.0, curve.last?.recall ?? 0)
    for point in curve.reversed() {
      // From here to the next recall no precision is greater than the greatest beyond.
      area += (last - point.recall) * greatest
      last = point.recall
      greatest = max(greatest, point.precision)
    }
    return area + last * greatest
  }
}
