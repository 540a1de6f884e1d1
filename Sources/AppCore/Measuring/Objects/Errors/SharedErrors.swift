import Geometry

/// Errors that the faces of a box share with their neighborhood.
///
/// Neighboring readings share them: they do not show as scatter about a face, and the mean over a face hardly reduces
/// them.
struct SharedErrors {
  /// Number of faces among which the visible cells of a box are taken to be divided.
  private static let faces = 3.0

  private let alike: SensorErrors.Relative
  /// Patches along a face that err each by itself.
  private let patches: Double
  /// From the camera to the object.
  let reach: Vector3<World>
  /// Standard deviation of the place of the object's outline across the view, meters.
  private let edge: Double

  /// Ratio of the errors to those of the sensor alone (Birge's ratio; Physical Review 40, 1932).
  private let misfit: Double

  /// Those of an object of some cells whose middle lies at a point.
  ///
  /// - `misfit`: How many times as much as the sensor errs readings scatter about the solid; nil without a solid, where faces
  ///   lie at the outermost neighborhood instead of the mean of all.
  init(_ grid: SurfaceGrid, cells: CellSet, middle: Point3<World>, misfit: Double?) {
    self.misfit = misfit ?? 1
    alike = grid.alike
    let across = (Double(cells.count) / Self.faces).squareRoot() / grid.correlationLength
    patches = misfit == nil ? 1 : max(1, across)
    reach = middle - grid.camera
    edge = grid.edgeShift * grid.pitch * reach.length
  }

  /// Standard deviation of a face's place along a direction, meters.
  func deviation(along direction: Vector3<World>) -> Double {
    let depth = alike.correlated * abs(reach.dot(direction))
    let along = reach.dot(direction) / max(reach.length, 1e-9)
    let outline = edge * max(0, 1 - along * along).squareRoot()
    return misfit * ((depth * depth + outline * outline) / patches).squareRoot()
  }

  /// The same of a face's mean height, to which all neighborhoods of its area contribute.
  var ofMeanHeight: Double { deviation(along: Vector3(0, 1, 0)) / patches.squareRoot() }

  /// Standard deviation of a side's length over that length: the whole frame's.
  var ofLengths: Double { alike.bias }

  /// Standard deviation of an object's distance over that distance: the whole frame's, and that of its neighborhoods, which
  /// displace its faces alike.
  var ofDistance: Double {
    (alike.bias * alike.bias + alike.correlated * alike.correlated / patches).squareRoot()
  }
}

extension BoxFaces {
  /// The faces, in whose errors what their neighborhood shares counts too.
  func sharing(_ shared: SharedErrors) -> BoxFaces {
    func sum(_ own: Double, _ direction: Vector3<World>) -> Double {
      let other = shared.deviation(along: direction)
      return (own * own + other * other).squareRoot()
    }
    var faces = self
    for index in sides.indices { faces.sides[index].error = sum(sides[index].error, sides[index].direction) }
    faces.topError = sum(topError, Vector3(0, 1, 0))
    return faces
  }
}
