import ArgumentParser

/// How relative depth is estimated.
struct DepthOptions: ParsableArguments {
  @Option(help: ArgumentHelp("Depth Anything V2 Small weights.", valueName: "file"))
  var depth: String?

  @Option(help: "Least side of the network's input, a multiple of 14.")
  var depthSize = 518

  func validate() throws {
    guard depthSize % 14 == 0, (14...1792).contains(depthSize) else {
      throw ValidationError("--depth-size \(depthSize): give a multiple of 14 from 14 to 1792")
    }
  }
}
