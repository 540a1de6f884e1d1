import Geometry
import Models
import NNRuntime
import Testing

@Suite("YOLO11 networks of reduced width against Ultralytics")
struct YOLONetworkTests {
  /// Single precision through a whole network.
  private static let tolerance = 1e-4

  @Test("all raw outputs and the decoded tensor", arguments: ["n", "l"], [Backend.native, .openBLAS])
  func outputs(kind: String, backend: Backend) throws {
    let model = try YOLODetector(
      weights: Golden.store("yolo11-tiny-\(kind)"), options: PlanOptions(backend: backend))
    let reference = try Golden.store("yolo11-tiny-\(kind).ref")
    let found = try RawOutputs(
      of: model, for: ReferenceMap(try reference.tensor(named: "input")).elements,
      size: PixelSize(width: 96, height: 64))
    for (name, map) in found.maps {
      let expected = ReferenceMap(try reference.tensor(named: name))
      #expect(map.shape == expected.shape)
      #expect(relativeError(map.elements, expected.elements) < Self.tolerance, "\(name)")
    }
    let output0 = try reference.tensor(named: "output0").floats()
    #expect(relativeError(found.output0, output0) < Self.tolerance)
  }

  @Test("layers by their module path", arguments: ["n", "l"])
  func layers(kind: String) throws {
    let model = try YOLODetector(
      weights: Golden.store("yolo11-tiny-\(kind)"), options: PlanOptions(retain: true))
    let reference = try Golden.store("yolo11-tiny-\(kind).ref")
    let input = ReferenceMap(try reference.tensor(named: "input")).elements
    let session = try model.session(for: PixelSize(width: 96, height: 64))
    // A block's result is that of its last convolution.
    let names = [4, 6, 9, 10, 16, 19, 22].map { ("layer.\($0)", "model.\($0).cv2") }
    let found = try session.run(
      prepare: { target in
        try target.fill(target.input("input"), with: input)
      },
      read: { outputs in names.map { outputs.value(named: $0.1)?.elements } })
    for ((name, _), elements) in zip(names, found) {
      let expected = ReferenceMap(try reference.tensor(named: name)).elements
      #expect(relativeError(try #require(elements), expected) < Self.tolerance, "\(name)")
    }
  }

  @Test("sizes and names are read off the weights")
  func architecture() throws {
    let n = try YOLOArchitecture(Golden.store("yolo11-tiny-n"))
    #expect(n.scaling == YOLOScaling(width: 0.125, maximumChannels: 1024, repeats: 1))
    #expect(n.classNames == ["class 0", "class 1", "class 2", "class 3"])
    #expect(n.extras == 32 && n.family == "yolo11-seg" && n.variant == nil)
    let l = try YOLOArchitecture(Golden.store("yolo11-tiny-l"))
    #expect(l.scaling == YOLOScaling(width: 0.125, maximumChannels: 512, repeats: 2, c3kEverywhere: true))
  }

  @Test("a missing, a mis-shaped and a superfluous tensor are named")
  func strictness() throws {
    let store = try Golden.store("yolo11-tiny-n")
    var tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })

    let name = "model.13.m.0.cv1.bn.running_var"
    let kept = tensors.removeValue(forKey: name)!
    #expect { try load(tensors) } throws: { weightError($0)?.tensor == name }

    tensors[name] = Tensor(shape: [kept.count + 1], floats: [Float](repeating: 1, count: kept.count + 1))
    #expect { try load(tensors) } throws: { error in
      guard case .wrongShape(let found, let expected) = weightError(error)?.kind else { return false }
      return found == [kept.count + 1] && expected == [kept.count] && weightError(error)?.tensor == name
    }

    tensors[name] = kept
    tensors["model.22.more.weight"] = kept
    #expect { try load(tensors) } throws: {
      weightError($0)?.kind == .unused(["model.22.more.weight"])
    }

    tensors["model.22.more.weight"] = nil
    tensors["model.23.dfl.conv.weight"] = Tensor(shape: [1, 16, 1, 1], floats: (1...16).map { Float($0) })
    #expect(throws: YOLOError.self) { try load(tensors) }
    tensors["model.23.dfl.conv.weight"] = nil
    tensors["model.0.bn.num_batches_tracked"] = Tensor(shape: [], floats: [1])
    try load(tensors)
  }

  @Test("weights that contradict their metadata are refused")
  func contradiction() throws {
    let store = try Golden.store("yolo11-tiny-n")
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    for metadata in [["variant": "l"], ["names": "[\"cat\"]"], ["names": "cat, dog, cup, bed"]] {
      #expect(throws: YOLOError.self) { try load(tensors, metadata) }
    }
    let named = try load(tensors, ["names": "{\"0\": \"a\", \"1\": \"b\", \"2\": \"c\", \"3\": \"d\"}"])
    #expect(named.architecture.classNames == ["a", "b", "c", "d"])
  }

  @Test("input sides must be multiples of 32", arguments: [(100, 640), (640, 33), (0, 640), (640, 8192)])
  func inputSize(height: Int, width: Int) throws {
    let store = try Golden.store("yolo11-tiny-n")
    #expect(throws: YOLOError.invalidInputSize(height: height, width: width)) {
      try YOLODetector(weights: store, input: .fixed(height: height, width: width))
    }
  }

  @Test(
    "pictures are fitted into the square that the network was trained on",
    arguments: [("320", 320), ("1024", 1024), (nil, 640), ("100", 640), ("large", 640)] as [(String?, Int)])
  func trainedSize(written: String?, side: Int) throws {
    let store = try Golden.store("yolo11-tiny-n")
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    let detector = try load(tensors, written.map { ["imgsz": $0] } ?? [:])
    #expect(detector.input == .fixed(height: side, width: side))
  }

  @discardableResult
  private func load(
    _ tensors: [String: Tensor], _ metadata: [String: String] = [:]
  ) throws -> YOLODetector {
    try YOLODetector(weights: WeightStore(tensors: tensors, metadata: metadata))
  }
}
