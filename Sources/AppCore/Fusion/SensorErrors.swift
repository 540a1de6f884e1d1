/// How a sensor's depth errs, in parts that average out differently.
///
/// The mean of many readings loses the part that is independent from cell to cell, keeps what neighbors share, and has all of
/// what a frame errs by as a whole. Lengths are in cells of a map of `columns` columns, the sensor's own.
public struct SensorErrors: Sendable, Equatable {
  /// Columns of the sensor's own map.
  public let columns: Int
  /// Errors that are independent from cell to cell.
  public let white: SensorNoise
  /// Errors that cells share over `correlationLength`.
  public let correlated: SensorNoise
  /// Cells over which neighbors err alike.
  public let correlationLength: Double
  /// Error that all of a frame's cells share.
  public let bias: SensorNoise
  /// Standard deviation of the Gaussian that turns a step into a ramp, cells.
  public let edgeSpread: Double
  /// Standard deviation of the place of a step, cells.
  public let edgeShift: Double
  /// The share of cells of the highest confidence at a step, one cell beside it, and so on; empty where the sensor states
  /// no confidence.
  public let edgeConfidence: [Double]
  /// Meters between the two views, or the view and the projector, of a sensor that reads by them; behind a step it reads
  /// nothing where one of them sees nothing.
  public let baseline: Double
  /// Focal length, cells.
  public let focalLength: Double

  /// Standard deviations of a reading at a distance, relative to it.
  struct Relative: Equatable {
    let correlated: Double
    let bias: Double
  }

  /// Errors shared by neighbors and by the whole frame, at `meters`.
  func relative(at meters: Double) -> Relative {
    Relative(
      correlated: correlated.deviation(at: meters) / meters, bias: bias.deviation(at: meters) / meters)
  }

  /// Standard deviation in meters of a reading of `meters` about the truth, all parts together.
  public func deviation(at meters: Double) -> Double {
    [white, correlated, bias].reduce(0) {
      let part = $1.deviation(at: meters)
      return $0 + part * part
    }.squareRoot()
  }

  /// Cells of a map of `width` columns over which neighbors err alike.
  func correlationLength(in width: Int) -> Double {
    max(1, correlationLength * Double(width) / Double(columns))
  }
}

extension SensorModel {
  /// How its depth errs.
  ///
  /// - `lidar`: Measured on planes, across edges and against a laser scanner in captures of three iPhones. Second differences
  ///   on planes scatter by .04 %; residuals against the laser by .4 to .8 %, alike over 10 to 30 cells, and by 1 % from
  ///   frame to frame (upper bounds: registration is in them); edges are 1.1 to 3 cells wide from 10 to 90 %, displaced by
  ///   .5 cell; 7 to 13 % of the cells at a step have the highest confidence, 14 to 25 % one beside it, 28 to 61 % two.
  /// - `structuredLight`: 1.425 mm * Z^2 in all (Khoshelham and Elberink, Sensors 12, 2012), of which the steps of
  ///   disparity, 2.85 mm * Z^2 apart, make 1/sqrt(12) from cell to cell; its matching window of 9 cells shares the rest.
  ///   No bias is left after calibration (the same). A base of 75 mm at 586 cells (the same). Edges scatter by .8 cells
  ///   (Nguyen, Izadi and Lovell, 3DIMPVT 2012).
  /// - `stereo`: A disparity off by .08 cells at a base of 50 mm and a focal length of 425 cells (Grunnet-Jepsen, Sweetser
  ///   and Woodfill, Tuning depth cameras for best performance, RealSense D435 at 848x480), of which steps of 1/32 cell make
  ///   1/sqrt(12) of a step from cell to cell (Keselman et al., CVPRW 2017). A matching window of 9 cells is taken for what
  ///   is not published: it shares the rest, and moves and smears edges by a half of it, evenly spread. A bias of at most 2 %
  ///   (data sheet of the D400 series), evenly spread.
  /// - `tof`: At most 17 mm at 3.9 m from cell to cell and at most 11 mm + .1 % of systematic error (Microsoft, Azure
  ///   Kinect; confirmed by Toelgyessy et al., Sensors 21, 2021), evenly spread, half of whose variance changes over the
  ///   picture (Kurillo et al., Sensors 22, 2022); a cell at an edge mixes both surfaces.
  /// - `unknown`: The ideal sensor: .3 % of Z, independent from cell to cell.
  public var errors: SensorErrors {
    switch kind {
    case .lidar:
      SensorErrors(
        columns: 256, white: SensorNoise(share: 0.0004), correlated: SensorNoise(share: 0.006),
        correlationLength: 15, bias: SensorNoise(share: 0.01), edgeSpread: 0.8, edgeShift: 0.5,
        edgeConfidence: [0.1, 0.2, 0.45], baseline: 0, focalLength: 210)
    case .structuredLight:
      SensorErrors(
        columns: 640, white: SensorNoise(quadratic: 0.00082), correlated: SensorNoise(quadratic: 0.001165),
        correlationLength: 9, bias: SensorNoise(), edgeSpread: 0, edgeShift: 0.8, edgeConfidence: [],
        baseline: 0.075, focalLength: 586)
    case .stereo:
      SensorErrors(
        columns: 848, white: SensorNoise(quadratic: 0.000425), correlated: SensorNoise(quadratic: 0.00374),
        correlationLength: 9, bias: SensorNoise(share: 0.0115), edgeSpread: 2.6, edgeShift: 2.6,
        edgeConfidence: [], baseline: 0.05, focalLength: 425)
    case .tof:
      SensorErrors(
        columns: 640, white: SensorNoise(share: 0.0044),
        correlated: SensorNoise(constant: 0.0045, share: 0.0004), correlationLength: 64,
        bias: SensorNoise(constant: 0.0045, share: 0.0004), edgeSpread: 0.5, edgeShift: 0,
        edgeConfidence: [], baseline: 0, focalLength: 504)
    case .unknown:
      SensorErrors(
        columns: 256, white: SensorNoise(share: 0.003), correlated: SensorNoise(), correlationLength: 1,
        bias: SensorNoise(), edgeSpread: 0, edgeShift: 0, edgeConfidence: [], baseline: 0, focalLength: 210)
    }
  }
}
