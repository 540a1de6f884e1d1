extension Operators {
  /// Functions of truth values.
  static let logic: [Operator] = [
    logical("And") { $0 && $1 }, logical("Or") { $0 || $1 }, logical("Xor") { $0 != $1 },
    Operator("Not", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type == .bool else { throw unsupported(tensor.type) }
      return Tensor(tensor.shape, tensor.array(of: Bool.self).map { !$0 })
    },
  ]

  /// Functions of the bits of integers.
  static let bits: [Operator] = [
    bitwise("BitwiseAnd") { $0 & $1 }, bitwise("BitwiseOr") { $0 | $1 }, bitwise("BitwiseXor") { $0 ^ $1 },
    Operator("BitwiseNot", inputs: 1...1) { call in
      let tensor = try call.tensor(0)
      guard tensor.type.isInteger else { throw unsupported(tensor.type) }
      return try Casting.cast(Tensor(tensor.shape, tensor.integers().map { Int64(~$0) }), to: tensor.type)
    },
    Operator("BitShift", ["direction"], inputs: 2...2) { call in
      guard case .string(let direction) = call.attribute("direction"), ["LEFT", "RIGHT"].contains(direction)
      else {
        throw ONNXError.malformed("the direction is neither LEFT nor RIGHT")
      }
      let pair = try Pair(call)
      guard pair.first.type.isInteger else { throw unsupported(pair.first.type) }
      let (bits, isSigned) = (pair.first.type.bits, pair.first.type.isSigned)
      return try wide(pair) { value, count in
        // Beyond the width only the sign is left, of a shift to the right.
        let isWhole = (0..<Int64(bits)).contains(count)
        if direction == "LEFT" { return isWhole ? value << count : 0 }
        if isSigned { return isWhole ? value >> count : value < 0 ? -1 : 0 }
        return isWhole ? Int64(bitPattern: UInt64(bitPattern: value) >> UInt64(count)) : 0
      }
    },
  ]

  private static func logical(_ name: String, _ body: @escaping @Sendable (Bool, Bool) -> Bool) -> Operator {
    Operator(name, ["axis", "broadcast"], inputs: 2...2) { call in
      let pair = try Pair(call)
      guard pair.first.type == .bool else { throw unsupported(pair.first.type) }
      return Tensor(pair.shape, pair.combined(Bool.self, body))
    }
  }

  private static func bitwise(_ name: String, _ body: @escaping @Sendable (Int64, Int64) -> Int64) -> Operator
  {
    Operator(name, inputs: 2...2) { call in
      let pair = try Pair(call)
      guard pair.first.type.isInteger else { throw unsupported(pair.first.type) }
      return try wide(pair, body)
    }
  }

  /// By way of 64 bits, of which the type's own remain.
  private static func wide(_ pair: Pair, _ body: (Int64, Int64) -> Int64) throws -> Tensor {
    func made(_ tensor: Tensor) -> Tensor { Tensor(tensor.shape, tensor.integers().map { Int64($0) }) }
    let both = try Pair(made(pair.first), made(pair.second))
    return try Casting.cast(Tensor(pair.shape, both.combined(Int64.self, body)), to: pair.first.type)
  }
}
