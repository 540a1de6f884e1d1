import FileFormats

/// Upper bounds of the memory for reading a request, computed beforehand.
extension InferenceRequest {
  /// Most bytes of the values of a body's JSON while they are parsed and converted to tensors.
  ///
  /// - `headerLength`: as `init`'s.
  package static func parsingBytes(
    of body: [UInt8], headerLength: String?, limits: ProtocolLimits = ProtocolLimits()
  ) -> Int {
    let jsonBytes = headerLength.flatMap { FileFormats.integer(of: $0, in: 0...body.count) } ?? body.count
    // Before every value but the first stands one of these, or a key that follows one.
    var values = 1
    for byte in body.prefix(max(0, jsonBytes)) {
      switch byte {
      case UInt8(ascii: ","), UInt8(ascii: "["), UInt8(ascii: "{"): values += 1
      default: break
      }
    }
    // A list grows to twice its length, with the shorter one beside it, and is then made flat; an object's members take
    // more, but there are few of them. Texts lie there again.
    return min(values, limits.jsonValues) * 3 * MemoryLayout<JSONValue>.stride + jsonBytes
  }

  /// Most bytes of the inputs as tensors.
  package var tensorBytes: Int {
    if isBare { return 2 * body.count + 64 }
    return inputs.reduce(0) { sum, input in
      // Checked against the limit when the shape was read.
      let declared = input.shape.reduce(1, *)
      let (count, bytes) =
        switch input.source {
        case .json: (min(declared, limits.jsonValues), input.datatype == .bytes ? body.count : 0)
        case .binary(let range):
          // A text has four bytes of length at least.
          (
            min(declared, range.count / (input.datatype.size ?? 4)),
            input.datatype == .bytes ? range.count : 0
          )
        }
      return sum + bytes + count * input.datatype.heldBytes
    }
  }
}

extension Datatype {
  /// Bytes that an element takes in a `ProtocolTensor`; of `BYTES` beside the bytes themselves.
  fileprivate var heldBytes: Int {
    switch self {
    case .bool, .uint8: 1
    case .float16, .bf16, .float32: 4
    // A list of its own: a reference, and what stands before its elements.
    case .bytes: 56
    case .uint16, .uint32, .uint64, .int8, .int16, .int32, .int64, .float64: 8
    }
  }
}
