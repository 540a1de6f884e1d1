import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Where a camera sees a box end.
extension FittedBox {
  /// Places along an edge at which is asked.
  private static let places = 16
  /// A notch whose floor is not higher than this share of the box leaves nothing below.
  private static let lowest = 0.1
  /// How far inside the side they lie, and how much nearer something must be to hide them: of the ray.
  private static let inset = 1e-4

  /// Whether the camera looks down on the surface inside each side along half of the side's upper edge, in the order of
  /// `reaches`: it would see more of that surface if the box were larger there.
  ///
  /// In a notch that surface is the notch's floor; where that lies at the `bottom` there is none, and no edge.
  func showsEnds(to camera: Point3<World>, above bottom: Double) -> [Bool] {
    let rays = rays(from: camera)
    let (c, s) = (cos(turn), sin(turn))
    let lowest = bottom + Self.lowest * (top - bottom)
    /// Whether an edge is seen; nil where there is none.
    func isSeen(_ along: Double, _ across: Double) -> Bool? {
      let floors = notches.filter { $0.holds(along, across, .infinity) }.map(\.floor)
      let height = min(top, floors.min() ?? top)
      guard height > lowest else { return nil }
      guard height < camera.y else { return false }
      let place = Point3<World>(c * along - s * across, height, s * along + c * across)
      return (rays.meets(place - camera, before: .infinity)?.meters ?? 1) > 1 - Self.inset
    }
    return reaches.indices.map { side in
      let end = (side % 2 == 0 ? 1 : -1) * reaches[side] * (1 - Self.inset)
      let other = side < 2 ? 2 : 0
      let (low, high) = (-reaches[other + 1], reaches[other])
      let seen = (0..<Self.places).compactMap { index -> Bool? in
        let place = low + (high - low) * (Double(index) + 0.5) / Double(Self.places)
        return side < 2 ? isSeen(end, place) : isSeen(place, end)
      }
      return !seen.isEmpty && 2 * seen.count(where: \.self) >= seen.count
    }
  }

  /// Whether every part that is missing of it is deeper than some length, which is not less than 0.
  func isCut(deeperThan least: Double) -> Bool { least == 0 || notches.allSatisfy { top - $0.floor > least } }
}
