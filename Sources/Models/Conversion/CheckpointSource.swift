import FileFormats
import NNRuntime

/// The tensors of a checkpoint of any format under the original's names, and what it says of itself.
///
/// Their names, shapes and types are known at once; what they hold is read by `loaded()`, when it is known which
/// network they are.
package struct CheckpointSource {
  package private(set) var tensors: [String: CheckpointTensor] = [:]
  private var torch: TorchCheckpoint?
  /// A pickled network's modules under the original's names; empty of tables of tensors.
  private var modules: [String: PickledModule] = [:]
  /// Metadata of a safetensors file that is worth keeping.
  private(set) var metadata: [String: String] = [:]
  /// Class names in order, where the checkpoint has them.
  private(set) var classNames: [String]?
  /// Why the class names that it has cannot be read.
  private(set) var classNamesDefect: ClassNames.Defect?
  /// Whether the names were those of Hugging Face's transformers.
  private(set) var usesHuggingFaceNames = false
  /// The side of the pictures that it was trained on, as far as the checkpoint says it.
  private(set) var training = TrainingSide(nil)
  /// Key points of an object and numbers of each, where the checkpoint has them.
  private(set) var keypointShape: PlainValue?
  /// After which blocks a pickled depth network looks at its encoder.
  private(set) var taps: [Int]?
  /// License, author and date of the checkpoint, where it states them.
  private(set) var origin: [String: String] = [:]
  /// Whether its head is set to boxes that are suppressed (`model.end2end = False`), though it has others too.
  private(set) var isSuppressed = false
  /// Distinct epsilons of its normalizations, where the checkpoint holds modules.
  private(set) var epsilons: Set<Double> = []
  /// Whether what its tensors do not tell is known from its modules.
  private var wasCompared = false
  /// Modules of an ONNX file's convolutions and products, by the names of the values that they make.
  private(set) var exportedLayers: NameTable<String>?
  /// The letter of the variant, where the checkpoint has it.
  private(set) var scale: String?

  package init(_ bytes: FileBytes, file: String) throws(CheckpointErrorAt) {
    let raw: [String: CheckpointTensor]
    var pickled: TorchModules?
    if bytes.slice(0..<min(4, bytes.count)).array() == [0x50, 0x4b, 0x03, 0x04] {
      let torch: TorchCheckpoint
      do {
        torch = try TorchCheckpoint(bytes)
      } catch {
        throw CheckpointErrorAt(error)
      }
      self.torch = torch
      let modules = try TorchModules(torch.heap)
      raw = try Self.tensors(modules, torch)
      pickled = modules
    } else if ExportedWeights.isONNX(bytes, file: file) {
      raw = try readExport(bytes, file: file)
    } else {
      raw = try readSafetensors(bytes, file: file)
    }
    let weights = raw.filter { !NetworkPrefix.isLeftover($0.key) }
    let prefix = try NetworkPrefix(weights.keys)
    var unwrapped: [String: CheckpointTensor] = [:]
    for (name, tensor) in weights {
      if let own = prefix.tensor(name) { unwrapped[own] = tensor }
    }
    if let layers = exportedLayers {
      exportedLayers = NameTable(layers.map { ($0.key, prefix.module($0.value) ?? $0.value) })
    }
    usesHuggingFaceNames = HuggingFaceNames.areUsed(by: unwrapped.keys)
    tensors = usesHuggingFaceNames ? try HuggingFaceNames.renamed(unwrapped) : unwrapped
    if let pickled { describe(pickled, at: prefix) }
  }

  /// Reads a safetensors file's tensors, and keeps what it says of itself.
  private mutating func readSafetensors(
    _ bytes: FileBytes, file: String
  ) throws(CheckpointErrorAt) -> [String: CheckpointTensor] {
    let store: WeightStore
    do {
      store = try WeightStore(file: bytes, name: file, allowNonFinite: true)
    } catch {
      throw CheckpointErrorAt(
        Self.isSafetensors(bytes) ? .weights(error.kind) : .unknownFormat, error.tensor)
    }
    var tensors: [String: CheckpointTensor] = [:]
    for name in store.names {
      do {
        tensors[name] = CheckpointTensor(try store.tensor(named: name))
      } catch {
        throw CheckpointErrorAt(.weights(error.kind), error.tensor)
      }
    }
    if let source = OutdatedConversion.source(store.metadata) {
      throw CheckpointErrorAt(.convertedBefore(source))
    }
    if let format = OutdatedConversion.laterFormat(store.metadata) {
      throw CheckpointErrorAt(.convertedLater(format))
    }
    for key in ["license", "note", GreatestDepth.key, ModuleActivations.key] {
      metadata[key] = store.metadata[key]
    }
    // A converted file carries what its checkpoint's modules told.
    wasCompared = store.metadata[ModuleFacts.key] == ModuleFacts.compared
    origin["license"] = store.metadata["license"]
    do {
      classNames = try store.metadata[ClassNames.key].map { text throws(ClassNames.Defect) in
        try ClassNames.parse(text)
      }
    } catch {
      classNamesDefect = error
    }
    training = TrainingSide(written: store.metadata[TrainingSide.key])
    if let text = store.metadata[YOLOArchitecture.epsilonKey], let value = Double(text) {
      epsilons = [value]
    }
    keypointShape = store.metadata[KeypointShape.key].map { PlainValue(written: $0) }
    return tensors
  }

  /// Reads the weights of an ONNX file, and keeps what its exporter says of the network.
  private mutating func readExport(
    _ bytes: FileBytes, file: String
  ) throws(CheckpointErrorAt) -> [String: CheckpointTensor] {
    let export = try ExportedWeights(bytes, file: file)
    exportedLayers = export.layers
    do {
      classNames = try export.metadata["names"].map { text throws(ClassNames.Defect) in
        try ClassNames.parse(text)
      }
    } catch {
      classNamesDefect = error
    }
    // An export's sides are those of its input: of a rectangle they do not tell the training's.
    if case .list(let sides)? = export.metadata[TrainingSide.key].map(PlainValue.init(written:)),
      case .integer(let side)? = sides.first, sides.count == 2, case .integer(side) = sides[1]
    {
      training = TrainingSide(.integer(side))
    }
    keypointShape = export.metadata[KeypointShape.key].map { PlainValue(written: $0) }
    for key in ["license", "version", "date"] { origin[key] = export.metadata[key] }
    if export.hasFolded { epsilons = [ExportedWeights.epsilon] }
    if export.isSuppressed { metadata[YOLOArchitecture.headKey] = YOLOArchitecture.suppressedHead }
    return export.tensors
  }

  /// Keeps what a pickled network and the checkpoint around it say.
  private mutating func describe(_ pickled: TorchModules, at prefix: NetworkPrefix) {
    let heap = pickled.heap
    func attribute(_ name: String) -> PickleValue? { pickled.attribute(name, at: prefix.network) }
    for (name, module) in pickled.modules {
      if let own = prefix.module(name) { modules[own] = module }
    }
    wasCompared = !modules.isEmpty
    do throws(ClassNames.Defect) {
      classNames = try attribute("names").map { value throws(ClassNames.Defect) in
        try ClassNames.names(PlainValue(value, heap))
      }
    } catch {
      classNamesDefect = error
    }
    let yaml = attribute("yaml")
    if let yaml, case .text(let scale)? = heap.entry("scale", of: yaml), !scale.isEmpty { self.scale = scale }
    let shape = yaml.flatMap { heap.entry(KeypointShape.key, of: $0) } ?? attribute(KeypointShape.key)
    keypointShape = shape.map { PlainValue($0, heap) }
    epsilons = pickled.epsilons
    isSuppressed = pickled.modules.values.contains { heap.member("_end2end", of: $0.state) == .bool(false) }
    for key in ["license", "version", "date"] {
      if case .text(let text)? = heap.member(key, of: heap.root) { origin[key] = text }
    }
    for arguments in ["train_args", "args"].compactMap(attribute) {
      guard !training.isStated, let size = heap.entry(TrainingSide.key, of: arguments) else { continue }
      training = TrainingSide(PlainValue(size, heap))
    }
    if let depth = attribute(GreatestDepth.key).flatMap({ PlainValue($0, heap).shown }) {
      metadata[GreatestDepth.key] = depth
    }
    if let table = attribute("intermediate_layer_idx"), case .text(let encoder)? = attribute("encoder") {
      taps = heap.member(encoder, of: table).flatMap { heap.integers($0, atMost: 4) }
    }
  }

  /// Compares a pickled network's modules with those that a network states.
  ///
  /// - `authors`: Where the classes of the network's authors come from; empty for anywhere.
  /// - Returns: What the weight file has to say of them.
  func moduleFacts(
    _ layout: WeightLayout, authors: String
  ) throws(CheckpointErrorAt) -> [String: String] {
    guard let torch, !modules.isEmpty else {
      return [ModuleFacts.key: wasCompared ? ModuleFacts.compared : ModuleFacts.untold]
    }
    guard !usesHuggingFaceNames else { throw CheckpointErrorAt(.renamedModules) }
    let activations = try ModuleComparison.activations(
      of: modules, in: torch.heap, statements: layout.modules, authors: authors
    ) { view in
      guard view.shape.reduce(1, { $0.multipliedReportingOverflow(by: $1).partialValue }) <= 16 else {
        return nil
      }
      var unpacked: [String: FileBytes] = [:]
      return (try? torch.tensor(view, unpacked: &unpacked)).map { $0.floats().map(Double.init) }
    }
    var facts = [ModuleFacts.key: ModuleFacts.compared]
    facts[ModuleActivations.key] = ModuleActivations.text(activations)
    return facts
  }

  /// A safetensors file begins with a small length and a brace; anything else is not even damaged.
  private static func isSafetensors(_ bytes: FileBytes) -> Bool {
    bytes.count < 9 || bytes.slice(8..<9).array() == [UInt8(ascii: "{")]
  }

  private static func tensors(
    _ modules: TorchModules, _ torch: TorchCheckpoint
  ) throws(CheckpointErrorAt) -> [String: CheckpointTensor] {
    var tensors: [String: CheckpointTensor] = [:]
    for (name, view) in modules.tensors where !NetworkPrefix.isLeftover(name) {
      do {
        _ = try torch.check(view)
      } catch {
        throw CheckpointErrorAt(error, name)
      }
      tensors[name] = CheckpointTensor(view)
    }
    return tensors
  }

  /// The tensors with what they hold.
  package func loaded() throws(CheckpointErrorAt) -> [String: Tensor] {
    do {
      try torch?.checkSize(of: tensors.values.flatMap(\.views))
    } catch {
      throw CheckpointErrorAt(error)
    }
    var unpacked: [String: FileBytes] = [:]
    var result: [String: Tensor] = [:]
    for (name, tensor) in tensors {
      do {
        result[name] = try tensor.tensor(from: torch, unpacked: &unpacked)
      } catch {
        throw CheckpointErrorAt(error, name)
      }
    }
    return result
  }
}
