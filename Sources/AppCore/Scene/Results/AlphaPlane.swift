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
      let area = PixelArea(centersIn: orientation.upright(detection.box, stored: stored), of: size)
      merge(Plane(width: 1, height: 1, fill: 255), area)
      return
    }
    // The mask's own upright picture and ours differ when a picture was detected on as stored.
    let seen = mask.orientation.upright(detection.box, stored: stored)
    let seenSize = mask.orientation.apply(to: stored)
    guard let area = PixelArea(centersIn: seen, of: seenSize) else { return }
    let patch = Self.sample(mask, area)
    guard mask.orientation != orientation else {
      merge(patch, area)
      return
    }
    let turned = orientation.upright(mask.orientation.stored(area.rect, stored: stored), stored: stored)
    merge(
      patch.oriented(mask.orientation.inverse).oriented(orientation), PixelArea(centersIn: turned, of: size))
  }

  /// Takes the greater of what is there and a patch of the area's size, or of one cell for the whole area.
  private mutating func merge(_ patch: Plane<UInt8>, _ area: PixelArea?) {
    guard let area else { return }
    let (stride, width) = (size.width, area.columns.count)
    var target = alphas.mutableSpan
    guard patch.elements.count > 1 || width * area.rows.count == 1 else {
      let value = patch.elements[0]
      for row in area.rows {
        let start = row * stride + area.columns.lowerBound
        for index in start..<start + width { target[index] = max(target[index], value) }
      }
      return
    }
    let source = patch.elements.span
    for row in 0..<area.rows.count {
      let start = (area.rows.lowerBound + row) * stride + area.columns.lowerBound
      for column in 0..<width {
        target[start + column] = max(target[start + column], source[row * patch.width + column])
      }
    }
  }

  /// The mask's probabilities over an area of its upright picture, as alphas.
  private static func sample(_ mask: InstanceMask, _ area: PixelArea) -> Plane<UInt8> {
    let grid = mask.grid
    let (width, height) = (area.columns.count, area.rows.count)
    let columns = area.columns.map { column in
      CellPair(mask.placement.cell(at: Point2(Double(column) + 0.5, 0)).x, count: grid.width)
    }
    var alphas = [UInt8](repeating: 0, count: width * height)
    var blended = [Float](repeating: 0, count: grid.width)
    for row in 0..<height {
      let y = Double(area.rows.lowerBound + row) + 0.5
      let pair = CellPair(mask.placement.cell(at: Point2(0, y)).y, count: grid.height)
      let upper = pair.first * grid.width
      let lower = pair.second * grid.width
      for cell in 0..<grid.width {
        let a = grid.elements[upper + cell]
        blended[cell] = a + (grid.elements[lower + cell] - a) * pair.fraction
      }
      let start = row * width
      for column in 0..<width {
        let pair = columns[column]
        let a = blended[pair.first]
        let value = a + (blended[pair.second] - a) * pair.fraction
        // In this order what is not a number becomes 0.
        alphas[start + column] = UInt8(min(max(0, value), 1) * 255 + 0.5)
      }
    }
    return Plane(width: width, height: height, elements: alphas)
  }
}
