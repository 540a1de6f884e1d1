import FileFormats
import Imaging

/// The motion of a camera from picture to picture, as far as it turns, scales and shifts what stands still.
///
/// Source: N. Aharon et al., *BoT-SORT: robust associations multi-pedestrian tracking* (2022), in the form of Ultralytics'
/// `sparseOptFlow`.
package struct CameraMotion: Sendable {
  /// A picture with its corners, with which the next one is compared.
  private struct View: Sendable {
    let picture: FlowPicture
    let corners: [SIMD2<Float>]
  }

  /// The pairs of points below which nothing is known.
  private static let leastPairs = 5

  private var previous: View?

  /// A camera before its first picture.
  package init() {}

  /// Takes in the next picture.
  ///
  /// - Parameter image: The picture.
  /// - Returns: The map of pixels of the picture before to this one's; the identity of the first one, of one of another size,
  ///   and where too little can be found again.
  package mutating func similarity(to image: RGBImage) -> Similarity {
    guard let gray = GrayPicture(halfOf: image) else {
      previous = nil
      return .identity
    }
    let view = View(picture: FlowPicture(gray), corners: ShiTomasiCorners.corners(of: gray))
    defer { previous = view.corners.isEmpty ? nil : view }
    guard let previous, previous.picture.isAsLarge(as: view.picture) else { return .identity }
    let moved = LucasKanadeFlow.moved(previous.corners, from: previous.picture, to: view.picture)
    var pairs: [PointPair] = []
    for (corner, place) in zip(previous.corners, moved) {
      guard let place else { continue }
      pairs.append(PointPair(from: SIMD2<Double>(corner), to: SIMD2<Double>(place)))
    }
    guard pairs.count >= Self.leastPairs, var map = SimilarityConsensus.similarity(of: pairs) else {
      return .identity
    }
    // From half the size.
    map.shift *= 2
    return map
  }
}
