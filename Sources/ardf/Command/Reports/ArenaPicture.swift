import FileFormats
import NNRuntime

/// The arena as a picture: layers from left to right, bytes upwards, a rectangle a buffer.
struct ArenaPicture {
  private static let size = (width: 1200.0, height: 640.0)
  private static let margin = (left: 70.0, right: 20.0, top: 44.0, bottom: 52.0)
  /// Least size of a rectangle with a name, pixels.
  private static let named = (width: 60.0, height: 13.0)

  let plan: Plan

  var svg: String {
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(decimal(Self.size.width, 0)) "
        + "\(decimal(Self.size.height, 0))\" font-family=\"system-ui, sans-serif\" font-size=\"12\">",
      "<metadata name=\"generator\" content=\"ardf\"/>",
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>",
      "<text x=\"\(decimal(Self.margin.left, 0))\" y=\"26\" font-size=\"16\">\(escaped(title))</text>",
    ]
    parts += axes
    for (index, buffer) in plan.arenaBuffers.enumerated() { parts += rectangle(buffer, index) }
    return (parts + ["</svg>"]).joined(separator: "\n") + "\n"
  }

  private var title: String {
    "\(plan.name): arena of \(byteText(plan.arenaBytes)) for \(counted(plan.arenaBuffers.count, "buffer")), "
      + "\(byteText(plan.unsharedBytes)) without sharing"
  }

  private func x(_ step: Double) -> Double {
    Self.margin.left + (Self.size.width - Self.margin.left - Self.margin.right) * step
      / Double(plan.layers.count + 1)
  }

  private func y(_ byte: Int) -> Double {
    Self.size.height - Self.margin.bottom
      - (Self.size.height - Self.margin.top - Self.margin.bottom) * Double(byte)
      / Double(max(1, plan.arenaBytes))
  }

  private func rectangle(_ buffer: ArenaBuffer, _ index: Int) -> [String] {
    let (left, right) = (x(Double(buffer.lifetime.lowerBound)), x(Double(buffer.lifetime.upperBound + 1)))
    let (top, bottom) = (y(buffer.offset + buffer.bytes), y(buffer.offset))
    // Neighbors far apart on the color wheel: steps of the golden angle.
    var parts = [
      "<rect x=\"\(decimal(left, 2))\" y=\"\(decimal(top, 2))\" width=\"\(decimal(right - left, 2))\" "
        + "height=\"\(decimal(max(0.5, bottom - top), 2))\" fill=\"hsl(\(index * 137 % 360) 55% 70%)\" "
        + "stroke=\"#555\" stroke-width=\"0.5\"><title>\(escaped(buffer.name)): \(byteText(buffer.bytes)) at "
        + "\(byteText(buffer.offset)), layers \(buffer.lifetime.lowerBound) to \(buffer.lifetime.upperBound)"
        + "</title></rect>"
    ]
    let fits = right - left >= max(Self.named.width, 6.5 * Double(buffer.name.count))
    if fits, bottom - top >= Self.named.height {
      parts.append(
        "<text x=\"\(decimal(left + 3, 2))\" y=\"\(decimal((top + bottom) / 2 + 4, 2))\">\(escaped(buffer.name))</text>"
      )
    }
    return parts
  }

  private var axes: [String] {
    let base = Self.size.height - Self.margin.bottom
    var parts: [String] = []
    for tick in 0...4 {
      let bytes = plan.arenaBytes * tick / 4
      parts.append(
        "<line x1=\"\(decimal(Self.margin.left, 0))\" x2=\"\(decimal(Self.size.width - Self.margin.right, 0))\" "
          + "y1=\"\(decimal(y(bytes), 1))\" y2=\"\(decimal(y(bytes), 1))\" stroke=\"#ddd\"/>")
      parts.append(
        "<text x=\"\(decimal(Self.margin.left - 6, 0))\" y=\"\(decimal(y(bytes) + 4, 1))\" "
          + "text-anchor=\"end\">\(byteText(bytes))</text>")
    }
    let step = max(1, plan.layers.count / 12)
    for layer in stride(from: 0, to: plan.layers.count, by: step) {
      parts.append(
        "<text x=\"\(decimal(x(Double(layer) + 0.5), 1))\" y=\"\(decimal(base + 16, 1))\" "
          + "text-anchor=\"middle\">\(layer)</text>")
    }
    parts.append(
      "<text x=\"\(decimal(Self.size.width / 2, 0))\" y=\"\(decimal(base + 38, 1))\" text-anchor=\"middle\">"
        + "layer in running order (ardf inspect plan lists them)</text>")
    return parts
  }
}
