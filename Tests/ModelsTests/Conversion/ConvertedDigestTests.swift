import Digests
import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// The bytes of converted checkpoints: the tensors that each network reads, and whole files.
@Suite struct ConvertedDigestTests {
  /// Which network a layout is of.
  enum Network: CustomTestStringConvertible {
    case detector(YOLOVariant, classes: Int)
    case depth(isPrompted: Bool)

    var layout: WeightLayout {
      switch self {
      case .detector(let variant, let classes):
        YOLOCheckpoint.layout(YOLOArchitecture(variant, classCount: classes))
      case .depth(let isPrompted): DepthAnythingFamily.layout(isPrompted: isPrompted)
      }
    }

    var testDescription: String { "\(self)" }
  }

  /// SHA-256 over lines of name and shape, sorted by name, of checkpoints that Ultralytics and the reference of Depth
  /// Anything make.
  @Test(arguments: [
    (Network.detector(.n, classes: 80), "08c6a3d0021f4f947ed71ded8adcf78a5ef99ab731386b0d7d2747d5b927be62"),
    (.detector(.s, classes: 80), "8d042847007eb24675e69268a3a1df852e848e09214733a648f28e2fb5a96117"),
    (.detector(.m, classes: 80), "b1a99acaf8bfe9e9aa246a6cff709d8792036271341b2e4e14ddeefd8dea16da"),
    (.detector(.l, classes: 80), "ea182fe056909094fb4a4922f3879688aa0a7e08fc43102968c446dfbd8fe92c"),
    (.detector(.x, classes: 80), "1c98d9d4a8e3f4fedb637f5dbe398f27cb7c78c0e5a5eca032e398ad908c9546"),
    (.detector(.n, classes: 3), "ece4673735ef49dfba74c68c32875b7d612ad06292f77a40bd869f6b6c16ae82"),
    (.depth(isPrompted: false), "850fb28611c9258f3c779ca3b85b6d431596559c48f3a75cd5d7fc00f09d1fe2"),
    (.depth(isPrompted: true), "91f9822a5df2014baea397b14e1defa893ac259f9a2b5c522c322bb914a8c39d"),
  ])
  func layoutsAreTheReferences(network: Network, digest: String) {
    let lines = network.layout.shapes.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)\n" }
    #expect(sha256Hex(Array(lines.joined().utf8)) == digest)
  }

  @Test func whatInferenceHasNoUseForIsPartOfTheLayout() {
    let depth = DepthAnythingFamily.layout(isPrompted: false)
    #expect(depth.optional == ["pretrained.mask_token"])
    #expect(depth.shapes["depth_head.scratch.refinenet4.resConfUnit1.conv2.bias"] == [64])
    let detector = YOLOCheckpoint.layout(YOLOArchitecture(.n, classCount: 80))
    #expect(detector.optional.isEmpty)
    #expect(detector.shapes["model.23.dfl.conv.weight"] == [1, 16, 1, 1])
    #expect(detector.shapes["model.0.conv.bias"] == nil)
  }

  /// A checkpoint of half-precision numbers that differ from one to the next.
  private func checkpoint(_ network: Network, metadata: [(String, String)] = []) -> [UInt8] {
    var entries =
      metadata.isEmpty ? [] : ["\"__metadata__\":\(JSONValue.object(fields(metadata)).serialized())"]
    var end = 0
    var bins: Int?
    for (name, shape) in network.layout.shapes.sorted(by: { $0.key < $1.key }) {
      let start = end
      end += 2 * shape.reduce(1, *)
      if name.hasSuffix(".dfl.conv.weight") { bins = start }
      let extents = shape.map(String.init).joined(separator: ",")
      entries.append(
        "\"\(name)\":{\"dtype\":\"F16\",\"shape\":[\(extents)],\"data_offsets\":[\(start),\(end)]}")
    }
    let header = Array("{\(entries.joined(separator: ","))}".utf8)
    var bytes = (0..<8).map { UInt8(truncatingIfNeeded: header.count >> (8 * $0)) } + header
    bytes.reserveCapacity(bytes.count + end)
    for index in 0..<end / 2 {
      let number = 0x3000 + index % 1021
      bytes.append(UInt8(truncatingIfNeeded: number))
      bytes.append(UInt8(truncatingIfNeeded: number >> 8))
    }
    if let bins {
      let start = bytes.count - end + bins
      bytes.replaceSubrange(start..<start + PickledNetwork.bins.count, with: PickledNetwork.bins)
    }
    return bytes
  }

  private func fields(_ metadata: [(String, String)]) -> [String: JSONValue] {
    Dictionary(uniqueKeysWithValues: metadata.map { ($0.0, .string($0.1)) })
  }

  private func converted(_ bytes: [UInt8], _ name: String, maxDepth: Double? = nil) throws -> String {
    let folder = try TemporaryDirectory()
    let input = try folder.write(bytes, to: name)
    let output = folder.file("converted.safetensors")
    try CheckpointConverter.convert(input, to: output, overwrite: false, maxDepth: maxDepth)
    return sha256Hex(try folder.read("converted.safetensors"))
  }

  @Test func convertedFilesAreTheSameBytes() throws {
    let detector = Network.detector(.n, classes: 3)
    let names = [("imgsz", "320"), ("license", "own"), ("names", "[\"a\",\"b\",\"c\"]"), ("note", "drawn")]
    let digest = try converted(checkpoint(detector, metadata: names), "best.safetensors")
    #expect(
      digest
        == "e520eb32723114ebdaa654fff383f718bf4668c0ef086da1e9011f7c6b8ce5ca")
    let depth = checkpoint(.depth(isPrompted: false))
    #expect(
      try converted(depth, "depth_anything_v2_vits.safetensors")
        == "f6c2073367d40e6af29c10f545a2947589ca4be213b4922d2d5337bf6a71d126")
    #expect(
      try converted(depth, "depth_anything_v2_metric_hypersim_vits.safetensors")
        == "a0108dbf113fc933a03a042aeb810baa09cbd592b3c9a12a1ce43c9b61e10871")
    #expect(
      try converted(depth, "depth_anything_v2_vits.safetensors", maxDepth: 12.5)
        == "52427c5e4dcaa329e4102d1c63e7ba5f16223214cf9c11b9c783e0900587e3fc")
    #expect(
      try converted(checkpoint(.depth(isPrompted: true)), "prompt.safetensors")
        == "feaa5d7b84584c001a0909e61b2cc63a8e0a9b0396afb8c43c909d130f9e8958")
  }
}
