/// `ValueInfoProto`: a name with its type.
package struct ValueMessage: Sendable {
  package var name = ""
  package var type: TypeMessage?

  init(_ reader: WireReader) throws {
    try reader.forEach { field in
      switch field.number {
      case 1: name = try field.text
      case 2: type = try TypeMessage(WireReader(field))
      default: break
      }
    }
  }
}

/// One axis of a declared shape: a size, or a name that stands for one, or neither.
package enum AxisMessage: Sendable, Equatable {
  case size(Int)
  case named(String)
  case free
}

/// `TypeProto`.
package indirect enum TypeMessage: Sendable {
  /// Without a shape: of any.
  case tensor(Int, [AxisMessage]?)
  case sparse(Int)
  case sequence(TypeMessage)
  case optional(TypeMessage)
  case map
  case unknown

  init(_ reader: WireReader) throws {
    var found = TypeMessage.unknown
    try reader.forEach { field in
      switch field.number {
      case 1: found = try Self.tensor(WireReader(field))
      case 4: found = .sequence(try Self.element(WireReader(field)))
      case 5: found = .map
      case 8:
        if case .tensor(let type, _) = try Self.tensor(WireReader(field)) { found = .sparse(type) }
      case 9: found = .optional(try Self.element(WireReader(field)))
      default: break
      }
    }
    self = found
  }

  private static func element(_ reader: WireReader) throws -> TypeMessage {
    var found = TypeMessage.unknown
    try reader.forEach { if $0.number == 1 { found = try TypeMessage(WireReader($0)) } }
    return found
  }

  private static func tensor(_ reader: WireReader) throws -> TypeMessage {
    var (type, axes): (Int, [AxisMessage]?) = (0, nil)
    try reader.forEach { field in
      switch field.number {
      case 1: type = Int(try field.signed)
      case 2:
        var found: [AxisMessage] = []
        try WireReader(field).forEach { if $0.number == 1 { found.append(try axis(WireReader($0))) } }
        axes = found
      default: break
      }
    }
    return .tensor(type, axes)
  }

  private static func axis(_ reader: WireReader) throws -> AxisMessage {
    var found = AxisMessage.free
    try reader.forEach { field in
      switch field.number {
      case 1:
        // Exporters write -1, and some 0, for a size that is not known.
        let size = Int(try field.signed)
        found = size >= 0 ? .size(size) : .free
      case 2:
        let name = try field.text
        found = name.isEmpty ? .free : .named(name)
      default: break
      }
    }
    return found
  }
}
