import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import NNVerification
import TestSupport
import Testing

/// The network of reduced sizes with other heads than the relative one.
enum TinyDepth {
  static func metric(_ maxDepth: String = "20") throws -> WeightStore {
    try store(with: "depth-tiny", metadata: ["max_depth": maxDepth])
  }

  static func prompted() throws -> WeightStore {
    try store(with: "depth-tiny", "depth-tiny-prompted", metadata: [:])
  }

  private static func store(with names: String..., metadata: [String: String]) throws -> WeightStore {
    var tensors: [String: Tensor] = [:]
    for store in try names.map(Golden.store) {
      for name in store.names { tensors[name] = try store.tensor(named: name) }
    }
    let own = try Golden.store(names[0]).metadata.merging(metadata) { $1 }
    return WeightStore(tensors: tensors, metadata: own)
  }

  static func picture(_ size: PixelSize) -> RGBImage {
    RGBImage(
      width: size.width, height: size.height,
      pixels: (0..<size.width * size.height * 3).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ $0 / 97) })
  }
}

@Suite("Metric depth networks")
struct MetricDepthTests {
  private let size = PixelSize(width: 42, height: 28)

  @Test(
    "the head's layers are the reference's, on both backends, fused or not",
    arguments: [PlanOptions(), PlanOptions(fuse: false), PlanOptions(backend: .openBLAS)])
  func layers(options: PlanOptions) throws {
    let reference = try ReferenceFile(path: Golden.path("depth-tiny-metric.layers.safetensors"))
    let session = try InspectedNetwork(weights: TinyDepth.metric(), options: options).session(for: size)
    for mode in LayerVerifier.Mode.allCases {
      let report = try LayerVerifier(mode: mode).verify(session, against: reference)
      #expect(report.passed, "\(report.summary)")
      #expect(report.layers.last?.name == "depth_head.scratch.max_depth")
    }
  }

  @Test("depth is in meters, and scales with the greatest")
  func meters() throws {
    let near = try DepthAnythingV2(weights: TinyDepth.metric("20"), input: .fixed(size))
    let far = try DepthAnythingV2(weights: TinyDepth.metric("80"), input: .fixed(size))
    #expect(near.architecture.output == .metric(greatest: 20))
    #expect(near.architecture.name == "depth-anything-v2-metric")
    let picture = TinyDepth.picture(PixelSize(width: 61, height: 43))
    let (first, second) = (try near.estimate(picture).depth, try far.estimate(picture).depth)
    #expect(first.elements.allSatisfy { $0 > 0 && $0 < 20 })
    for (a, b) in zip(first.elements, second.elements) { #expect(abs(4 * a - b) < 1e-3) }
  }

  @Test("a greatest depth that is none is refused", arguments: ["", "far", "-1", "0", "nan", "1e9"])
  func nonsense(text: String) throws {
    #expect(throws: DepthError.self) { try DepthAnythingArchitecture(TinyDepth.metric(text)) }
  }
}

@Suite("Prompted depth networks")
struct PromptedDepthTests {
  private let size = PixelSize(width: 42, height: 28)

  @Test(
    "the head's layers are the reference's, on both backends, fused or not",
    arguments: [PlanOptions(), PlanOptions(fuse: false), PlanOptions(backend: .openBLAS)])
  func layers(options: PlanOptions) throws {
    let reference = try ReferenceFile(path: Golden.path("depth-tiny-prompted.layers.safetensors"))
    let session = try InspectedNetwork(weights: TinyDepth.prompted(), options: options)
      .session(for: size, prompt: PixelSize(width: 13, height: 10))
    for mode in LayerVerifier.Mode.allCases {
      let report = try LayerVerifier(mode: mode).verify(session, against: reference)
      #expect(report.passed, "\(report.summary)")
      let names = report.layers.flatMap { [$0.name] + $0.holds }
      for level in 1...4 {
        #expect(names.contains("depth_head.scratch.refinenet\(level).prompted"))
      }
    }
  }

  @Test("depth lies within the prompt's, and moves and stretches with it")
  func range() throws {
    let model = try DepthAnythingV2(weights: TinyDepth.prompted(), input: .fixed(size))
    #expect(model.architecture.output == .prompted && model.architecture.standardBound == 756)
    let picture = TinyDepth.picture(PixelSize(width: 61, height: 43))
    let prompt = Plane(width: 8, height: 6, elements: (0..<48).map { 1 + Float($0 % 7) / 6 })
    let found = try model.estimate(picture, sensor: prompt).depth
    #expect(found.elements.allSatisfy { $0 >= 1 && $0 <= 2 })
    let farther = try model.estimate(picture, sensor: prompt.map { 3 * $0 + 2 }).depth
    for (a, b) in zip(found.elements, farther.elements) { #expect(abs(3 * a + 2 - b) < 1e-4) }
    let other = try model.estimate(picture, sensor: prompt.map { 3 - $0 }).depth
    #expect(zip(found.elements, other.elements).contains { abs(3 - $0 - $1) > 1e-3 })
  }

  @Test("without any depth there is no prompt, and no estimate")
  func noPrompt() throws {
    let model = try DepthAnythingV2(weights: TinyDepth.prompted(), input: .fixed(size))
    let picture = TinyDepth.picture(PixelSize(width: 61, height: 43))
    let nothing = Plane<Float>(width: 3, height: 2, elements: [.nan, 0, -1, .infinity, 0, 0])
    #expect(throws: DepthError.noPrompt) { try model.estimate(picture) }
    #expect(throws: DepthError.noPrompt) { try model.estimate(picture, sensor: nothing) }
    #expect(DepthPrompt(nothing) == nil)
    // A network that is not prompted ignores it.
    let plain = try DepthAnythingV2(weights: Golden.store("depth-tiny"), input: .fixed(size))
    #expect(try plain.estimate(picture, sensor: nothing).depth == plain.estimate(picture).depth)
  }

  @Test("a prompt runs from 0 to 1, gaps take their nearest neighbor, one depth everywhere is 0")
  func prompt() throws {
    let map = Plane<Float>(width: 3, height: 2, elements: [.nan, 2, 0, 4, .nan, -1])
    let prompt = try #require(DepthPrompt(map))
    #expect(prompt.range == 2...4)
    #expect(prompt.values.elements == [0, 0, 0, 1, 0, 0])
    let flat = try #require(DepthPrompt(Plane(width: 2, height: 2, fill: 3)))
    #expect(flat.range == 3...3 && flat.values.elements == [0, 0, 0, 0])
    let model = try DepthAnythingV2(weights: TinyDepth.prompted(), input: .fixed(size))
    let depth = try model.estimate(
      TinyDepth.picture(PixelSize(width: 20, height: 20)), sensor: Plane(width: 2, height: 2, fill: 3))
    #expect(depth.depth.elements.allSatisfy { $0 == 3 })
  }

  @Test("prompts of several sizes are served by turns, and can be profiled")
  func sizes() throws {
    let model = try DepthAnythingV2(weights: TinyDepth.prompted(), input: .fixed(size))
    let picture = TinyDepth.picture(PixelSize(width: 30, height: 20))
    let prompts = [(4, 3), (3, 4), (9, 5)].map { width, height in
      Plane(width: width, height: height, elements: (0..<width * height).map { 1 + Float($0) })
    }
    let first = try prompts.map { try model.estimate(picture, sensor: $0).depth }
    for (prompt, depth) in zip(prompts, first) {
      #expect(try model.estimate(picture, sensor: prompt).depth == depth)
    }
    let session = try model.session(for: size, prompt: PixelSize(width: 4, height: 3))
    #expect(session.plan.inputs.map(\.name) == ["input", "prompt"])
  }
}
