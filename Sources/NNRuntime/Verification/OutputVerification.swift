import FileFormats
import NNRuntime

/// Compares what is made of a network's raw outputs, up to its objects, with a reference's tensors.
struct OutputVerification {
  /// Names of the tensors that describe objects in a reference.
  enum ObjectTensor {
    /// A row an object: box, score, class and what else there is of it, best first.
    static let rows = "objects"
    /// Which candidates became objects: confidence, overlap, limit.
    static let thresholds = "objects.thresholds"
    /// Masks on the prototype grid: (objects, height / 4, width / 4), 0 or 1.
    static let masks = "objects.masks"
    static let all = [rows, thresholds, masks]
  }

  /// The outcome.
  struct Result {
    var outputs: [ComparedOutput] = []
    var objects: [ComparedObjects] = []
    /// Tensors of the reference that were read.
    var used: Set<String> = []
    /// Tensors of the reference that could not be compared, and why.
    var uncompared: [(name: String, reason: String)] = []
    /// Outputs that the reference lacks.
    var absent: [String] = []
  }

  let decoding: any DecodedNetwork
  let reference: ReferenceFile
  let input: MapShape
  let precision: Precision
  let tolerances: ToleranceTable
  /// All raw outputs, channels last.
  let raw: [String: [Float]]
  /// Those that are the reference's, not the engine's.
  let replaced: Set<String>

  /// Compares all that the reference has; `compared` are the names of what was before.
  func result(after compared: Set<String>) throws -> Result {
    var result = Result()
    let tensors = decoding.tensors(of: raw, input: input)
    for tensor in tensors {
      let present = tensor.names.filter(reference.contains)
      if tensor.isFinal, present.isEmpty { result.absent.append(tensor.names[0]) }
      for name in present where !compared.contains(name) {
        result.used.insert(name)
        let isOwn = replaced.isSuperset(of: tensor.sources)
        if tensor.isFinal, try compareExported(name, tensor, &result) { continue }
        result.outputs += try tensor.compared(
          as: name, with: reference, isOwn: isOwn, precision, tolerances)
      }
    }
    for tensor in tensors { try compareModule(tensor, after: compared, &result) }
    if let kind = decoding.objectKind, !tensors.isEmpty { try compareObjects(kind, &result) }
    return result
  }

  /// Compares what hooks record of the module that makes a tensor: under its name, or of several results under their
  /// positions, of which the first is the tensor.
  private func compareModule(
    _ tensor: DecodedTensor, after compared: Set<String>, _ result: inout Result
  ) throws {
    guard let module = tensor.module else { return }
    for name in reference.names where !compared.contains(name) && !result.used.contains(name) {
      guard let place = Self.place(of: name, in: module) else { continue }
      result.used.insert(name)
      guard place.isEmpty || place == "0" else {
        result.uncompared.append((name, "a further result of \(module), of which only the first is compared"))
        continue
      }
      do {
        if try compareExported(name, tensor, &result) { continue }
        result.outputs += try tensor.compared(
          as: name, with: reference, isOwn: replaced.isSuperset(of: tensor.sources), precision, tolerances)
      } catch let error as VerificationError {
        result.uncompared.append((name, "\(error)"))
      }
    }
  }

  /// Where among a module's results a tensor is: `0` or `1.2`, empty for its only one; nil for any other tensor.
  private static func place(of name: String, in module: String) -> String? {
    guard name.startsWithBytes(of: module) else { return nil }
    let rest = name.utf8.dropFirst(module.utf8.count)
    guard let dot = rest.first else { return "" }
    let place = rest.dropFirst()
    let number = place.prefix { $0 != UInt8(ascii: ".") }
    guard dot == UInt8(ascii: "."), !number.isEmpty,
      number.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) })
    else { return nil }
    return String(Substring(place))
  }

  // MARK: - Objects

  private var isOwn: Bool { replaced.isSuperset(of: raw.keys) }

  /// The objects of a head that gives each one box, as exports have them: no thresholds, the best of all anchors.
  private func compareExported(
    _ name: String, _ tensor: DecodedTensor, _ result: inout Result
  ) throws -> Bool {
    guard let kind = decoding.objectKind, kind.isEndToEnd else { return false }
    let (shape, elements) = try reference.tensor(name, atMost: tensor.elements.count + kind.count)
    let extents = Array(shape.drop { $0 == 1 })
    guard extents.count == 2, extents[1] == kind.count, extents != tensor.shape else { return false }
    guard isComparable(&result, [name]) else { return true }
    let thresholds = ObjectThresholds(confidence: 0, overlap: 1, limit: extents[0])
    result.objects.append(
      comparison(kind, thresholds).compare(
        decoding.objects(of: raw, input: input, thresholds: thresholds),
        with: rows(elements, kind.count), masks: nil, name: name))
    return true
  }

  private func compareObjects(_ kind: ObjectKind, _ result: inout Result) throws {
    let names = ObjectTensor.all.filter(reference.contains)
    result.used.formUnion(names)
    guard reference.contains(ObjectTensor.rows) else {
      result.absent.append(ObjectTensor.rows)
      result.uncompared += names.map { ($0, "without \"\(ObjectTensor.rows)\" it says nothing") }
      return
    }
    if kind.hasMasks, !reference.contains(ObjectTensor.masks) { result.absent.append(ObjectTensor.masks) }
    guard reference.contains(ObjectTensor.thresholds) else {
      result.uncompared += names.map {
        ($0, "\"\(ObjectTensor.thresholds)\" is missing: confidence, overlap and limit they were chosen with")
      }
      return
    }
    guard isComparable(&result, names) else { return }
    let thresholds = try thresholds()
    let (shape, elements) = try reference.tensor(ObjectTensor.rows, atMost: kind.count * Self.mostObjects)
    let extents = shape.count == 3 && shape[0] == 1 ? Array(shape.dropFirst()) : shape
    guard extents.count == 2, extents[1] == kind.count else {
      throw VerificationError.objects(found: shape, columns: kind.count)
    }
    let masks = try masks(extents[0], of: kind, &result)
    result.objects.append(
      comparison(kind, thresholds).compare(
        decoding.objects(of: raw, input: input, thresholds: thresholds), with: rows(elements, kind.count),
        masks: masks, name: ObjectTensor.rows))
  }

  /// The most objects of a reference, as Ultralytics has it.
  private static let mostObjects = 30_000

  /// In reduced precision other candidates are chosen, so that they cannot be compared one by one.
  private func isComparable(_ result: inout Result, _ names: [String]) -> Bool {
    guard !isOwn, precision != .fp32 else { return true }
    result.uncompared += names.map {
      ($0, "in \(precision.rawValue) other objects are chosen: --mode isolated compares them")
    }
    return false
  }

  private func comparison(_ kind: ObjectKind, _ thresholds: ObjectThresholds) -> ObjectComparison {
    ObjectComparison(
      decoding: decoding, kind: kind, thresholds: thresholds, isOwn: isOwn, precision: precision)
  }

  private func rows(_ elements: [Float], _ count: Int) -> [[Float]] {
    stride(from: 0, to: elements.count, by: count).map { Array(elements[$0..<$0 + count]) }
  }

  private func thresholds() throws -> ObjectThresholds {
    let (shape, numbers) = try reference.tensor(ObjectTensor.thresholds, atMost: 3)
    guard numbers.count == 3 else {
      throw VerificationError.shape(ObjectTensor.thresholds, found: shape, expected: [3])
    }
    guard (0...1).contains(numbers[0]), (0...1).contains(numbers[1]), numbers[2] >= 1,
      let limit = Int(exactly: numbers[2]), limit <= Self.mostObjects
    else { throw VerificationError.thresholds(numbers) }
    return ObjectThresholds(confidence: numbers[0], overlap: numbers[1], limit: limit)
  }

  private func masks(
    _ count: Int, of kind: ObjectKind, _ result: inout Result
  ) throws -> (width: Int, height: Int, elements: [Float])? {
    guard reference.contains(ObjectTensor.masks) else { return nil }
    guard kind.hasMasks else {
      result.uncompared.append((ObjectTensor.masks, "this network makes no masks"))
      return nil
    }
    let expected = [count, input.height / 4, input.width / 4]
    let (shape, elements) = try reference.tensor(
      ObjectTensor.masks, atMost: max(1, expected.reduce(1, *)))
    guard shape == expected else {
      throw VerificationError.shape(ObjectTensor.masks, found: shape, expected: expected)
    }
    return (expected[2], expected[1], elements)
  }
}
