import NNRuntime

/// One iteration: the layers above, the chunks of every thread below.
struct TimelinePlot {
  private static let width = 1200.0
  private static let margin = 70.0
  private static let track = 26.0

  let trace: RunTrace

  var svg: String {
    let height = Self.track * Double(trace.chunks.count + 1) + 34
    var parts = [
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 \(decimal(Self.width + Self.margin + 30, 0)) "
        + "\(decimal(height, 0))\" role=\"img\" aria-label=\"Timeline\">"
    ]
    parts += track(0, "layers", trace.layers)
    parts += trace.layers.compactMap(name)
    for (thread, spans) in trace.chunks.enumerated() { parts += track(thread + 1, "thread \(thread)", spans) }
    parts += axis(height)
    return parts.joined(separator: "\n") + "\n</svg>"
  }

  private var duration: Double { Double(max(1, trace.whole.upperBound - trace.whole.lowerBound)) }

  private func x(_ time: UInt64) -> Double {
    Self.margin + Self.width * Double(time - trace.whole.lowerBound) / duration
  }

  private func track(_ index: Int, _ name: String, _ spans: [RunTrace.Span]) -> [String] {
    let y = Self.track * Double(index) + 4
    return ["<text x=\"0\" y=\"\(decimal(y + 15, 1))\">\(name)</text>"]
      + spans.map { span in
        let (from, to) = (x(span.time.lowerBound), x(span.time.upperBound))
        let milliseconds = Double(span.time.upperBound - span.time.lowerBound) / 1e6
        return
          "<rect x=\"\(decimal(from, 2))\" y=\"\(decimal(y, 1))\" width=\"\(decimal(max(0.1, to - from), 2))\" "
          + "height=\"\(decimal(Self.track - 4, 1))\" fill=\"\(Self.color(span.layer))\">"
          + "<title>\(escaped(trace.names[span.layer])) \(decimal(milliseconds, 4)) ms</title></rect>"
      }
  }

  /// A layer's name on its rectangle, where it fits.
  private func name(_ span: RunTrace.Span) -> String? {
    let (from, to) = (x(span.time.lowerBound), x(span.time.upperBound))
    let name = trace.names[span.layer]
    guard to - from > Self.letter * Double(name.count) + 8 else { return nil }
    return "<text class=\"name\" x=\"\(decimal((from + to) / 2, 1))\" y=\"18\" text-anchor=\"middle\">"
      + "\(escaped(name))</text>"
  }

  /// The width of a letter of a name, pixels.
  private static let letter = 6.0

  private func axis(_ height: Double) -> [String] {
    (0...10).map { step in
      let milliseconds = duration / 1e6 * Double(step) / 10
      let x = Self.margin + Self.width * Double(step) / 10
      return "<text x=\"\(decimal(x, 1))\" y=\"\(decimal(height - 8, 1))\" text-anchor=\"middle\">"
        + "\(decimal(milliseconds, milliseconds < 10 ? 2 : 1))\(step == 10 ? " ms" : "")</text>"
    }
  }

  /// Colors of layers: neighbors are a golden angle apart on the color wheel.
  private static func color(_ layer: Int) -> String {
    "hsl(\(layer * 137 % 360) 55% \(layer.isMultiple(of: 2) ? 50 : 62)%)"
  }
}
