import ArgumentParser

/// How relative depth is estimated.
struct DepthOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      """
      Depth Anything V2 Small weights, relative or metric, or those of Prompt Depth Anything Small, which reads the \
      sensor's depth beside the picture: a file, or a name such as metric-indoor. none: the depth sensor alone.
      """, valueName: "file|none"))
  var depth: String?

  @Option(
    help: """
      Shorter side of the network's input, a multiple of 14; by default 518, or 756 for a prompted network, as its \
      authors use.
      """)
  var depthSize: Int?

  /// The same as a plain value, without the weights.
  var settings: DepthSettings { DepthSettings(side: depthSize) }

  func validate() throws { try Self.check(side: depthSize) }

  /// Refuses a side that no depth network takes.
  ///
  /// - Throws: `ValidationError`.
  static func check(side: Int?) throws {
    guard let side, side % 14 != 0 || !(14...1792).contains(side) else { return }
    throw ValidationError("--depth-size \(side): give a multiple of 14 from 14 to 1792")
  }
}
