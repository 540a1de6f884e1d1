import Geometry
import ONNX

/// The inputs and outputs of a detector of this family in an ONNX file.
package struct DETRPorts: Sendable {
  /// The picture: (N, 3, height, width).
  package let pixels: ONNXModel.Port
  /// Ones where the input is picture: (N, height, width) or of sides of its own; nil of networks without.
  package let mask: ONNXModel.Port?
  /// Places among the outputs: (N, queries, classes) and (N, queries, 4).
  package let logits: Int
  package let boxes: Int
  /// Logits a query, where the file says how many.
  package let logitsPerQuery: Int?

  /// The ports by their names in transformers' exports, or by shapes; nil for other networks.
  ///
  /// Shapes count only where the outputs' names are numbers, which PyTorch gives those without a name.
  package init?(_ model: ONNXModel) {
    let (inputs, outputs) = (model.inputPorts, model.outputPorts)
    let mask = inputs.first { $0.name == "pixel_mask" }
    let pictures = inputs.filter { $0.name != "pixel_mask" }
    guard pictures.count == 1, let pixels = pictures.first, Self.isPicture(pixels) else { return nil }
    guard let (logits, boxes) = Self.named(outputs) ?? Self.numbered(outputs) else { return nil }
    (self.pixels, self.mask, self.logits, self.boxes) = (pixels, mask, logits, boxes)
    logitsPerQuery = outputs[logits].shape?.last.flatMap(\.self)
  }

  private static func isPicture(_ port: ONNXModel.Port) -> Bool {
    guard let shape = port.shape, shape.count == 4 else { return false }
    return shape[1] == 3 || (shape[1] == nil && port.name == "pixel_values")
  }

  private static func named(_ outputs: [ONNXModel.Port]) -> (logits: Int, boxes: Int)? {
    guard let logits = outputs.firstIndex(where: { $0.name == "logits" }),
      let boxes = outputs.firstIndex(where: { $0.name == "pred_boxes" }), isTriple(outputs[logits]),
      areBoxes(outputs[boxes])
    else { return nil }
    return (logits, boxes)
  }

  private static func numbered(_ outputs: [ONNXModel.Port]) -> (logits: Int, boxes: Int)? {
    guard outputs.count == 2,
      outputs.allSatisfy({ port in port.name.utf8.allSatisfy { (0x30...0x39).contains($0) } }),
      outputs.allSatisfy({ $0.shape?.count == 3 })
    else { return nil }
    let last = outputs.map { $0.shape?.last.flatMap(\.self) }
    // Transformers' order, where both have four columns.
    if last[1] == 4, last[0] != nil { return (0, 1) }
    return last[0] == 4 && last[1] != nil ? (1, 0) : nil
  }

  private static func isTriple(_ port: ONNXModel.Port) -> Bool { port.shape.map { $0.count == 3 } ?? true }

  private static func areBoxes(_ port: ONNXModel.Port) -> Bool {
    guard let shape = port.shape else { return true }
    return shape.count == 3 && (shape[2] == nil || shape[2] == 4)
  }

  /// The input's size, where the file states it.
  package var size: PixelSize? {
    guard let shape = pixels.shape, let height = shape[2], let width = shape[3] else { return nil }
    return PixelSize(width: width, height: height)
  }

  /// Whether one picture goes in at a time.
  package var takesOnePicture: Bool {
    [pixels, mask].allSatisfy { port in (port?.shape?.first ?? nil).map { $0 == 1 } ?? true }
  }

  /// Values for an input of ones where there is picture: everywhere.
  package func maskShape(for size: PixelSize) -> [Int] {
    let own = [1, size.height, size.width]
    guard let stated = mask?.shape, stated.count == own.count else { return own }
    return zip(stated, own).map { $0 ?? $1 }
  }
}
