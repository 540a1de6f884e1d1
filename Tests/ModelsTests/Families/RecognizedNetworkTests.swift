import Models
import NNRuntime
import Testing

/// Which network tensors are of, and what those are called that are not supported.
@Suite struct RecognizedNetworkTests {
  /// Tensors of networks of Ultralytics 8.4.190, by which they are recognized.
  static let relatives: [(name: String, tensors: [String])] = [
    ("YOLO11, with other layers than the published", ["10.m.0.attn.qkv.conv", "29.cv3.0.2"]),
    (
      "YOLO11 with an open vocabulary (YOLOE)", ["10.m.0.attn.qkv.conv", "23.cv3.0.2", "23.savpe.cv1.0.conv"]
    ),
    (
      "YOLOv8 with an open vocabulary (YOLO-World)", ["2.m.0.cv1.conv", "22.cv3.0.2", "22.cv4.0.logit_scale"]
    ),
    ("YOLO26-depth", ["10.m.0.attn.qkv.conv", "22.m.0.1.attn.qkv.conv", "23.cal_a"]),
    ("YOLO26-sem", ["10.m.0.attn.qkv.conv", "22.m.0.1.attn.qkv.conv", "23.classifier.0.conv"]),
    (
      "YOLO26, without its end-to-end head", ["10.m.0.attn.qkv.conv", "22.m.0.1.attn.qkv.conv", "23.cv3.0.2"]
    ),
    ("RT-DETR", ["10.conv", "28.decoder.layers.0.linear1"]),
    ("YOLOv5", ["2.cv3.conv", "2.m.0.cv1.conv", "24.cv3.0.2"]),
    ("YOLOv9-seg", ["12.cv2.0.cv1.conv", "22.cv3.0.2", "22.proto.cv1.conv"]),
    (
      "YOLOv10",
      ["2.m.0.cv1.conv", "10.attn.qkv.conv", "23.one2one_cv2.0.0.conv"]
    ),
    ("YOLO12-seg", ["2.m.0.cv1.conv", "6.m.0.0.attn.qkv.conv", "21.proto.cv1.conv"]),
    ("another network of Ultralytics'", ["2.m.0.cv1.conv", "30.cv3.0.2"]),
  ]

  private func shapes(_ layers: [String], _ shape: [Int] = [51, 51, 1, 1]) -> [String: [Int]] {
    Dictionary(uniqueKeysWithValues: (["0.conv"] + layers).map { ("model.\($0).weight", shape) })
  }

  @Test(arguments: relatives)
  func relativesAreNamed(relative: (name: String, tensors: [String])) {
    guard case .unsupported(relative.name) = RecognizedNetwork(TensorShapes(shapes(relative.tensors))) else {
      Issue.record("\(relative.name): \(RecognizedNetwork(TensorShapes(shapes(relative.tensors))))")
      return
    }
  }

  @Test func anAngleIsOneNumberABox() {
    for (shape, task) in [([1, 16, 1, 1], YOLOTask.orientedBoxes), ([51, 51, 1, 1], .pose)] {
      let layers = ["10.m.0.attn.qkv.conv", "23.cv3.0.2", "23.cv4.0.2"]
      #expect(UltralyticsNetwork(TensorShapes(shapes(layers, shape)))?.supported?.task == task)
    }
  }

  @Test func familiesKnowTheirOwn() throws {
    let segmentation = shapes(["10.m.0.attn.qkv.conv", "23.cv3.0.2", "23.cv4.0.2", "23.proto.cv1.conv"])
    let known: [(tensors: [String: [Int]], family: any NetworkFamily.Type)] = [
      (segmentation, YOLOFamily.self), (["pretrained.cls_token": [1, 1, 384]], DepthAnythingFamily.self),
      (["depth_head.scratch.output_conv1.bias": [32]], DepthAnythingFamily.self),
    ]
    for (tensors, expected) in known {
      guard case .member(let family) = RecognizedNetwork(TensorShapes(tensors)) else {
        Issue.record("\(tensors) are unknown")
        continue
      }
      #expect(ObjectIdentifier(family) == ObjectIdentifier(expected))
    }
    for name in ["yolo11-tiny-n", "yolo11-tiny-l"] {
      #expect(try RecognizedNetwork.family(of: Golden.store(name)) == YOLOFamily.self)
    }
    #expect(try RecognizedNetwork.family(of: Golden.store("depth-tiny")) == DepthAnythingFamily.self)
  }

  /// Each family builds the networks of its tasks from its own weights; commands ask nothing else.
  @Test func eachFamilyMakesItsNetworksReady() throws {
    let (options, pool) = (PlanOptions(), ThreadPool(threads: 1))
    for (file, name) in [
      ("yolo11-tiny-n", "yolo11-seg"), ("yolo11-cls-least", "yolo11-cls"),
      ("depth-tiny", "depth-anything-v2"),
    ] {
      let store = try Golden.store(file)
      let (found, weights): (String, WeightSource)
      switch try RecognizedNetwork.family(of: store).task {
      case .objects(let family):
        let input = ObjectInput(side: 64, isRectangle: true)
        let network = try family.detector(store, input: input, options: options, pool: pool)
        (found, weights) = (network.name, network.weights)
        #expect(network.inputText == "within 64x64" && network.form == .masks && network.suppressesOverlaps)
        let outputs = network.exportedPorts.outputs
        #expect(outputs.map(\.name) == ["output0", "output1"])
        #expect(network.classNames.count == outputs[0].shape[0] - 4 - outputs[1].shape[0])
        #expect(family.trainedSide(of: store) == 640)
      case .classes(let family):
        let network = try family.classifier(store, side: 64, options: options, pool: pool)
        (found, weights) = (network.name, network.weights)
        #expect(network.side == 64 && family.trainedSide(of: store) == 224)
      case .depth(let family):
        let network = try family.estimator(store, side: 56, options: options, pool: pool)
        (found, weights) = (network.name, network.weights)
        #expect(network.output == .relative)
        #expect(throws: NetworkError.depth(.invalidBound(7))) {
          try family.estimator(store, side: 7, options: options, pool: pool)
        }
      }
      #expect(found.hasPrefix(name), "\(file) is called \(found)")
      #expect(weights.file == store.file)
    }
  }

  @Test func whatCannotBeRunSaysWhatItIs() {
    func error(_ names: [String]) -> NetworkError? {
      let tensors = Dictionary(uniqueKeysWithValues: names.map { ($0, Tensor(shape: [1], floats: [0])) })
      return #expect(throws: NetworkError.self) {
        try InspectedNetwork(weights: WeightStore(tensors: tensors))
      }
    }
    let registers = "a Depth Anything network whose encoder has registers"
    #expect(error(["pretrained.cls_token", "pretrained.register_tokens"]) == .unsupported(registers))
    #expect(
      error([
        "model.0.conv.weight", "model.22.cv3.0.2.weight", "model.2.m.0.cv1.conv.weight",
        "model.2.cv3.conv.weight",
      ])
        == .unsupported("YOLOv5"))
    #expect(error(["b\n", "c"]) == .unknown(first: "b\n"))
    #expect(error(["b\n", "c"])?.description.contains("\"b\\u{a}\"") == true)
    #expect(error([]) == .unknown(first: nil))
  }
}
