import AppCore
import FileFormats
import Geometry

/// `2.09 ± .06 x 0.69 ± .04 x 1.59 ± .31 m`.
private func size(_ sides: BoxDimensions, _ errors: BoxDimensions?) -> String {
  [(sides.x, errors?.x), (sides.y, errors?.y), (sides.z, errors?.z)].map {
    MeasuredNumber($0, error: $1).words
  }.joined(separator: " x ") + " m"
}

/// Measured objects as a table for people; `nothing` where there are none.
///
/// Objects that are followed go by their track, as on the pictures; a new one has none yet.
func extentTable(_ extents: [ObjectExtent], nothing: String = "no objects") -> String {
  guard !extents.isEmpty else { return nothing + "\n" }
  let isTracked = extents.contains { $0.track != nil }
  var table = TextTable(
    [
      isTracked ? "track" : "id", "object", "score", "distance", "from", "size in its box x y z", "method",
      "warnings",
    ],
    rightAligned: [0, 2, 3])
  for extent in extents {
    let sides = extent.box3D?.dimensions
    let number = isTracked ? extent.track : extent.id
    table.add([
      number.map { "\($0)" } ?? "-", extent.className, decimal(Double(extent.confidence), 3),
      extent.distance.meters.map { "\(MeasuredNumber($0, error: extent.distanceError).words) m" } ?? "-- m",
      extent.distance.source.rawValue, sides.map { size($0, extent.errors?.dimensions) } ?? "-",
      extent.box3D?.method.rawValue ?? "-", extent.warnings.map(\.rawValue).joined(separator: ", "),
    ])
  }
  return table.text
}
