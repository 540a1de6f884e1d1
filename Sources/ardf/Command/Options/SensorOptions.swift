import AppCore
import ArgumentParser

extension SensorModel.Kind: ExpressibleByArgument {}

/// Properties of a capture's depth sensor that the user states.
struct SensorOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Readings beyond so many meters do not count; by default all do, at whatever distance.",
      valueName: "meters"))
  var sensorRange: Double?

  @Option(
    help: ArgumentHelp(
      """
      The depth sensor, whose errors readings are weighed and sizes judged by: lidar, structured-light, stereo, tof or \
      unknown; by default as the capture's layout has it.
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
