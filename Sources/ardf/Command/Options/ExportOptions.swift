import ArgumentParser

/// Scene files for other programs.
struct SceneExportOptions: ParsableArguments {
  @Flag(help: "Also write scene.usda (USD text).")
  var usda = false

  @Flag(help: "Also write scene.usdz, which phones open in AR.")
  var usdz = false

  func add(to files: inout FrameFiles) {
    files.usda = usda
    files.usdz = usdz
  }
}

/// Depth files for other programs.
struct DepthExportOptions: ParsableArguments {
  @Flag(help: "Also write metric.pfm (float32 meters, rows from the bottom).")
  var pfm = false

  @Option(help: "Units of metric.png to a meter: 1000 for millimeters, 5000 as TUM RGB-D has it.")
  var depthScale = 1000.0

  func validate() throws {
    guard depthScale.isFinite, (1...65_535).contains(depthScale) else {
      throw ValidationError("--depth-scale \(depthScale): give a number from 1 to 65535")
    }
  }

  func add(to files: inout FrameFiles) {
    files.pfm = pfm
    files.depthScale = depthScale
  }
}
