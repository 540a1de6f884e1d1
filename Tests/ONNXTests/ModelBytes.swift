/// A protocol-buffer message, written by hand: what the reader is tested with is made by none of its own code.
struct Message {
  private(set) var bytes: [UInt8] = []

  init(_ parts: Message...) { bytes = parts.flatMap(\.bytes) }
  init(raw: [UInt8]) { bytes = raw }

  static func varint(_ value: UInt64) -> [UInt8] {
    var (rest, result) = (value, [UInt8]())
    while rest >= 0x80 {
      result.append(UInt8(rest & 0x7f) | 0x80)
      rest >>= 7
    }
    return result + [UInt8(rest)]
  }

  static func int(_ field: UInt64, _ value: Int64) -> Message {
    Message(raw: varint(field << 3) + varint(UInt64(bitPattern: value)))
  }

  static func bytes(_ field: UInt64, _ value: [UInt8]) -> Message {
    Message(raw: varint(field << 3 | 2) + varint(UInt64(value.count)) + value)
  }

  static func text(_ field: UInt64, _ value: String) -> Message { bytes(field, Array(value.utf8)) }
  static func message(_ field: UInt64, _ value: Message) -> Message { bytes(field, value.bytes) }
}

/// Parts of ONNX's messages.
enum Proto {
  static func model(_ graph: Message, opset: Int64 = 18, _ more: Message...) -> [UInt8] {
    Message(.int(1, 8), .message(8, Message(.int(2, opset))), .message(7, graph)).bytes
      + more.flatMap(\.bytes)
  }

  static func graph(_ parts: [Message]) -> Message { Message(raw: parts.flatMap(\.bytes)) }

  static func node(_ type: String, _ inputs: [String], _ outputs: [String], _ attributes: [Message] = [])
    -> Message
  {
    Message(
      raw: (inputs.map { Message.text(1, $0) } + outputs.map { .text(2, $0) } + [.text(4, type)]
        + attributes.map { .message(5, $0) }).flatMap(\.bytes))
  }

  static func attribute(_ name: String, int value: Int64) -> Message {
    Message(.text(1, name), .int(3, value), .int(20, 2))
  }

  static func attribute(_ name: String, ints values: [Int64]) -> Message {
    let parts: [Message] = [.text(1, name)] + values.map { Message.int(8, $0) } + [.int(20, 7)]
    return Message(raw: parts.flatMap(\.bytes))
  }

  static func attribute(_ name: String, text: String) -> Message {
    Message(.text(1, name), .text(4, text), .int(20, 3))
  }

  static func attribute(_ name: String, graph: Message) -> Message {
    Message(.text(1, name), .message(6, graph), .int(20, 5))
  }

  static func value(_ name: String, type: Int64 = 1, shape: [Int64]) -> Message {
    let axes = shape.map { Message.message(1, Message(.int(1, $0))) }
    let tensor = Message(.int(1, type), .message(2, Message(raw: axes.flatMap(\.bytes))))
    return Message(.text(1, name), .message(2, Message(.message(1, tensor))))
  }

  static func tensor(_ name: String, type: Int64 = 1, shape: [Int64], raw: [UInt8]) -> Message {
    Message(
      raw: shape.flatMap { Message.int(1, $0).bytes }
        + Message(.int(2, type), .text(8, name), .bytes(9, raw)).bytes)
  }

  static func floats(_ values: [Float]) -> [UInt8] {
    values.flatMap { value in (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> ($0 * 8)) } }
  }

  /// `y = x + c` over two elements.
  static var addition: [UInt8] {
    model(
      graph([
        .message(1, node("Add", ["x", "c"], ["y"])),
        .message(5, tensor("c", shape: [2], raw: floats([10, 20]))),
        .message(11, value("x", shape: [2])), .message(12, value("y", shape: [2])),
      ]))
  }
}
