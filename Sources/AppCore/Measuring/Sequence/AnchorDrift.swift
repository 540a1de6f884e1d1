import FileFormats
import Geometry
import Imaging

/// By how much an object that stands still seems to move between two frames: what a placed effect would drift.
///
/// The object's points of the first frame are carried into the second by both poses. Along the line of sight they
/// are compared with the second frame's depth; across it the second picture is shifted until it matches the first
/// best, point by point.
package struct AnchorDrift: Sendable, Equatable {
  /// The best shift of the second picture, pixels of the stored picture.
  package let shift: Vector2<ImagePixels>
  /// The shift at the object's distance, meters.
  package let lateralMeters: Double
  /// Median of measured minus expected depth, meters.
  package let depthMeters: Double
  /// Median of the absolute differences of measured and expected depth: the sensor's noise and the poses' together.
  package let depthNoiseMeters: Double
  /// Correlation of the pictures at that shift.
  package let correlation: Double
  /// How many points were compared.
  package let points: Int

  /// Distance of the effect's place from where the object says it should be, meters.
  package var meters: Double {
    (lateralMeters * lateralMeters + depthMeters * depthMeters).squareRoot()
  }
}

/// The points of an object in the frame in which an effect was placed on it.
package struct AnchorReference: Sendable {
  /// Points are taken from every such pixel of the halved picture.
  private static let stride = 3
  /// Shifts tried to each side, pixels of the halved picture.
  private static let reach = 14
  /// A reading that differs more from the expectation is another surface, share of the depth.
  private static let sameSurface = 0.06
  /// Least points for a comparison.
  private static let minimumPoints = 60
  /// Correlations below say that the pictures do not show the same.
  private static let minimumCorrelation = 0.5

  private struct Point {
    let world: Point3<World>
    let gray: Float
  }
  private let points: [Point]

  /// Bytes of the points.
  var heldBytes: Int { points.count * MemoryLayout<Point>.stride }

  /// The object's points; nil for a frame without picture, depth or camera, or with too few sure readings.
  package init?(_ detection: Detection, in frame: CapturedFrame) {
    guard let image = frame.image, let sensor = frame.readings, let intrinsics = frame.intrinsics else {
      return nil
    }
    let gray = HalvedGray(image)
    let mask = detection.mask?.eroded(for: detection.box)
    let box = detection.box.clipped(to: frame.imageSize.bounds())
    var points: [Point] = []
    for row in Swift.stride(
      from: Int(clamping: box.minY) / 2, to: Int(clamping: box.maxY) / 2, by: Self.stride)
    {
      for column in Swift.stride(
        from: Int(clamping: box.minX) / 2, to: Int(clamping: box.maxX) / 2, by: Self.stride)
      {
        let place = Point2<ImagePixels>(Double(2 * column) + 1, Double(2 * row) + 1)
        guard mask.map({ $0.probability(at: place) > 0.5 }) ?? true,
          let meters = sensor.meters(at: place, imageSize: frame.imageSize),
          let value = gray.value(place.x, place.y)
        else { continue }
        points.append(
          Point(
            world: frame.cameraToWorld.apply(intrinsics.unproject(place, depth: meters)), gray: value))
      }
    }
    guard points.count >= Self.minimumPoints else { return nil }
    self.points = points
  }

  /// The drift in another frame; nil where too little of the object is seen there.
  package func drift(in frame: CapturedFrame) -> AnchorDrift? {
    guard let image = frame.image, let sensor = frame.readings, let intrinsics = frame.intrinsics else {
      return nil
    }
    let toCamera = frame.cameraToWorld.inverse
    let gray = HalvedGray(image)
    let margin = Double(2 * Self.reach + 2)
    let inner = Rect<ImagePixels>(
      minX: margin, minY: margin, maxX: Double(frame.imageSize.width) - margin,
      maxY: Double(frame.imageSize.height) - margin)
    var seen: [(place: Point2<ImagePixels>, gray: Float)] = []
    var residuals: [Double] = []
    var depths: [Double] = []
    for point in points {
      let there = toCamera.apply(point.world)
      guard let place = intrinsics.project(there), inner.contains(place),
        let meters = sensor.meters(at: place, imageSize: frame.imageSize)
      else { continue }
      let residual = meters + there.z
      guard abs(residual) < Self.sameSurface * -there.z else { continue }
      residuals.append(residual)
      depths.append(-there.z)
      seen.append((place, point.gray))
    }
    guard seen.count >= Self.minimumPoints, let best = bestShift(seen, gray),
      best.correlation >= Self.minimumCorrelation
    else { return nil }
    residuals.sort()
    depths.sort()
    let distance = depths[depths.count / 2]
    let across = Vector2<ImagePixels>(best.x, best.y)
    let noise = residuals.map(abs).sorted()
    return AnchorDrift(
      shift: across,
      lateralMeters: distance
        * ((best.x / intrinsics.fx) * (best.x / intrinsics.fx)
        + (best.y / intrinsics.fy) * (best.y / intrinsics.fy)).squareRoot(),
      depthMeters: residuals[residuals.count / 2], depthNoiseMeters: noise[noise.count / 2],
      correlation: best.correlation, points: seen.count)
  }

  /// The shift of greatest correlation, to fractions of a pixel by a parabola through its neighbors.
  private func bestShift(
    _ seen: [(place: Point2<ImagePixels>, gray: Float)], _ gray: HalvedGray
  ) -> (x: Double, y: Double, correlation: Double)? {
    let side = 2 * Self.reach + 1
    var scores = [Double](repeating: -1, count: side * side)
    for row in 0..<side {
      for column in 0..<side {
        let (dx, dy) = (Double(2 * (column - Self.reach)), Double(2 * (row - Self.reach)))
        scores[row * side + column] = correlation(seen, gray, dx, dy)
      }
    }
    guard let best = scores.indices.max(by: { scores[$0] < scores[$1] }) else { return nil }
    let (column, row) = (best % side, best / side)
    func peak(_ before: Double, _ at: Double, _ after: Double) -> Double {
      let bend = before - 2 * at + after
      return bend < 0 ? min(max((before - after) / (2 * bend), -0.5), 0.5) : 0
    }
    // A value at the border is not a peak.
    guard (1..<side - 1).contains(column), (1..<side - 1).contains(row) else { return nil }
    let x = peak(scores[best - 1], scores[best], scores[best + 1])
    let y = peak(scores[best - side], scores[best], scores[best + side])
    return (
      2 * (Double(column - Self.reach) + x), 2 * (Double(row - Self.reach) + y), scores[best]
    )
  }

  private func correlation(
    _ seen: [(place: Point2<ImagePixels>, gray: Float)], _ gray: HalvedGray, _ dx: Double, _ dy: Double
  ) -> Double {
    var (n, a, b, aa, bb, ab) = (0.0, 0.0, 0.0, 0.0, 0.0, 0.0)
    for point in seen {
      guard let value = gray.value(point.place.x + dx, point.place.y + dy) else { continue }
      let (p, q) = (Double(point.gray), Double(value))
      n += 1
      a += p
      b += q
      aa += p * p
      bb += q * q
      ab += p * q
    }
    let spread = (n * aa - a * a) * (n * bb - b * b)
    return n > 1 && spread > 0 ? (n * ab - a * b) / spread.squareRoot() : -1
  }
}

/// A picture's brightness at half its size: four pixels' mean, in steps of 0...765.
private struct HalvedGray {
  private let plane: Plane<Float>

  init(_ image: RGBImage) {
    let (width, height) = (max(1, image.width / 2), max(1, image.height / 2))
    var values = [Float](repeating: 0, count: width * height)
    let pixels = image.pixels.span
    for row in 0..<height {
      for column in 0..<width {
        var sum = 0
        for (dx, dy) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
          let (x, y) = (min(2 * column + dx, image.width - 1), min(2 * row + dy, image.height - 1))
          let index = (y * image.width + x) * 3
          sum += Int(pixels[index]) + Int(pixels[index + 1]) + Int(pixels[index + 2])
        }
        values[row * width + column] = Float(sum) / 4
      }
    }
    plane = Plane(width: width, height: height, elements: values)
  }

  /// Bilinear at a point of the whole picture; nil outside.
  func value(_ x: Double, _ y: Double) -> Float? {
    guard x >= 0, y >= 0, x < Double(2 * plane.width), y < Double(2 * plane.height) else { return nil }
    return plane.bilinear(x / 2 - 0.5, y / 2 - 0.5)
  }
}
