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
    let shape = model.exportedShape(of: size)
    #expect(found.output0.count == shape.rows * shape.columns && shape.columns == 126)
    // The same numbers by the other way in.
    let raw = try RawOutputs(of: model, for: ReferenceMap(input).elements, size: size)
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
    let raw = try RawOutputs(of: model, for: ReferenceMap(input).elements, size: size)
    #expect(relativeError(found.output0, raw.output0) < 1e-6)
  }

  @Test(
    "YOLO26's objects are those of its export, best first",
    arguments: ["yolo26", "yolo26-seg", "yolo26-pose", "yolo26-obb"])
  func objects(name: String) throws {
    let model = try YOLODetector(weights: Golden.store("\(name)-least"))
    let reference = try Golden.store("yolo26-exported")
    let input = try reference.tensor(named: "input")
    let size = PixelSize(width: input.shape[3], height: input.shape[2])
    let expected = try reference.tensor(named: "\(name).output0")
    let found = try model.exportedOutputs(planar: input.floats()[...], size: size)
    let (rows, columns) = model.exportedShape(of: size)
    #expect([1, rows, columns] == expected.shape && rows == 300)
    #expect((found.output1 == nil) == (name != "yolo26-seg"))
    let scores = (0..<rows).map { found.output0[$0 * columns + 4] }
    #expect(scores == scores.sorted(by: >))
    func row(_ index: Int, of numbers: [Float]) -> ArraySlice<Float> {
      numbers[index * columns..<(index + 1) * columns]
    }
    // Scores that differ by roundings may change places.
    let numbers = expected.floats()
    var taken: Set<Int> = []
    for index in 0..<rows {
      let wanted = row(index, of: numbers)
      let match = (0..<rows).first { other in
        !taken.contains(other) && abs(other - index) < 4
          && zip(row(other, of: found.output0), wanted).allSatisfy { abs($0 - $1) < 1e-3 + 1e-4 * abs($1) }
      }
      taken.insert(try #require(match, "row \(index): \(Array(wanted.prefix(7)))"))
    }
  }

  @Test("classifiers' probabilities", arguments: ["yolo11-cls", "yolov8-cls"])
  func classes(name: String) throws {
    let model = try YOLOClassifier(weights: Golden.store("\(name)-least"))
    let reference = try Golden.store("\(name)-least.ref")
    let input = try reference.tensor(named: "input")
    let found = try model.exportedOutput(planar: input.floats()[...], side: input.shape[2])
    #expect(relativeError(found, try reference.tensor(named: "probabilities").floats()) < Self.tolerance)
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
