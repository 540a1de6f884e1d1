import Geometry
import Imaging

/// How well the depth of one frame, moved by both poses, meets the depth of another.
///
/// Wrong axes, a matrix read in the other order or wrong units show as an error of centimeters to meters.
package struct Reprojection: Sendable, Equatable {
  /// Median of the absolute depth differences, meters.
  package let medianError: Double
  /// Cells that both frames see with full confidence.
  package let pairs: Int

  /// Compares every fully confident cell of `from` with the cell of `to` that it lands on.
  ///
  /// - Returns: nil where a frame has no depth or camera, or no cell of both is seen in common.
  package init?(from: CapturedFrame, to: CapturedFrame) {
    guard let source = from.depth, let target = to.depth, let sourceCamera = from.depthIntrinsics,
      let targetCamera = to.depthIntrinsics
    else { return nil }
    let move = to.cameraToWorld.inverse.after(from.cameraToWorld)
    var errors: [Double] = []
    errors.reserveCapacity(source.elements.count)
    for y in 0..<source.height {
      for x in 0..<source.width {
        let depth = Double(source[x, y])
        guard depth > 0, from.isConfident(x, y) else { continue }
        let moved = move.apply(sourceCamera.unproject(Point2(centerOf: x, y), depth: depth))
        guard let seen = targetCamera.project(moved), seen.x >= 0, seen.y >= 0,
          seen.x < Double(target.width), seen.y < Double(target.height)
        else { continue }
        let (column, row) = (Int(seen.x), Int(seen.y))
        let there = Double(target[column, row])
        guard there > 0, to.isConfident(column, row) else { continue }
        errors.append(abs(-moved.z - there))
      }
    }
    guard !errors.isEmpty else { return nil }
    errors.sort()
    medianError = errors[errors.count / 2]
    pairs = errors.count
  }
}

extension CapturedFrame {
  /// Whether a depth cell has the highest confidence.
  fileprivate func isConfident(_ x: Int, _ y: Int) -> Bool { confidence.map { $0[x, y] >= 2 } ?? true }
}
