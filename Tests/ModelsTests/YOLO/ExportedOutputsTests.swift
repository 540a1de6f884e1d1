import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

@Suite("Networks by the tensors of their ONNX exports")
struct ExportedOutputsTests {
  /// Single precision through a whole network.
  private static let tolerance = 1e-4

  @Test("YOLO11-seg: channels first in and out", arguments: ["n", "l"])
  func detector(variant: String) throws {
    let model = try YOLODetector(weights: Golden.store("yolo11-tiny-\(variant)"))
    let reference = try Golden.store("yolo11-tiny-\(variant).ref")
    // As PyTorch has them: (1, channels, height, width).
    let input = try reference.tensor(named: "input")
    let size = PixelSize(width: input.shape[3], height: input.shape[2])
    let found = try model.exportedOutputs(planar: input.floats()[...], size: size)
    #expect(relativeError(found.output0, try reference.tensor(named: "output0").floats()) < Self.tolerance)
    #expect(
      relativeError(try #require(found.output1), try reference.tensor(named: "proto").floats())
        < Self.tolerance)
    #expect(found.output0.count % YOLODetector.anchorCount(of: size) == 0)
    // The same numbers by the other way in.
    let raw = try model.rawOutputs(for: ReferenceMap(input).elements, size: size)
    #expect(relativeError(found.output0, raw.output0) < 1e-6)
  }

  @Test(
    "networks without masks have one output, the other way's numbers",
    arguments: ["yolo11-least", "yolo11-pose-least", "yolo11-obb-least"])
  func others(name: String) throws {
    let model = try YOLODetector(weights: Golden.store(name))
    let input = try Golden.store("\(name).ref").tensor(named: "input")
    let size = PixelSize(width: input.shape[3], height: input.shape[2])
    let found = try model.exportedOutputs(planar: input.floats()[...], size: size)
    #expect(found.output1 == nil)
    let raw = try model.rawOutputs(for: ReferenceMap(input).elements, size: size)
    #expect(relativeError(found.output0, raw.output0) < 1e-6)
  }

  @Test("Depth Anything V2: channels first in")
  func depth() throws {
    let model = try DepthAnythingV2(weights: Golden.store("depth-tiny"))
    let reference = try Golden.store("depth-tiny.ref")
    let input = try reference.tensor(named: "input")
    let size = PixelSize(width: input.shape[3], height: input.shape[2])
    let found = try model.exportedOutput(planar: input.floats()[...], size: size)
    #expect(relativeError(found.elements, try reference.tensor(named: "depth").floats()) < Self.tolerance)
  }
}
