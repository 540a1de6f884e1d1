import Geometry

/// Unit shapes that many nodes share, added to a file when first needed.
struct SceneShapes {
  struct Cube {
    let positions: Int
    let edges: Int
    let faces: Int
  }

  struct Quad {
    let positions: Int
    let faces: Int
  }

  private var cube: Cube?
  private var quad: Quad?

  /// A cube of side 1 around the origin, corners in the order of `Box3D.corners`.
  mutating func cube(_ builder: inout GLBBuilder) -> Cube {
    if let cube { return cube }
    let corners: [Float] = [-0.5, 0.5].flatMap { (y: Float) -> [Float] in
      [-0.5, y, -0.5, 0.5, y, -0.5, 0.5, y, 0.5, -0.5, y, 0.5]
    }
    // Counter-clockwise seen from outside.
    let faces: [UInt32] = [
      0, 1, 2, 0, 2, 3, 4, 7, 6, 4, 6, 5, 0, 4, 5, 0, 5, 1, 1, 5, 6, 1, 6, 2, 2, 6, 7, 2, 7, 3, 3, 7, 4, 3, 4,
      0,
    ]
    let made = Cube(
      positions: builder.addPositions(corners),
      edges: builder.addIndices(Box3D.edges.flatMap { [UInt32($0.0), UInt32($0.1)] }),
      faces: builder.addIndices(faces))
    cube = made
    return made
  }

  /// A square of side 1 around the origin that faces +z.
  mutating func quad(_ builder: inout GLBBuilder) -> Quad {
    if let quad { return quad }
    let made = Quad(
      positions: builder.addPositions([-0.5, -0.5, 0, 0.5, -0.5, 0, 0.5, 0.5, 0, -0.5, 0.5, 0]),
      faces: builder.addIndices([0, 1, 2, 0, 2, 3]))
    quad = made
    return made
  }
}
