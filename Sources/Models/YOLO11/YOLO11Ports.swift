import NNRuntime

/// The input and the outputs of a planned YOLO11-seg network.
struct YOLO11Ports {
  /// The maps of one level of the pyramid.
  struct Level {
    let boxes, classes, coefficients: GraphOutput
  }

  let input: GraphInput
  /// P3, P4 and P5.
  let levels: [Level]
  let prototypes: GraphOutput

  init(_ plan: Plan) throws(PortError) {
    input = try plan.input("input")
    var levels: [Level] = []
    for level in 0..<3 {
      levels.append(
        Level(
          boxes: try plan.output("box.\(level)"), classes: try plan.output("cls.\(level)"),
          coefficients: try plan.output("coef.\(level)")))
    }
    self.levels = levels
    prototypes = try plan.output("proto")
  }

  /// All outputs.
  var outputs: [GraphOutput] { levels.flatMap { [$0.boxes, $0.classes, $0.coefficients] } + [prototypes] }
}
