import Geometry
import Imaging
import Models
import NNRuntime
import Testing

@Suite("A Depth Anything V2 network of reduced sizes against the reference")
struct DepthNetworkTests {
  /// Single precision through a whole network.
  private static let tolerance = 1e-4

  private let size = PixelSize(width: 70, height: 42)

  @Test("the depth map", arguments: [Backend.native, .openBLAS])
  func depth(backend: Backend) throws {
    let model = try DepthAnythingV2(
      weights: Golden.store("depth-tiny"), options: PlanOptions(backend: backend))
    let reference = try Golden.store("depth-tiny.ref")
    let input = try reference.tensor(named: "input").floats()
    let found = try model.exportedOutput(planar: input[...], size: size)
    #expect(found.width == 70 && found.height == 42)
    #expect(relativeError(found.elements, try reference.tensor(named: "depth").floats()) < Self.tolerance)
  }

  @Test("layers by their module path")
  func layers() throws {
    let model = try DepthAnythingV2(
      weights: Golden.store("depth-tiny"), options: PlanOptions(fuse: false, retain: true))
    let reference = try Golden.store("depth-tiny.ref")
    let input = ReferenceMap(try reference.tensor(named: "input")).elements
    var names = (0..<4).map { ("tap.\($0)", "pretrained.blocks.\($0)") }
    names += (0..<4).map { ("norm.\($0)", "pretrained.norm.\($0)") }
    names += (1...4).map { ("rn.\($0)", "depth_head.scratch.layer\($0)_rn") }
    names += (1...4).map { ("path.\($0)", "depth_head.scratch.refinenet\($0).out_conv") }
    names.append(("output_conv1", "depth_head.scratch.output_conv1"))
    let session = try model.session(for: size)
    let found = try session.run(
      prepare: { target in
        try target.fill(target.input("input"), with: input)
      },
      read: { outputs in names.map { outputs.value(named: $0.1)?.elements } })
    for ((name, _), elements) in zip(names, found) {
      let expected = ReferenceMap(try reference.tensor(named: name)).elements
      #expect(relativeError(try #require(elements, "\(name)"), expected) < Self.tolerance, "\(name)")
    }
  }

  @Test("sizes are read off the weights")
  func architecture() throws {
    let sizes = try DepthAnythingArchitecture(Golden.store("depth-tiny"))
    #expect(sizes.width == 48 && sizes.blocks == 4 && sizes.heads == 2 && sizes.hidden == 192)
    #expect(sizes.positionGrid == 37 && sizes.taps == [0, 1, 2, 3])
    #expect(sizes.tapChannels == [16, 24, 32, 48] && sizes.features == 16 && sizes.lastHidden == 32)
  }

  @Test("a missing, a mis-shaped and a superfluous tensor are named; documented ones may stay or go")
  func strictness() throws {
    let store = try Golden.store("depth-tiny")
    var tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    let metadata = store.metadata

    let name = "pretrained.blocks.3.ls2.gamma"
    let kept = tensors.removeValue(forKey: name)!
    #expect { try load(tensors, metadata) } throws: { weightError($0)?.tensor == name }
    tensors[name] = kept.reshaped([1, 48])
    #expect { try load(tensors, metadata) } throws: {
      weightError($0)?.kind == .wrongShape(found: [1, 48], expected: [48])
    }
    tensors[name] = kept
    tensors["pretrained.register_tokens"] = kept
    #expect { try load(tensors, metadata) } throws: {
      weightError($0)?.kind == .unused(["pretrained.register_tokens"])
    }
    tensors["pretrained.register_tokens"] = nil
    tensors["pretrained.mask_token"] = nil
    for name in tensors.keys where name.contains("refinenet4.resConfUnit1") { tensors[name] = nil }
    try load(tensors, metadata)
  }

  @Test("sizes that are not a network's are refused")
  func contradiction() throws {
    let store = try Golden.store("depth-tiny")
    let tensors = Dictionary(uniqueKeysWithValues: try store.names.map { ($0, try store.tensor(named: $0)) })
    for metadata in [
      ["heads": "5", "taps": "[0, 1, 2, 3]"], ["heads": "2"], ["heads": "2", "taps": "[0, 1, 2, 4]"],
      ["heads": "2", "taps": "[0, 2, 1, 3]"], ["heads": "2", "taps": "0,1,2,3"],
    ] {
      #expect(throws: DepthError.self) { try load(tensors, metadata) }
    }
  }

  @Test("fixed inputs are made of whole patches", arguments: [(500, 518), (518, 20), (14 * 1200, 14 * 14)])
  func fixedSize(width: Int, height: Int) throws {
    let size = PixelSize(width: width, height: height)
    #expect(throws: DepthError.notWholePatches(size)) {
      try DepthAnythingV2(weights: Golden.store("depth-tiny"), input: .fixed(size))
    }
  }

  private func load(_ tensors: [String: Tensor], _ metadata: [String: String]) throws {
    _ = try DepthAnythingV2(weights: WeightStore(tensors: tensors, metadata: metadata))
  }
}
