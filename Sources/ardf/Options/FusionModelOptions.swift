import AppCore
import ArgumentParser

extension FusionModel: ExpressibleByArgument {}

/// Which function leads from relative depth to metres.
struct FusionModelOptions: ParsableArguments {
  @Option(
    help: "The function fitted: inverse (1/Z = scale * relative + shift) or linear, as the phone app does.")
  var fusion = FusionModel.inverse
}
