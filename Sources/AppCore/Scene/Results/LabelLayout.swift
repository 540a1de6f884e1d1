import Geometry

/// Finds places for labels: inside the picture, at their boxes, and off each other where that can be.
package struct LabelLayout {
  /// A label to be placed.
  package struct Label {
    package let width: Double
    package let height: Double
    package let box: Rect<UprightPixels>

    package init(width: Double, height: Double, box: Rect<UprightPixels>) {
      self.width = width
      self.height = height
      self.box = box
    }
  }

  package let picture: Rect<UprightPixels>
  /// Space kept free between labels.
  package let gap: Double
  /// Labels lie flush with the outer edge of their box's line, half of which lies outside the box.
  package let halfLine: Double

  package init(picture: Rect<UprightPixels>, gap: Double, halfLine: Double) {
    self.picture = picture
    self.gap = gap
    self.halfLine = halfLine
  }

  /// Most labels that look for a free place, as many as a network gives; all others take their first.
  ///
  /// A look costs as much as there are labels and boxes.
  package static let mostPlaced = 300

  /// Shares of a box that a label may cover without harm.
  private static let negligibleShare = 0.03

  /// One rectangle a label, in the same order; earlier labels choose first.
  ///
  /// `taken`: Places where something else is written.
  ///
  /// Lying on another label is worst, then hiding objects; among equals the first candidate wins.
  package func place(_ labels: [Label], off taken: [Rect<UprightPixels>] = []) -> [Rect<UprightPixels>] {
    var placed: [Rect<UprightPixels>] = []
    let boxes = labels.prefix(Self.mostPlaced).map(\.box)
    for (index, label) in labels.enumerated() {
      guard index < Self.mostPlaced else {
        placed.append(candidates(for: label).first.map(movedInside) ?? label.box)
        continue
      }
      var best: (cost: Double, rect: Rect<UprightPixels>)?
      for candidate in candidates(for: label) {
        let rect = movedInside(candidate)
        let onLabels =
          (taken + placed).reduce(0) { $0 + $1.grown(by: gap).intersection(rect).area } / rect.area
        var hidden = 0.0
        for (other, box) in boxes.enumerated() {
          let share = box.intersection(rect).area / max(box.area, 1)
          if share > Self.negligibleShare { hidden += other == index ? share / 2 : share }
        }
        let cost = 10 * onLabels + hidden
        if cost < best?.cost ?? .infinity { best = (cost, rect) }
        if cost == 0 { break }
      }
      placed.append(best?.rect ?? label.box)
    }
    return placed
  }

  /// Places in falling order of preference: above the box from its left edge, inside at the top, the same
  /// from the right edge, below, inside at the bottom; then ever further down the left and right edges.
  private func candidates(for label: Label) -> [Rect<UprightPixels>] {
    let outer = label.box.grown(by: halfLine)
    let lefts = [outer.minX, outer.maxX - label.width]
    let above = outer.minY - label.height
    let below = outer.maxY
    var tops = above >= picture.minY ? [above] : []
    tops.append(outer.minY)
    if below + label.height <= picture.maxY { tops.append(below) }
    tops.append(below - label.height)
    let step = label.height + gap
    var slide = outer.minY + step
    while slide + label.height < outer.maxY, tops.count < 40 {
      tops.append(slide)
      slide += step
    }
    slide = above - step
    while slide >= picture.minY, tops.count < 80 {
      tops.append(slide)
      slide -= step
    }
    return tops.flatMap { top in
      lefts.map { Rect(x: $0, y: top, width: label.width, height: label.height) }
    }
  }

  private func movedInside(_ rect: Rect<UprightPixels>) -> Rect<UprightPixels> {
    let x = max(picture.minX, min(rect.minX, picture.maxX - rect.width))
    let y = max(picture.minY, min(rect.minY, picture.maxY - rect.height))
    return Rect(x: x, y: y, width: rect.width, height: rect.height)
  }
}
