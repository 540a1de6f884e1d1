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
  /// How far its numbers may be from the truth; nil where that was not written.
  let errors: BoxErrors?
  /// Whether it has no turn of its own.
  let isRound: Bool
}

/// The boxes of all frames put together, side by side.
///
/// Where a frame sees a side it measures it to far less than the cells in which a sequence gathers points; where it does not,
/// its box ends with what it saw. So each side is put together from the frames that observed it (`CombinedPosition`), and one
/// that none observed is where the points of all frames end.
struct ViewedBoxes {
  /// Boxes turned against the others by more have other sides, radians.
  private static let turned = 5.0 * Double.pi / 180
  /// Variance of a frame's position, square meters, where frames do not say how their numbers err: all count alike.
  private static let unknown = 1e-6

  /// A box of all frames.
  struct Combined {
    let box: Box3D
    /// How each of its sides is known.
    let sides: BoxSides
    /// How far its numbers may be from the truth; nil where its frame does not state it.
    let errors: BoxErrors?
  }

  private let views: [ViewedBox]
  /// How the views err; nil unless all say it.
  private let errors: [ViewErrors]?
  private let isRound: Bool
  /// The box's x and z axes and the opposite directions.
  private let directions: [Vector3<World>]
  private let yaw: Double
  /// Standard deviation of the yaw, radians; nil where it is not known, or the object is round.
  private let yawError: Double?

  /// Nil where no frame measured surfaces.
  init?(_ boxes: [ViewedBox]) {
    let measured = boxes.filter { $0.box.method == .surfaces }
    guard !measured.isEmpty else { return nil }
    isRound = 2 * measured.count(where: \.isRound) > measured.count
    let alike = measured.filter { [isRound] in $0.isRound == isRound }
    // Turns repeat every quarter: their mean on the circle, and from there their median.
    let sum = alike.reduce((0.0, 0.0)) { ($0.0 + cos(4 * $1.box.yaw), $0.1 + sin(4 * $1.box.yaw)) }
    let mean = atan2(sum.1, sum.0) / 4
    let usual = mean + quantile(alike.map { Self.turn($0.box.yaw, from: mean) }, 0.5)
    views = alike.filter { [isRound] in isRound || abs(Self.turn($0.box.yaw, from: usual)) < Self.turned }
    let known = views.compactMap { view in
      view.errors.map { ViewErrors($0, of: view.box, sides: view.sides) }
    }
    errors = known.count == views.count && !known.isEmpty ? known : nil
    let turns = errors.map { [views] errors in
      zip(views, errors).map { view, error in
        error.yaw.map { (value: Self.turn(view.box.yaw, from: usual), variance: max($0 * $0, 1e-8)) }
      }
    }
    if !isRound, let turns, let combined = CombinedPosition(turns) {
      yaw = usual + combined.position
      yawError = combined.own(turns.map { $0?.variance ?? 0 }).squareRoot()
    } else {
      (yaw, yawError) = (usual, nil)
    }
    let box = Box3D(
      center: .origin, dimensions: BoxDimensions(x: 1, y: 1, z: 1), yaw: yaw, method: .surfaces)
    directions = [box.xAxis, -box.xAxis, box.zAxis, -box.zAxis]
  }

  /// The angle from a box's sides to another's, in plus or minus an eighth of a turn.
  private static func turn(_ yaw: Double, from other: Double) -> Double {
    (yaw - other).remainder(dividingBy: .pi / 2)
  }

  /// A face of the combined box.
  private struct Face {
    let combined: CombinedPosition
    let isObserved: Bool
    /// Variance of what each frame's face errs by itself.
    let variances: [Double]

    var position: Double { combined.position }
  }

  /// The box, and how well each of its sides is known.
  ///
  /// - `whole`: The box around the points of all frames.
  func box(around whole: Box3D) -> Combined? {
    let upright = directions.map { direction in
      face(along: direction, of: whole) { reach(of: $0, along: direction) }
    }
    let up = Vector3<World>(0, 1, 0)
    // The support's height errs by what the frame errs by as a whole.
    let low = face(along: -up, of: whole, isSupport: true) {
      $0.sides.minY == .floor ? (-$0.box.bottomCenter.y, \.y) : nil
    }
    let high = face(along: up, of: whole) { $0.sides.maxY == .observed ? ($0.box.top, \.y) : nil }
    let (x, z) = (upright[0].position + upright[1].position, upright[2].position + upright[3].position)
    let height = high.position + low.position
    guard x > 0, z > 0, height > 0 else { return nil }
    let middle =
      Point3.origin + directions[0] * ((upright[0].position - upright[1].position) / 2) + directions[2]
      * ((upright[2].position - upright[3].position) / 2)
    let turn = x >= z ? yaw : yaw + .pi / 2
    let box = Box3D(
      center: Point3(middle.x, (high.position - low.position) / 2, middle.z),
      dimensions: BoxDimensions(x: max(x, z), y: height, z: min(x, z)),
      yaw: turn.remainder(dividingBy: .pi), method: .surfaces)
    func evidence(_ direction: Vector3<World>) -> SideEvidence {
      let side = directions.indices.max { directions[$0].dot(direction) < directions[$1].dot(direction) }
      return side.map { upright[$0].isObserved } == true ? .observed : .inferred
    }
    let sides = BoxSides(
      minX: evidence(-box.xAxis), maxX: evidence(box.xAxis), minY: low.isObserved ? .floor : .inferred,
      maxY: high.isObserved ? .observed : .inferred, minZ: evidence(-box.zAxis), maxZ: evidence(box.zAxis))
    guard errors != nil else { return Combined(box: box, sides: sides, errors: nil) }
    let pairs = [
      pair(upright[0], upright[1], length: x, along: directions[0]),
      pair(low, high, length: height, along: up),
      pair(upright[2], upright[3], length: z, along: directions[2]),
    ]
    let (long, across) = x >= z ? (pairs[0], pairs[2]) : (pairs[2], pairs[0])
    let scale = shared.squareRoot()
    func total(_ own: Double, _ length: Double) -> Double { (own + shared * length * length).squareRoot() }
    let (a, b) = (directions[0], directions[2])
    func level(_ a: Double, _ b: Double) -> Double {
      (a * a * pairs[0].middle + b * b * pairs[2].middle).squareRoot()
    }
    return Combined(
      box: box, sides: sides,
      errors: BoxErrors(
        dimensions: BoxDimensions(
          x: total(long.length, box.dimensions.x), y: total(pairs[1].length, height),
          z: total(across.length, box.dimensions.z)),
        center: Vector3(level(a.x, b.x), pairs[1].middle.squareRoot(), level(a.z, b.z)),
        yaw: isRound ? nil : yawError, scale: scale))
  }

  /// The variance of the error that all lengths share, over the lengths.
  private var shared: Double {
    let all = errors ?? []
    return CombinedPosition.variance(
      all.map { _ in 1 / Double(all.count) }, all.map { $0.scale * $0.scale })
  }

  /// The face towards a direction, of the frames' `reach`: how far it lies out, and along which of a box's axes.
  private func face(
    along direction: Vector3<World>, of whole: Box3D, isSupport: Bool = false,
    _ reach: (ViewedBox) -> (Double, KeyPath<BoxDimensions, Double>)?
  ) -> Face {
    let found = views.map(reach)
    let variances = found.indices.map { index in
      guard let errors, let axis = found[index]?.1, !isSupport else { return 0.0 }
      return errors[index].faces[keyPath: axis]
    }
    let positions = found.indices.map { index in
      found[index].map { found in
        let displaced = errors.map { $0[index].displacement(along: direction) } ?? Self.unknown
        return (value: found.0, variance: max(variances[index] + displaced, 1e-6))
      }
    }
    if let combined = CombinedPosition(positions) {
      return Face(combined: combined, isObserved: true, variances: variances)
    }
    let end = Self.reach(of: whole, along: direction)
    return Face(
      combined: CombinedPosition(end, frames: views.count), isObserved: false, variances: variances)
  }

  /// The variances of the length between two opposite faces, without what all lengths share, and of its middle.
  private func pair(
    _ near: Face, _ far: Face, length: Double, along direction: Vector3<World>
  ) -> (length: Double, middle: Double) {
    // A face that no frame observed is as well known as the frame says that knows the length best.
    let most = UprightSide.mostUnseen * length
    let least = zip(errors ?? [], views).map { $0.side(along: direction, of: $1.box) }.min()
    let own = [near, far].reduce(0) { sum, face in
      sum + (face.isObserved ? face.combined.own(face.variances) : min(least ?? .infinity, most * most))
    }
    // What displaces a frame's box moves both faces: the length errs by it where their frames differ.
    let displaced = (errors ?? []).map { $0.displacement(along: direction) }
    let weights = zip(near.combined.weights, far.combined.weights)
    return (
      own + CombinedPosition.variance(weights.map { $0 - $1 }, displaced),
      own / 4 + CombinedPosition.variance(weights.map { ($0 + $1) / 2 }, displaced)
    )
  }

  /// How far a frame's box reaches along a direction, and which of its axes lies there, if the frame observed that side.
  private func reach(
    of view: ViewedBox, along direction: Vector3<World>
  ) -> (Double, KeyPath<BoxDimensions, Double>)? {
    let (box, sides) = (view.box, view.sides)
    let middle = (box.center - .origin).dot(direction)
    if isRound {
      // As wide in any direction; its depth may be inferred.
      let isWhole = [[sides.minX, sides.maxX], [sides.minZ, sides.maxZ]].map {
        $0.allSatisfy { $0 == .observed }
      }
      guard isWhole[0] || isWhole[1] else { return nil }
      return isWhole[0] ? (middle + box.dimensions.x / 2, \.x) : (middle + box.dimensions.z / 2, \.z)
    }
    let faces: [(Vector3<World>, KeyPath<BoxDimensions, Double>, SideEvidence)] = [
      (box.xAxis, \.x, sides.maxX), (-box.xAxis, \.x, sides.minX), (box.zAxis, \.z, sides.maxZ),
      (-box.zAxis, \.z, sides.minZ),
    ]
    guard let face = faces.max(by: { $0.0.dot(direction) < $1.0.dot(direction) }), face.2 == .observed
    else { return nil }
    return (middle + box.dimensions[keyPath: face.1] / 2, face.1)
  }

  private static func reach(of box: Box3D, along direction: Vector3<World>) -> Double {
    (box.center - .origin).dot(direction) + abs(box.xAxis.dot(direction)) * box.dimensions.x / 2
      + abs(box.zAxis.dot(direction)) * box.dimensions.z / 2 + abs(direction.y) * box.dimensions.y / 2
  }
}

extension Box3D {
  /// The height of its upper face.
  fileprivate var top: Double { center.y + dimensions.y / 2 }
}
