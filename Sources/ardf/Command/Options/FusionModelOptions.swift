import AppCore
import ArgumentParser

extension FusionMethod: ExpressibleByArgument {}
extension FusionModel: ExpressibleByArgument {}

/// How metric depth is made of relative depth and a sensor's readings.
struct FusionModelOptions: ParsableArguments {
  @Option(
    help: """
      Metric depth: guided keeps to the sensor's readings, and between them to the shape of relative depth; fit is one \
      function for the whole picture.
      """)
  var fusion = FusionMethod.guided

  @Option(
    help:
      "The function fitted: inverse (1/Z = scale * relative + shift) or linear (Z = scale * relative + shift)."
  )
  var fit = FusionModel.inverse

  /// The options; the sensor is that of each frame.
  var options: FusionOptions { FusionOptions(method: fusion, model: fit) }
}
