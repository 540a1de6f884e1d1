import Geometry
import Imaging

/// How much of an effect is seen at each cell of a depth grid: 0 behind the scene, 1 before it.
///
/// Visibility, not depth, is interpolated between cells (percentage-closer filtering), so that the edges of what
/// hides an effect are smooth and no depth between two surfaces is made up.
struct EffectOcclusion: Sendable {
  /// Depth differences below this share of the depth are not sure: the transition is that wide to either side.
  static let tolerance: Float = 0.015
  /// Readings this far outside the object's own box still belong to it, metres.
  static let ownMargin = 0.05
  /// Readings of at least this confidence hide effects.
  static let minimumConfidence: UInt8 = 1
  /// Readings beyond hide nothing, metres.
  static let range: ClosedRange<Float> = 0.05...10

  private let shares: Plane<Float>
  /// Cells a pixel of the stored picture.
  private let scale: SIMD2<Float>
  /// Whether anything is hidden at all.
  let isPartial: Bool

  /// The visibility of a surface; nil without depth or camera.
  ///
  /// - Parameter own: The box of the object that the effect belongs to, whose own surface does not hide it.
  init?(
    of surface: some EffectSurface, at effectToWorld: RigidTransform<EffectSpace, World>,
    in frame: CapturedFrame, own: Box3D?
  ) {
    guard let depth = frame.depth, let intrinsics = frame.depthIntrinsics else { return nil }
    let rays = SightRays(
      intrinsics: intrinsics, orientation: .up, cameraToWorld: frame.cameraToWorld,
      effectToWorld: effectToWorld)
    let box = own.map { OwnSpace($0, frame: frame, intrinsics: intrinsics) }
    var shares = [Float](repeating: 1, count: depth.elements.count)
    var isPartial = false
    for row in 0..<depth.height {
      for column in 0..<depth.width {
        let index = row * depth.width + column
        let reading = depth.elements[index]
        let isSure = frame.confidence.map { $0.elements[index] >= Self.minimumConfidence } ?? true
        guard isSure, Self.range.contains(reading) else { continue }
        let (x, y) = (Float(column) + 0.5, Float(row) + 0.5)
        let there = surface.depth(rays.origin, rays.direction(x, y))
        guard there > 0, there.isFinite else { continue }
        let blur = there * Self.tolerance
        guard reading < there + blur else { continue }
        if let box, box.holds(x, y, reading) { continue }
        shares[index] = max(0, (reading - there + blur) / (2 * blur))
        isPartial = true
      }
    }
    self.shares = Plane(width: depth.width, height: depth.height, elements: shares)
    self.isPartial = isPartial
    scale = SIMD2(
      Float(depth.width) / Float(frame.imageSize.width), Float(depth.height) / Float(frame.imageSize.height))
  }

  /// The share seen at a point of the stored picture.
  @inline(__always)
  func share(at stored: SIMD2<Float>) -> Float {
    let last = SIMD2(Float(shares.width - 1), Float(shares.height - 1))
    let cell = (stored * scale - SIMD2(repeating: 0.5)).clamped(lowerBound: .zero, upperBound: last)
    let (column, row) = (Int(cell.x), Int(cell.y))
    let (fx, fy) = (cell.x - Float(column), cell.y - Float(row))
    let (right, below) = (min(column + 1, shares.width - 1), min(row + 1, shares.height - 1) * shares.width)
    let above = row * shares.width
    let upper = mix(shares.elements[above + column], shares.elements[above + right], fx)
    let lower = mix(shares.elements[below + column], shares.elements[below + right], fx)
    return mix(upper, lower, fy)
  }

  /// The rays of the depth grid in the frame of an object's box.
  private struct OwnSpace {
    let rays: SightRays
    let half: SIMD3<Float>

    init(_ box: Box3D, frame: CapturedFrame, intrinsics: Intrinsics) {
      rays = SightRays(
        intrinsics: intrinsics, orientation: .up, cameraToWorld: frame.cameraToWorld,
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
