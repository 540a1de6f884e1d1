import FileFormats
import Imaging
import Synchronization

/// Metric depth of a whole picture, and how it came about.
public struct FusedDepth: Sendable {
  /// The fit, and what hidden readings say of the result.
  public let report: FusionReport
  /// The depth on the relative depth's grid; nil where nothing could be fitted.
  public let metric: MetricDepth?
}

extension DepthFusion {
  /// Metric depth from relative depth and a sensor's readings of the same picture.
  ///
  /// Both grids cover the picture's whole field, in the same orientation. Same input, same result, bit for bit.
  ///
  /// - Parameters:
  ///   - relative: Relative depth of the picture.
  ///   - sensor: The sensor's readings.
  ///   - unsure: All readings in meters whatever their confidence: on the ramps that the sensor makes of steps they take part.
  ///   - options: How metric depth is made.
  ///   - threads: The number of threads that share the pixels, the caller's included; the result does not depend on it.
  /// - Returns: Meters on the relative depth's grid, and how the two fit.
  public static func fuse(
    relative: RelativeDepth, sensor: MetricDepth, unsure: Plane<Float>? = nil,
    options: FusionOptions = FusionOptions(), threads: Int = 1
  ) -> FusedDepth {
    let found = Mutex<(report: FusionReport?, metric: MetricDepth?, quality: FusionQuality?)>((nil, nil, nil))
    Parallel.forEach(2, threads: threads) { part in
      if part == 0 {
        let report = fit(relative: relative, sensor: sensor, options: options)
        let metric = report.alignment.map { alignment in
          switch options.method {
          case .guided:
            alignment.metric(
              relative, following: sensor, unsure: unsure, model: options.sensor, threads: threads)
          case .fit: alignment.metric(relative)
          }
        }
        found.withLock { ($0.report, $0.metric) = (report, metric) }
      } else {
        let quality = FusionQuality(relative: relative, sensor: sensor, options: options)
        found.withLock { $0.quality = quality }
      }
    }
    let (fitted, metric, quality) = found.withLock { $0 }
    var report = fitted ?? FusionReport(refused: .degenerate, pairs: 0, model: options.model)
    guard report.alignment != nil else { return FusedDepth(report: report, metric: nil) }
    report.method = options.method
    report.sensor = options.sensor
    report.quality = quality
    report.shares = Parallel.team(of: threads) { metric?.shares }
    return FusedDepth(report: report, metric: metric)
  }

  /// Metric depth of a frame, fused with its own readings as its sensor is; nil without depth.
  public static func fuse(
    relative: RelativeDepth, frame: CapturedFrame, options: FusionOptions = FusionOptions(), threads: Int = 1
  ) -> FusedDepth? {
    guard let readings = frame.readings else { return nil }
    var options = options
    options.sensor = frame.sensor
    return fuse(
      relative: relative, sensor: readings, unsure: frame.depth, options: options, threads: threads)
  }
}

extension MetricDepth {
  /// The share of cells known in each way, counted side by side by the calling thread's team.
  var shares: [DepthState: Double] {
    let parts = 8
    let counts = Parallel.map(parts) { part in
      Self.counts(
        states.elements.span.extracting(
          states.elements.count * part / parts..<states.elements.count * (part + 1) / parts))
    }
    let count = Double(states.elements.count)
    return Dictionary(
      uniqueKeysWithValues: DepthState.allCases.map { state in
        (state, Double(counts.reduce(0) { $0 + $1[Int(state.rawValue)] }) / count)
      })
  }

  /// How many cells are known in each way, by the states' codes.
  private static func counts(_ states: Span<DepthState>) -> [Int] {
    var counts = [Int](repeating: 0, count: DepthState.allCases.count)
    // Each lane counts in a byte, over no more blocks than such a one can count.
    let (lanes, most) = (16, Int(UInt8.max))
    for first in stride(from: 0, to: states.count, by: lanes * most) {
      let cells = states.extracting(first..<min(first + lanes * most, states.count))
      let blocks = cells.count / lanes
      for state in DepthState.allCases {
        var found = SIMD16<UInt8>.zero
        for block in 0..<blocks {
          let part = cells.extracting(block &* lanes..<block &* lanes &+ lanes)
          // A loop for each, which becomes a few instructions for all lanes.
          var codes = SIMD16<UInt8>.zero
          for lane in 0..<lanes { codes[lane] = part[lane].rawValue }
          for lane in 0..<lanes { found[lane] &+= codes[lane] == state.rawValue ? 1 : 0 }
        }
        counts[Int(state.rawValue)] += found.indices.reduce(0) { $0 + Int(found[$1]) }
      }
      for index in blocks * lanes..<cells.count { counts[Int(cells[index].rawValue)] += 1 }
    }
    return counts
  }
}
