import FileFormats
import Geometry
import Imaging

/// Carries a depth camera's map over to the field of a color camera beside it, as registered depth has it.
///
/// Each cell's border is projected, and all cells of the new map inside get its depth; of several the nearest stays. The new
/// map is as fine as the old one, and no finer than the picture.
struct DepthRegistration: Sendable {
  /// The depth camera, for the size that it states.
  let depth: StatedCamera
  /// The color camera.
  let color: StatedCamera
  /// Where the depth camera's points are in the color camera's frame.
  let colorFromDepth: RigidTransform<ROSFrame, ROSFrame>

  /// Columns and rows that one cell may become: it is no bigger unless the cameras differ much.
  private static let mostCells = 8

  /// The map of the color camera's field.
  ///
  /// - `picture`: The color picture's size.
  /// - Throws: `CaptureError.badIntrinsics` of cameras for another shape.
  func registered(
    _ map: Plane<Float>, picture: PixelSize, file: String
  ) throws(CaptureError) -> Plane<Float> {
    let from = try depth.intrinsics(for: map.size, file: file)
    let whole = try color.intrinsics(for: picture, file: file)
    let share = min(1, from.fx / whole.fx)
    let width = max(1, Int(clamping: (Double(picture.width) * share).rounded()))
    let height = max(1, Int(clamping: (Double(picture.height) * share).rounded()))
    let to = whole.scaled(toWidth: width, height: height)
    var nearest = Plane(width: width, height: height, fill: Float.infinity)
    for y in 0..<map.height {
      for x in 0..<map.width {
        let z = map.elements[y * map.width + x]
        guard z > 0, z.isFinite else { continue }
        let corners = [-0.5, 0.5].map { shift in
          project(Double(x) + shift, Double(y) + shift, Double(z), from, to)
        }
        guard let first = corners[0], let last = corners[1] else { continue }
        let columns = Self.cells(first.x, last.x, most: width)
        let rows = Self.cells(first.y, last.y, most: height)
        let depth = Float((first.z + last.z) / 2)
        for row in rows {
          for column in columns where depth < nearest.elements[row * width + column] {
            nearest.elements[row * width + column] = depth
          }
        }
      }
    }
    return nearest.map { $0.isFinite ? $0 : .nan }
  }

  /// Where the color camera sees a point of the depth camera's map, in cells from the middle of the first, and its depth.
  private func project(
    _ x: Double, _ y: Double, _ z: Double, _ from: Intrinsics, _ to: Intrinsics
  ) -> (x: Double, y: Double, z: Double)? {
    let point = colorFromDepth.apply(
      Point3<ROSFrame>((x - from.cx) / from.fx * z, (y - from.cy) / from.fy * z, z))
    guard point.z > 0 else { return nil }
    return (point.x / point.z * to.fx + to.cx, point.y / point.z * to.fy + to.cy, point.z)
  }

  /// The cells whose middles lie between two places; where there are none, the nearest to both.
  private static func cells(_ first: Double, _ last: Double, most: Int) -> Range<Int> {
    let (low, high) = (min(first, last), max(first, last))
    var start = Int(clamping: low.rounded(.up))
    var end = Int(clamping: high.rounded(.up))
    if start >= end {
      start = Int(clamping: ((low + high) / 2).rounded())
      end = start < Int.max ? start + 1 : start
    }
    start = min(max(start, 0), most)
    end = min(max(end, start), most)
    return start..<min(end, start + mostCells)
  }
}
