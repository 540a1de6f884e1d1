import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// An export is taken for a network of ours only where it computes what is built of its weights.
@Suite struct ExportComparisonTests {
  static let folder = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"

  private func check(_ bytes: [UInt8]) throws {
    try ExportComparison.check(
      FileBytes(bytes), file: "yolo11-cls-least.onnx",
      against: WeightStore(path: "\(Self.folder)/yolo11-cls-least.safetensors"))
  }

  private func golden() throws -> [UInt8] {
    try FileBytes.contents(of: "\(Self.folder)/yolo11-cls-least.onnx")
  }

  @Test func theSameGraphIsTaken() throws { try check(golden()) }

  private func checkIsOther(_ bytes: [UInt8]) {
    let error = #expect(throws: CheckpointErrorAt.self) { try check(bytes) }
    guard case .otherModule? = error?.kind else {
      Issue.record("\(String(describing: error))")
      return
    }
  }

  /// Names of operators of one length, so that nothing else in the file moves.
  @Test("another function of the same weights is refused")
  func anotherFunction() throws {
    var bytes = try golden()
    let old = Array("Sigmoid".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x22, 7] + old) })
    bytes.replaceSubrange(place + 2..<place + 2 + old.count, with: "Softmax".utf8)
    checkIsOther(bytes)
  }

  /// Sets the integers of the first attribute of a name, which are one byte each.
  private func golden(_ attribute: String, _ old: [UInt8], as new: [UInt8]) throws -> [UInt8] {
    var bytes = try golden()
    func field(_ values: [UInt8]) -> [UInt8] { values.flatMap { [0x40, $0] } }
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: Array(attribute.utf8)) })
    let first = try #require(bytes[place...].indices.first { bytes[$0...].starts(with: field(old)) })
    bytes.replaceSubrange(first..<first + 2 * old.count, with: field(new))
    return bytes
  }

  @Test("another padding, with weights and maps of the same shapes, is refused")
  func anotherPadding() throws {
    try checkIsOther(golden("pads", [1, 1, 1, 1], as: [2, 1, 0, 1]))
  }

  @Test("another stride, with weights of the same shapes, is refused where the maps no longer fit")
  func anotherStride() throws {
    let bytes = try golden("strides", [2, 2], as: [1, 1])
    let error = #expect(throws: CheckpointErrorAt.self) { try check(bytes) }
    #expect("\(error!)".contains("/model.9/m/m.0/attn/Reshape"))
  }

  /// `torch.export` folds what it makes of the class token alone, and the constant has no parameter's name; the file takes
  /// two pictures.
  @Test("a depth network whose class token is a constant, for several pictures")
  func depthForSeveralPictures() throws {
    let file = "\(Self.folder)/depth-least-batch.onnx"
    let bytes = FileBytes(try FileBytes.contents(of: file))
    let tensors = try CheckpointSource(bytes, file: file).loaded()
    let token = try #require(tensors["pretrained.cls_token"])
    #expect(token.shape == [1, 1, 24])
    let rising = (0..<24).map { Float($0) / 23 * 2 - 1 }
    #expect(zip(token.floats(), rising).allSatisfy { abs($0 - $1) < 1e-6 })
    #expect(tensors["pretrained.pos_embed"]?.shape == [1, 17, 24])
    let metadata = ["heads": "1", "taps": "[0, 1, 2, 3]"]
    try ExportComparison.check(bytes, file: file, against: WeightStore(tensors: tensors, metadata: metadata))
    var other = tensors
    let zeros = [Float](repeating: 0, count: 8 * 8 * 9)
    other["depth_head.resize_layers.3.weight"] = Tensor(shape: [8, 8, 3, 3], floats: zeros)
    #expect(throws: CheckpointErrorAt.self) {
      try ExportComparison.check(bytes, file: file, against: WeightStore(tensors: other, metadata: metadata))
    }
  }

  @Test("remedies of exports are an export's", arguments: ["best.onnx", "best.pt"])
  func remedies(file: String) {
    let text = "\(CheckpointError(.missing, tensor: "pretrained.cls_token", file: file))"
    #expect(text.contains("ardf infer") == (file == "best.onnx"))
    #expect(text.contains("as its trainer saved it") == (file == "best.pt"))
    let other = "\(CheckpointError(.otherModule("model.1", reason: "it differs"), file: file))"
    #expect(other.contains("export it to ONNX") == (file == "best.pt"))
  }
}
