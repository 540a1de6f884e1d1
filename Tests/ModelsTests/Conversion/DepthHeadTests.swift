import FileFormats
import Foundation
import Models
import NNRuntime
import TestSupport
import Testing

/// The recognition of relative, metric and prompted depth checkpoints.
@Suite struct DepthHeadTests {
  private func zeros(_ shape: [Int]) -> Tensor {
    Tensor(
      shape: shape, dtype: .float16,
      storage: TensorStorage(copying: [UInt16](repeating: 0, count: shape.reduce(1, *))))
  }

  private func write(
    _ path: String, isPrompted: Bool = false, prefix: String = "", metadata: [String: String] = [:]
  ) throws {
    let shapes = DepthAnythingFamily.layout(isPrompted: isPrompted).shapes
    let tensors = shapes.map { ("\(prefix)\($0.key)", zeros($0.value)) }
    try SafetensorsWriter.write(
      Dictionary(uniqueKeysWithValues: tensors), metadata: metadata, to: path, overwrite: true)
  }

  private func maxDepth(_ path: String, _ given: Double? = nil) throws -> String? {
    try CheckpointConverter.read(path, maxDepth: given).metadata["max_depth"]
  }

  private func kind(_ path: String, _ given: Double? = nil) -> CheckpointError.Kind? {
    #expect(throws: CheckpointError.self) { try CheckpointConverter.read(path, maxDepth: given) }?.kind
  }

  @Test func aMetricCheckpointIsKnownByItsGreatestDepthOrItsName() throws {
    let folder = try TemporaryDirectory()
    let plain = folder.file("depth_anything_v2_vits.safetensors")
    try write(plain)
    #expect(try maxDepth(plain) == nil)
    #expect(try maxDepth(plain, 20) == "20")
    #expect(try maxDepth(plain, 12.5) == "12.5")
    for depth in [0, -3, .nan, .infinity, 1e9] {
      #expect(kind(plain, depth).map { if case .invalidGreatestDepth = $0 { true } else { false } } == true)
    }
    let indoor = folder.file("depth_anything_v2_metric_hypersim_vits.safetensors")
    try write(indoor)
    #expect(try maxDepth(indoor) == "20")
    #expect(try maxDepth(indoor, 30) == "30")
    let bytes = try FileBytes(path: indoor)
    #expect(try CheckpointConverter.read(bytes, at: indoor).metadata["max_depth"] == "20")
    let outdoor = folder.file("depth_anything_v2_metric_vkitti_vits.safetensors")
    try write(outdoor)
    #expect(try maxDepth(outdoor) == "80")
    let other = folder.file("my-metric.safetensors")
    try write(other)
    #expect(kind(other) == .unknownGreatestDepth)
    #expect(try maxDepth(other, 10) == "10")

    // A converted file says it itself.
    let converted = folder.file("converted.safetensors")
    try CheckpointConverter.convert(plain, to: converted, overwrite: false, maxDepth: 20)
    let checkpoint = try CheckpointConverter.read(converted)
    #expect(checkpoint.metadata["max_depth"] == "20" && checkpoint.architecture == "depth-anything-v2")
    try write(plain, metadata: ["max_depth": "deep"])
    #expect(kind(plain).map { if case .invalidGreatestDepth = $0 { true } else { false } } == true)
  }

  @Test func aPromptedCheckpointIsKnownByItsNames() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("model.safetensors")
    for prefix in ["", "pipeline."] {
      try write(path, isPrompted: true, prefix: prefix)
      let checkpoint = try CheckpointConverter.read(path)
      #expect(checkpoint.architecture == "prompt-depth-anything" && checkpoint.variant == "small")
      #expect(checkpoint.tensors.mapValues(\.shape) == DepthAnythingFamily.layout(isPrompted: true).shapes)
      #expect(checkpoint.metadata["max_depth"] == nil)
    }
    #expect(kind(path, 20) == .needlessGreatestDepth)
    #expect(
      DepthAnythingFamily.layout(isPrompted: true).shapes.values.reduce(0) { $0 + $1.reduce(1, *) }
        == 25_083_073)
  }

  /// The first version has the names and shapes of the second, and taps other blocks.
  @Test func theFirstVersionIsRefusedWhereItCanBeTold() throws {
    let folder = try TemporaryDirectory()
    let first = CheckpointError.Kind.unsupportedNetwork("the first version of Depth Anything")
    for name in ["depth_anything_vits14.safetensors", "depth-anything-small-hf/model.safetensors"] {
      let path = try folder.write("", to: name)
      try write(path)
      #expect(kind(path) == first)
    }
    for name in ["depth_anything_v2_vits.safetensors", "Depth-Anything-V2-Small-hf/model.safetensors"] {
      let path = try folder.write("", to: name)
      try write(path)
      #expect(try maxDepth(path) == nil)
    }
  }

  @Test func otherSizesAreNamed() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("depth.safetensors")
    let prompt = "depth_head.scratch.refinenet1.resConfUnit_depth.0.weight"
    for (width, isPrompted, name) in [
      (1536, false, "Depth Anything V2 Giant"), (768, true, "Prompt Depth Anything Base"),
      (1024, true, "Prompt Depth Anything Large"),
    ] {
      var tensors = ["pretrained.cls_token": zeros([1, 1, width])]
      if isPrompted { tensors[prompt] = zeros([64, 1, 3, 3]) }
      try SafetensorsWriter.write(tensors, metadata: [:], to: path, overwrite: true)
      #expect(kind(path) == .unsupportedNetwork(name))
    }
  }

  /// The large one is left to the tool that makes it: it has 1.3 GB.
  @Test(arguments: [DepthSize.small, .base])
  func allSizesConvertUnderTheirNames(size: DepthSize) throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("depth_anything_v2_\(size.encoder).safetensors")
    let layout = DepthAnythingFamily.layout(size, isPrompted: false).shapes
    try SafetensorsWriter.write(layout.mapValues { zeros($0) }, metadata: [:], to: path, overwrite: true)
    let checkpoint = try CheckpointConverter.read(path)
    #expect(checkpoint.variant == size.rawValue && checkpoint.architecture == "depth-anything-v2")
    #expect(checkpoint.metadata["license"] == (size == .small ? "Apache-2.0" : "CC-BY-NC-4.0"))
    let network = try DepthAnythingV2(weights: WeightStore(path: path))
    #expect(network.architecture == DepthAnythingArchitecture(size, .relative))
    #expect(network.architecture.name == "depth-anything-v2-\(size.rawValue)")
    let first = folder.file("depth_anything_\(size.encoder)14.safetensors")
    try SafetensorsWriter.write(layout.mapValues { zeros($0) }, metadata: [:], to: first, overwrite: true)
    #expect(kind(first) == .unsupportedNetwork("the first version of Depth Anything"))
  }

  @Test func namesOfPromptsBecomeTheOriginals() throws {
    let layer = "neck.fusion_stage.layers.3.prompt_depth_layer."
    let tensors = (1...3).map { ("\(layer)convolution\($0).weight", zeros([1, $0])) }
    let renamed = try HuggingFaceNames.renamed(Dictionary(uniqueKeysWithValues: tensors))
    let unit = "depth_head.scratch.refinenet1.resConfUnit_depth."
    #expect(
      renamed.mapValues(\.shape)
        == ["\(unit)0.weight": [1, 1], "\(unit)2.weight": [1, 2], "\(unit)4.weight": [1, 3]])
  }

  @Test func configurationsOfHuggingFaceSayWhichHeadItIs() throws {
    func config(_ fields: [String: JSONValue]) throws -> HuggingFaceConfig? {
      try HuggingFaceConfig(.object(["model_type": "depth_anything"].merging(fields) { $1 }))
    }
    #expect(try config([:]) == config(["depth_estimation_type": "relative"]))
    #expect(try config(["max_depth": 20]) == config([:]))
    #expect(
      try config(["depth_estimation_type": "metric", "max_depth": 20])
        != config(["depth_estimation_type": "metric", "max_depth": 80]))
    #expect(try config(["model_type": "yolos"]) == nil)
    #expect(
      try config(["backbone_config": ["out_indices": [3, 6, 9, 12]]])
        != config(["backbone_config": ["out_indices": [9, 10, 11, 12]]]))
    #expect(throws: CheckpointError.Kind.self) { try config(["depth_estimation_type": "both"]) }
  }
}
