import Geometry
import Imaging

/// Where relative and sensor depth are both known: the material of a fit.
struct DepthPairs {
  /// Relative inverse depth r, positive.
  var relative: [Double] = []
  /// Sensor depth Z in meters.
  var meters: [Double] = []

  var count: Int { relative.count }

  /// One pair for every valid sensor cell under which the relative depth is finite and positive.
  ///
  /// The sensor is never resampled; the relative depth is read bilinearly at each sensor cell.
  init(relative: RelativeDepth, sensor: MetricDepth, mapping rule: GridMapping.Rule) {
    let values = relative.values
    self.relative.reserveCapacity(sensor.width * sensor.height)
    meters.reserveCapacity(sensor.width * sensor.height)
    let columns = GridMapping(from: sensor.width, to: values.width, rule: rule).pairs
    let rows = GridMapping(from: sensor.height, to: values.height, rule: rule).pairs
    for y in 0..<sensor.height {
      for x in 0..<sensor.width {
        let cell = y * sensor.width + x
        guard sensor.states.elements[cell] != .invalid else { continue }
        let r = values.bilinear(in: values.elements.span, columns[x], rows[y])
        guard r > 0, r.isFinite else { continue }
        self.relative.append(Double(r))
        meters.append(Double(sensor.values.elements[cell]))
      }
    }
  }

  init(relative: [Double], meters: [Double]) {
    self.relative = relative
    self.meters = meters
  }

  /// One of `step` pairs each, evenly.
  func every(_ step: Int) -> DepthPairs {
    let kept = stride(from: step / 2, to: count, by: step)
    return DepthPairs(relative: kept.map { relative[$0] }, meters: kept.map { meters[$0] })
  }
}
