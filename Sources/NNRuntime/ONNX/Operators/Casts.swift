import FileFormats

/// Changes of element type.
enum Casting {
  /// The tensor in another type: fractions are cut off, integers wrap around, floats are rounded to nearest.
  static func cast(
    _ tensor: Tensor, to type: ElementType, saturating: Bool = true, scale: NarrowFloat.ScaleRounding = .up
  ) throws -> Tensor {
    if tensor.type == type { return tensor }
    if type == .string { return Tensor(tensor.shape, try texts(tensor)) }
    if tensor.type == .string { return try parsed(tensor, type) }
    if tensor.type.isInteger || tensor.type == .bool, type.isInteger {
      return wrapped(tensor.shape, tensor.integers(), type)
    }
    if type == .float { return Tensor(tensor.shape, tensor.floats()) }
    let values = tensor.doubles()
    if let format = type.narrow, !type.isHalf {
      return Tensor(
        tensor.shape, values.map { UInt8(format.bits($0, saturating: saturating, scale: scale)) }, type: type)
    }
    if type.narrowInteger != nil { return wrapped(tensor.shape, values.map { Int(clamping: $0) }, type) }
    return Tensor(type, tensor.shape, doubles: values)
  }

  private static func wrapped(_ shape: [Int], _ values: [Int], _ type: ElementType) -> Tensor {
    func made<T: Number>(_: T.Type) -> Tensor {
      Tensor(shape, values.map { T(wrapping: Int64($0)) }, type: type)
    }
    if let format = type.narrowInteger {
      return Tensor(
        shape, values.map { UInt8(truncatingIfNeeded: $0) & UInt8(1 << format.bits - 1) }, type: type)
    }
    return made(type.number!)
  }

  /// Numbers as NumPy writes them.
  private static func texts(_ tensor: Tensor) throws -> [String] {
    func shown(_ text: String) -> String {
      text == "inf" ? "INF" : text == "-inf" ? "-INF" : text == "nan" ? "NaN" : text
    }
    switch tensor.type {
    case .float: return tensor.array(of: Float.self).map { shown("\($0)") }
    case .bool: return tensor.array(of: Bool.self).map { $0 ? "True" : "False" }
    case .uint64: return tensor.array(of: UInt64.self).map { "\($0)" }
    case _ where tensor.type.isInteger: return tensor.integers().map { "\($0)" }
    default: return tensor.doubles().map { shown("\($0)") }
    }
  }

  private static func parsed(_ tensor: Tensor, _ type: ElementType) throws -> Tensor {
    let texts = tensor.array(of: String.self)
    func bad(_ text: String) -> ONNXError { .input("the text \"\(text)\" is not a number") }
    if type.isInteger {
      return wrapped(
        tensor.shape,
        try texts.map { text in
          guard let value = integer(of: text, in: .min ... .max) ?? Double(text).map({ Int(clamping: $0) })
          else { throw bad(text) }
          return value
        }, type)
    }
    return try cast(
      Tensor(
        tensor.shape,
        try texts.map { text in
          guard let value = Double(text) else { throw bad(text) }
          return value
        }), to: type)
  }
}

extension Operators {
  static let casts: [Operator] = [
    Operator("Cast", ["to", "saturate", "round_mode"], inputs: 1...1, halves: .kept) { call in
      guard let type = try named(call) else { throw ONNXError.malformed("there is no type to cast to") }
      return try cast(call, to: type)
    },
    Operator("CastLike", ["saturate", "round_mode"], inputs: 2...2, halves: .kept) { call in
      try cast(call, to: call.tensor(1).type)
    },
    Operator("BitCast", ["to"], inputs: 1...1, halves: .kept) { call in
      let tensor = try call.tensor(0)
      guard let type = try call.elementType("to") else {
        throw ONNXError.malformed("there is no type to cast to")
      }
      guard type.bits == tensor.type.bits, type.bits >= 8 else {
        throw ONNXError.unsupported("bits of \(tensor.type) as those of \(type)")
      }
      func made<T: Element>(_: T.Type) -> Tensor {
        Tensor(tensor.shape, T.decode(FileBytes(tensor.bytes)), type: type)
      }
      return made(type.storage)
    },
  ]

  /// The first version names the type in letters.
  private static func named(_ call: Call) throws -> ElementType? {
    guard case .string(let name) = call.attribute("to") else { return try call.elementType("to") }
    return ElementType.allCases.first { $0.name == name.lowercased() }
  }

  private static func cast(_ call: Call, to type: ElementType) throws -> Tensor {
    let scale: NarrowFloat.ScaleRounding =
      switch try call.choice("round_mode", ["up", "down", "nearest"]) {
      case "down": .down
      case "nearest": .nearest
      default: .up
      }
    return try Casting.cast(
      try call.tensor(0), to: type, saturating: call.flag("saturate", default: true), scale: scale)
  }
}
