import FileFormats
import Models
import NNRuntime
import Testing

/// Checkpoints as people keep them: wrappers in any order and depth, and what trainers leave beside the weights.
@Suite struct WrappedCheckpointTests {
  /// A network of key points whose shape only its metadata tells: 3 x 2 numbers, which might be 2 x 3.
  private static let sizes = YOLOArchitecture(
    .n, .v8, .pose, classCount: 2, keypoints: KeypointShape(count: 3, dimensions: 2))

  private static var network: PickledNetwork {
    var network = PickledNetwork(yolo: sizes)
    network.attributes += [
      ("yaml", Pickle.dictionary([("kpt_shape", Pickle.integers([3, 2])), ("scale", Pickle.text("n"))])),
      (
        "args",
        Pickle.object(
          "ultralytics.utils", "IterableSimpleNamespace",
          state: Pickle.dictionary([("imgsz", Pickle.integer(320))]))
      ),
    ]
    return network
  }

  typealias Wrapper = @Sendable ([UInt8]) -> [UInt8]

  /// A module around another.
  private static func around(_ library: String, _ name: String, _ part: String) -> Wrapper {
    { inner in
      Pickle.object(
        library, name,
        state: Pickle.dictionary([
          ("_parameters", Pickle.dictionary([(String, [UInt8])]())),
          ("_forward_hooks", Pickle.dictionary([(String, [UInt8])]())),
          ("_modules", Pickle.dictionary([(part, inner)])),
        ]))
    }
  }

  private static let parallel = around("torch.nn.parallel.data_parallel", "DataParallel", "module")
  private static let distributed = around(
    "torch.nn.parallel.distributed", "DistributedDataParallel", "module")
  private static let compiled = around("torch._dynamo.eval_frame", "OptimizedModule", "_orig_mod")
  private static let yolo = around("ultralytics.models.yolo.model", "YOLO", "model")
  private static let lightning = around("train", "Lit", "net")

  /// An object that is no module and holds one, as Ultralytics' averaged weights.
  @Sendable private static func averaged(_ inner: [UInt8]) -> [UInt8] {
    Pickle.object("ultralytics.utils.torch_utils", "ModelEMA", state: Pickle.dictionary([("ema", inner)]))
  }

  static let wrappers: [[Wrapper]] = [
    [], [parallel], [distributed], [compiled], [yolo], [lightning], [averaged], [parallel, compiled],
    [compiled, parallel], [yolo, distributed, averaged], [parallel, yolo, compiled],
    [{ Pickle.dictionary([("model", $0)]) }, { Pickle.dictionary([("state_dict", $0)]) }],
  ]

  @Test(arguments: wrappers.indices) func whatTheNetworkSaysIsFoundInAnyWrapper(index: Int) throws {
    let bytes = Self.network.checkpoint(wrapped: { Self.wrappers[index].reduce($0) { $1($0) } })
    let checkpoint = try CheckpointConverter.read(FileBytes(bytes), file: "best.pt")
    #expect(checkpoint.metadata["names"] == "[\"n0\",\"n1\"]")
    #expect(checkpoint.metadata["kpt_shape"] == "[3, 2]")
    #expect(checkpoint.metadata["imgsz"] == "320")
    #expect(checkpoint.metadata["modules"] == "compared")
    #expect(checkpoint.tensors.mapValues(\.shape) == YOLOCheckpoint.layout(Self.sizes).shapes)
    // Modules are compared through wrappers too.
    var other = Self.network
    other.modules["model.9.m"]?.numbers["kernel_size"] = Pickle.integer(7)
    let defect = try CheckpointDescription(
      FileBytes(other.checkpoint(wrapped: { Self.wrappers[index].reduce($0) { $1($0) } })), file: "best.pt"
    ).defect
    #expect(
      defect?.contains("module \"model.9.m\"") == true
        && defect?.contains("kernel_size 7, 5 is built") == true)
  }

  @Test func keyPointsThatDoNotFitAreRefused() throws {
    var network = Self.network
    network.attributes.append(("yaml", Pickle.dictionary([("kpt_shape", Pickle.integers([17, 3]))])))
    let defect = try CheckpointDescription(FileBytes(network.checkpoint()), file: "best.pt").defect
    #expect(defect?.contains("[17, 3], it has 6 numbers") == true)
  }

  @Test func countersOfOperationsAreNoWeights() throws {
    var network = Self.network
    for path in ["", "model", "model.0", "model.0.conv", "model.22.cv4.0"] {
      for name in ["total_ops", "total_params"] {
        network.tensors[path.isEmpty ? name : "\(path).\(name)"] = Pickle.tensor(
          Pickle.storage("DoubleStorage", key: "1", count: 1), shape: [1], strides: [1])
      }
    }
    let checkpoint = try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "best.pt")
    #expect(checkpoint.tensors.count == YOLOCheckpoint.layout(Self.sizes).shapes.count)
  }

  @Test func tensorsOfOtherClassesAreTensors() throws {
    var network = Self.network
    let name = "model.0.conv.weight"
    let plain = Pickle.tuple(
      [
        Pickle.storage("HalfStorage", key: "0", count: network.storage.count / 2), Pickle.integer(0),
        Pickle.integers([16, 3, 3, 3]), Pickle.integers([27, 9, 3, 1]), [0x89],
        Pickle.call("collections", "OrderedDict", []),
      ])
    let typed = Pickle.call(
      "torch._tensor", "_rebuild_from_type_v2",
      [
        Pickle.global("torch._utils", "_rebuild_tensor_v2"), Pickle.global("some.library", "Marked"), plain,
        Pickle.dictionary([("note", Pickle.text("x"))]),
      ])
    network.tensors[name] = typed
    #expect(try CheckpointDescription(FileBytes(network.checkpoint()), file: "c").defect == nil)
    network.tensors[name] = Pickle.call(
      "torch._utils", "_rebuild_parameter_with_state",
      [
        typed, [0x88], Pickle.call("collections", "OrderedDict", []),
        Pickle.dictionary([("a", Pickle.integer(1))]),
      ])
    #expect(try CheckpointDescription(FileBytes(network.checkpoint()), file: "c").defect == nil)
  }

  @Test func severalNetworksAreNotMixed() throws {
    let layout = YOLOCheckpoint.layout(Self.sizes).shapes
    var members: [(String, [UInt8])] = []
    for prefix in ["student.", "teacher."] {
      members += layout.map {
        (prefix + $0.key, Pickle.half($0.value, storage: Self.network.storage.count / 2))
      }
    }
    let bytes = Pickle.archive(
      Pickle.file(Pickle.dictionary([("state_dict", Pickle.dictionary(members))])),
      storages: ["0": Self.network.storage])
    let error = #expect(throws: CheckpointError.self) {
      try CheckpointConverter.read(FileBytes(bytes), file: "c")
    }
    #expect(error?.kind == .severalNetworks(["student.model.", "teacher.model."]))
  }
}
