import Geometry
import Imaging

/// Depth in false colors with the edges of masks, to see whether depth and masks are aligned.
public enum DebugView {
  /// Depths outside are left black, meters.
  static let range: ClosedRange<Float> = 0.05...10
  /// Mask probabilities from this on are inside.
  static let threshold = 0.5

  /// The upright false-color picture.
  ///
  /// Nearest is blue, farthest red; with t = (d − least) / (greatest − least), red, green and blue are
  /// 255 · clamp(1.5 − 4 |t − ¾ / ½ / ¼|). Edges of masks are green, those of eroded masks red.
  ///
  /// - `depth`: Planar depth in meters over the stored picture's field.
  /// - `cellSide`: Pixels a depth cell is drawn with.
  public static func render(
    depth: Plane<Float>, detections: [Detection], imageSize: PixelSize, orientation: Orientation,
    cellSide: Int = 4
  ) -> RGBImage {
    precondition(cellSide > 0, "a cell has a size")
    let colors = colored(depth)
    var image = RGBImage(width: depth.width * cellSide, height: depth.height * cellSide)
    for y in 0..<image.height {
      for x in 0..<image.width { image[x, y] = colors[x / cellSide, y / cellSide] }
    }
    for detection in detections {
      guard let mask = detection.mask, mask.imageSize == imageSize else { continue }
      drawEdge(of: mask, color: .green, on: &image)
      drawEdge(of: mask.eroded(for: detection.box), color: .red, on: &image)
    }
    return image.oriented(orientation)
  }

  private static func colored(_ depth: Plane<Float>) -> Plane<Color> {
    let shown = depth.elements.filter(range.contains)
    guard let least = shown.min(), let greatest = shown.max() else { return depth.map { _ in .black } }
    let spread = max(greatest - least, .leastNormalMagnitude)
    return depth.map { meters in
      guard range.contains(meters) else { return .black }
      let t = Double((meters - least) / spread)
      func component(_ peak: Double) -> Double { 1.5 - 4 * abs(t - peak) }
      return Color(unitRed: component(0.75), green: component(0.5), blue: component(0.25))
    }
  }

  /// Paints inside pixels that have an outside neighbor.
  private static func drawEdge(of mask: InstanceMask, color: Color, on image: inout RGBImage) {
    let drawn = DepthGrid(cells: image.size, picture: mask.imageSize)
    let grid = mask.grid
    var inside = Plane<Bool>(width: image.width, height: image.height, fill: false)
    for y in 0..<image.height {
      for x in 0..<image.width {
        let point = drawn.pixel(Point2(centerOf: x, y))
        inside.elements[y * image.width + x] = mask.gridProbability(at: point, in: grid) >= threshold
      }
    }
    for y in 1..<max(2, image.height - 1) where y < image.height - 1 {
      for x in 1..<max(2, image.width - 1) where x < image.width - 1 && inside[x, y] {
        if !(inside[x - 1, y] && inside[x + 1, y] && inside[x, y - 1] && inside[x, y + 1]) {
          image[x, y] = color
        }
      }
    }
  }
}
