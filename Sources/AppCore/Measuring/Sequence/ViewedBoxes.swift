import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// An object's box as single frames measured it.
struct ViewedBox {
  let box: Box3D
  /// How each of its sides is known.
  let sides: BoxSides
  /// Whether it has no turn of its own.
  let isRound: Bool
}

/// The boxes of all frames put together, side by side.
///
/// Where a frame sees a side it measures it to far less than the cells in which a sequence gathers points; where it does not,
/// its box ends with what it saw. So each side is the median of the frames that observed it, and one that none observed
/// is where the points of all frames end.
struct ViewedBoxes {
  /// Boxes turned against the others by more have other sides, radians.
  private static let turned = 5.0 * Double.pi / 180

  private let views: [ViewedBox]
  private let isRound: Bool
  /// The box's x and z axes and the opposite directions.
  private let directions: [Vector3<World>]
  private let yaw: Double

  /// Nil where no frame measured surfaces.
  init?(_ boxes: [ViewedBox]) {
    let measured = boxes.filter { $0.box.method == .surfaces }
    guard !measured.isEmpty else { return nil }
    isRound = 2 * measured.count(where: \.isRound) > measured.count
    let alike = measured.filter { [isRound] in $0.isRound == isRound }
    // Turns repeat every quarter: their mean on the circle, and from there their median.
    let sum = alike.reduce((0.0, 0.0)) { ($0.0 + cos(4 * $1.box.yaw), $0.1 + sin(4 * $1.box.yaw)) }
    let mean = atan2(sum.1, sum.0) / 4
    let yaw = mean + (Self.median(alike.map { Self.turn($0.box.yaw, from: mean) }) ?? 0)
    views = alike.filter { [isRound] in isRound || abs(Self.turn($0.box.yaw, from: yaw)) < Self.turned }
    let usual = Box3D(
      center: .origin, dimensions: BoxDimensions(x: 1, y: 1, z: 1), yaw: yaw, method: .surfaces)
    directions = [usual.xAxis, -usual.xAxis, usual.zAxis, -usual.zAxis]
    self.yaw = yaw
  }

  /// The angle from a box's sides to another's, in plus or minus an eighth of a turn.
  private static func turn(_ yaw: Double, from other: Double) -> Double {
    (yaw - other).remainder(dividingBy: .pi / 2)
  }

  /// The box, and how each of its sides is known.
  ///
  /// - `whole`: The box around the points of all frames.
  func box(around whole: Box3D) -> (box: Box3D, sides: BoxSides)? {
    let observed = directions.map { direction in
      Self.median(views.compactMap { reach(of: $0, along: direction) })
    }
    let reaches = zip(directions, observed).map { $1 ?? Self.reach(of: whole, along: $0) }
    let bottom = Self.median(views.filter { $0.sides.minY == .floor }.map(\.box.bottomCenter.y))
    let top = Self.median(views.filter { $0.sides.maxY == .observed }.map(\.box.top))
    let low = bottom ?? whole.bottomCenter.y
    let high = top ?? whole.top
    let (x, z) = (reaches[0] + reaches[1], reaches[2] + reaches[3])
    guard x > 0, z > 0, high > low else { return nil }
    let middle =
      Point3.origin + directions[0] * ((reaches[0] - reaches[1]) / 2) + directions[2]
      * ((reaches[2] - reaches[3]) / 2)
    let turn = x >= z ? yaw : yaw + .pi / 2
    let box = Box3D(
      center: Point3(middle.x, (low + high) / 2, middle.z),
      dimensions: BoxDimensions(x: max(x, z), y: high - low, z: min(x, z)),
      yaw: turn.remainder(dividingBy: .pi), method: .surfaces)
    func evidence(_ direction: Vector3<World>) -> SideEvidence {
      let side = directions.indices.max { directions[$0].dot(direction) < directions[$1].dot(direction) }
      return side.flatMap { observed[$0] } == nil ? .inferred : .observed
    }
    let sides = BoxSides(
      minX: evidence(-box.xAxis), maxX: evidence(box.xAxis), minY: bottom == nil ? .inferred : .floor,
      maxY: top == nil ? .inferred : .observed, minZ: evidence(-box.zAxis), maxZ: evidence(box.zAxis))
    return (box, sides)
  }

  /// How far a frame's box reaches along a direction, if the frame observed that side.
  private func reach(of view: ViewedBox, along direction: Vector3<World>) -> Double? {
    let (box, sides) = (view.box, view.sides)
    let middle = (box.center - .origin).dot(direction)
    if isRound {
      // As wide in any direction; its depth may be inferred.
      let isWhole = [[sides.minX, sides.maxX], [sides.minZ, sides.maxZ]].map {
        $0.allSatisfy { $0 == .observed }
      }
      guard isWhole[0] || isWhole[1] else { return nil }
      return middle + (isWhole[0] ? box.dimensions.x : box.dimensions.z) / 2
    }
    let faces = [
      (box.xAxis, box.dimensions.x, sides.maxX), (-box.xAxis, box.dimensions.x, sides.minX),
      (box.zAxis, box.dimensions.z, sides.maxZ), (-box.zAxis, box.dimensions.z, sides.minZ),
    ]
    guard let face = faces.max(by: { $0.0.dot(direction) < $1.0.dot(direction) }), face.2 == .observed
    else { return nil }
    return middle + face.1 / 2
  }

  private static func reach(of box: Box3D, along direction: Vector3<World>) -> Double {
    (box.center - .origin).dot(direction) + abs(box.xAxis.dot(direction)) * box.dimensions.x / 2
      + abs(box.zAxis.dot(direction)) * box.dimensions.z / 2
  }

  private static func median(_ values: [Double]) -> Double? {
    values.isEmpty ? nil : quantile(values, 0.5)
  }
}

extension Box3D {
  /// The height of its upper face.
  fileprivate var top: Double { center.y + dimensions.y / 2 }
}
