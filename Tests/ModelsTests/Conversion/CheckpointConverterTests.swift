import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// Whole checkpoints put together here: what PyTorch and Hugging Face would write.
@Suite struct CheckpointConverterTests {
  /// Learned parameters of the published variants, as the reference implementation counts them.
  @Test(arguments: [
    ("n", 471, 2_876_848), ("s", 471, 10_113_248), ("m", 596, 22_420_896), ("l", 901, 27_678_368),
    ("x", 901, 62_142_656),
  ])
  func yoloLayoutsHaveThePublishedSizes(name: String, tensors: Int, parameters: Int) throws {
    let variant = try #require(YOLOVariant(rawValue: name))
    let shapes = YOLOCheckpoint.layout(YOLOArchitecture(variant, classCount: 80)).shapes
    #expect(shapes.count == tensors)
    let learned = shapes.filter { !$0.key.contains(".running_") }
    #expect(learned.values.reduce(0) { $0 + $1.reduce(1, *) } == parameters)
  }

  @Test(arguments: [
    (DepthSize.small, 239, 24_785_089), (.base, 239, 97_470_785), (.large, 407, 335_315_649),
  ])
  func depthLayoutsHaveThePublishedSizes(size: DepthSize, tensors: Int, parameters: Int) {
    let shapes = DepthAnythingFamily.layout(size, isPrompted: false).shapes
    #expect(shapes.count == tensors)
    #expect(shapes.values.reduce(0) { $0 + $1.reduce(1, *) } == parameters)
  }

  /// A pickled YOLO11n-seg of 3 classes whose tensors are views of one storage.
  private func fineTuned(
    scale: String = "n", classNames: [String] = ["cat", "dög", "a\"b"], weightsUnder key: String = "ema",
    without missing: String? = nil, extra: String? = nil, counterType: String = "LongStorage",
    classHidden: Int? = nil
  ) -> [UInt8] {
    var network = PickledNetwork(yolo: YOLOArchitecture(.n, classCount: 3, classHidden: classHidden))
    if let missing { network.tensors[missing] = nil }
    if let extra { network.tensors[extra] = Pickle.half([1], storage: network.storage.count / 2) }
    network.tensors["model.0.bn.num_batches_tracked"] = Pickle.tensor(
      Pickle.storage(counterType, key: "1", count: 1), shape: [], strides: [])
    let names = Pickle.dictionary(
      classNames.enumerated().reversed().map {
        (key: Pickle.integer($0.offset), value: Pickle.text($0.element))
      })
    network.attributes = [("names", names), ("yaml", Pickle.dictionary([("scale", Pickle.text(scale))]))]
    return network.checkpoint(
      under: key,
      beside: [
        ("epoch", Pickle.integer(3)), ("train_args", Pickle.dictionary([("lr", [0x4e])])),
        ("evil", Pickle.call("os", "system", [Pickle.text("false")])),
      ])
  }

  /// The message about what is wrong, without what to do, which follows the last semicolon.
  private func message(_ bytes: [UInt8]) -> String? {
    let text = #expect(throws: CheckpointError.self) {
      try CheckpointConverter.read(FileBytes(bytes), file: "c")
    }?.description
    return text.flatMap { text in text.lastIndex(of: ";").map { String(text[..<$0]) } }
  }

  @Test func fineTunedModelsOfOtherClassesConvert() throws {
    let checkpoint = try CheckpointConverter.read(FileBytes(fineTuned()), file: "runs/best.pt")
    #expect(checkpoint.architecture == "yolo11-seg" && checkpoint.variant == "n")
    #expect(checkpoint.tensors.count == 471)
    #expect(checkpoint.metadata["names"] == #"["cat","dög","a\"b"]"#)
    #expect(checkpoint.metadata["source_file"] == "best.pt")
    #expect(checkpoint.tensors["model.23.cv3.0.2.weight"]?.shape == [3, 64, 1, 1])
    #expect(checkpoint.tensors["model.0.bn.num_batches_tracked"] == nil)
  }

  /// Fine-tuned from 80 classes, Ultralytics keeps the class branches 80 wide, where 3 classes alone had 64.
  @Test func classBranchesMayHaveTheWidthOfTheBase() throws {
    let bytes = FileBytes(fineTuned(classHidden: 80))
    var tensors = try CheckpointConverter.read(bytes, file: "best.pt").tensors
    #expect(tensors["model.23.cv3.0.2.weight"]?.shape == [3, 80, 1, 1])
    tensors["model.23.dfl.conv.weight"] = Tensor(shape: [1, 16, 1, 1], floats: (0..<16).map(Float.init))
    let network = try YOLODetector(weights: WeightStore(tensors: tensors))
    #expect(network.architecture.classHidden == 80 && network.architecture.variant == .n)
    tensors["model.23.cv3.1.1.1.bn.bias"] = zeros([64])
    #expect { try YOLODetector(weights: WeightStore(tensors: tensors)) } throws: {
      weightError($0)?.tensor == "model.23.cv3.1.1.1.bn.bias"
    }
  }

  @Test func misfitsAreNamed() {
    let unknown =
      "c: not a network that can be converted (YOLOv8-cls, YOLO11-cls, YOLOv8, YOLO11 and YOLO26 (detect, -seg, -pose, -obb), Depth Anything V2 Small, Base or Large or Prompt Depth Anything Small): "
    #expect(
      message(fineTuned(scale: "s")) == unknown + "it says it is variant s, its shapes are those of n")
    #expect(message(fineTuned(classNames: ["cat"])) == "c: 1 class name for 3 classes")
    #expect(
      message(fineTuned(without: "model.9.cv1.bn.bias")) == "c: tensor \"model.9.cv1.bn.bias\": is missing")
    #expect(
      message(fineTuned(extra: "model.9.cv1.bn.more"))
        == "c: tensor \"model.9.cv1.bn.more\": is not part of the network")
    #expect(message(fineTuned(weightsUnder: "optimizer"))?.hasSuffix("\"state_dict\"") == true)
  }

  @Test("a network that would be refused where it is used is refused at once")
  func changedBins() throws {
    let layout = YOLOCheckpoint.layout(YOLOArchitecture(.n, classCount: 80)).shapes
    let folder = try TemporaryDirectory()
    let path = folder.file("bins.safetensors")
    var tensors = layout.mapValues(zeros)
    func message(_ bins: [Float]) throws -> String? {
      tensors["model.23.dfl.conv.weight"] = Tensor(shape: [1, 16, 1, 1], floats: bins)
      try SafetensorsWriter.write(tensors, metadata: ["license": "own"], to: path, overwrite: true)
      do throws(CheckpointError) {
        _ = try CheckpointConverter.read(path)
        return nil
      } catch {
        return error.description
      }
    }
    #expect(try message((0..<16).map(Float.init)) == nil)
    #expect(try message((1...16).map(Float.init))?.contains("its distance bins are not 0 to 15") == true)
  }

  @Test func namesOfWrappersAreDropped() throws {
    let layout = YOLOCheckpoint.layout(YOLOArchitecture(.n, classCount: 80)).shapes
    let folder = try TemporaryDirectory()
    for prefix in ["model.", "module.", "module.model.", "_orig_mod."] {
      var tensors = layout.map { ("\(prefix)\($0.key)", zeros($0.value)) }
      tensors.removeAll { $0.0.hasSuffix(".dfl.conv.weight") }
      tensors.append(
        ("\(prefix)model.23.dfl.conv.weight", Tensor(shape: [1, 16, 1, 1], floats: (0..<16).map(Float.init))))
      let path = folder.file("\(prefix)safetensors")
      try SafetensorsWriter.write(
        Dictionary(uniqueKeysWithValues: tensors), metadata: ["license": "own"], to: path, overwrite: false)
      let checkpoint = try CheckpointConverter.read(path)
      #expect(checkpoint.tensors.mapValues(\.shape) == layout)
      #expect(checkpoint.metadata["license"] == "own")
      #expect(checkpoint.metadata["names"] == nil)
    }
  }

  private func zeros(_ shape: [Int]) -> Tensor {
    Tensor(
      shape: shape, dtype: .float16,
      storage: TensorStorage(copying: [UInt16](repeating: 0, count: shape.reduce(1, *))))
  }

  /// A transposed weight, as a script that ties or flips weights may leave it.
  @Test func stridedViewsAreCopiedInOrder() throws {
    let storage = Pickle.storage("ShortStorage", key: "0", count: 7)
    let bytes = Pickle.archive(
      Pickle.file(
        Pickle.dictionary([("w", Pickle.tensor(storage, offset: 1, shape: [3, 2], strides: [1, 3]))])),
      storages: ["0": (0..<7).flatMap { [UInt8($0), 0] }])
    let source = try CheckpointSource(FileBytes(bytes), file: "c")
    #expect(source.tensors["w"]?.shape == [3, 2])
    #expect(try source.loaded()["w"]?.floats() == [1, 4, 2, 5, 3, 6])
  }

  @Test func huggingFaceNamesBecomeTheOriginals() throws {
    func row(_ value: Float) -> Tensor { Tensor(shape: [1, 2], floats: [value, value + 0.5]) }
    let block = "backbone.encoder.layer.3."
    let tensors: [String: Tensor] = [
      "backbone.embeddings.cls_token": row(0), "backbone.embeddings.position_embeddings": row(1),
      "backbone.embeddings.patch_embeddings.projection.weight": row(2), "backbone.layernorm.bias": row(3),
      block + "attention.attention.query.weight": row(4), block + "attention.attention.key.weight": row(5),
      block + "attention.attention.value.weight": row(6), block + "attention.output.dense.bias": row(7),
      block + "layer_scale1.lambda1": row(8), block + "layer_scale2.lambda1": row(9),
      block + "mlp.fc1.weight": row(10), block + "norm2.bias": row(11),
      "neck.reassemble_stage.layers.3.projection.bias": row(12),
      "neck.reassemble_stage.layers.0.resize.weight": row(13), "neck.convs.2.weight": row(14),
      "neck.fusion_stage.layers.0.projection.weight": row(15),
      "neck.fusion_stage.layers.3.residual_layer1.convolution2.bias": row(16), "head.conv1.weight": row(17),
      "head.conv2.bias": row(18), "head.conv3.weight": row(19),
    ]
    #expect(HuggingFaceNames.areUsed(by: tensors.keys))
    let renamed = try HuggingFaceNames.renamed(tensors)
    let own = "pretrained.blocks.3."
    let expected: [String: Float] = [
      "pretrained.cls_token": 0, "pretrained.pos_embed": 1, "pretrained.patch_embed.proj.weight": 2,
      "pretrained.norm.bias": 3, own + "attn.qkv.weight": 4, own + "attn.proj.bias": 7, own + "ls1.gamma": 8,
      own + "ls2.gamma": 9, own + "mlp.fc1.weight": 10, own + "norm2.bias": 11,
      "depth_head.projects.3.bias": 12,
      "depth_head.resize_layers.0.weight": 13, "depth_head.scratch.layer3_rn.weight": 14,
      "depth_head.scratch.refinenet4.out_conv.weight": 15,
      "depth_head.scratch.refinenet1.resConfUnit1.conv2.bias": 16,
      "depth_head.scratch.output_conv1.weight": 17,
      "depth_head.scratch.output_conv2.0.bias": 18, "depth_head.scratch.output_conv2.2.weight": 19,
    ]
    #expect(renamed.mapValues { $0.floats()[0] } == expected)
    #expect(renamed[own + "attn.qkv.weight"]?.shape == [3, 2])
    #expect(renamed[own + "attn.qkv.weight"]?.floats() == [4, 4.5, 5, 5.5, 6, 6.5])
  }

  @Test func joinedProjectionsMustAgree() {
    let part = Tensor(shape: [1, 2], floats: [1, 2])
    let block = "backbone.encoder.layer.0.attention."
    func kind(_ tensors: [String: Tensor]) -> CheckpointError.Kind? {
      #expect(throws: CheckpointErrorAt.self) { try HuggingFaceNames.renamed(tensors) }?.kind
    }
    #expect(kind([block + "q_proj.weight": part, block + "k_proj.weight": part]) == .missing)
    let half = Tensor(shape: [1, 2], roundingToHalf: [1, 2])
    #expect(
      kind([block + "q_proj.weight": part, block + "k_proj.weight": part, block + "v_proj.weight": half])
        == .mixedTypes)
    let wide = Tensor(shape: [1, 3], floats: [1, 2, 3])
    #expect(
      kind([block + "q_proj.weight": part, block + "k_proj.weight": part, block + "v_proj.weight": wide])
        == .wrongShape(found: [1, 3], expected: [1, 2]))
  }
}
