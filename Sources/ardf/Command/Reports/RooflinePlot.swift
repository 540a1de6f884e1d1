import FileFormats
import NNRuntime

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Rate over arithmetic intensity, both logarithmic, under the machine's roof; the area of a point is its share
/// of the time.
struct RooflinePlot {
  private static let size = (width: 760.0, height: 430.0)
  private static let margin = (left: 60.0, bottom: 46.0, top: 14.0, right: 20.0)

  let profile: NetworkProfile

  private struct Point {
    let row: NetworkProfile.Row
    let intensity, rate: Double
  }

  private var points: [Point] {
    profile.rows.compactMap { row in
      guard let intensity = row.intensity, let rate = row.rate else { return nil }
      return Point(row: row, intensity: intensity, rate: rate)
    }
  }

  var svg: String {
    let points = points
    let roof = profile.ceiling
    let intensities = points.map(\.intensity) + [roof.peak / roof.bandwidth]
    let rates = points.map(\.rate) + [roof.peak]
    let across = Self.decades(intensities)
    let up = Self.decades(rates)
    func x(_ value: Double) -> Double {
      let share = (log10(value) - Double(across.lowerBound)) / Double(across.count - 1)
      return Self.margin.left + share * (Self.size.width - Self.margin.left - Self.margin.right)
    }
    func y(_ value: Double) -> Double {
      let share = (log10(value) - Double(up.lowerBound)) / Double(up.count - 1)
      return Self.size.height - Self.margin.bottom
        - share * (Self.size.height - Self.margin.top - Self.margin.bottom)
    }
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(decimal(Self.size.width, 0)) "
        + "\(decimal(Self.size.height, 0))\" width=\"\(decimal(Self.size.width, 0))\" role=\"img\" "
        + "aria-label=\"Roofline\">"
    ]
    let (left, right) = (pow(10, Double(across.lowerBound)), pow(10, Double(across.upperBound)))
    let (low, high) = (pow(10, Double(up.lowerBound)), pow(10, Double(up.upperBound)))
    for exponent in across {
      let value = pow(10, Double(exponent))
      parts.append(Self.line(x(value), y(low), x(value), y(high), "#ddd"))
      parts.append(Self.label(x(value), y(low) + 16, "middle", Self.number(value)))
    }
    for exponent in up {
      let value = pow(10, Double(exponent))
      parts.append(Self.line(x(left), y(value), x(right), y(value), "#ddd"))
      parts.append(Self.label(x(left) - 6, y(value) + 4, "end", Self.number(value)))
    }
    parts.append(
      Self.label((x(left) + x(right)) / 2, Self.size.height - 8, "middle", "arithmetic intensity, FLOP/B"))
    parts.append(Self.label(Self.margin.left + 6, 26, "start", "GFLOP/s"))
    parts += self.roof(roof, left: left, right: right, low: low, x, y)
    for point in points {
      let radius = max(2, 40 * profile.share(point.row).squareRoot())
      parts.append(
        "<circle cx=\"\(decimal(x(point.intensity), 2))\" cy=\"\(decimal(y(point.rate), 2))\" "
          + "r=\"\(decimal(radius, 2))\" fill=\"#2a6fb0\" fill-opacity=\"0.35\" stroke=\"#1d4f80\">"
          + "<title>\(escaped(point.row.name)): \(decimal(point.rate, 1)) GFLOP/s, "
          + "\(decimal(point.intensity, 1)) FLOP/B, \(decimal(100 * profile.share(point.row), 1)) %</title></circle>"
      )
    }
    return parts.joined(separator: "\n") + "\n</svg>"
  }

  /// The slope of the memory, then the flat peak.
  private func roof(
    _ roof: MachineCeiling, left: Double, right: Double, low: Double, _ x: (Double) -> Double,
    _ y: (Double) -> Double
  ) -> [String] {
    let ridge = roof.peak / roof.bandwidth
    let start = max(left, low / roof.bandwidth)
    return [
      Self.line(x(start), y(start * roof.bandwidth), x(ridge), y(roof.peak), "#b03a2a"),
      Self.line(x(ridge), y(roof.peak), x(right), y(roof.peak), "#b03a2a"),
      Self.label(
        x(right), y(roof.peak) - 5, "end",
        "\(decimal(roof.peak, 0)) GFLOP/s, \(decimal(roof.bandwidth, 0)) GB/s"),
    ]
  }

  /// The powers of ten around the values, at least one decade.
  private static func decades(_ values: [Double]) -> ClosedRange<Int> {
    let exponents = values.map { log10($0) }
    let low = Int(clamping: (exponents.min() ?? 0).rounded(.down))
    return low...max(low + 1, Int(clamping: (exponents.max() ?? 0).rounded(.up)))
  }

  private static func number(_ value: Double) -> String { value < 1 ? "\(value)" : decimal(value, 0) }

  private static func line(_ x1: Double, _ y1: Double, _ x2: Double, _ y2: Double, _ color: String) -> String
  {
    "<line x1=\"\(decimal(x1, 2))\" y1=\"\(decimal(y1, 2))\" x2=\"\(decimal(x2, 2))\" y2=\"\(decimal(y2, 2))\" "
      + "stroke=\"\(color)\"/>"
  }

  private static func label(_ x: Double, _ y: Double, _ anchor: String, _ text: String) -> String {
    "<text x=\"\(decimal(x, 2))\" y=\"\(decimal(y, 2))\" text-anchor=\"\(anchor)\">\(text)</text>"
  }
}
