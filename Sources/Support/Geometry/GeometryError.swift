/// Defect of numbers that should form a geometric value.
public enum GeometryError: Error, Equatable, CustomStringConvertible {
  /// Focal lengths must be finite and positive, the principal point finite.
  case badIntrinsics(fx: Double, fy: Double, cx: Double, cy: Double)
  /// A picture or grid side is not between 1 and `PixelSize.maximumSide`.
  case badSize(width: Int, height: Int)
  /// A matrix has the wrong number of elements.
  case badElementCount(expected: Int, found: Int)
  /// A pose contains NaN or infinity.
  case notFinite
  /// A pose's rotation columns are not orthonormal with determinant +1; `deviation` is the largest error.
  case notRigid(deviation: Double)
  /// A pose's last row is not 0 0 0 1: the matrix is probably stored in the other order.
  case notAffine
  /// An EXIF orientation outside 1...8.
  case badOrientation(Int)

  /// The defect and what to do.
  public var description: String {
    switch self {
    case .badIntrinsics(let fx, let fy, let cx, let cy):
      "intrinsics fx \(fx), fy \(fy), cx \(cx), cy \(cy) are unusable: focal lengths must be positive and "
        + "all four finite"
    case .badSize(let width, let height):
      "size \(width)x\(height) is unusable: each side must be 1 to \(PixelSize.maximumSide)"
    case .badElementCount(let expected, let found):
      "matrix needs \(expected) elements, not \(found)"
    case .notFinite: "pose contains NaN or infinity"
    case .notRigid(let deviation):
      "pose is not a rotation and translation: columns are off orthonormal by \(deviation); check scale, "
        + "handedness and element order"
    case .notAffine:
      "pose's last row is not 0 0 0 1: check whether the matrix is row-major or column-major"
    case .badOrientation(let code): "orientation \(code) is not an EXIF orientation (1 to 8)"
    }
  }
}
