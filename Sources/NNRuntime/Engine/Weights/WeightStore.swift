import FileFormats
import Synchronization

/// The named tensors of a weight file, with a record of which of them were taken.
public final class WeightStore: Sendable {
  /// The file's name in messages: its path, or a description of where the tensors came from.
  public let file: String
  /// The file's metadata.
  public let metadata: [String: String]
  /// The tensors' names, sorted.
  public let names: [String]
  /// Whether infinities and NaN are accepted in weights.
  public let allowNonFinite: Bool

  private let tensors: NameTable<Tensor>
  /// Scales of 8-bit tensors, one for each output channel.
  private let scales: NameTable<[Float]>
  /// Activations after modules that are not the published network's.
  private let activations: Result<[String: Activation], WeightError>
  private let bytes: FileBytes?
  private let used = Mutex<NameSet>([])
  private let usedActivations = Mutex<Set<String>>([])
  /// Notes what is asked for, in a store without tensors.
  private let recorder: WeightRecorder?

  /// Opens a safetensors file; the data stays in the mapped file until it is taken.
  ///
  /// - Throws: `WeightError` of the file (`.file`), its header, or the scales of its 8-bit tensors.
  public convenience init(path: String, allowNonFinite: Bool = false) throws(WeightError) {
    try self.init(path: path, name: path, allowNonFinite: allowNonFinite)
  }

  /// As `init(path:allowNonFinite:)`; `name` is the file's name in messages.
  package convenience init(path: String, name: String, allowNonFinite: Bool = false) throws(WeightError) {
    let bytes: FileBytes
    do {
      bytes = try FileBytes(MappedFile(path: path))
    } catch {
      throw WeightError(.file(error), file: name)
    }
    try self.init(file: bytes, name: name, allowNonFinite: allowNonFinite)
  }

  /// Reads a safetensors file held in memory; `file` is its name in messages.
  ///
  /// - Throws: `WeightError` of its header, or the scales of its 8-bit tensors.
  public convenience init(bytes: [UInt8], file: String, allowNonFinite: Bool = false) throws(WeightError) {
    try self.init(file: FileBytes(bytes), name: file, allowNonFinite: allowNonFinite)
  }

  /// Reads a safetensors file whose bytes are at hand; `name` is its name in messages.
  package init(file bytes: FileBytes, name: String, allowNonFinite: Bool = false) throws(WeightError) {
    var (tensors, metadata) = try Self.parse(bytes, file: name)
    scales = try QuantizedWeights.takeScales(of: &tensors, metadata, file: name)
    activations = .success(try ModuleActivations.of(metadata, file: name))
    (self.tensors, self.metadata) = (tensors, metadata)
    names = tensors.keys
    file = name
    self.bytes = bytes
    self.allowNonFinite = allowNonFinite
    recorder = nil
  }

  /// Tensors that never were in a file.
  public init(tensors: [String: Tensor], metadata: [String: String] = [:], file: String = "memory") {
    self.tensors = NameTable(tensors.map { ($0.key, $0.value) })
    scales = [:]
    // What is wrong with them is recognized by `verifyAllUsed`, which every network calls.
    activations = Result { () throws(WeightError) in try ModuleActivations.of(metadata, file: file) }
    self.metadata = metadata
    self.file = file
    names = self.tensors.keys
    bytes = nil
    allowNonFinite = false
    recorder = nil
  }

  /// A store without tensors that gives an empty one for each that is asked for by its shape.
  init(recorder: WeightRecorder) {
    (tensors, scales, activations, metadata, names) = ([:], [:], .success([:]), [:], [])
    (file, bytes, allowNonFinite) = ("recording", nil, false)
    self.recorder = recorder
  }

  private static func parse(
    _ bytes: FileBytes, file: String
  ) throws(WeightError) -> (NameTable<Tensor>, [String: String]) {
    let header = try SafetensorsHeader(bytes, file: file)
    var tensors: NameTable<Tensor> = [:]
    for entry in header.entries {
      let start = header.dataOffset
      let data = bytes.slice(start + entry.range.lowerBound..<start + entry.range.upperBound)
      tensors[entry.name] = Tensor(shape: entry.shape, dtype: entry.dtype, storage: TensorStorage(data))
    }
    return (tensors, header.metadata)
  }

  /// The scope of all names.
  public var root: WeightScope { WeightScope(store: self, prefix: "", use: .bound) }

  /// Whether there is a tensor of that full name.
  public func contains(_ name: String) -> Bool { tensors[name] != nil }

  /// The shape of the tensor of that full name, which does not count as taken.
  package func shape(of name: String) -> [Int]? { tensors[name]?.shape }

  /// The type of the elements of the tensor of that full name as it is stored.
  package func storedType(of name: String) -> DType? { tensors[name]?.dtype }

  /// The tensor of that full name, of any shape and element type, marked as used; 8-bit integers with scales become the
  /// numbers that they stand for.
  ///
  /// - Throws: `WeightError.missing`, with the nearest names.
  public func tensor(named name: String) throws(WeightError) -> Tensor {
    guard let tensor = tensors[name] else {
      throw WeightError(.missing(nearest: nearest(to: name)), tensor: name, file: file)
    }
    used.withLock { _ = $0.insert(name) }
    return scales[name].map { QuantizedWeights.floats(tensor, scales: $0) } ?? tensor
  }

  /// The tensor of that full name as a network needs it: of this shape, of floating-point numbers,
  /// finite unless the store allows otherwise; marked as used.
  ///
  /// - Throws: `WeightError.missing`, `.wrongShape`, `.notFloat`, `.nonFinite`.
  public func weight(named name: String, shape: [Int]) throws(WeightError) -> Tensor {
    if let recorder {
      recorder.record(name, shape)
      return .empty
    }
    let tensor = try tensor(named: name)
    guard tensor.shape == shape else {
      throw WeightError(.wrongShape(found: tensor.shape, expected: shape), tensor: name, file: file)
    }
    guard tensor.dtype.isFloat else { throw WeightError(.notFloat(tensor.dtype), tensor: name, file: file) }
    if !allowNonFinite, let index = tensor.firstNonFinite {
      throw WeightError(.nonFinite(index: index), tensor: name, file: file)
    }
    return tensor
  }

  /// Takes the tensor of that full name, if there is one, for something that inference has no use for.
  fileprivate func passOver(_ name: String, shape: [Int], isOptional: Bool) {
    recorder?.record(name, shape, isOptional: isOptional)
    used.withLock { _ = $0.insert(name) }
  }

  /// The activation after a module: the published network's, unless the file has another.
  fileprivate func activation(of module: String, published: Activation) -> Activation {
    guard let other = try? activations.get()[module] else { return published }
    usedActivations.withLock { _ = $0.insert(module) }
    return other
  }

  fileprivate func state(_ statement: ModuleStatement, of module: String) {
    recorder?.record(statement, at: module)
  }

  /// Checks that the file was not written to since it was opened: what was read is what was checked.
  ///
  /// - Throws: `WeightError.file`.
  public func verifyUnchanged() throws(WeightError) {
    do {
      try bytes?.checkUnchanged()
    } catch {
      throw WeightError(.file(error), file: file)
    }
  }

  /// The names not taken so far, sorted.
  public var unusedNames: [String] {
    let used = used.withLock { $0 }
    return names.filter { !used.contains($0) }
  }

  /// Checks that every tensor was taken.
  ///
  /// - Parameter ignored: Names that may stay, and scopes given with a final dot (`"model.23.dfl."`).
  /// - Throws: `WeightError` that names those left.
  public func verifyAllUsed(ignoring ignored: [String] = []) throws(WeightError) {
    let unused = unusedNames.filter { name in
      !ignored.contains { $0.hasSuffix(".") ? name.hasPrefix($0) : name == $0 }
    }
    guard unused.isEmpty else { throw WeightError(.unused(unused), file: file) }
    let known = usedActivations.withLock { $0 }
    if let unknown = try activations.get().keys.filter({ !known.contains($0) }).min() {
      throw WeightError(
        .invalidActivations("the network has no module \(printableName(unknown))"), file: file)
    }
  }

  /// Up to three existing names that differ least from `name`.
  private func nearest(to name: String) -> [String] {
    let wanted = Array(name.utf8)
    return names.map { ($0, editDistance(wanted, Array($0.utf8))) }
      .filter { $0.1 <= max(4, wanted.count / 3) }
      .sorted { ($0.1, $0.0) < ($1.1, $1.0) }
      .prefix(3).map(\.0)
  }
}

/// A part of the names of a store: those that begin with a prefix and a dot.
public struct WeightScope: Sendable {
  /// The store the names belong to.
  public let store: WeightStore
  /// The full name of the scope, empty at the root.
  public let prefix: String
  fileprivate let use: Use

  fileprivate enum Use: Sendable {
    case bound
    case unread(isOptional: Bool)
  }

  /// The scope beneath, by one or more components: `scope["model.0"]["conv"]`.
  public subscript(name: String) -> WeightScope {
    WeightScope(store: store, prefix: fullName(name), use: use)
  }

  /// The scope of a numbered child: `scope["m"][0]`.
  public subscript(index: Int) -> WeightScope { self[String(index)] }

  /// The name of a tensor of this scope in the file.
  public func fullName(_ name: String) -> String { prefix.isEmpty ? name : "\(prefix).\(name)" }

  /// Whether the scope has the tensor `name`.
  public func contains(_ name: String) -> Bool { store.contains(fullName(name)) }

  /// States what the module of this scope has to be in a checkpoint that says it.
  package func states(_ statement: ModuleStatement) { store.state(statement, of: prefix) }

  /// The activation of the module of this scope, whose own part `act` it is.
  ///
  /// - `published`: The published network's.
  package func activation(published: Activation) -> Activation {
    self["act"].states(ModuleStatement(activation: published, isExchangeable: true))
    return store.activation(of: prefix, published: published)
  }

  /// The same names for what checkpoints hold and inference has no use for: what is bound there may be missing or hold
  /// anything, and is empty.
  ///
  /// `isOptional`: Whether some checkpoints lack it too.
  package func unread(isOptional: Bool = false) -> WeightScope {
    WeightScope(store: store, prefix: prefix, use: .unread(isOptional: isOptional))
  }

  /// The tensor `name` of the scope; see `WeightStore.weight(named:shape:)`.
  ///
  /// - Throws: as `WeightStore.weight(named:shape:)`.
  public func tensor(_ name: String, shape: [Int]) throws(WeightError) -> Tensor {
    switch use {
    case .bound: return try store.weight(named: fullName(name), shape: shape)
    case .unread(let isOptional):
      store.passOver(fullName(name), shape: shape, isOptional: isOptional)
      return .empty
    }
  }

  /// The tensor `name` of the scope, of any shape and element type.
  ///
  /// - Throws: `WeightError.missing`, with the nearest names.
  public func tensor(_ name: String) throws(WeightError) -> Tensor { try store.tensor(named: fullName(name)) }

  /// The full names inside the scope, sorted.
  public var names: [String] {
    prefix.isEmpty ? store.names : store.names.filter { $0.hasPrefix(prefix + ".") }
  }
}

extension Tensor {
  /// A placeholder for an absent tensor.
  fileprivate static let empty = Tensor(shape: [0], floats: [])
}

/// The least number of inserted, removed or replaced bytes between two names (Levenshtein).
private func editDistance(_ a: [UInt8], _ b: [UInt8]) -> Int {
  var row = Array(0...b.count)
  for (i, x) in a.enumerated() {
    var diagonal = row[0]
    row[0] = i + 1
    for (j, y) in b.enumerated() {
      let replaced = diagonal + (x == y ? 0 : 1)
      diagonal = row[j + 1]
      row[j + 1] = min(replaced, row[j] + 1, diagonal + 1)
    }
  }
  return row[b.count]
}
