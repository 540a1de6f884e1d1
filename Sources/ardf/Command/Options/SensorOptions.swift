import AppCore
import ArgumentParser

extension SensorModel.Kind: ExpressibleByArgument {}

/// Properties of a capture's depth sensor that the user states.
struct SensorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Ignore readings beyond this distance; by default all are used.",
      valueName: "meters"))
  var sensorRange: Double?

  @Option(
    help: ArgumentHelp(
      """
      Kind of the depth sensor, which sets the error model for fusion and for the uncertainty of sizes: lidar, \
      structured-light, stereo, tof or unknown; by default that of the capture's layout.
      """, valueName: "kind"))
  var sensor: SensorModel.Kind?

  func validate() throws { try Self.check(range: sensorRange) }

  /// Refuses a distance, in meters, that no sensor reaches.
  ///
  /// - Throws: `ValidationError`.
  static func check(range: Double?) throws {
    guard let range else { return }
    guard range.isFinite, range > Double(SensorRules.nearest), range <= 1000 else {
      throw ValidationError(
        "--sensor-range \(range): give meters, more than \(SensorRules.nearest) and at most 1000")
    }
  }

  /// The sensor model of depth without any other information: a LiDAR unless an option states another.
  var model: SensorModel {
    var model = SensorModel(sensor ?? .lidar)
    model.maximumRange = sensorRange
    return model
  }

  /// A source with what the options say about its sensor.
  func told(_ source: any CaptureSource) -> any CaptureSource {
    sensor == nil && sensorRange == nil
      ? source : SensorOverride(source, kind: sensor, maximumRange: sensorRange)
  }
}
