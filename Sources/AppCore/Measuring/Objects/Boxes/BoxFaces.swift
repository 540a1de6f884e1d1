import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// The faces of an upright box as far as they are known, and the steps in which they become known better.
package struct BoxFaces {
  /// From world x towards world z.
  package var turn: Double
  /// Whether readings say anything of the turn.
  package var isTurnKnown = true
  /// The upright ones: along and against the turn, then a quarter turn on.
  package var sides: [UprightSide]
  package var top: SideEstimate
  /// Standard error of the top's height, meters.
  package var topError: Double
  /// How far above the readings the top lies, meters: so much lower it may be.
  package private(set) var raise = 0.0

  /// Faces as the surface's ends have them.
  package init(turn: Double, sides: [UprightSide], top: SideEstimate) {
    (self.turn, self.sides, self.top) = (turn, sides, top)
    topError = top.standardError
  }

  // MARK: Solid

  /// The faces where a solid has them.
  ///
  /// - Parameters:
  ///   - fit: The solid, at these faces' turn.
  ///   - dark: The sides beyond which nothing is read: a mask alone places them, whose error is alike all along its edge.
  ///   - showsEnds: Whether the sensor's steps are sharp: a solid then places far sides better than the surface's ends do.
  /// - Returns: The faces.
  package func settled(by fit: SolidFit, dark: Set<Int>, showsEnds: Bool) -> BoxFaces {
    var faces = self
    if fit.isRound { SurfaceBox.completeBack(&faces.sides) }
    for index in sides.indices {
      faces.sides[index].estimate = sides[index].estimate.moved(to: fit.reaches[index])
      let least = dark.contains(index) ? sides[index].estimate.spread : 0
      faces.sides[index].error = max(fit.errors[index], least)
      guard sides[index].isHidden, !fit.isRound, !showsEnds else { continue }
      // The ends of the surface and the solid place a far side twice: both are half of their difference off the mean.
      let apart = sides[index].estimate.position - fit.reaches[index]
      faces.sides[index].error = hypot(faces.sides[index].error, apart / 2)
    }
    faces.top = top.moved(to: fit.top)
    faces.topError = max(topError, fit.topError)
    return faces
  }

  /// The faces of a round object that no solid explains: its back follows from its width.
  ///
  /// - Parameters:
  ///   - circle: The circle on which its upright face lies, where there is one.
  ///   - errors: The standard errors of sides at a turn, used without a circle.
  ///   - camera: Where it is seen from.
  ///   - showsEnds: Whether the sensor's steps are sharp, and show themselves where the object ends.
  /// - Returns: The faces.
  package func completed(
    round circle: PlanCircle?, errors: ([UprightSide], Double) -> [Double], from camera: Point3<World>,
    showsEnds: Bool
  ) -> BoxFaces {
    var faces = self
    let errors = circle == nil ? errors(sides, turn) : sides.map(\.estimate.standardError)
    // Without a solid nothing says that the object is round.
    let doubt = showsEnds ? 0 : UprightSide.mostUnseen / 2
    let width = sides[2].estimate.position + sides[3].estimate.position
    for index in sides.indices {
      faces.sides[index].error = hypot(errors[index], doubt * width)
    }
    SurfaceBox.completeRound(&faces.sides, circle, from: camera)
    return faces
  }

  /// The faces of any other object that no solid explains.
  ///
  /// - Parameters:
  ///   - errors: The standard errors of sides at a turn.
  ///   - edgeOn: What places faces that are seen edge-on; nil without an exact mask.
  ///   - showsEnds: Whether the sensor's steps are sharp, and show themselves where far sides end.
  /// - Returns: The faces.
  func completed(
    errors: ([UprightSide], Double) -> [Double], by edgeOn: EdgeOnFaces?, showsEnds: Bool
  ) -> BoxFaces {
    var faces = self
    let errors = errors(sides, turn)
    for index in sides.indices {
      faces.sides[index].error = errors[index]
      if sides[index].isHidden, !showsEnds {
        // No solid says how far the object continues beyond what is seen.
        let length = sides[index].estimate.position + sides[index ^ 1].estimate.position
        faces.sides[index].error = hypot(errors[index], UprightSide.mostUnseen * length)
      }
      if let position = edgeOn?.position(sides[index]) {
        faces.sides[index].estimate = sides[index].estimate.moved(to: position)
      }
    }
    return faces
  }

  /// Moves the top to a height above the support, if that is known better than the top's place and its mean height.
  mutating func placeTop(_ height: HeightAcrossOutline, above bottom: Double, mean error: Double) {
    guard height.error < min(topError, error), height.meters > 0 else { return }
    top = top.moved(to: bottom + height.meters)
    topError = height.error
  }

  /// Moves the top up from where readings end to a height, if that is above it.
  package mutating func raiseTop(to height: Double) {
    raise = max(0, height - top.position)
    top = top.moved(to: top.position + raise)
  }

  // MARK: Evidence

  /// The faces, of which those that the camera does not see are as well known as `evidence` says of each.
  package func judged(by evidence: (UprightSide) -> SideEvidence) -> BoxFaces {
    var faces = self
    for index in sides.indices where sides[index].isHidden && sides[index].evidence == .observed {
      faces.sides[index].evidence = evidence(sides[index])
    }
    return faces
  }

  /// The faces of an object that a box explains: where the surface inside a far side is seen from above, the object extends no
  /// farther beyond it than that surface would be seen to.
  ///
  /// - Parameters:
  ///   - shown: Whether that surface is seen, of each side.
  ///   - doubt: Distance in cells within which an end is seen.
  ///   - pitch: Width of a cell at a depth of 1 m, meters.
  ///   - camera: Where they are seen from.
  /// - Returns: The faces.
  package func bounded(
    where shown: [Bool], by doubt: Double, pitch: Double, from camera: Point3<World>
  ) -> BoxFaces {
    var (faces, middle) = (self, middle)
    middle.y = top.position
    for index in sides.indices
    where shown[index] && sides[index].isHidden && sides[index].evidence == .inferred {
      let half = (sides[index].estimate.position + sides[index ^ 1].estimate.position) / 2
      let step = sides[index].direction * half
      guard let far = (middle + step - camera).normalized(), let near = (middle + -step - camera).normalized()
      else { continue }
      let cells = (far - near).length / pitch
      faces.sides[index].unseen = min(sides[index].unseen, doubt / max(cells, doubt))
    }
    return faces
  }

  // MARK: Cuts

  /// Faces, of which those are inferred beyond which the object extends unseen.
  struct Cut {
    let faces: BoxFaces
    /// Whether the picture or the sensor's field cuts the object off aside.
    let isCut: Bool
    /// Whether something nearer hides an upright side.
    let isOccluded: Bool
  }

  /// The faces, of which those are inferred beyond which the object is cut off, hidden, or may extend where
  /// there are no readings (`unread`).
  func cut(_ ends: ObjectEnds, _ search: UprightSearch, unread: [Int]) -> Cut {
    var faces = self
    let isCut = search.cut(&faces.sides, by: ends.cuts, cell: ends.cell)
    let isOccluded =
      ends.hasOccluders && search.hidden(&faces.sides, by: ends.occluders, cell: ends.cell)
    for index in unread { faces.sides[index].extendUnseen() }
    return Cut(faces: faces, isCut: isCut, isOccluded: isOccluded)
  }
}
