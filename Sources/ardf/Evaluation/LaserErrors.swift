/// How far depth is off a laser scanner's, on smooth surfaces and at edges.
package struct LaserErrors: Sendable, Equatable {
  /// AbsRel over some pixels, and how many they are.
  package struct Region: Sendable, Equatable {
    /// The mean of |depth - truth| / truth; nil of no pixel.
    package let absRel: Double?
    package let pixels: Int
  }

  /// Errors of every pixel compared.
  package let all: Region
  /// Errors away from edges.
  package let smooth: Region
  /// Errors at edges: within `reach` pixels the truth differs by more than a twentieth.
  package let edges: Region

  /// Pixels to either side within which a step makes an edge.
  package static let reach = 3
  private static let edge: Float = 1.05

  /// Errors of several ways over the pixels at which the truth and all of them are known; nil of none.
  ///
  /// - Parameters:
  ///   - truth: Planar depth by rows, 0 or NaN where it is not known.
  ///   - width: Columns.
  ///   - ways: As many values each, meters.
  /// - Returns: The errors of each way.
  package static func compared(truth: [Float], width: Int, ways: [[Float]]) -> [LaserErrors]? {
    precondition(width > 0 && truth.count % width == 0, "whole rows")
    precondition(ways.allSatisfy { $0.count == truth.count }, "a value for each pixel")
    func isKnown(_ value: Float) -> Bool { value > 0 && value.isFinite }
    let compared = truth.indices.filter { pixel in
      isKnown(truth[pixel]) && ways.allSatisfy { isKnown($0[pixel]) }
    }
    guard !compared.isEmpty else { return nil }
    let isAtEdge = edges(of: truth, width: width)
    return ways.map { LaserErrors(truth, $0, compared, isAtEdge) }
  }

  private init(_ truth: [Float], _ values: [Float], _ compared: [Int], _ isAtEdge: [Bool]) {
    var (sums, counts) = ([0.0, 0.0], [0, 0])
    for pixel in compared {
      let part = isAtEdge[pixel] ? 1 : 0
      sums[part] += Double(abs(values[pixel] - truth[pixel]) / truth[pixel])
      counts[part] += 1
    }
    func region(_ sum: Double, _ count: Int) -> Region {
      Region(absRel: count > 0 ? sum / Double(count) : nil, pixels: count)
    }
    all = region(sums[0] + sums[1], counts[0] + counts[1])
    smooth = region(sums[0], counts[0])
    edges = region(sums[1], counts[1])
  }

  /// The mean over frames, each of which counts the same; nil of none.
  package init?(mean frames: [LaserErrors]) {
    guard !frames.isEmpty else { return nil }
    func mean(_ part: (LaserErrors) -> Region) -> Region {
      let known = frames.map(part).filter { $0.absRel != nil }
      let sum = known.reduce(0) { $0 + ($1.absRel ?? 0) }
      return Region(
        absRel: known.isEmpty ? nil : sum / Double(known.count), pixels: known.reduce(0) { $0 + $1.pixels })
    }
    all = mean { $0.all }
    smooth = mean { $0.smooth }
    edges = mean { $0.edges }
  }

  /// Where the known truth within reach differs.
  private static func edges(of truth: [Float], width: Int) -> [Bool] {
    let height = truth.count / width
    // Least and greatest along the rows, then down the columns.
    func spread(_ values: [Float], _ start: Float, _ better: (Float, Float) -> Float) -> [Float] {
      var along = values
      for y in 0..<height {
        for x in 0..<width {
          var best = start
          for near in max(0, x - reach)...min(width - 1, x + reach) {
            best = better(best, values[y * width + near])
          }
          along[y * width + x] = best
        }
      }
      var down = along
      for y in 0..<height {
        for x in 0..<width {
          var best = start
          for near in max(0, y - reach)...min(height - 1, y + reach) {
            best = better(best, along[near * width + x])
          }
          down[y * width + x] = best
        }
      }
      return down
    }
    let isKnown = truth.map { $0 > 0 && $0.isFinite }
    let least = spread(zip(truth, isKnown).map { $1 ? $0 : .infinity }, .infinity) { min($0, $1) }
    let greatest = spread(zip(truth, isKnown).map { $1 ? $0 : 0 }, 0) { max($0, $1) }
    return zip(least, greatest).map { $1 > edge * $0 }
  }
}
