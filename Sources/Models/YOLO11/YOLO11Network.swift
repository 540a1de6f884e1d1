// YOLO11-seg, ported from Ultralytics 8.4.190 (`cfg/models/11/yolo11-seg.yaml`, `nn/tasks.py`): layers 0 to 23
// under the checkpoint's names. Deviation: the head's raw maps are the outputs; boxes are decoded outside the
// graph, for the few anchors that matter.

import NNRuntime

/// The layers of a YOLO11-seg network with their weights bound.
struct YOLO11Network: Sendable {
  private let conv0, conv1, conv3, conv5, conv7, conv17, conv20: ConvBlock
  private let c3k2At2, c3k2At4, c3k2At6, c3k2At8, c3k2At13, c3k2At16, c3k2At19, c3k2At22: C3k2
  private let sppf: SPPF
  private let c2psa: C2PSA
  private let head: SegmentHead
  /// Whether the bins of the distance expectation, which `HeadDecoding` does not read, are what it takes them for.
  let hasOrdinaryBins: Bool

  /// Binds every tensor of `weights` (`model.0` to `model.23`).
  ///
  /// - Throws: `WeightError` if one is missing, mis-shaped or left over.
  init(_ store: WeightStore, _ sizes: YOLO11Architecture) throws(WeightError) {
    let model = store.root["model"]
    let c = sizes.channels
    let (n, c3k) = (sizes.repeats, sizes.c3kEverywhere)
    let (c64, c128, c256, c512, c1024) = (c(64), c(128), c(256), c(512), c(1024))

    conv0 = try ConvBlock(model[0], 3, c64, kernel: 3, stride: 2)
    conv1 = try ConvBlock(model[1], c64, c128, kernel: 3, stride: 2)
    // Only layers 2 and 4 have a quarter instead of half of the channels inside.
    c3k2At2 = try C3k2(model[2], c128, c256, repeats: n, c3k: c3k, expansion: 0.25)
    conv3 = try ConvBlock(model[3], c256, c256, kernel: 3, stride: 2)
    c3k2At4 = try C3k2(model[4], c256, c512, repeats: n, c3k: c3k, expansion: 0.25)
    conv5 = try ConvBlock(model[5], c512, c512, kernel: 3, stride: 2)
    c3k2At6 = try C3k2(model[6], c512, c512, repeats: n, c3k: true)
    conv7 = try ConvBlock(model[7], c512, c1024, kernel: 3, stride: 2)
    c3k2At8 = try C3k2(model[8], c1024, c1024, repeats: n, c3k: true)
    sppf = try SPPF(model[9], c1024, c1024)
    c2psa = try C2PSA(model[10], c1024, repeats: n)

    c3k2At13 = try C3k2(model[13], c1024 + c512, c512, repeats: n, c3k: c3k)
    c3k2At16 = try C3k2(model[16], c512 + c512, c256, repeats: n, c3k: c3k)
    conv17 = try ConvBlock(model[17], c256, c256, kernel: 3, stride: 2)
    c3k2At19 = try C3k2(model[19], c256 + c512, c512, repeats: n, c3k: c3k)
    conv20 = try ConvBlock(model[20], c512, c512, kernel: 3, stride: 2)
    c3k2At22 = try C3k2(model[22], c512 + c1024, c1024, repeats: n, c3k: true)
    head = try SegmentHead(
      model[YOLO11Architecture.headIndex], channels: [c256, c512, c1024], classes: sizes.classCount,
      classHidden: sizes.classHidden, coefficients: sizes.coefficients, prototypeHidden: c256)

    hasOrdinaryBins = try Self.hasOrdinaryBins(model[YOLO11Architecture.headIndex]["dfl"]["conv"])
    let trainingCounters = store.names.filter { $0.hasSuffix(".num_batches_tracked") }
    try store.verifyAllUsed(ignoring: trainingCounters)
  }

  /// The network of `weights`, the bins of whose distance expectation are 0...15.
  static func checked(_ store: WeightStore, _ sizes: YOLO11Architecture) throws(YOLOError) -> YOLO11Network {
    let network = try YOLOError.of(weights: { () throws(WeightError) in try YOLO11Network(store, sizes) })
    guard network.hasOrdinaryBins else {
      throw .unknownArchitecture(reason: "its distance bins are not 0 to \(HeadDecoding.bins - 1)")
    }
    return network
  }

  private static func hasOrdinaryBins(_ weights: WeightScope) throws(WeightError) -> Bool {
    let shape = [1, HeadDecoding.bins, 1, 1]
    _ = try weights.unread().tensor("weight", shape: shape)
    guard weights.contains("weight") else { return true }
    let bins = try weights.tensor("weight", shape: shape).floats()
    return bins == (0..<HeadDecoding.bins).map { Float($0) }
  }

  /// The network for an input of height x width; both are multiples of 32.
  ///
  /// Input `input`: RGB in [0, 1]. Outputs, for level L = 0, 1, 2: `box.L`, `cls.L`, `coef.L`; and `proto`.
  func graph(name: String, height: Int, width: Int) -> Graph {
    let builder = GraphBuilder(name: name)
    let image = builder.input("input", height: height, width: width, channels: 3)

    let x4 = c3k2At4(conv3(c3k2At2(conv1(conv0(image)))))
    let x6 = c3k2At6(conv5(x4))
    let x10 = c2psa(sppf(c3k2At8(conv7(x6))))

    let x13 = c3k2At13(upsampled(x10, layer: 11).concatenated(with: [x6], name: "model.12"))
    let p3 = c3k2At16(upsampled(x13, layer: 14).concatenated(with: [x4], name: "model.15"))
    let p4 = c3k2At19(conv17(p3).concatenated(with: [x13], name: "model.18"))
    let p5 = c3k2At22(conv20(p4).concatenated(with: [x10], name: "model.21"))

    let (levels, prototypes) = head([p3, p4, p5])
    var outputs: [(name: String, value: Value)] = []
    for (index, level) in levels.enumerated() {
      outputs.append(("box.\(index)", level.box))
      outputs.append(("cls.\(index)", level.classes))
      outputs.append(("coef.\(index)", level.coefficients))
    }
    return builder.finish(outputs: outputs + [("proto", prototypes)])
  }

  private func upsampled(_ x: Value, layer: Int) -> Value {
    x.resized(
      height: 2 * x.shape.height, width: 2 * x.shape.width, .nearest, name: "model.\(layer)")
  }
}
