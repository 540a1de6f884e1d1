/// An ONNX file of a detector like DETR's: its logits are known numbers plus the mean of its input, its boxes are known.
package struct DetectorFile {
  /// Row-major, (queries, `perQuery`).
  package var logits: [Float]
  package var perQuery: Int
  /// Row-major, (queries, 4).
  package var boxes: [Float]
  /// Sides of the input; nil where they are free.
  package var sides: (height: Int, width: Int)?
  /// Pictures at a time; nil where that is free.
  package var batch: Int? = 1
  package var pixels = "pixel_values"
  package var outputs = ("logits", "pred_boxes")
  /// Whether there is an input `pixel_mask`.
  package var hasMask = false
  /// Whether outputs have declared shapes.
  package var isStated = true
  package var metadata: [(key: String, value: String)] = []

  /// Two objects of two classes, one to the left and one to the right, in an input of 8x8.
  package init() {
    (logits, perQuery) = ([3, -4, -5, 1.5], 2)
    boxes = [0.25, 0.5, 0.25, 0.5, 0.75, 0.5, 0.5, 0.25]
    sides = (8, 8)
  }

  /// The file.
  package var bytes: [UInt8] {
    let queries = boxes.count / 4
    let picture: [Int?] = [batch, 3, sides?.height, sides?.width]
    var graph =
      Self.node("ReduceMean", [pixels], "mean", Self.list("axes", [1, 2, 3]) + Self.integer("keepdims", 0))
      + Self.node("Add", ["numbers", "mean"], outputs.0) + Self.node("Identity", ["places"], outputs.1)
    graph += Self.tensor("numbers", [1, queries, perQuery], logits)
    graph += Self.tensor("places", [1, queries, 4], boxes)
    graph += Self.field(11, Self.value(pixels, type: 1, picture))
    if hasMask { graph += Self.field(11, Self.value("pixel_mask", type: 7, [batch, 64, 64])) }
    graph += Self.field(12, Self.value(outputs.0, type: 1, isStated ? [1, queries, perQuery] : nil))
    graph += Self.field(12, Self.value(outputs.1, type: 1, isStated ? [1, queries, 4] : nil))
    let properties = metadata.flatMap { Self.field(14, Self.text(1, $0.key) + Self.text(2, $0.value)) }
    return Self.number(1, 8) + Self.field(8, Self.number(2, 13)) + Self.field(7, graph) + properties
  }

  private static func node(
    _ type: String, _ inputs: [String], _ output: String, _ attributes: [UInt8] = []
  ) -> [UInt8] {
    field(1, inputs.flatMap { text(1, $0) } + text(2, output) + text(4, type) + attributes)
  }

  private static func list(_ name: String, _ values: [Int]) -> [UInt8] {
    field(5, text(1, name) + values.flatMap { number(8, $0) } + number(20, 7))
  }

  private static func integer(_ name: String, _ value: Int) -> [UInt8] {
    field(5, text(1, name) + number(3, value) + number(20, 2))
  }

  private static func tensor(_ name: String, _ shape: [Int], _ values: [Float]) -> [UInt8] {
    let raw = values.flatMap { value in
      (0..<4).map { UInt8(truncatingIfNeeded: value.bitPattern >> (8 * $0)) }
    }
    return field(5, shape.flatMap { number(1, $0) } + number(2, 1) + text(8, name) + field(9, raw))
  }

  private static func value(_ name: String, type: Int, _ shape: [Int?]?) -> [UInt8] {
    let axes = shape?.flatMap { axis in field(1, axis.map { number(1, $0) } ?? text(2, "free")) }
    return text(1, name) + field(2, field(1, number(1, type) + (axes.map { field(2, $0) } ?? [])))
  }

  private static func varint(_ value: UInt64) -> [UInt8] {
    value < 0x80 ? [UInt8(value)] : [UInt8(value & 0x7f) | 0x80] + varint(value >> 7)
  }
  private static func number(_ field: Int, _ value: Int) -> [UInt8] {
    varint(UInt64(field << 3)) + varint(UInt64(bitPattern: Int64(value)))
  }
  private static func field(_ field: Int, _ bytes: [UInt8]) -> [UInt8] {
    varint(UInt64(field << 3 | 2)) + varint(UInt64(bytes.count)) + bytes
  }
  private static func text(_ number: Int, _ text: String) -> [UInt8] { field(number, Array(text.utf8)) }
}
