import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport
import Testing

@Suite("Depth from pictures")
struct DepthPipelineTests {
  @Test("a gray picture is normalized by the mean and deviation of each channel")
  func normalization() {
    let picture = RGBImage(width: 5, height: 4, pixels: [UInt8](repeating: 51, count: 60))
    let input = tensor(picture, PixelSize(width: 28, height: 14))
    let expected: [Float] = [(0.2 - 0.485) / 0.229, (0.2 - 0.456) / 0.224, (0.2 - 0.406) / 0.225]
    for pixel in 0..<28 * 14 {
      for channel in 0..<3 { #expect(abs(input[pixel * 3 + channel] - expected[channel]) < 1e-5) }
    }
  }

  @Test("the depth map has the picture's size, and the network's corners", arguments: [(61, 43), (140, 84)])
  func estimate(width: Int, height: Int) throws {
    let size = PixelSize(width: 70, height: 42)
    let model = try DepthAnythingV2(weights: Golden.store("depth-tiny"), input: .fixed(size))
    let pixels = (0..<width * height * 3).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 97) }
    let picture = RGBImage(width: width, height: height, pixels: pixels)
    let estimate = try model.estimate(picture)
    #expect(estimate.depth.width == width && estimate.depth.height == height && estimate.networkSize == size)
    let raw = try model.exportedOutput(planar: planar(tensor(picture, size)), size: size)
    for (x, y) in [(0, 0), (1, 0), (0, 1), (1, 1)] {
      let found = estimate.depth[x * (width - 1), y * (height - 1)]
      #expect(abs(found - raw[x * 69, y * 41]) <= 1e-5 * abs(found))
    }
  }

  @Test("the same bytes come out for any number of threads and in concurrent calls")
  func determinism() async throws {
    let store = try Golden.store("depth-tiny")
    let size = PixelSize(width: 70, height: 42)
    let picture = RGBImage(width: 70, height: 42, pixels: (0..<70 * 42 * 3).map { UInt8($0 % 251) })
    let single = try DepthAnythingV2(weights: store, input: .fixed(size), pool: ThreadPool(threads: 1))
    let expected = try single.estimate(picture).depth
    let model = try DepthAnythingV2(weights: store, input: .fixed(size), pool: ThreadPool(threads: 3))
    try await withThrowingTaskGroup(of: Plane<Float>.self) { group in
      for _ in 0..<8 { group.addTask { try model.estimate(picture).depth } }
      for try await depth in group { #expect(depth == expected) }
    }
  }

  @Test(
    "real pictures through a real checkpoint are the reference's",
    .enabled(if: References.available, "ARDF_REFERENCES names no folder"), arguments: ReferencePicture.names)
  func reference(name: String) throws {
    let store = try WeightStore(path: SharedData.path("weights/dav2s-ardf-fp16.safetensors"))
    let model = try DepthAnythingV2(weights: store)
    let picture = try ReferencePicture.load(name)
    let reference = try References.store("real/depth-\(name).ref")
    let size = try model.networkSize(for: picture.size)
    let input = tensor(picture, size)
    let expectedInput = ReferenceMap(try reference.tensor(named: "input"))
    #expect(expectedInput.shape == MapShape(height: size.height, width: size.width, channels: 3))
    #expect(NumericComparison(input, to: expectedInput.elements).maximumAbsolute < 1e-4)
    let depth = try model.exportedOutput(planar: planar(input), size: size)
    let error = relativeError(depth.elements, try reference.tensor(named: "depth").floats())
    #expect(error < 1e-4)
    print("depth of \(name): \(error)")
  }

  @Test(
    "the real encoder's tokens are ONNX Runtime's",
    .enabled(if: References.exists("dinov2-encoder.ref"), "ARDF_REFERENCES has no encoder"))
  func encoder() throws {
    let model = try DepthAnythingV2(
      weights: References.store("dinov2-encoder"), options: PlanOptions(retain: true))
    let reference = try References.store("dinov2-encoder.ref")
    let input = ReferenceMap(try reference.tensor(named: "input")).elements
    let tokens = try model.session(for: PixelSize(width: 224, height: 224)).run(
      prepare: { target in
        try target.fill(target.input("input"), with: input)
      },
      read: { $0.value(named: "pretrained.norm.11")?.elements })
    let error = relativeError(try #require(tokens), try reference.tensor(named: "tokens").floats())
    #expect(error < 1e-4)
    print("encoder: \(error)")
  }

  private func tensor(_ picture: RGBImage, _ size: PixelSize) -> [Float] {
    var input = [Float](repeating: 0, count: size.width * size.height * 3)
    var span = input.mutableSpan
    DepthPreprocessing.fill(&span, with: picture, size: size)
    return input
  }

  /// The same tensor, channels first.
  private func planar(_ input: [Float]) -> ArraySlice<Float> {
    (0..<3).flatMap { channel in stride(from: channel, to: input.count, by: 3).map { input[$0] } }[...]
  }
}
