import NNRuntime

/// A block of several layers, of the kind that its generation has.
struct YOLOStage: Sendable {
  private let block: @Sendable (Value) -> Value

  private init(_ block: @escaping @Sendable (Value) -> Value) { self.block = block }

  /// A `C2f` of YOLOv8.
  static func c2f(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, repeats: Int, shortcut: Bool
  ) throws(WeightError) -> YOLOStage {
    YOLOStage(try C2f(weights, inputs, outputs, repeats: repeats, shortcut: shortcut).callAsFunction)
  }

  /// A `C3k2` of YOLO11 and YOLO26.
  static func c3k2(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int, repeats: Int, c3k: Bool, expansion: Double = 0.5
  ) throws(WeightError) -> YOLOStage {
    YOLOStage(
      try C3k2(weights, inputs, outputs, repeats: repeats, c3k: c3k, expansion: expansion).callAsFunction)
  }

  /// YOLO26's last `C3k2`, with attention.
  static func attentive(
    _ weights: WeightScope, _ inputs: Int, _ outputs: Int
  ) throws(WeightError) -> YOLOStage {
    YOLOStage(try C3k2(attending: weights, inputs, outputs, repeats: 1).callAsFunction)
  }

  func callAsFunction(_ x: Value) -> Value { block(x) }
}

/// Layers 0 to 10 (9 of YOLOv8): five convolutions of stride 2 with their stages, then pooling and attention
/// over the whole last map.
struct YOLOBackbone: Sendable {
  /// Maps at an eighth, a sixteenth and a thirty-second of the input's size.
  struct Features {
    let p3, p4, p5: Value
  }

  private let stem: ConvBlock
  /// Four convolutions of stride 2, each with the stage after it.
  private let steps: [(down: ConvBlock, stage: YOLOStage)]
  /// Spatial pyramid pooling; nil in classifiers.
  private let sppf: SPPF?
  /// Nil in YOLOv8.
  private let attention: C2PSA?

  init(_ model: WeightScope, _ sizes: YOLOArchitecture) throws(WeightError) {
    let c = sizes.channels
    let scaling = sizes.scaling
    let isOld = sizes.generation == .v8
    stem = try ConvBlock(model[0], 3, c(64), kernel: 3, stride: 2)
    steps = try (0..<4).map { (index) throws(WeightError) in
      let (down, stage) = (model[2 * index + 1], model[2 * index + 2])
      // The stages of YOLO11 and YOLO26 at a quarter and an eighth of the size give twice what they are given.
      let inputs = c([64, isOld ? 128 : 256, isOld ? 256 : 512, 512][index])
      let middle = c([128, 256, 512, 1024][index])
      let outputs = c(isOld ? [128, 256, 512, 1024][index] : [256, 512, 512, 1024][index])
      let isDeep = isOld && (index == 1 || index == 2)
      return (
        try ConvBlock(down, inputs, middle, kernel: 3, stride: 2),
        isOld
          ? try .c2f(
            stage, middle, outputs, repeats: isDeep ? scaling.deepRepeats : scaling.repeats, shortcut: true)
          // Only the first two have a quarter instead of half of the channels inside.
          : try .c3k2(
            stage, middle, outputs, repeats: scaling.repeats, c3k: index > 1 || scaling.c3kEverywhere,
            expansion: index > 1 ? 0.5 : 0.25)
      )
    }
    let deepest = c(1024)
    let isClassifier = sizes.task == .classify
    sppf = isClassifier ? nil : try SPPF(model[9], deepest, deepest, isPlain: sizes.generation != .v26)
    attention = isOld ? nil : try C2PSA(model[isClassifier ? 9 : 10], deepest, repeats: scaling.repeats)
  }

  func callAsFunction(_ image: Value) -> Features {
    var x = stem(image)
    var maps: [Value] = []
    for (down, stage) in steps {
      x = stage(down(x))
      maps.append(x)
    }
    if let sppf { x = sppf(x) }
    if let attention { x = attention(x) }
    return Features(p3: maps[1], p4: maps[2], p5: x)
  }
}

/// The layers between the backbone and a head that finds objects: enlarged coarse maps beside finer ones, and back.
struct YOLONeck: Sendable {
  private let finer, finest, coarser, coarsest: YOLOStage
  private let down1, down2: ConvBlock
  /// Index of the first layer.
  private let first: Int

  init(_ model: WeightScope, _ sizes: YOLOArchitecture) throws(WeightError) {
    let (c256, c512, c1024) = (sizes.channels(256), sizes.channels(512), sizes.channels(1024))
    let scaling = sizes.scaling
    let generation = sizes.generation
    let first = generation == .v8 ? 10 : 11
    self.first = first
    // What the backbone gives at an eighth of the size.
    let p3 = generation == .v8 ? c256 : c512
    func stage(_ layer: Int, _ inputs: Int, _ outputs: Int, isLast: Bool = false) throws(WeightError)
      -> YOLOStage
    {
      let weights = model[first + layer]
      return switch generation {
      case .v8: try .c2f(weights, inputs, outputs, repeats: scaling.repeats, shortcut: false)
      case .v11:
        try .c3k2(
          weights, inputs, outputs, repeats: scaling.repeats, c3k: isLast || scaling.c3kEverywhere)
      case .v26:
        isLast
          ? try .attentive(weights, inputs, outputs)
          : try .c3k2(weights, inputs, outputs, repeats: scaling.repeats, c3k: true)
      }
    }
    finer = try stage(2, c1024 + c512, c512)
    finest = try stage(5, c512 + p3, c256)
    down1 = try ConvBlock(model[first + 6], c256, c256, kernel: 3, stride: 2)
    coarser = try stage(8, c256 + c512, c512)
    down2 = try ConvBlock(model[first + 9], c512, c512, kernel: 3, stride: 2)
    coarsest = try stage(11, c512 + c1024, c1024, isLast: true)
    for layer in [0, 3] { model[first + layer].states(.doubling) }
    for (layer, other) in [(1, 6), (4, 4), (7, first + 2), (10, first - 1)] {
      let index = first + layer
      model[index].states(
        ModuleStatement(
          "Concat", numbers: ["d": .number(1), "f": .layers([index - 1, other], of: index)], mayBeUntold: true
        ))
    }
  }

  /// P3, P4 and P5 for the head.
  func callAsFunction(_ features: YOLOBackbone.Features) -> [Value] {
    let middle = finer(upsampled(features.p5, 0).concatenated(with: [features.p4], name: name(1)))
    let p3 = finest(upsampled(middle, 3).concatenated(with: [features.p3], name: name(4)))
    let p4 = coarser(down1(p3).concatenated(with: [middle], name: name(7)))
    let p5 = coarsest(down2(p4).concatenated(with: [features.p5], name: name(10)))
    return [p3, p4, p5]
  }

  private func name(_ layer: Int) -> String { "model.\(first + layer)" }

  private func upsampled(_ x: Value, _ layer: Int) -> Value {
    x.resized(height: 2 * x.shape.height, width: 2 * x.shape.width, .nearest, name: name(layer))
  }
}
