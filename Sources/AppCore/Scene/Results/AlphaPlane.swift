import Geometry
import Imaging

/// How much of each pixel of the upright picture belongs to an object, 0 none to 255 all.
package struct AlphaPlane {
  package let size: PixelSize
  /// Row-major alphas.
  package private(set) var alphas: [UInt8]

  /// Nothing belongs to an object.
  package init(size: PixelSize) {
    self.size = size
    alphas = [UInt8](repeating: 0, count: size.width * size.height)
  }

  /// Lays a detection on; where objects overlap, the greater share counts.
  ///
  /// The mask is sampled bilinearly between its cell centers, within the box only. A detection without a mask
  /// takes its whole box.
  ///
  /// - `stored`: Size of the stored picture that the detection speaks of.
  /// - `orientation`: How that picture was turned upright.
  package mutating func merge(_ detection: Detection, stored: PixelSize, orientation: Orientation) {
    guard let mask = detection.mask, mask.imageSize == stored else {
      let box = PixelBox(orientation.upright(detection.box, stored: stored), in: size)
      merge(Plane(width: 1, height: 1, fill: 255), box)
      return
    }
    // The mask's own upright picture and ours differ when a picture was detected on as stored.
    let seen = mask.orientation.upright(detection.box, stored: stored)
    let seenSize = mask.orientation.apply(to: stored)
    guard let box = PixelBox(seen, in: seenSize) else { return }
    let patch = Self.sample(mask, box)
    guard mask.orientation != orientation else {
      merge(patch, box)
      return
    }
    let turned = orientation.upright(mask.orientation.stored(box.rect, stored: stored), stored: stored)
    merge(
      patch.oriented(mask.orientation.inverse).oriented(orientation), PixelBox(turned, in: size))
  }

  /// Takes the greater of what is there and a patch of the box's size, or of one cell for the whole box.
  private mutating func merge(_ patch: Plane<UInt8>, _ box: PixelBox?) {
    guard let box else { return }
    let stride = size.width
    var target = alphas.mutableSpan
    guard patch.elements.count > 1 || box.width * box.height == 1 else {
      let value = patch.elements[0]
      for row in 0..<box.height {
        let start = (box.y + row) * stride + box.x
        for index in start..<start + box.width { target[index] = max(target[index], value) }
      }
      return
    }
    let source = patch.elements.span
    for row in 0..<box.height {
      let start = (box.y + row) * stride + box.x
      for column in 0..<box.width {
        target[start + column] = max(target[start + column], source[row * patch.width + column])
      }
    }
  }

  /// The mask's probabilities over a box of its upright picture, as alphas.
  private static func sample(_ mask: InstanceMask, _ box: PixelBox) -> Plane<UInt8> {
    let grid = mask.grid
    let columns = (0..<box.width).map { column in
      CellPair(mask.placement.cell(at: Point2(Double(box.x + column) + 0.5, 0)).x, count: grid.width)
    }
    var alphas = [UInt8](repeating: 0, count: box.width * box.height)
    var blended = [Float](repeating: 0, count: grid.width)
    for row in 0..<box.height {
      let pair = CellPair(mask.placement.cell(at: Point2(0, Double(box.y + row) + 0.5)).y, count: grid.height)
      let upper = pair.first * grid.width
      let lower = pair.second * grid.width
      for cell in 0..<grid.width {
        let a = grid.elements[upper + cell]
        blended[cell] = a + (grid.elements[lower + cell] - a) * pair.fraction
      }
      let start = row * box.width
      for column in 0..<box.width {
        let pair = columns[column]
        let a = blended[pair.first]
        let value = a + (blended[pair.second] - a) * pair.fraction
        // In this order what is not a number becomes 0.
        alphas[start + column] = UInt8(min(max(0, value), 1) * 255 + 0.5)
      }
    }
    return Plane(width: box.width, height: box.height, elements: alphas)
  }
}

/// The pixels whose center lies in a rectangle.
struct PixelBox: Equatable {
  let x: Int
  let y: Int
  let width: Int
  let height: Int

  /// nil if no pixel's center does.
  init?(_ rect: Rect<UprightPixels>, in size: PixelSize) {
    let inside = rect.clipped(to: size.bounds())
    guard inside.isFinite else { return nil }
    x = Int((inside.minX - 0.5).rounded(.up))
    y = Int((inside.minY - 0.5).rounded(.up))
    width = min(size.width, Int((inside.maxX - 0.5).rounded(.up))) - x
    height = min(size.height, Int((inside.maxY - 0.5).rounded(.up))) - y
    guard width > 0, height > 0 else { return nil }
  }

  var rect: Rect<UprightPixels> {
    Rect(x: Double(x), y: Double(y), width: Double(width), height: Double(height))
  }
}
