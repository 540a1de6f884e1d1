import FileFormats
import Geometry
import Imaging
import NNRuntime
import NNVerification

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// A picture of a layer beyond its tolerance: a heat map of the differences, their histogram, and their channels.
struct DifferencePicture {
  private static let width = 1010
  private static let height = 580
  /// The layout of the picture's parts.
  private static let mapArea = Rect<ImagePixels>(x: 20, y: 84, width: 500, height: 420)
  private static let histogramArea = Rect<ImagePixels>(x: 680, y: 104, width: 280, height: 160)
  private static let channelArea = Rect<ImagePixels>(x: 680, y: 344, width: 280, height: 160)
  /// Pixels of a heat map's shorter side, at the least.
  private static let leastSide = 120
  /// Powers of ten between the first color and the last.
  private static let decades = 4
  private static let ink = Color(red: 34, green: 34, blue: 34)
  private static let pale = Color(red: 204, green: 204, blue: 204)
  private static let bar = Color(red: 42, green: 111, blue: 176)
  private static let limit = Color(red: 176, green: 58, blue: 42)
  /// Color of elements that are not finite in either tensor.
  private static let notFinite = Color(red: 255, green: 0, blue: 255)

  let mode: LayerVerifier.Mode
  let layer: VerificationReport.Layer
  let map: DifferenceMap

  var image: RGBImage {
    var canvas = Canvas(
      RGBImage(width: Self.width, height: Self.height, color: .white), in: ImagePixels.self)
    drawTitle(on: &canvas)
    drawMap(on: &canvas)
    drawHistogram(on: &canvas)
    drawChannels(on: &canvas)
    return canvas.image
  }

  private func drawTitle(on canvas: inout Canvas<ImagePixels>) {
    let difference = layer.difference
    Self.text(
      "\(layer.name)  \(layer.operation)  \(mode.rawValue)", 20, 12, size: 20, bold: true, on: &canvas)
    Self.text(
      "max abs \(scientific(difference.maximumAbsolute)) at \(difference.location): found "
        + "\(scientific(difference.found)), expected \(scientific(difference.expected)); relative L2 "
        + "\(scientific(difference.relativeL2)), cosine \(decimal(difference.cosine, 6))", 20, 42, on: &canvas
    )
  }

  // MARK: Where

  private func drawMap(on canvas: inout Canvas<ImagePixels>) {
    let area = Self.mapArea
    let scale = min(area.width / Double(map.columns), area.height / Double(map.rows))
    // Tokens and channels do not form a plane, and fill the area; a narrow map is stretched to be seen.
    let columns =
      map.isTokens
      ? Int(clamping: area.width) : max(Self.leastSide, Int(clamping: Double(map.columns) * scale))
    let rows =
      map.isTokens ? Int(clamping: area.height) : max(Self.leastSide, Int(clamping: Double(map.rows) * scale))
    let largest = map.errors.filter(\.isFinite).max() ?? 0
    let top = largest > 0 ? log10(largest) : 0
    let shown = map.resampled(columns: columns, rows: rows).map { error in
      error.isFinite
        ? (error > 0 ? max(log10(error), top - Float(Self.decades)) : -.greatestFiniteMagnitude) : error
    }
    let range = top - Float(Self.decades)...top
    canvas.draw(
      ColorMap.inferno.paint(shown, range: range, missing: Self.notFinite), x: Int(clamping: area.minX),
      y: Int(clamping: area.minY))
    let side = map.isTokens ? "tokens (down) and channels" : counted(map.channels.count, "channel")
    Self.text(
      map.isTokens
        ? "|difference| of \(map.rows)x\(map.columns) \(side)"
        : "largest |difference| of \(side) at \(map.rows)x\(map.columns) pixels", 20,
      area.minY + Double(rows) + 8, on: &canvas)
    drawScale(beside: area.minX + Double(columns) + 12, top: largest, on: &canvas)
  }

  /// The color scale and its numbers.
  private func drawScale(beside x: Double, top: Float, on canvas: inout Canvas<ImagePixels>) {
    let height = Int(clamping: Self.mapArea.height)
    let bar = Plane(
      width: 12, height: height,
      elements: (0..<12 * height).map { 1 - Float($0 / 12) / Float(max(1, height - 1)) })
    canvas.draw(
      ColorMap.inferno.paint(bar, range: 0...1), x: Int(clamping: x), y: Int(clamping: Self.mapArea.minY))
    guard top > 0 else { return }
    for step in 0...Self.decades {
      let y = Self.mapArea.minY + Double(height) * Double(step) / Double(Self.decades)
      let value = Double(top) / pow(10, Double(step))
      Self.text(
        (step == Self.decades ? "<= " : "") + scientific(value), x + 18,
        min(y, Self.mapArea.minY + Double(height) - 8) - 7, on: &canvas)
    }
  }

  // MARK: How much

  private func drawHistogram(on canvas: inout Canvas<ImagePixels>) {
    typealias Histogram = DifferenceMap.Histogram
    let area = Self.histogramArea
    let bound = layer.tolerance.absolute + layer.tolerance.relative * layer.difference.scale
    let bins = Histogram.binsPerDecade
    let used = map.histogram.counts.indices.filter { map.histogram.counts[$0] > 0 }
    let limit = bound > 0 ? log10(bound) : Double(Histogram.firstExponent)
    let first = min(
      Histogram.firstExponent + (used.first ?? 0) / bins,
      max(Histogram.firstExponent, Int(clamping: limit.rounded(.down))))
    let last = max(
      Histogram.firstExponent + (used.last ?? 0) / bins + 1,
      min(Histogram.lastExponent, Int(clamping: limit.rounded(.up))),
      first + 1)
    func x(_ exponent: Double) -> Double {
      area.minX + area.width * (exponent - Double(first)) / Double(last - first)
    }
    let most = log10(Double((map.histogram.counts.max() ?? 0) + 1))
    for bin in used {
      let from = Double(Histogram.firstExponent) + Double(bin) / Double(bins)
      let share = log10(Double(map.histogram.counts[bin] + 1)) / most
      canvas.fillRect(
        Rect(
          minX: x(from), minY: area.maxY - area.height * share, maxX: x(from + 1 / Double(bins)) - 1,
          maxY: area.maxY), color: Self.bar)
    }
    let step = max(1, (last - first + 5) / 6)
    for exponent in stride(from: first, through: last, by: step) {
      Self.text("1e\(exponent)", x(Double(exponent)) - 14, area.maxY + 4, on: &canvas)
    }
    if bound > 0, (first...last).contains(Int(clamping: limit.rounded(.down))) {
      canvas.strokeLine(
        from: Point2(x(limit), area.minY - 6), to: Point2(x(limit), area.maxY),
        StrokeStyle(color: Self.limit, width: 2, dash: [5, 3]))
    }
    frame(area, "elements (logarithmic) by |difference|", on: &canvas)
    var note = "dashed: largest that passes, \(scientific(bound))"
    if map.histogram.smaller > 0 { note += "; equal: \(map.histogram.smaller)" }
    if map.histogram.larger > 0 { note += "; over 1e6 or not finite: \(map.histogram.larger)" }
    Self.text(note, area.minX, area.maxY + 22, on: &canvas)
  }

  // MARK: In which channels

  private func drawChannels(on canvas: inout Canvas<ImagePixels>) {
    let area = Self.channelArea
    let largest = Double(map.channels.filter(\.isFinite).max() ?? 0)
    let step = area.width / Double(map.channels.count)
    for (channel, error) in map.channels.enumerated() where error > 0 {
      let share = error.isFinite ? Double(error) / largest : 1
      canvas.fillRect(
        Rect(
          x: area.minX + step * Double(channel), y: area.maxY - area.height * share, width: max(1, step),
          height: area.height * share), color: error.isFinite ? Self.bar : Self.notFinite)
    }
    frame(area, "largest |difference| of each channel, up to \(scientific(largest))", on: &canvas)
    Self.text("0", area.minX, area.maxY + 4, on: &canvas)
    let last = "\(map.channels.count - 1)"
    Self.text(last, area.maxX - 8 * Double(last.count), area.maxY + 4, on: &canvas)
  }

  private func frame(_ area: Rect<ImagePixels>, _ title: String, on canvas: inout Canvas<ImagePixels>) {
    canvas.strokeRect(area, StrokeStyle(color: Self.pale, width: 1))
    Self.text(title, area.minX, area.minY - 24, on: &canvas)
  }

  private static func text(
    _ text: String, _ x: Double, _ y: Double, size: Double = 13, bold: Bool = false,
    on canvas: inout Canvas<ImagePixels>
  ) {
    canvas.drawText(text, at: Point2(x, y), style: TextStyle(size: size, bold: bold, color: ink))
  }
}

extension DifferenceMap {
  /// The errors resampled to another grid; each cell shows the largest error within it.
  fileprivate func resampled(columns newColumns: Int, rows newRows: Int) -> Plane<Float> {
    var plane = Plane<Float>(width: newColumns, height: newRows, fill: 0)
    for y in 0..<newRows {
      let rowRange = y * rows / newRows..<max(y * rows / newRows + 1, (y + 1) * rows / newRows)
      for x in 0..<newColumns {
        let first = x * columns / newColumns
        var largest: Float = 0
        for row in rowRange {
          for column in first..<max(first + 1, (x + 1) * columns / newColumns) {
            largest = max(largest, errors[row * columns + column])
          }
        }
        plane.elements[y * newColumns + x] = largest
      }
    }
    return plane
  }
}
