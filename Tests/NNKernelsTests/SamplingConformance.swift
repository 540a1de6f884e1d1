import NNKernelInterface
import NNRuntime
import Testing

/// Sums of bilinear samples to check.
struct SamplingCase: CustomTestStringConvertible, Sendable {
  var groups, queries, channels: Int
  /// Sizes of the maps, and points of a query in each.
  var levels: [(height: Int, width: Int, points: Int)]
  var edge = SampledEdge.zeros
  var alignsCorners = false, isWeighted = true

  var testDescription: String {
    "\(groups) groups of \(channels) channels, \(queries) queries, \(levels)\(isWeighted ? "" : ", not weighted"), "
      + "\(edge)\(alignsCorners ? ", corners aligned" : "")"
  }
}

@Suite("Sums of bilinear samples keep to their definition")
struct SamplingConformance {
  static let cases: [SamplingCase] = [
    .init(groups: 1, queries: 1, channels: 1, levels: [(1, 1, 1)]),
    .init(groups: 8, queries: 30, channels: 16, levels: [(9, 11, 6), (5, 4, 6)]),
    .init(groups: 3, queries: 7, channels: 20, levels: [(6, 5, 4), (3, 3, 1), (2, 1, 2)]),
    .init(groups: 2, queries: 13, channels: 40, levels: [(7, 8, 3)], edge: .border),
    .init(groups: 1, queries: 50, channels: 3, levels: [(6, 9, 1)], alignsCorners: true, isWeighted: false),
    .init(
      groups: 2, queries: 25, channels: 17, levels: [(4, 1, 2)], edge: .border, alignsCorners: true,
      isWeighted: false),
  ]

  @Test(arguments: Implementation.all, cases)
  func sums(_ implementation: Implementation, _ test: SamplingCase) throws {
    for kernel in try implementation.catalogue().kernels(of: SamplingTask.self) { sums(kernel, test) }
  }

  /// Coordinates at, near and far beyond the edges, and such as are no numbers.
  private static let hard: [Float] = [
    -1, 1, -1.000_000_1, 0.999_999_94, 0, -3, 3, 1e9, -1e30, .infinity, -.infinity, .nan, -0.0,
  ]

  private func sums(_ kernel: Kernel<SamplingTask>, _ test: SamplingCase) {
    let maps = test.levels.enumerated().map {
      GuardedMap(
        height: $1.height, width: $1.width, channels: test.groups * test.channels, gap: 3, rowGap: 5, seed: $0
      )
    }
    let points = test.levels.enumerated().map { index, level in
      let map = GuardedMap(
        height: 1, width: test.queries, channels: test.groups * level.points * 2, gap: 2, seed: 10 + index,
        scale: 1.4)
      // A hard coordinate in every third place.
      for place in 0..<test.queries * map.channels where place % 3 == 0 {
        map[0, place / map.channels, place % map.channels] = Self.hard[place / 3 % Self.hard.count]
      }
      return map
    }
    let all = test.levels.reduce(0) { $0 + $1.points }
    let weights = GuardedMap(height: 1, width: test.queries, channels: test.groups * all, gap: 1, seed: 20)

    func run(split: Bool) -> [Float] {
      let output = GuardedMap(
        height: 1, width: test.queries, channels: test.groups * test.channels, gap: 2)
      let levels = zip(test.levels, zip(maps, points)).map { level, found in
        unsafe SamplingTask.Level(
          height: level.height, width: level.width, points: level.points, map: found.0.input.base,
          groupStride: test.channels, rowStride: found.0.rowStride, pixelStride: found.0.pixelStride,
          places: found.1.input.base, placeGroupStride: level.points * 2,
          placeQueryStride: found.1.pixelStride, placeStride: 2, axisStride: 1)
      }
      return unsafe levels.withUnsafeBufferPointer { levels in
        let factors = unsafe SamplingTask.Weights(
          base: weights.input.base, groupStride: all, queryStride: weights.pixelStride, pointStride: 1)
        var task = unsafe SamplingTask(
          groups: test.groups, queries: test.queries, channels: test.channels, edge: test.edge,
          alignsCorners: test.alignsCorners, levels: levels.baseAddress!, levelCount: levels.count,
          weights: test.isWeighted ? factors : nil, output: output.output.base,
          outputStride: output.pixelStride)
        for begin in stride(from: 0, to: test.queries, by: split ? 1 : test.queries) {
          kernel.run(&task, begin..<(split ? begin + 1 : test.queries))
        }
        #expect(output.guardsAreIntact)
        return output.values
      }
    }

    let whole = run(split: false)
    expectClose(
      whole, expected(test, maps, points, weights), tolerance: kernel.tolerance.sums,
      "\(kernel.fullName), \(test.testDescription)")
    #expect(run(split: true).map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter")
  }

  private func expected(
    _ test: SamplingCase, _ maps: [GuardedMap], _ points: [GuardedMap], _ weights: GuardedMap
  ) -> [Expected] {
    let all = test.levels.reduce(0) { $0 + $1.points }
    var found: [Expected] = []
    for query in 0..<test.queries {
      for group in 0..<test.groups {
        for channel in 0..<test.channels {
          var (sum, point) = (Expected(), 0)
          for (index, level) in test.levels.enumerated() {
            for place in 0..<level.points {
              let first = (group * level.points + place) * 2
              let x = center(points[index][0, query, first], level.width, test)
              let y = center(points[index][0, query, first + 1], level.height, test)
              let weight = test.isWeighted ? Double(weights[0, query, group * all + point]) : 1
              point += 1
              // Coordinates are single: their error is that of a place in the map.
              sum.magnitude += abs(weight) * Double(level.width + level.height)
              guard x.isFinite, y.isFinite, abs(x) < 1e6, abs(y) < 1e6 else { continue }
              for (row, down) in taps(y) {
                for (column, across) in taps(x)
                where (0..<level.height).contains(row) && (0..<level.width).contains(column) {
                  let element = maps[index][row, column, group * test.channels + channel]
                  sum.value += weight * down * across * Double(element)
                }
              }
            }
          }
          found.append(sum)
        }
      }
    }
    return found
  }

  private func taps(_ place: Double) -> [(Int, Double)] {
    let first = place.rounded(.down)
    return [(Int(first), 1 - (place - first)), (Int(first) + 1, place - first)]
  }

  private func center(_ coordinate: Float, _ size: Int, _ test: SamplingCase) -> Double {
    let share = (Double(coordinate) + 1) / 2
    let place = test.alignsCorners ? share * Double(size - 1) : share * Double(size) - 0.5
    guard test.edge == .border, !place.isNaN else { return place }
    return min(max(place, 0), Double(size - 1))
  }
}
