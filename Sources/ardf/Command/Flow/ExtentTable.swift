import AppCore
import FileFormats

/// Measured objects as a table for people; `nothing` where there are none.
func extentTable(_ extents: [ObjectExtent], nothing: String = "no objects") -> String {
  guard !extents.isEmpty else { return nothing + "\n" }
  var table = TextTable(
    ["id", "object", "score", "distance", "from", "size in its box x y z", "method", "warnings"],
    rightAligned: [0, 2, 3])
  for extent in extents {
    let sides = extent.box3D?.dimensions
    table.add([
      "\(extent.id)", extent.className, decimal(Double(extent.confidence), 3),
      extent.distance.meters.map { "\(decimal($0, 2)) m" } ?? "-- m", extent.distance.source.rawValue,
      sides.map { "\(decimal($0.x, 2)) x \(decimal($0.y, 2)) x \(decimal($0.z, 2)) m" } ?? "-",
      extent.box3D?.method.rawValue ?? "-", extent.warnings.map(\.rawValue).joined(separator: ", "),
    ])
  }
  return table.text
}
