import AppCore
import ArgumentParser
import Evaluation

/// How depth is estimated and compared.
struct DepthEvaluationOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Depth: none compares meters as they are; scale-shift fits inverse depth frame by frame; by default what the network needs.",
      valueName: "unit"))
  var align: DepthUnitRule?

  @Option(help: "Depth: shorter side of the network's input, a multiple of 14; by default 518, prompted 756.")
  var depthSize: Int?

  @Option(help: "Depth: only this frame, by name or position from 0. Repeatable.")
  var frame: [String] = []

  @Flag(
    help: """
      Depth: compare the sensor's depth, fused depth and the fit with a laser scanner's, of videos of ARKitScenes \
      (highres_depth) and CA-1M (TIME.gt).
      """)
  var laser = false

  @Option(
    help: ArgumentHelp("Depth: ignore readings beyond this distance.", valueName: "meters"))
  var sensorRange: Double?

  func validate() throws {
    try DepthOptions.check(side: depthSize)
    try SensorOptions.check(range: sensorRange)
    if laser, align != nil {
      throw ValidationError("--align: --laser compares meters as fusion makes them; leave it out")
    }
  }

  /// How the network is made ready.
  var settings: DepthSettings { DepthSettings(side: depthSize) }

  /// The frames of captures.
  func inputs(_ sources: [String], _ limits: CaptureLimits) throws -> RunInputs {
    let sensor = try sensor()
    return try RunInputs(sources, names: frame) {
      sensor.told(try CaptureReader.open($0, limits: limits, photographs: .exif))
    }
  }

  private func sensor() throws -> SensorOptions {
    try SensorOptions.parse(sensorRange.map { ["--sensor-range=\($0)"] } ?? [])
  }

  /// The first given option that applies to depth only; nil without any.
  var given: String? {
    if align != nil { return "--align" }
    if laser { return "--laser" }
    if depthSize != nil { return "--depth-size" }
    if !frame.isEmpty { return "--frame" }
    return sensorRange == nil ? nil : "--sensor-range"
  }
}
