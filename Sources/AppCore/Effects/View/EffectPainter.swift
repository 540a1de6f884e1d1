import FileFormats
import Geometry
import Imaging

/// Paints one effect into rows of a frame's upright picture.
protocol EffectPainter: Sendable {
  /// Adds the effect to the picture's rows from `first` on; `pixels` holds whole rows of red, green, blue bytes.
  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int)
}

/// Paints a film's plane.
///
/// A painter of its own, as that of cubes: called through the protocol, a generic one would not be specialized.
struct FilmPainter: EffectPainter {
  let view: SurfaceView<FilmSurface>

  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    view.paint(&pixels, rows: rows, width: width)
  }
}

/// Paints a cube.
struct CubePainter: EffectPainter {
  let view: SurfaceView<CubeSurface>

  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    view.paint(&pixels, rows: rows, width: width)
  }
}

/// A surface as a frame's camera sees it: rays of sight, film or faces, visibility by depth.
struct SurfaceView<Surface: EffectSurface>: Sendable {
  private let surface: Surface
  private let rays: SightRays
  private let occlusion: EffectOcclusion?
  private let opacity: Float
  /// The part of the upright picture that the surface covers.
  private let area: PixelArea
  /// Pixels of a row that are tested together before any of them is drawn.
  private static var stretch: Int { 16 }

  /// nil if the surface is not in view.
  init?(
    _ surface: Surface, at transform: RigidTransform<EffectSpace, World>, in frame: CapturedFrame,
    intrinsics: Intrinsics, own: Box3D?, opacity: Double
  ) {
    guard
      let area = PixelArea(
        around: surface.corners.map(transform.apply), in: frame, intrinsics: intrinsics)
    else { return nil }
    self.surface = surface
    self.area = area
    self.opacity = Float(opacity)
    rays = SightRays(
      intrinsics: intrinsics, orientation: frame.orientation, cameraToWorld: frame.cameraToWorld,
      effectToWorld: transform)
    occlusion = EffectOcclusion(of: surface, at: transform, area: area, in: frame, own: own)
  }

  /// Adds the surface to the picture's rows from `rows.lowerBound` on.
  @inline(__always)
  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    for row in area.rows.clamped(to: rows) {
      let y = Float(row) + 0.5
      let line = Line(
        start: rays.row(y), occlusion: occlusion?.row(at: y), offset: (row - rows.lowerBound) * width * 3)
      for first in stride(from: area.columns.lowerBound, to: area.columns.upperBound, by: Self.stretch) {
        let end = min(first + Self.stretch, area.columns.upperBound)
        func direction(_ x: Int) -> SIMD3<Float> { line.start + rays.stepX * Float(x) }
        guard !surface.isClear(rays.origin, from: direction(first), to: direction(end)) else { continue }
        paint(&pixels, line, first..<end)
      }
    }
  }

  /// A row of the picture.
  private struct Line {
    /// The direction through its left end.
    let start: SIMD3<Float>
    let occlusion: EffectOcclusion.Row?
    /// Index of its first byte.
    let offset: Int
  }

  @inline(__always)
  private func paint(_ pixels: inout MutableSpan<UInt8>, _ line: Line, _ columns: Range<Int>) {
    for column in columns {
      let x = Float(column) + 0.5
      let direction = line.start + rays.stepX * x
      let depth = surface.depth(rays.origin, direction)
      guard depth > 0.01, depth < .infinity else { continue }
      var color = surface.color(rays.origin, direction, depth: depth)
      guard color.w > 0.5 else { continue }
      var share = opacity
      if let occlusion = line.occlusion { share *= occlusion.share(at: x) }
      guard share > 0 else { continue }
      color *= share
      let rest = 1 - color.w / 255
      let index = line.offset + column * 3
      pixels[index] = blend(pixels[index], rest, color.x)
      pixels[index + 1] = blend(pixels[index + 1], rest, color.y)
      pixels[index + 2] = blend(pixels[index + 2], rest, color.z)
    }
  }

  @inline(__always)
  private func blend(_ under: UInt8, _ rest: Float, _ light: Float) -> UInt8 {
    UInt8(truncatingIfNeeded: Int32(min(Float(under) * rest + light + 0.5, 255)))
  }
}

/// Paints the points of a debug mesh as yellow dots of 5 mm.
struct DotsPainter: EffectPainter {
  private static let diameter = 0.005
  /// Largest radius of a dot, pixels: dots close to the lens grow no further.
  private static let largestRadius = 256.0
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
    let sensor = frame.readings
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
      let radius = min(max(0.8, Self.diameter / 2 * intrinsics.fx / depth), Self.largestRadius)
      return Dot(x: Float(upright.x), y: Float(upright.y), radius: Float(radius))
    }
  }

  func paint(_ pixels: inout MutableSpan<UInt8>, rows: Range<Int>, width: Int) {
    for dot in dots {
      // A dot close to the lens has a radius of any size.
      let reach = Int(Int32(clamping: dot.radius)) + 1
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
