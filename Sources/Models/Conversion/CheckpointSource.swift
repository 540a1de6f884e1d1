import FileFormats
import NNRuntime

/// The tensors of a checkpoint of any format under the original's names, and what it says of itself.
///
/// Their names, shapes and types are known at once; what they hold is read by `loaded()`, when it is known which
/// network they are.
package struct CheckpointSource {
  package let tensors: [String: CheckpointTensor]
  private var torch: TorchCheckpoint?
  /// What a safetensors file's own metadata says, as far as it is worth keeping.
  private(set) var metadata: [String: String] = [:]
  /// Class names in order, where the checkpoint has them.
  private(set) var classNames: [String]?
  /// Whether the names were those of Hugging Face's transformers.
  let usesHuggingFaceNames: Bool
  /// The side of the pictures that it was trained on, where the checkpoint has it and a network takes it.
  private(set) var trainingSize: Int?
  /// Key points of an object and numbers of each, where the checkpoint has them.
  private(set) var keypointShape: [Int]?
  /// What the checkpoint says of who may use it, who wrote it and when, where it does.
  private(set) var origin: [String: String] = [:]
  /// What its normalizations add to a variance, each number once, where the checkpoint holds modules.
  private(set) var epsilons: Set<Double> = []
  /// The letter of the variant, where the checkpoint has it.
  private(set) var scale: String?

  package init(_ bytes: FileBytes, file: String) throws(CheckpointErrorAt) {
    let raw: [String: CheckpointTensor]
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
      classNames = Self.names(modules)
      scale = Self.scale(modules)
      keypointShape = Self.keypointShape(modules)
      epsilons = modules.epsilons
      for key in ["license", "version", "date"] {
        if case .text(let text)? = modules.heap.member(key, of: modules.heap.root) { origin[key] = text }
      }
      trainingSize = Self.trainingSize(modules)
    } else {
      let store: WeightStore
      do {
        store = try WeightStore(file: bytes, name: file, allowNonFinite: true)
      } catch {
        throw CheckpointErrorAt(
          Self.isSafetensors(bytes) ? .weights(error.kind) : .unknownFormat, error.tensor)
      }
      var all: [String: CheckpointTensor] = [:]
      for name in store.names {
        do {
          all[name] = CheckpointTensor(try store.tensor(named: name))
        } catch {
          throw CheckpointErrorAt(.weights(error.kind), error.tensor)
        }
      }
      raw = all
      for key in ["license", "note", "max_depth"] { metadata[key] = store.metadata[key] }
      origin["license"] = store.metadata["license"]
      classNames = store.metadata["names"].flatMap(Self.names(json:))
      trainingSize = store.metadata["imgsz"].flatMap { Int($0) }
      if let text = store.metadata[YOLOArchitecture.epsilonKey], let value = Double(text) {
        epsilons = [value]
      }
      keypointShape = store.metadata[KeypointShape.key].flatMap { text in
        (try? JSONValue.parse(text))?.array?.compactMap(\.integer)
      }
    }
    let unwrapped = Self.unwrapped(raw)
    usesHuggingFaceNames = HuggingFaceNames.areUsed(by: unwrapped.keys)
    tensors = usesHuggingFaceNames ? try HuggingFaceNames.renamed(unwrapped) : unwrapped
  }

  /// A safetensors file begins with a small length and a brace; anything else is not even damaged.
  private static func isSafetensors(_ bytes: FileBytes) -> Bool {
    bytes.count < 9 || bytes.slice(8..<9).array() == [UInt8(ascii: "{")]
  }

  private static func tensors(
    _ modules: TorchModules, _ torch: TorchCheckpoint
  ) throws(CheckpointErrorAt) -> [String: CheckpointTensor] {
    var tensors: [String: CheckpointTensor] = [:]
    for (name, view) in modules.tensors where !isCounter(name) {
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

  private static func isCounter(_ name: String) -> Bool { name.hasSuffix(".num_batches_tracked") }

  /// Wrappers around a network put their own name before all others; YOLO's own first name is `model`.
  private static func unwrapped(_ tensors: [String: CheckpointTensor]) -> [String: CheckpointTensor] {
    var tensors = tensors.filter { !isCounter($0.key) }
    for wrapper in ["module.", "_orig_mod.", "depth_anything.", "pipeline."]
      + Array(repeating: "model.", count: 2)
    {
      let isWrapped =
        tensors.keys.allSatisfy { $0.hasPrefix(wrapper) }
        && (wrapper != "model." || tensors["model.0.conv.weight"] == nil)
      guard isWrapped else { continue }
      tensors = Dictionary(
        uniqueKeysWithValues: tensors.map { (String($0.key.dropFirst(wrapper.count)), $0.value) })
    }
    if tensors["0.conv.weight"] != nil {
      tensors = Dictionary(uniqueKeysWithValues: tensors.map { ("model.\($0.key)", $0.value) })
    }
    return tensors
  }

  private static func names(_ modules: TorchModules) -> [String]? {
    guard let value = modules.attribute("names") else { return nil }
    if let members = modules.heap.members(value) {
      var names: [Int: String] = [:]
      for case (.integer(let index), .text(let name)) in members { names[index] = name }
      return ordered(names)
    }
    return modules.heap.elements(value)?.compactMap { element in
      guard case .text(let name) = element else { return nil }
      return name
    }
  }

  private static func names(json text: String) -> [String]? {
    guard let value = try? JSONValue.parse(text) else { return nil }
    if let elements = value.array { return elements.compactMap(\.string) }
    var names: [Int: String] = [:]
    for (key, value) in value.object ?? [:] {
      if let index = Int(key), let name = value.string { names[index] = name }
    }
    return ordered(names)
  }

  private static func ordered(_ names: [Int: String]) -> [String] {
    names.sorted { $0.key < $1.key }.map(\.value)
  }

  private static func trainingSize(_ modules: TorchModules) -> Int? {
    guard let arguments = modules.attribute("args"),
      case .integer(let size)? = modules.heap.member("imgsz", of: arguments)
    else { return nil }
    return size
  }

  private static func keypointShape(_ modules: TorchModules) -> [Int]? {
    guard let yaml = modules.attribute("yaml"), let shape = modules.heap.member("kpt_shape", of: yaml),
      let elements = modules.heap.elements(shape), elements.count == 2
    else { return nil }
    return elements.compactMap { element in
      guard case .integer(let number) = element else { return nil }
      return number
    }
  }

  private static func scale(_ modules: TorchModules) -> String? {
    guard let yaml = modules.attribute("yaml"),
      case .text(let scale)? = modules.heap.member("scale", of: yaml)
    else { return nil }
    return scale.isEmpty ? nil : scale
  }
}
