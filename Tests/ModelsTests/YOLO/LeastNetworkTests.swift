import Geometry
import Models
import NNRuntime
import Testing

/// The least network of every family that is supported, against Ultralytics.
@Suite("YOLO networks of least width against Ultralytics")
struct LeastNetworkTests {
  /// Single precision through a whole network.
  private static let tolerance = 1e-4

  /// Families with generation and task, and the numbers of an object besides its box and classes.
  static let families: [(name: String, generation: YOLOGeneration, task: YOLOTask, extras: Int)] = [
    ("yolo11", .v11, .detect, 0), ("yolo11-pose", .v11, .pose, 15), ("yolo11-obb", .v11, .orientedBoxes, 1),
    ("yolov8", .v8, .detect, 0), ("yolov8-seg", .v8, .segment, 32), ("yolov8-pose", .v8, .pose, 8),
    ("yolov8-obb", .v8, .orientedBoxes, 1), ("yolo26", .v26, .detect, 0), ("yolo26-seg", .v26, .segment, 32),
    ("yolo26-pose", .v26, .pose, 15), ("yolo26-obb", .v26, .orientedBoxes, 1),
  ]

  @Test(
    "all raw outputs and the decoded tensor", arguments: families.map(\.name), [Backend.native, .openBLAS])
  func outputs(name: String, backend: Backend) throws {
    let model = try YOLODetector(
      weights: Golden.store("\(name)-least"), options: PlanOptions(backend: backend))
    let reference = try Golden.store("\(name)-least.ref")
    let found = try RawOutputs(
      of: model, for: ReferenceMap(try reference.tensor(named: "input")).elements,
      size: PixelSize(width: 96, height: 64))
    #expect(Set(found.maps.keys).union(["input", "output0"]) == Set(reference.names))
    for (output, map) in found.maps {
      let expected = ReferenceMap(try reference.tensor(named: output))
      #expect(map.shape == expected.shape)
      #expect(relativeError(map.elements, expected.elements) < Self.tolerance, "\(output)")
    }
    let output0 = try reference.tensor(named: "output0").floats()
    #expect(relativeError(found.output0, output0) < Self.tolerance)
  }

  @Test(
    "classifiers' logits and probabilities", arguments: ["yolo11", "yolov8"], [Backend.native, .openBLAS])
  func classes(generation: String, backend: Backend) throws {
    let store = try Golden.store("\(generation)-cls-least")
    let network = try InspectedNetwork(weights: store, options: PlanOptions(backend: backend))
    let session = try network.session(for: PixelSize(width: 64, height: 64))
    let reference = try Golden.store("\(generation)-cls-least.ref")
    let input = ReferenceMap(try reference.tensor(named: "input")).elements
    let found = try session.run(
      prepare: { target in try target.fill(target.input("input"), with: input) },
      read: { outputs in
        try ["logits", "probabilities"].map { name in
          (name, outputs.elements(of: try session.output(name)))
        }
      })
    for (name, elements) in found {
      #expect(relativeError(elements, try reference.tensor(named: name).floats()) < Self.tolerance, "\(name)")
    }
  }

  @Test("sizes are read off the weights", arguments: families.map(\.name))
  func architecture(name: String) throws {
    let expected = try #require(Self.families.first { $0.name == name })
    let store = try Golden.store("\(name)-least")
    let sizes = try YOLOArchitecture(store)
    #expect(sizes.generation == expected.generation && sizes.task == expected.task)
    #expect(sizes.extras == expected.extras && sizes.classCount == 4 && sizes.family == name)
    #expect(sizes.scaling.width == 0.125 && sizes.scaling.maximumChannels == 256)
    #expect(sizes.variant == nil)
    #expect(try RecognizedNetwork.family(of: store) == YOLOFamily.self)
    #expect(throws: YOLOError.self) { try YOLOClassifier(weights: store) }
  }

  @Test("key points have the metadata's shape, or the likeliest")
  func keypointShapes() throws {
    let store = try Golden.store("yolov8-pose-least")
    #expect(try YOLOArchitecture(store).keypoints == KeypointShape(count: 4, dimensions: 2))
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    #expect(
      try YOLOArchitecture(WeightStore(tensors: tensors)).keypoints == KeypointShape(count: 4, dimensions: 2))
    for text in ["[3, 3]", "[8]", "[4, \"2\"]", "{}", "[8, 1]", "[9223372036854775807, 3]"] {
      #expect(throws: YOLOError.self) {
        try YOLOArchitecture(WeightStore(tensors: tensors, metadata: ["kpt_shape": text]))
      }
    }
    #expect(try KeypointShape(values: 51, metadata: [:]) == .coco)
    #expect(throws: YOLOError.self) { try KeypointShape(values: 7, metadata: [:]) }
  }

  @Test("normalizations of classifiers add what the framework adds, of others what Ultralytics sets")
  func epsilons() throws {
    #expect(try YOLOArchitecture(Golden.store("yolo11-cls-least")).epsilon == 1e-5)
    let store = try Golden.store("yolo11-least")
    #expect(try YOLOArchitecture(store).epsilon == 1e-3)
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    func sizes(_ text: String) throws -> YOLOArchitecture {
      try YOLOArchitecture(WeightStore(tensors: tensors, metadata: ["bn_eps": text]))
    }
    #expect(try sizes("0.0001").epsilon == 1e-4)
    for text in ["0", "1", "nan", "-0.001", "x"] { #expect(throws: YOLOError.self) { try sizes(text) } }
  }

  @Test("what is YOLO26's for training alone may be there or not")
  func trainingHeads() throws {
    let store = try Golden.store("yolo26-seg-least")
    var tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    let training = tensors.keys.filter { name in
      ["model.23.cv2.", "model.23.cv3.", "model.23.cv4.", "model.23.proto.semseg."].contains {
        name.hasPrefix($0)
      }
    }
    #expect(training.count > 50)
    for name in training { tensors[name] = nil }
    _ = try YOLODetector(weights: WeightStore(tensors: tensors))
    tensors["model.23.cv5.0.weight"] = Tensor(shape: [1], floats: [0])
    #expect { try YOLODetector(weights: WeightStore(tensors: tensors)) } throws: {
      weightError($0)?.kind == .unused(["model.23.cv5.0.weight"])
    }
  }

  @Test("a classifier takes squares of whole strides")
  func classifierSides() throws {
    let store = try Golden.store("yolo11-cls-least")
    #expect(throws: YOLOError.invalidInputSize(height: 100, width: 100)) {
      try YOLOClassifier(weights: store, side: 100)
    }
    #expect(throws: NetworkError.yolo(.notSquare(height: 64, width: 96))) {
      try InspectedNetwork(weights: store).session(for: PixelSize(width: 96, height: 64))
    }
    #expect(throws: YOLOError.self) { try YOLODetector(weights: store) }
    #expect(try RecognizedNetwork.family(of: store) == YOLOClassifierFamily.self)
  }
}
