import NNRuntime

/// The input and the outputs of a planned YOLO network that finds objects.
struct YOLOPorts {
  /// The maps of one level of the pyramid.
  struct Level {
    let boxes, classes: GraphOutput
    /// Mask coefficients, key points or angles.
    let extras: GraphOutput?
  }

  let input: GraphInput
  /// P3, P4 and P5.
  let levels: [Level]
  let prototypes: GraphOutput?

  init(_ plan: Plan, task: YOLOTask) throws(PortError) {
    input = try plan.input("input")
    var levels: [Level] = []
    for level in 0..<3 {
      let boxes = try plan.output("box.\(level)")
      let classes = try plan.output("cls.\(level)")
      let extras = task.extrasName.isEmpty ? nil : try plan.output("\(task.extrasName).\(level)")
      levels.append(Level(boxes: boxes, classes: classes, extras: extras))
    }
    self.levels = levels
    prototypes = task == .segment ? try plan.output("proto") : nil
  }
}
