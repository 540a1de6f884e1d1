import AppCore
import Foundation
import Geometry
import Imaging

/// A box, a part of one or a cylinder on a table or another box, seen by a phone held in portrait and looking down at it,
/// with depth by ray casting.
///
/// Rays are built here from the pinhole formulas, not by the code under test.
struct TableScene {
  static let imageSize = PixelSize(width: 1920, height: 1440)
  static let fx = 1569.25, fy = 1569.25, cx = 960.4, cy = 723.33
  static let intrinsics = try! Intrinsics(
    fx: fx, fy: fy, cx: cx, cy: cy, imageWidth: 1920, imageHeight: 1440)

  /// The true box: sides along its own axes, turned about +y, standing on y = 0.
  var size = (x: 0.24, y: 0.11, z: 0.15)
  var yaw = 0.5
  /// Whether it is a cylinder, as wide as the box's x.
  var isCylinder = false
  /// Whether it is a cylinder that lies along the box's x, as wide as y.
  var isLying = false
  /// Whether it is a ball, or an ellipsoid, as wide as the box.
  var isBall = false
  /// How far behind the solid's middle a wall stands, across the view.
  var wall: Double?
  /// The height of a level board above the solid.
  var board: Double?
  /// The sides of a box along the world's axes, on which it stands in the middle; the table is that much lower.
  var lower: (x: Double, y: Double, z: Double)?
  /// How far the camera is moved to the right of where the solid is in the picture's middle.
  var aside = 0.0
  /// Boxes that make up the solid, from one place to another, in shares of the whole one.
  var parts = [Part(from: (0, 0, 0), to: (1, 1, 1))]
  var position = (x: 0.07, z: -0.04)
  var pitchDown = 50.0 * .pi / 180
  var distance = 1.2

  struct Part {
    let from: (x: Double, y: Double, z: Double)
    let to: (x: Double, y: Double, z: Double)
  }

  /// Two arms of one height; the back of a seat and the seat.
  static let corner = [Part(from: (0, 0, 0), to: (1, 1, 0.4)), Part(from: (0, 0, 0), to: (0.3, 1, 1))]
  static let step = [Part(from: (0, 0, 0), to: (1, 0.45, 1)), Part(from: (0, 0, 0), to: (1, 1, 0.25))]

  var center: Point3<World> { Point3(position.x, size.y / 2, position.z) }

  /// From where the camera looks, turned about +y.
  var azimuth = 0.0

  /// The camera looks down, along -z where the azimuth is 0; the picture's top (sensor -x) is up.
  var pose: RigidTransform<CameraARKit, World> {
    let ahead = (x: -sin(azimuth), z: -cos(azimuth))
    let forward = (x: ahead.x * cos(pitchDown), y: -sin(pitchDown), z: ahead.z * cos(pitchDown))
    let top = (x: ahead.x * sin(pitchDown), y: cos(pitchDown), z: ahead.z * sin(pitchDown))
    // x = -top, z = -forward, y = z cross x.
    let x = (-top.x, -top.y, -top.z)
    let z = (-forward.x, -forward.y, -forward.z)
    let y = (z.1 * x.2 - z.2 * x.1, z.2 * x.0 - z.0 * x.2, z.0 * x.1 - z.1 * x.0)
    return try! RigidTransform(columnMajor: [
      x.0, x.1, x.2, 0, y.0, y.1, y.2, 0, z.0, z.1, z.2, 0, center.x - forward.x * distance + aside,
      center.y - forward.y * distance, center.z - forward.z * distance, 1,
    ])
  }

  /// Planar depth along the ray through pixel center (u, v), and whether it hits the box.
  func cast(_ u: Double, _ v: Double, _ pose: RigidTransform<CameraARKit, World>) -> (z: Double, isBox: Bool)
  {
    let direction = pose.apply(
      Vector3<CameraARKit>((u - Self.cx) / Self.fx, -(v - Self.cy) / Self.fy, -1))
    let origin = pose.origin
    let below = beneath(direction, from: origin)
    // Slabs in the box's own axes: x (cos, 0, -sin), z (sin, 0, cos).
    let (c, s) = (cos(yaw), sin(yaw))
    let fromCenter = origin - center
    let axes = [(c, 0.0, -s), (0, 1, 0), (s, 0, c)]
    let from = axes.map { $0.0 * fromCenter.x + $0.1 * fromCenter.y + $0.2 * fromCenter.z }
    let rates = axes.map { $0.0 * direction.x + $0.1 * direction.y + $0.2 * direction.z }
    var nearest = Double.infinity
    if isBall {
      // In units of its width along each axis, |from + t rate| = 1/2.
      let widths = [size.x, size.y, size.z]
      let scaled = (0..<3).map { (from: from[$0] / widths[$0], rate: rates[$0] / widths[$0]) }
      let square = scaled.reduce(0) { $0 + $1.rate * $1.rate }
      let half = scaled.reduce(0) { $0 + $1.from * $1.rate }
      let reach = half * half - square * (scaled.reduce(0) { $0 + $1.from * $1.from } - 0.25)
      let near = (-half - reach.squareRoot()) / square
      return near < below ? (near, true) : (below, false)
    }
    for part in parts {
      let lows = [(part.from.x - 0.5) * size.x, (part.from.y - 0.5) * size.y, (part.from.z - 0.5) * size.z]
      let highs = [(part.to.x - 0.5) * size.x, (part.to.y - 0.5) * size.y, (part.to.z - 0.5) * size.z]
      var near = -Double.infinity
      var far = Double.infinity
      if isCylinder || isLying {
        // |start + t rate| = radius, seen along the axis.
        let across = isLying ? 1 : 0
        let square = rates[across] * rates[across] + rates[2] * rates[2]
        let half = (from[across] * rates[across] + from[2] * rates[2]) / square
        let radius = (isLying ? size.y : size.x) / 2
        let rest = from[across] * from[across] + from[2] * from[2] - radius * radius
        let reach = half * half - rest / square
        guard reach > 0 else { continue }
        (near, far) = (-half - reach.squareRoot(), -half + reach.squareRoot())
      }
      for axis in isCylinder ? 1..<2 : isLying ? 0..<1 : 0..<3 {
        let a = (lows[axis] - from[axis]) / rates[axis]
        let b = (highs[axis] - from[axis]) / rates[axis]
        near = max(near, min(a, b))
        far = min(far, max(a, b))
      }
      if near <= far && near > 0 { nearest = min(nearest, near) }
    }
    return nearest <= below && nearest.isFinite ? (nearest, true) : (below, false)
  }

  /// Planar depth of what the solid stands on.
  private func beneath(_ direction: Vector3<World>, from origin: Point3<World>) -> Double {
    let ground = -(lower?.y ?? 0)
    var table = direction.y < 0 ? (ground - origin.y) / direction.y : .infinity
    if let wall, direction.z < 0 { table = min(table, (position.z - wall - origin.z) / direction.z) }
    if let board, direction.y > 0 { table = min(table, (board - origin.y) / direction.y) }
    guard let lower else { return table }
    let spans = [
      (position.x - origin.x, lower.x / 2, direction.x), (ground / 2 - origin.y, lower.y / 2, direction.y),
      (position.z - origin.z, lower.z / 2, direction.z),
    ]
    let ends = spans.map { middle, half, rate in
      (
        Swift.min((middle - half) / rate, (middle + half) / rate),
        Swift.max((middle - half) / rate, (middle + half) / rate)
      )
    }
    let (near, far) = (ends.map(\.0).max()!, ends.map(\.1).min()!)
    return near < far && near > 0 ? min(near, table) : table
  }

  /// Depth on a sensor grid, and which cells see the box.
  func sensor(width: Int, _ height: Int) -> (depth: Plane<Float>, isBox: Plane<UInt8>) {
    let pose = self.pose
    var depth = [Float](repeating: 0, count: width * height)
    var isBox = [UInt8](repeating: 0, count: width * height)
    for y in 0..<height {
      for x in 0..<width {
        let hit = cast(
          (Double(x) + 0.5) * 1920 / Double(width) - 0.5, (Double(y) + 0.5) * 1440 / Double(height) - 0.5,
          pose)
        depth[y * width + x] = Float(hit.z)
        isBox[y * width + x] = hit.isBox ? 1 : 0
      }
    }
    return (
      Plane(width: width, height: height, elements: depth),
      Plane(width: width, height: height, elements: isBox)
    )
  }

  /// The detection that a perfect detector would give on the upright picture, mapped back to the stored one.
  func detection() -> Detection {
    let pose = self.pose
    let upright = PixelSize(width: 1440, height: 1920)
    let letterbox = Letterbox(imageSize: upright)
    var grid = [Float](repeating: 0, count: 160 * 160)
    var box = Rect<UprightPixels>(minX: .infinity, minY: .infinity, maxX: -.infinity, maxY: -.infinity)
    for y in 0..<160 {
      for x in 0..<160 {
        let p = letterbox.fromNetwork(Point2((Double(x) + 0.5) * 4, (Double(y) + 0.5) * 4))
        // Portrait (px, py) = (H - y, x), so stored (x, y) = (py, H - px).
        guard p.x > 0, p.x < 1440, cast(p.y - 0.5, 1440 - p.x - 0.5, pose).isBox else { continue }
        grid[y * 160 + x] = 1
        box = Rect(
          minX: min(box.minX, p.x - 6), minY: min(box.minY, p.y - 6), maxX: max(box.maxX, p.x + 6),
          maxY: max(box.maxY, p.y + 6))
      }
    }
    let mask = UprightMask(
      probabilities: Plane(width: 160, height: 160, elements: grid), letterbox: letterbox)
    return UprightDetection(id: 3, classId: 73, className: "book", confidence: 0.95, box: box, mask: mask)
      .turnedBack(from: .right, stored: Self.imageSize)
  }

  /// The detection whose mask is the box's silhouette to the pixel, or so many pixels wider.
  func exactDetection(leaking leak: Int = 0) -> Detection {
    let pose = self.pose
    let truth = Box3D(
      center: center, dimensions: BoxDimensions(x: size.x, y: size.y, z: size.z), yaw: yaw,
      method: .minimumArea)
    let toCamera = pose.inverse
    let corners = truth.corners.compactMap { Self.intrinsics.project(toCamera.apply($0)) }
    let columns =
      max(0, Int(corners.map(\.x).min()!) - 2 - leak)...min(1919, Int(corners.map(\.x).max()!) + 2 + leak)
    let rows =
      max(0, Int(corners.map(\.y).min()!) - 2 - leak)...min(1439, Int(corners.map(\.y).max()!) + 2 + leak)
    var mask = Plane<UInt8>(width: 1920, height: 1440, fill: 0)
    let around = leak == 0 ? [(0, 0)] : [(0, 0), (leak, 0), (-leak, 0), (0, leak), (0, -leak)]
    for v in rows {
      for u in columns where around.contains(where: { cast(Double(u + $0.0), Double(v + $0.1), pose).isBox })
      {
        mask[u, v] = 255
      }
    }
    return Detection(
      id: 3, classId: 73, className: "book", confidence: 0.95,
      box: Rect(
        minX: Double(columns.lowerBound), minY: Double(rows.lowerBound), maxX: Double(columns.upperBound),
        maxY: Double(rows.upperBound)), mask: InstanceMask(binary: mask))
  }

  func depthScene(_ sensor: MetricDepth?, fused: MetricDepth? = nil) -> DepthScene {
    DepthScene(
      imageSize: Self.imageSize, intrinsics: Self.intrinsics, cameraToWorld: pose, orientation: .right,
      readings: sensor, fused: fused)
  }
}
