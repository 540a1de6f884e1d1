import Geometry
import Imaging

/// Colored points in the world.
public struct PointCloud: Sendable, Equatable {
  /// Where the coordinates count from: the world's origin, or for points far off a place beside them, since
  /// single-precision numbers tell nothing small apart there.
  public let origin: Point3<World>
  /// x, y, z of each point from `origin`, meters.
  public private(set) var coordinates: [Float] = []
  /// Red, green, blue of each point, sRGB.
  public private(set) var colors: [UInt8] = []

  /// How many points.
  public var count: Int { coordinates.count / 3 }

  /// No points.
  public init(origin: Point3<World> = .origin) { self.origin = origin }

  /// Points of one color.
  public init(_ points: [Point3<World>], color: Color) {
    origin = .origin
    for point in points { append(point, color) }
  }

  /// Adds a point.
  public mutating func append(_ point: Point3<World>, _ color: Color) {
    let place = point - origin
    coordinates.append(Float(place.x))
    coordinates.append(Float(place.y))
    coordinates.append(Float(place.z))
    colors.append(color.red)
    colors.append(color.green)
    colors.append(color.blue)
  }

  /// Adds all points of another cloud.
  ///
  /// - Precondition: both count from the same origin.
  public mutating func append(contentsOf other: PointCloud) {
    precondition(origin == other.origin, "clouds are joined that count from one origin")
    coordinates += other.coordinates
    colors += other.colors
  }

  /// The points that a frame's depth cells see, colored by its picture (gray without one): the sensor's readings, and
  /// where none counts what fused depth carries over from those nearby, else readings of medium confidence.
  ///
  /// - Parameters:
  ///   - frame: The frame.
  ///   - fused: Depth of the same frame.
  public init(_ frame: CapturedFrame, fused: MetricDepth? = nil) {
    origin = LocalOrigin.near(frame.cameraToWorld.origin)
    guard let depth = frame.depth, let best = frame.readings(completedBy: fused),
      let camera = frame.depthIntrinsics
    else { return }
    var rules = frame.sensor.rules
    rules.minimumConfidence = Self.leastConfidence
    let medium = MetricDepth(sensor: depth, confidence: frame.confidence, rules: rules)
    coordinates.reserveCapacity(depth.elements.count * 3)
    colors.reserveCapacity(depth.elements.count * 3)
    for y in 0..<depth.height {
      for x in 0..<depth.width {
        let known = best.states[x, y] == .invalid ? medium : best
        guard known.states[x, y] != .invalid else { continue }
        let point = frame.cameraToWorld.apply(
          camera.unproject(Point2(centerOf: x, y), depth: Double(known.values[x, y])))
        append(point, frame.color(atDepthCell: x, y, of: depth.size))
      }
    }
  }

  /// Readings of less confidence are not points.
  private static let leastConfidence: UInt8 = 1
}

extension CapturedFrame {
  /// The picture's color at the center of a depth cell.
  fileprivate func color(atDepthCell x: Int, _ y: Int, of grid: PixelSize) -> Color {
    guard let image else { return Color(red: 160, green: 160, blue: 160) }
    return image[
      GridMapping(from: grid.width, to: image.width).cell(holdingCenterOf: x),
      GridMapping(from: grid.height, to: image.height).cell(holdingCenterOf: y)]
  }
}
