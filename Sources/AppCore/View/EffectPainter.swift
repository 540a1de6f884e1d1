import Geometry
import Imaging

/// Paints one effect into rows of a frame's upright picture.
protocol EffectPainter: Sendable {
  /// Adds the effect to the picture's rows from `first` on; `pixels` holds whole rows of red, green, blue bytes.
  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int)
}

/// Paints a surface: rays of sight, film or faces, visibility by depth.
struct SurfacePainter<Surface: EffectSurface>: EffectPainter {
  private let surface: Surface
  private let rays: SightRays
  private let occlusion: EffectOcclusion?
  private let opacity: Float
  /// The part of the upright picture that the surface covers.
  private let area: PixelArea
  /// The stored point of an upright one: origin and change along each axis.
  private let storedOrigin: SIMD2<Float>
  private let storedX: SIMD2<Float>
  private let storedY: SIMD2<Float>

  /// nil if the surface is not in view.
  init?(
    _ surface: Surface, at transform: RigidTransform<EffectSpace, World>, in frame: CapturedFrame,
    intrinsics: Intrinsics, own: Box3D?, opacity: Double
  ) {
    let size = frame.imageSize
    let orientation = frame.orientation
    guard
      let area = PixelArea(
        around: surface.corners.map(transform.apply), in: frame, intrinsics: intrinsics)
    else { return nil }
    self.surface = surface
    self.area = area
    self.opacity = Float(opacity)
    rays = SightRays(
      intrinsics: intrinsics, orientation: orientation, cameraToWorld: frame.cameraToWorld,
      effectToWorld: transform)
    let occlusion = EffectOcclusion(of: surface, at: transform, in: frame, own: own)
    self.occlusion = occlusion?.isPartial == true ? occlusion : nil
    func stored(_ x: Double, _ y: Double) -> SIMD2<Float> {
      let point = orientation.stored(Point2(x, y), stored: size)
      return SIMD2(Float(point.x), Float(point.y))
    }
    storedOrigin = stored(0, 0)
    storedX = stored(1, 0) - storedOrigin
    storedY = stored(0, 1) - storedOrigin
  }

  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    for row in area.rows.clamped(to: rows) {
      let y = Float(row) + 0.5
      let start = (row - rows.lowerBound) * width * 3
      for column in area.columns {
        let x = Float(column) + 0.5
        let direction = rays.direction(x, y)
        let depth = surface.depth(rays.origin, direction)
        guard depth > 0.01, depth < .infinity else { continue }
        var color = surface.color(rays.origin, direction, depth: depth)
        guard color.w > 0.5 else { continue }
        var share = opacity
        if let occlusion { share *= occlusion.share(at: storedOrigin + storedX * x + storedY * y) }
        guard share > 0 else { continue }
        color *= share
        let rest = 1 - color.w / 255
        let index = start + column * 3
        pixels[index] = blend(pixels[index], rest, color.x)
        pixels[index + 1] = blend(pixels[index + 1], rest, color.y)
        pixels[index + 2] = blend(pixels[index + 2], rest, color.z)
      }
    }
  }

  @inline(__always)
  private func blend(_ under: UInt8, _ rest: Float, _ light: Float) -> UInt8 {
    UInt8(min(Float(under) * rest + light + 0.5, 255))
  }
}

/// Paints the points of a debug mesh as yellow dots of 5 mm.
struct DotsPainter: EffectPainter {
  private static let diameter = 0.005
  private static let color: (UInt8, UInt8, UInt8) = (255, 255, 0)
  private struct Dot {
    let x: Float
    let y: Float
    let radius: Float
  }
  private let dots: [Dot]

  /// Dots that the frame's depth does not hide.
  init(_ cloud: [Point3<World>], in frame: CapturedFrame, intrinsics: Intrinsics) {
    let toCamera = frame.cameraToWorld.inverse
    let sensor = frame.depth.map { MetricDepth(sensor: $0, confidence: frame.confidence) }
    dots = cloud.compactMap { point in
      let seen = toCamera.apply(point)
      guard let place = intrinsics.project(seen), frame.imageSize.bounds().contains(place) else { return nil }
      let depth = -seen.z
      if let there = sensor?.meters(at: place, imageSize: frame.imageSize),
        there < depth * (1 - Double(2 * EffectOcclusion.tolerance)) - 0.01
      {
        return nil
      }
      let upright = frame.orientation.upright(place, stored: frame.imageSize)
      let radius = max(0.8, Self.diameter / 2 * intrinsics.fx / depth)
      return Dot(x: Float(upright.x), y: Float(upright.y), radius: Float(radius))
    }
  }

  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    for dot in dots {
      let reach = Int(dot.radius) + 1
      let (column, row) = (Int(dot.x), Int(dot.y))
      for y in (row - reach..<row + reach + 1).clamped(to: rows) {
        for x in (column - reach..<column + reach + 1).clamped(to: 0..<width) {
          let (dx, dy) = (Float(x) + 0.5 - dot.x, Float(y) + 0.5 - dot.y)
          guard dx * dx + dy * dy <= dot.radius * dot.radius else { continue }
          let index = ((y - rows.lowerBound) * width + x) * 3
          (pixels[index], pixels[index + 1], pixels[index + 2]) = Self.color
        }
      }
    }
  }
}

/// The rows and columns of an upright picture that something covers.
struct PixelArea: Sendable {
  let columns: Range<Int>
  let rows: Range<Int>

  /// The smallest area that shows all points; the whole picture if one of them is behind the camera, nil if all
  /// are or nothing is in view.
  init?(around points: [Point3<World>], in frame: CapturedFrame, intrinsics: Intrinsics) {
    let size = frame.orientation.apply(to: frame.imageSize)
    let toCamera = frame.cameraToWorld.inverse
    let seen = points.compactMap { intrinsics.project(toCamera.apply($0)) }.map {
      frame.orientation.upright($0, stored: frame.imageSize)
    }
    guard !seen.isEmpty else { return nil }
    guard seen.count == points.count else {
      columns = 0..<size.width
      rows = 0..<size.height
      return
    }
    func range(_ values: [Double], count: Int) -> Range<Int> {
      let low = min(max((values.min() ?? 0).rounded(.down), 0), Double(count))
      let high = min(max((values.max() ?? 0).rounded(.up), low), Double(count))
      return Int(low)..<Int(high)
    }
    columns = range(seen.map(\.x), count: size.width)
    rows = range(seen.map(\.y), count: size.height)
    if columns.isEmpty || rows.isEmpty { return nil }
  }
}
