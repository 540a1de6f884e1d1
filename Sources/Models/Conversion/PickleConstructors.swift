import NNRuntime

/// The constructors a checkpoint's data needs, each understood as data; all others give inert records.
extension PickleMachine {
  /// More than a tensor can have here; a longer shape from the memo would be copied into every tensor.
  private static let mostAxes = 64

  private static let subclass = "torch._tensor._rebuild_from_type_v2"

  private static let storages: [String: DType] = [
    "torch.FloatStorage": .float32, "torch.HalfStorage": .float16, "torch.BFloat16Storage": .bfloat16,
    "torch.DoubleStorage": .float64, "torch.LongStorage": .int64, "torch.IntStorage": .int32,
    "torch.ShortStorage": .int16, "torch.CharStorage": .int8, "torch.ByteStorage": .uint8,
    "torch.BoolStorage": .bool,
  ]

  /// The value of calling `callable` with a tuple of arguments.
  mutating func construct(_ callable: PickleValue, _ arguments: PickleValue) throws(PickleError)
    -> PickleValue
  {
    guard case .global(let name)? = heap.node(callable)?.kind else {
      throw .wrongOperand("the pickle constructs something that is not a class", offset: offset)
    }
    guard heap.node(arguments)?.kind == .tuple, let arguments = heap.elements(arguments) else {
      throw .wrongOperand("the arguments must be a tuple", offset: offset)
    }
    switch name {
    case "collections.OrderedDict", "builtins.dict", "__builtin__.dict":
      return try dictionary(arguments)
    case "collections.defaultdict":
      return try allocate(PickleNode(kind: .dictionary))
    case "builtins.set", "__builtin__.set", "builtins.frozenset", "__builtin__.frozenset":
      return try allocate(PickleNode(kind: .set, values: arguments.first.flatMap(heap.elements) ?? []))
    case "builtins.list", "__builtin__.list":
      return try allocate(PickleNode(kind: .list, values: arguments.first.flatMap(heap.elements) ?? []))
    case "torch._utils._rebuild_parameter", "torch._utils._rebuild_parameter_with_state":
      guard let data = arguments.first, heap.tensor(data) != nil else {
        throw .malformedTensor("a parameter holds no tensor", offset: offset)
      }
      return data
    case Self.subclass:
      // (function, class, arguments, attributes): a tensor of another class, or one with attributes.
      guard arguments.count >= 3, heap.node(arguments[0])?.kind != .global(Self.subclass) else {
        throw .malformedTensor("a tensor of a class of its own holds another", offset: offset)
      }
      return try construct(arguments[0], arguments[2])
    case "torch._utils._rebuild_tensor_v2", "torch._utils._rebuild_tensor":
      return try tensor(arguments)
    default:
      return try allocate(PickleNode(kind: .record(name), values: arguments))
    }
  }

  private mutating func dictionary(_ arguments: [PickleValue]) throws(PickleError) -> PickleValue {
    var values: [PickleValue] = []
    for pair in arguments.first.flatMap(heap.elements) ?? [] {
      guard let pair = heap.elements(pair), pair.count == 2 else {
        throw .wrongOperand("a dictionary is made from something else than pairs", offset: offset)
      }
      values += pair
    }
    return try allocate(PickleNode(kind: .dictionary, values: values))
  }

  private mutating func tensor(_ arguments: [PickleValue]) throws(PickleError) -> PickleValue {
    guard arguments.count >= 4, case .storage(let storage)? = heap.node(arguments[0])?.kind else {
      throw .malformedTensor("its storage is missing", offset: offset)
    }
    guard case .integer(let start) = arguments[1], start >= 0 else {
      throw .malformedTensor("its offset is not a whole number from 0", offset: offset)
    }
    tensors += 1
    guard tensors <= limits.tensors else { throw .limitReached("tensors", limit: limits.tensors) }
    guard let shape = heap.integers(arguments[2], atMost: Self.mostAxes),
      let strides = heap.integers(arguments[3], atMost: Self.mostAxes),
      shape.count == strides.count, (shape + strides).allSatisfy({ $0 >= 0 })
    else { throw .malformedTensor("its shape and strides are not lists of whole numbers", offset: offset) }
    let tensor = PickleTensor(storage: storage, offset: start, shape: shape, strides: strides)
    return try allocate(PickleNode(kind: .tensor(tensor)))
  }

  /// The storage a persistent identifier names: `("storage", class, key, location, count)`.
  mutating func storage(_ identifier: PickleValue) throws(PickleError) -> PickleValue {
    guard let parts = heap.elements(identifier), parts.count >= 5, parts[0] == .text("storage"),
      case .global(let name)? = heap.node(parts[1])?.kind, case .text(let key) = parts[2],
      case .integer(let count) = parts[4], count >= 0
    else { throw .wrongOperand("a persistent identifier names no tensor storage", offset: offset) }
    guard let dtype = Self.storages[name] else { throw .unsupportedStorage(name, offset: offset) }
    return try allocate(PickleNode(kind: .storage(PickleStorage(dtype: dtype, key: key, count: count))))
  }
}
