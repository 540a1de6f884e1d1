import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// A pickled network is what its modules say: each class and number is built as it is, or refused by name.
@Suite struct ModuleComparisonTests {
  /// A network of the smallest published size, or a depth network.
  struct Kind: CustomTestStringConvertible, Sendable {
    let generation: YOLOGeneration?
    let task: YOLOTask
    var isPrompted = false

    var network: PickledNetwork {
      guard let generation else {
        return PickledNetwork(
          DepthAnythingFamily.layout(isPrompted: isPrompted), authors: "depth_anything_v2")
      }
      return PickledNetwork(yolo: YOLOArchitecture(.n, generation, task, classCount: 3))
    }

    var layout: WeightLayout {
      guard let generation else { return DepthAnythingFamily.layout(isPrompted: isPrompted) }
      return YOLOCheckpoint.layout(YOLOArchitecture(.n, generation, task, classCount: 3))
    }

    var testDescription: String { (generation?.rawValue ?? "depth \(isPrompted)") + task.rawValue }
  }

  static let kinds =
    YOLOGeneration.allCases.flatMap { generation in
      YOLOTask.allCases.filter { generation != .v26 || $0 != .classify }
        .map { Kind(generation: generation, task: $0) }
    } + [false, true].map { Kind(generation: nil, task: .detect, isPrompted: $0) }

  private func defect(_ network: PickledNetwork) throws -> String? {
    try CheckpointDescription(FileBytes(network.checkpoint()), file: "best.pt").defect
  }

  private func isRefused(_ network: PickledNetwork, _ path: String) throws -> Bool {
    let told = path.isEmpty ? "the network itself" : path
    return try defect(network)?.hasPrefix("module \"\(told)\" computes something else") == true
  }

  /// The statements, but for those of parts of what serves training alone, which may be anything.
  private func compared(_ layout: WeightLayout) -> [(path: String, statement: ModuleStatement)] {
    let training = layout.modules.filter { $0.value.isForTraining }.keys
    return layout.modules.sorted { $0.key < $1.key }
      .filter { path, _ in !training.contains { path.hasPrefix("\($0).") } }.map { ($0.key, $0.value) }
  }

  /// The first module of every class, by its name, and what is stated of it.
  private func samples(_ layout: WeightLayout) -> [(path: String, statement: ModuleStatement)] {
    var seen: Set<String> = []
    return compared(layout).filter { _, statement in
      // The numbers of blocks with a shortcut and without one are two kinds.
      seen.insert(
        "\(statement.classes) \(statement.numbers.keys.sorted()) \(statement.numbers["add"] == .flag(true))"
      )
      .inserted && statement.activation == nil
    }
  }

  private func changed(_ number: ModuleNumber) -> ModuleNumber {
    switch number {
    case .number(let number): .number(number + 1)
    case .range(let range): .number(range.upperBound + 1)
    case .numbers(let numbers): .numbers(numbers.dropLast() + [numbers[numbers.count - 1] + 1])
    case .flag(let flag): .flag(!flag)
    case .text: .text("other")
    case .none: .number(3)
    case .layers(let layers, let index):
      .layers(layers.dropLast() + [layers[layers.count - 1] - 1], of: index)
    }
  }

  @Test(arguments: kinds) func soundNetworksConvert(kind: Kind) throws {
    let network = kind.network
    #expect(try defect(network) == nil)
    // The tensors of a depth network, views of one storage, take more than the file may unpack to.
    guard kind.generation != nil else { return }
    let checkpoint = try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "best.pt")
    #expect(checkpoint.metadata["modules"] == "compared")
    #expect(checkpoint.metadata["activations"] == nil)
    #expect(checkpoint.metadata["format"] == "ardf.weights/2")
  }

  @Test(arguments: kinds) func everyNumberIsCompared(kind: Kind) throws {
    let sound = kind.network
    var count = 0
    for (path, statement) in samples(kind.layout) {
      for (name, number) in statement.numbers {
        var network = sound
        network.modules[path]?.numbers[name] = PickledNetwork.pickled(changed(number))
        #expect(try isRefused(network, path), "\(path) \(name)")
        network.modules[path]?.numbers[name] = Pickle.text("?")
        #expect(try isRefused(network, path), "\(path) \(name)")
        count += 1
      }
    }
    #expect(count > 20)
  }

  @Test(arguments: kinds) func everyClassIsCompared(kind: Kind) throws {
    let sound = kind.network
    for (path, statement) in samples(kind.layout) {
      var network = sound
      network.modules[path]?.name = "Other"
      #expect(try isRefused(network, path), "\(path)")
      guard kind.generation != nil || statement.library == .torch else { continue }
      network = sound
      network.modules[path]?.library = "some.library"
      #expect(try isRefused(network, path), "\(path)")
      network = sound
      network.modules[path]?.numbers["forward"] = Pickle.call("some.library", "forward", [])
      #expect(try isRefused(network, path), "\(path)")
    }
  }

  @Test(arguments: kinds) func activationsAreBuiltOrRefused(kind: Kind) throws {
    let sound = kind.network
    let all = kind.layout.modules.filter { $0.value.activation != nil }.sorted { $0.key < $1.key }
    for (path, statement) in [all.first, all.last, all.randomElement()].compactMap({ $0 }) {
      var network = sound
      network.modules[path]?.name = "Mish"
      #expect(try defect(network)?.contains("activation torch.nn.modules.activation.Mish") == true)
      network.modules[path]?.name = "ReLU"
      guard statement.isExchangeable else {
        #expect(try statement.activation == .relu || isRefused(network, path))
        continue
      }
      let checkpoint = try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "best.pt")
      #expect(checkpoint.metadata["activations"] == "{\"\(path.dropLast(4))\":\"relu\"}")
    }
  }

  /// YOLO26 has two heads, and an attribute says which of them is used.
  @Test(arguments: [YOLOTask.detect, .segment]) func theHeadThatIsSetIsComputed(task: YOLOTask) throws {
    for isEndToEnd in [true, false] {
      var network = Kind(generation: .v26, task: task).network
      network.modules["model.23"]?.numbers["_end2end"] = PickledNetwork.pickled(.flag(isEndToEnd))
      let checkpoint = try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "best.pt")
      #expect(checkpoint.metadata["head"] == (isEndToEnd ? nil : "suppressed"))
      #expect(checkpoint.remarks.contains { $0.contains("end2end = False") } == !isEndToEnd)
      let store = WeightStore(tensors: checkpoint.tensors, metadata: checkpoint.metadata)
      #expect(try YOLOArchitecture(store).isEndToEnd == isEndToEnd)
    }
  }

  /// YOLO11 as Ultralytics 8.4 trained it from January to September 2026, and with activations of its own.
  @Test func activationsAreWrittenByName() throws {
    var network = Kind(generation: .v11, task: .segment).network
    network.modules["model.9.cv1.act"] = .init(library: "torch.nn.modules.linear", name: "Identity")
    network.modules["model.1.act"] = .init(
      library: "torch.nn.modules.activation", name: "LeakyReLU",
      numbers: ["negative_slope": Pickle.double(0.1)])
    let checkpoint = try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "best.pt")
    #expect(
      checkpoint.metadata["activations"] == "{\"model.1\":\"leakyrelu 0.1\",\"model.9.cv1\":\"none\"}")
    #expect(checkpoint.remarks.contains { $0.contains("activations of its own") })
    // Converted again, it says the same.
    let place = try TemporaryDirectory()
    let file = place.file("converted.safetensors")
    try SafetensorsWriter.write(checkpoint.tensors, metadata: checkpoint.metadata, to: file, overwrite: false)
    let again = try CheckpointConverter.read(file)
    #expect(again.metadata["activations"] == checkpoint.metadata["activations"])
    #expect(again.metadata["modules"] == "compared")
    _ = try YOLODetector(weights: WeightStore(path: file))
  }

  @Test func metadataOfActivationsIsChecked() throws {
    let sound = Kind(generation: .v11, task: .detect).network
    let checkpoint = try CheckpointConverter.read(FileBytes(sound.checkpoint()), file: "best.pt")
    for text in [
      "{\"model.99\":\"relu\"}", "{\"model.0\":\"mish\"}", "{\"model.0\":\"leakyrelu\"}", "[]", "{",
    ] {
      let store = WeightStore(
        tensors: checkpoint.tensors,
        metadata: checkpoint.metadata.merging(["activations": text]) { _, new in new })
      #expect(throws: YOLOError.self, "\(text)") { try YOLODetector(weights: store) }
    }
  }

  @Test func listsRunInOrderAndWhole() throws {
    let sound = Kind(generation: .v11, task: .detect).network
    var network = sound
    network.modules["model.10.m.0.ffn"]?.order = ["1", "0"]
    #expect(try defect(network)?.contains("out of order") == true)
    network = sound
    network.modules["model.2.m.0.act"] = .init(library: "torch.nn.modules.activation", name: "ReLU")
    #expect(try isRefused(network, "model.2.m.0.act"))
    network.modules["model.2.m.0.act"]?.name = "Dropout"
    #expect(try defect(network) == nil)
    var depth = Kind(generation: nil, task: .detect).network
    depth.modules["depth_head.scratch.output_conv2"]?.without = ["1"]
    #expect(try isRefused(depth, "depth_head.scratch.output_conv2"))
  }

  /// PyTorch runs hooks around a module's own function: `weight_norm`, `spectral_norm` and pruning are made of them.
  @Test(arguments: kinds) func hooksAreRefused(kind: Kind) throws {
    let sound = kind.network
    let (path, _) = try #require(samples(kind.layout).last)
    for table in [
      "_forward_hooks", "_forward_pre_hooks", "_forward_hooks_with_kwargs", "_forward_pre_hooks_with_kwargs",
    ] {
      for hook in [Pickle.call("builtins", "print", []), Pickle.integer(1)] {
        var network = sound
        network.modules[path]?.numbers[table] = Pickle.dictionary([(key: Pickle.integer(0), value: hook)])
        #expect(try isRefused(network, path), "\(path) \(table)")
        #expect(try defect(network)?.contains(table) == true)
      }
      var network = sound
      network.modules[path]?.numbers[table] = Pickle.dictionary([(String, [UInt8])]())
      #expect(try defect(network) == nil)
    }
    var network = sound
    network.modules[path]?.numbers["_backward_hooks"] = Pickle.dictionary([
      (key: Pickle.integer(0), value: Pickle.integer(1))
    ])
    #expect(try defect(network) == nil)
  }

  /// `act=False` of Ultralytics is `nn.Identity`; PyTorch cannot run None.
  @Test(arguments: kinds) func aPartThatIsNoneIsRefused(kind: Kind) throws {
    let sound = kind.network
    let paths = compared(kind.layout).filter { $0.statement.activation != nil }.map(\.path)
    for path in [paths.first, paths.last].compactMap({ $0 }) {
      var network = sound
      network.modules[path] = nil
      network.none.insert(path)
      #expect(try isRefused(network, path), "\(path)")
    }
  }

  /// Before Ultralytics 8.4 `SPPF` had neither `n` nor `add`, and computed three pools without a shortcut.
  @Test func whatAClassTakesForAMissingNumberCounts() throws {
    for (generation, isRefused) in [(YOLOGeneration.v11, false), (.v26, true)] {
      var network = Kind(generation: generation, task: .detect).network
      network.modules["model.9"]?.numbers["n"] = nil
      network.modules["model.9"]?.numbers["add"] = nil
      #expect(try (defect(network) != nil) == isRefused)
    }
  }

  /// Random changes of classes and numbers: a network that is accepted is the one that was pickled.
  @Test(arguments: [1, 2, 3, 4] as [UInt64]) func nothingIsAcceptedThatDiffers(seed: UInt64) throws {
    var random = SplitMix64(seed: seed)
    let kind = Self.kinds[Int(seed) * 3 % Self.kinds.count]
    let sound = kind.network
    let statements = compared(kind.layout).filter {
      $0.statement.activation == nil && !$0.statement.classes.isEmpty
    }
    for _ in 0..<60 {
      var network = sound
      let (path, statement) = statements[Int(random.next() % UInt64(statements.count))]
      let numbers = statement.numbers.sorted { $0.key < $1.key }
      if numbers.isEmpty || random.next() % 4 == 0 {
        network.modules[path]?.name += "2"
      } else {
        let (name, number) = numbers[Int(random.next() % UInt64(numbers.count))]
        network.modules[path]?.numbers[name] = PickledNetwork.pickled(changed(number))
      }
      #expect(try isRefused(network, path), "\(kind.testDescription) \(path)")
    }
  }
}
