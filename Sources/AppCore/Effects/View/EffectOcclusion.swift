import Geometry
import Imaging

/// How much of an effect is visible at each cell of a depth grid, turned upright: 0 behind the scene, 1 in
/// front of it.
///
/// Visibility, not depth, is interpolated between cells (percentage-closer filtering), so that the edges of
/// occluders are smooth and no depth between two surfaces is invented.
struct EffectOcclusion: Sendable {
  /// Depth differences below this share of the depth are not sure: the transition is that wide to either side.
  static let tolerance: Float = 0.015
  /// Readings this far outside the object's own box still belong to it, meters.
  static let ownMargin = 0.05
  /// Readings of at least this confidence hide effects.
  static let minimumConfidence: UInt8 = 1
  /// Readings beyond hide nothing, meters.
  static let range: ClosedRange<Float> = 0.05...10

  private let shares: Plane<Float>
  /// Cells a pixel of the upright picture.
  private let scale: SIMD2<Float>

  /// The visibility of a surface; nil where all of it is visible, or where the frame lacks depth or
  /// intrinsics.
  ///
  /// - `area`: The part of the upright picture that the surface covers.
  /// - `own`: The box of the object that the effect belongs to, whose own surface does not hide it.
  init?(
    of surface: some EffectSurface, at effectToWorld: RigidTransform<EffectSpace, World>, area: PixelArea,
    in frame: CapturedFrame, own: Box3D?
  ) {
    guard let depth = frame.depth, let camera = frame.depthIntrinsics else { return nil }
    let orientation = frame.orientation
    let stored = PixelSize(width: depth.width, height: depth.height)
    let grid = orientation.apply(to: stored)
    let picture = orientation.apply(to: frame.imageSize)
    scale = SIMD2(Float(grid.width) / Float(picture.width), Float(grid.height) / Float(picture.height))
    let rays = SightRays(
      cells: camera, orientation: orientation, cameraToWorld: frame.cameraToWorld,
      effectToWorld: effectToWorld)
    let box = own.map { OwnSpace($0, frame: frame, camera: camera) }
    var shares = [Float](repeating: 1, count: grid.width * grid.height)
    var isPartial = false
    for row in Self.cells(area.rows, scale: scale.y, count: grid.height) {
      for column in Self.cells(area.columns, scale: scale.x, count: grid.width) {
        let place = orientation.storedIndex(uprightX: column, row, stored: stored)
        let index = place.y * stored.width + place.x
        let reading = depth.elements[index]
        guard Self.range.contains(reading) else { continue }
        if let confidence = frame.confidence, confidence.elements[index] < Self.minimumConfidence { continue }
        let (x, y) = (Float(column) + 0.5, Float(row) + 0.5)
        let there = surface.depth(rays.origin, rays.direction(x, y))
        guard there > 0, there.isFinite else { continue }
        let blur = there * Self.tolerance
        guard reading < there + blur else { continue }
        if let box, box.holds(x, y, reading) { continue }
        shares[row * grid.width + column] = max(0, (reading - there + blur) / (2 * blur))
        isPartial = true
      }
    }
    guard isPartial else { return nil }
    self.shares = Plane(width: grid.width, height: grid.height, elements: shares)
  }

  /// The cells that a stretch of pixels is interpolated from.
  private static func cells(_ pixels: Range<Int>, scale: Float, count: Int) -> Range<Int> {
    let first = Int(max(Float(pixels.lowerBound) * scale - 1, 0))
    let end = Int(Float(pixels.upperBound) * scale) + 2
    return first..<max(first, min(end, count))
  }

  /// The shares seen along a row of pixels.
  struct Row {
    fileprivate let shares: [Float]
    fileprivate let scale: Float

    /// The share seen at a position along the row.
    @inline(__always)
    func share(at x: Float) -> Float {
      let cell = min(max(x * scale - 0.5, 0), Float(shares.count - 1))
      let column = Int32(cell)
      let left = shares[Int(column)]
      return mix(left, shares[min(Int(column) + 1, shares.count - 1)], cell - Float(column))
    }
  }

  /// The shares along the row of pixels whose middle is at `y`; nil where all is seen.
  func row(at y: Float) -> Row? {
    let cell = min(max(y * scale.y - 0.5, 0), Float(shares.height - 1))
    let upper = Int(cell)
    let lower = min(upper + 1, shares.height - 1)
    let (above, below) = (upper * shares.width, lower * shares.width)
    let share = cell - Float(upper)
    let row = (0..<shares.width).map {
      mix(shares.elements[above + $0], shares.elements[below + $0], share)
    }
    return row.allSatisfy { $0 >= 1 } ? nil : Row(shares: row, scale: scale.x)
  }

  /// The rays of the depth grid in the frame of an object's box.
  private struct OwnSpace {
    let rays: SightRays
    let half: SIMD3<Float>

    init(_ box: Box3D, frame: CapturedFrame, camera: DepthIntrinsics) {
      rays = SightRays(
        cells: camera, orientation: frame.orientation, cameraToWorld: frame.cameraToWorld,
        effectToWorld: RigidTransform(rotation: box.rotation, origin: box.center))
      let sides = box.dimensions
      half = SIMD3(
        Float(sides.x / 2 + ownMargin), Float(sides.y / 2 + ownMargin), Float(sides.z / 2 + ownMargin))
    }

    @inline(__always)
    func holds(_ x: Float, _ y: Float, _ depth: Float) -> Bool {
      let point = rays.origin + rays.direction(x, y) * depth
      return abs(point.x) <= half.x && abs(point.y) <= half.y && abs(point.z) <= half.z
    }
  }
}
