import FileFormats
import Models
import NNRuntime

/// A pickled network with the modules that PyTorch keeps: classes, numbers and tensors, each of which can be changed.
struct PickledNetwork {
  /// A module.
  struct Module {
    /// Where its class comes from, and what it is called.
    var library: String
    var name: String
    /// Pickled values by the names of its attributes.
    var numbers: [String: [UInt8]] = [:]
    /// Names of parts that are left out.
    var without: Set<String> = []
    /// The order of its parts, where it is not that of their numbers.
    var order: [String]?
  }

  /// The modules by their names, the network's own under an empty one.
  var modules: [String: Module] = [:]
  /// Names of modules that are None.
  var none: Set<String> = []
  /// Pickled tensors by their names.
  var tensors: [String: [UInt8]]
  /// Values of the network itself, and of the checkpoint around it.
  var attributes: [(String, [UInt8])] = []
  /// 0 to 15 in half precision, little-endian: the bins of YOLO's distances.
  static let bins = [
    0, 0x3c00, 0x4000, 0x4200, 0x4400, 0x4500, 0x4600, 0x4700, 0x4800, 0x4880, 0x4900, 0x4980, 0x4a00, 0x4a80,
    0x4b00, 0x4b80,
  ].flatMap { [UInt8($0 & 0xff), UInt8($0 >> 8)] }

  /// The values that tensors are views of.
  let storage: [UInt8]

  /// The tensors of a layout in half precision, all views of the same bytes.
  init(_ layout: WeightLayout, authors: String) {
    let largest = layout.shapes.values.map { $0.reduce(1, *) }.max() ?? 0
    storage = [UInt8](repeating: 0x38, count: 2 * largest)
    tensors = layout.shapes.mapValues { Pickle.half($0, storage: largest) }
    for name in tensors.keys where name.hasSuffix(".dfl.conv.weight") {
      tensors[name] = Pickle.tensor(
        Pickle.storage("HalfStorage", key: "2", count: 16), shape: [1, 16, 1, 1], strides: [16, 1, 1, 1])
    }
    for (path, statement) in layout.modules { modules[path] = Self.module(statement, authors: authors) }
    for path in [String](tensors.keys) + modules.keys {
      var parts = path.split(separator: ".")
      while !parts.isEmpty {
        parts.removeLast()
        let holder = parts.joined(separator: ".")
        if modules[holder] == nil {
          modules[holder] = Module(library: "torch.nn.modules.container", name: "Sequential")
        }
      }
    }
  }

  /// A YOLO network of published sizes.
  init(yolo sizes: YOLOArchitecture) {
    self.init(YOLOCheckpoint.layout(sizes), authors: "ultralytics.nn.modules")
    attributes = [("names", Self.names((0..<sizes.classCount).map { "n\($0)" }))]
  }

  private static func module(_ statement: ModuleStatement, authors: String) -> Module {
    if let activation = statement.activation {
      return Module(library: "torch.nn.modules.activation", name: activation.moduleName)
    }
    return Module(
      library: statement.classes.isEmpty
        ? "torch.nn.modules.container" : statement.library == .torch ? "torch.nn.modules" : authors,
      name: statement.classes.first ?? "Sequential", numbers: statement.numbers.mapValues(pickled))
  }

  /// A number as PyTorch has it.
  static func pickled(_ number: ModuleNumber) -> [UInt8] {
    switch number {
    case .number(let number):
      Int(exactly: number).map(Pickle.integer) ?? Pickle.double(number)
    case .range: Pickle.double(1e-3)
    case .numbers(let numbers): Pickle.tuple(numbers.map(Pickle.double))
    case .flag(let flag): [flag ? 0x88 : 0x89]
    case .text(let text): Pickle.text(text)
    case .none: [0x4e]
    case .layers(let layers, _): Pickle.integers(layers)
    }
  }

  /// Class names by whole numbers.
  static func names(_ names: [String]) -> [UInt8] {
    Pickle.dictionary(
      names.enumerated().map { (key: Pickle.integer($0.offset), value: Pickle.text($0.element)) })
  }

  /// The pickled network.
  var network: [UInt8] {
    var parts: [String: [String]] = [:]
    for path in [String](modules.keys) + none where !path.isEmpty {
      let (holder, name) = Self.split(path)
      parts[holder, default: []].append(name)
    }
    var own: [String: [(String, [UInt8])]] = [:]
    for (path, tensor) in tensors {
      let (holder, name) = Self.split(path)
      own[holder, default: []].append((name, tensor))
    }
    return pickled("", parts, own)
  }

  private func pickled(
    _ path: String, _ parts: [String: [String]], _ own: [String: [(String, [UInt8])]]
  ) -> [UInt8] {
    guard let module = modules[path] else { return [0x4e] }
    let names = (parts[path] ?? []).sorted { (Int($0) ?? -1, $0) < (Int($1) ?? -1, $1) }
    let children = (module.order ?? names).filter { !module.without.contains($0) }.map { name in
      (name, pickled(path.isEmpty ? name : "\(path).\(name)", parts, own))
    }
    let tensors = (own[path] ?? []).sorted { $0.0 < $1.0 }
    let isBuffer = { (name: String) in name.hasPrefix("running") || name.hasPrefix("num_") }
    let state =
      [
        ("_parameters", Pickle.dictionary(tensors.filter { !isBuffer($0.0) })),
        ("_buffers", Pickle.dictionary(tensors.filter { isBuffer($0.0) })),
        ("_forward_hooks", Pickle.dictionary([(String, [UInt8])]())),
        ("_modules", Pickle.dictionary(children)),
      ] + module.numbers.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
    return Pickle.object(
      module.library, module.name, state: Pickle.dictionary(path.isEmpty ? state + attributes : state))
  }

  private static func split(_ path: String) -> (holder: String, name: String) {
    guard let dot = path.lastIndex(of: ".") else { return ("", path) }
    return (String(path[..<dot]), String(path[path.index(after: dot)...]))
  }

  /// The checkpoint as `torch.save` writes it, with the network under a key of a table.
  func checkpoint(
    under key: String = "model", wrapped: ([UInt8]) -> [UInt8] = { $0 }, beside: [(String, [UInt8])] = []
  ) -> [UInt8] {
    Pickle.archive(
      Pickle.file(Pickle.dictionary([(key, wrapped(network))] + beside)),
      storages: ["0": storage, "1": [UInt8](repeating: 0, count: 8), "2": Self.bins])
  }
}
