/// ONNX files of one node, written by hand.
enum SmallONNX {
  /// A field of a protocol-buffer message, shorter than 128 bytes.
  static func field(_ number: UInt8, _ bytes: [UInt8]) -> [UInt8] {
    [number << 3 | 2, UInt8(bytes.count)] + bytes
  }

  private static func field(_ number: UInt8, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }

  /// A tensor of one free axis, by default of single precision.
  private static func value(_ name: String, type: UInt8) -> [UInt8] {
    field(1, name) + field(2, field(1, [8, type] + field(2, field(1, field(2, "n")))))
  }

  /// One node of `x` to `y`, tensors of one free axis `n`.
  ///
  /// - `element`: the number of their element type, by default that of single precision.
  static func model(_ type: String, element: UInt8 = 1) -> [UInt8] {
    let graph =
      field(1, field(1, "x") + field(2, "y") + field(3, "only") + field(4, type))
      + field(11, value("x", type: element)) + field(12, value("y", type: element))
    return [8, 8] + field(2, "by hand") + field(7, graph) + field(8, [16, 18])
  }
}
