import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

@Suite(
  "Depth Anything V2 Small of full size against the reference",
  .enabled(if: References.available, "ARDF_REFERENCES names no folder of references"))
struct DepthReferenceTests {
  /// Largest difference over the largest magnitude.
  private static let tolerance = 1e-4

  @Test("the depth map and the tapped tokens", arguments: [(518, 518), (392, 518), (518, 686)])
  func depth(height: Int, width: Int) throws {
    let model = try DepthAnythingV2(weights: References.store("depth-random"))
    #expect(model.architecture.name == "depth-anything-v2-small")
    let reference = try References.store("depth-random-\(height)x\(width).ref")
    let input = try reference.tensor(named: "input").floats()
    let found = try model.exportedOutput(planar: input[...], size: PixelSize(width: width, height: height))
    let error = relativeError(found.elements, try reference.tensor(named: "depth").floats())
    #expect(error < Self.tolerance)
    print("depth \(height)x\(width): \(error)")
  }
}
