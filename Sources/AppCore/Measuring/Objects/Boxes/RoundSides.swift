import Geometry

/// The sides of a round object: first the one away from the camera, then the one towards it.
extension SurfaceBox {
  /// A round object's depth within this share of its width is its width.
  private static let roundness = 0.15
  /// Shares of a round object's height between which its upright face is evaluated.
  private static let middleHeights = 0.15...0.85

  /// Whether a round object is seen as deep as it is wide.
  static func showsBack(_ sides: [UprightSide]) -> Bool {
    let depth = sides[0].estimate.position + sides[1].estimate.position
    let width = sides[2].estimate.position + sides[3].estimate.position
    return depth >= (1 - roundness) * width
  }

  /// Marks a round object's back as one that follows from its width, and as inferred where it is not seen.
  static func completeBack(_ sides: inout [UprightSide]) {
    if !showsBack(sides) { sides[0].evidence = .inferred }
    sides[0].unseen = 0
  }

  /// Points of a round object's upright face: neither near the support nor near the top.
  static func mantle(_ surface: [BoxSpot], _ support: SupportPlane?) -> [BoxSpot] {
    guard let support else { return [] }
    let heights = surface.map { support.elevation($0.point) }
    let top = quantile(heights, 0.98)
    return zip(surface, heights).filter {
      $1 > middleHeights.lowerBound * top && $1 < middleHeights.upperBound * top
    }
    .map(\.0)
  }

  /// A round object that no solid explains is as deep as it is wide: its back, seen at a grazing angle or not at
  /// all, follows from its sides.
  ///
  /// Without a circle they are placed by what is seen of its width: from above, the camera's rays touch a circle of
  /// radius r, whose middle is D away, at r cos(alpha) beside the middle, where sin(alpha) = r / D.
  static func completeRound(
    _ sides: inout [UprightSide], _ circle: PlanCircle?, from camera: Point3<World>
  ) {
    let near = sides[1].estimate.position
    let depth = sides[0].estimate.position + near
    let seen = (sides[2].estimate.position + sides[3].estimate.position) / 2
    guard depth < 2 * (1 + roundness) * seen else { return }
    completeBack(&sides)
    // Without a solid nothing says that it is a circle: it may end anywhere between what is seen and that.
    sides[0].unseen = showsBack(sides) ? 0 : (1 - depth / (2 * seen)) / 3.0.squareRoot()
    if let circle {
      for index in sides.indices {
        let direction = sides[index].direction
        sides[index].estimate = sides[index].estimate.moved(
          to: circle.x * direction.x + circle.z * direction.z + circle.radius)
      }
      return
    }
    // The face turned to the camera lies at -near along sides[0].
    let apart = -near - (camera - .origin).dot(sides[0].direction)
    var radius = seen
    if apart > 0 {
      for _ in 0..<8 {
        let sine = radius / (apart + radius)
        radius = seen / (1 - sine * sine).squareRoot()
      }
    }
    for index in 2...3 {
      sides[index].estimate = sides[index].estimate.moved(
        to: sides[index].estimate.position + radius - seen)
    }
    sides[0].estimate = sides[0].estimate.moved(to: 2 * radius - near)
  }
}

extension PlanCircle {
  /// A round object's circle as its sides say.
  init(_ sides: [UprightSide]) {
    let radius = (sides[2].estimate.position + sides[3].estimate.position) / 2
    let along = radius - sides[1].estimate.position
    let across = (sides[2].estimate.position - sides[3].estimate.position) / 2
    let (view, side) = (sides[0].direction, sides[2].direction)
    self.init(x: view.x * along + side.x * across, z: view.z * along + side.z * across, radius: radius)
  }
}
