import AppCore
import ArgumentParser

extension FusionMethod: ExpressibleByArgument {}
extension FusionModel: ExpressibleByArgument {}

/// How metric depth is made of relative depth and a sensor's readings.
struct FusionModelOptions: ParsableArguments {
  @Option(
    help: """
      How metric depth is computed: guided follows the sensor's readings and, between them, the shape of relative \
      depth; fit applies one function to the whole picture.
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
