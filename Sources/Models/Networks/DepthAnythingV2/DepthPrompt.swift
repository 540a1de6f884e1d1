import Imaging

/// A sensor's depth as a prompted network reads it.
///
/// Ported from Prompt Depth Anything: planar depth in meters becomes (z - least) / (greatest - least) over the whole
/// map. Deviations: cells without depth, which the reference does not know of, take that of the nearest cell that
/// has one; a map of one depth everywhere is 0, where the reference moves its first cell by a micrometer.
package struct DepthPrompt: Sendable {
  /// The least and the greatest depth of the map, meters.
  package let range: ClosedRange<Float>
  /// From 0 at the least to 1 at the greatest depth.
  package let values: Plane<Float>

  /// A prompt from planar depth in meters, which is there where it is finite and positive; nil where it is nowhere.
  package init?(_ meters: Plane<Float>) {
    guard let filled = Self.filled(meters), let least = filled.elements.min(),
      let greatest = filled.elements.max()
    else { return nil }
    range = least...greatest
    let span = greatest - least
    values = filled.map { span > 0 ? ($0 - least) / span : 0 }
  }

  /// Meters of the network's output for the prompt.
  func meters(_ output: Plane<Float>) -> Plane<Float> {
    let span = range.upperBound - range.lowerBound
    return output.map { $0 * span + range.lowerBound }
  }

  /// The map with gaps filled from their borders inwards, a cell at a time, along rows and columns.
  private static func filled(_ meters: Plane<Float>) -> Plane<Float>? {
    var values = meters.elements
    var known = values.indices.filter { values[$0] > 0 && values[$0].isFinite }
    guard !known.isEmpty else { return nil }
    guard known.count < values.count else { return meters }
    var isKnown = [Bool](repeating: false, count: values.count)
    for cell in known { isKnown[cell] = true }
    let (width, height) = (meters.width, meters.height)
    var next = 0
    while next < known.count {
      let cell = known[next]
      next += 1
      let (x, y) = (cell % width, cell / width)
      for (column, row) in [(x, y - 1), (x - 1, y), (x + 1, y), (x, y + 1)]
      where column >= 0 && column < width && row >= 0 && row < height && !isKnown[row * width + column] {
        let gap = row * width + column
        values[gap] = values[cell]
        isKnown[gap] = true
        known.append(gap)
      }
    }
    return Plane(width: width, height: height, elements: values)
  }
}
