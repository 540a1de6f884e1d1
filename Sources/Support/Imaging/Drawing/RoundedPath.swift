import FileFormats

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

func cosine(_ angle: Double) -> Double { cos(angle) }
func sine(_ angle: Double) -> Double { sin(angle) }

/// How finely arcs are cut into straight pieces.
enum Arc {
  /// Largest distance between an arc and its chords, in pixels or font units.
  private static let tolerance = 0.02
  /// Enough for a radius of a hundred million: no picture shows a difference.
  private static let most = 1 << 18

  /// Pieces for an arc of `angle` radians.
  static func segments(radius: Double, angle: Double) -> Int {
    let step = 2 * acos(max(-1, 1 - tolerance / max(radius, 2 * tolerance)))
    return max(2, min(Int(clamping: (abs(angle) / step).rounded(.up)), most))
  }
}

/// A polyline whose corners are replaced by circular arcs.
struct RoundedPath: Sendable {
  struct Vertex: Sendable {
    var x: Double
    var y: Double
    /// Radius of the arc that replaces this corner; reduced where the sides are too short for it.
    var radius: Double
  }

  var vertices: [Vertex]
  var isClosed: Bool

  /// Straight pieces that follow the path; a closed path does not repeat its first point.
  func flattened() -> [(x: Double, y: Double)] {
    vertices.indices.flatMap { index -> [(x: Double, y: Double)] in
      let vertex = vertices[index]
      guard vertex.radius > 0, isClosed || (index > 0 && index < vertices.count - 1) else {
        return [(vertex.x, vertex.y)]
      }
      return fillet(
        vertices[(index + vertices.count - 1) % vertices.count], vertex,
        vertices[(index + 1) % vertices.count])
    }
  }

  /// The arc of radius r tangent to both sides: it starts r / tan(angle / 2) from the corner.
  private func fillet(_ before: Vertex, _ corner: Vertex, _ after: Vertex) -> [(x: Double, y: Double)] {
    func side(_ end: Vertex) -> (ux: Double, uy: Double, available: Double) {
      let (dx, dy) = (end.x - corner.x, end.y - corner.y)
      let length = (dx * dx + dy * dy).squareRoot()
      return (dx / length, dy / length, end.radius > 0 ? length / 2 : length)
    }
    let (from, to) = (side(before), side(after))
    let half = acos(max(-1, min(1, from.ux * to.ux + from.uy * to.uy))) / 2
    guard half > 1e-6, half < .pi / 2 - 1e-6 else { return [(corner.x, corner.y)] }
    let offset = min(corner.radius / tan(half), from.available, to.available)
    let radius = offset * tan(half)
    let toCenter = radius / sin(half)
    let (bx, by) = (from.ux + to.ux, from.uy + to.uy)
    let norm = (bx * bx + by * by).squareRoot()
    let center = (x: corner.x + bx / norm * toCenter, y: corner.y + by / norm * toCenter)
    let start = (x: corner.x + from.ux * offset - center.x, y: corner.y + from.uy * offset - center.y)
    let end = (x: corner.x + to.ux * offset - center.x, y: corner.y + to.uy * offset - center.y)
    let sweep = atan2(start.x * end.y - start.y * end.x, start.x * end.x + start.y * end.y)
    let count = Arc.segments(radius: radius, angle: sweep)
    return (0...count).map { step in
      let angle = sweep * Double(step) / Double(count)
      return (
        center.x + start.x * cos(angle) - start.y * sin(angle),
        center.y + start.x * sin(angle) + start.y * cos(angle)
      )
    }
  }
}
