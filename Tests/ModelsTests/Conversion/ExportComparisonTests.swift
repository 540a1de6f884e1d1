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

  /// Names of operators of one length, so that nothing else in the file moves.
  @Test(
    "another function of the same weights is refused",
    arguments: [("Sigmoid", "Softmax"), ("Sigmoid", "HardSwi")])
  func anotherFunction(_ names: (from: String, to: String)) throws {
    var bytes = try golden()
    let old = Array(names.from.utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: [0x22, 7] + old) })
    bytes.replaceSubrange(place + 2..<place + 2 + old.count, with: names.to.utf8)
    #expect(throws: CheckpointErrorAt.self) { try check(bytes) }
  }

  @Test("another stride, with weights of the same shapes, is refused")
  func anotherStride() throws {
    var bytes = try golden()
    // The attribute "strides" of the first convolution, its integers 2 and 2.
    let name = Array("strides".utf8)
    let place = try #require(bytes.indices.first { bytes[$0...].starts(with: name) })
    let two = try #require(bytes[place...].indices.first { bytes[$0...].starts(with: [0x40, 2, 0x40, 2]) })
    (bytes[two + 1], bytes[two + 3]) = (1, 1)
    #expect(throws: CheckpointErrorAt.self) { try check(bytes) }
  }
}
