import Digests
import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// Checkpoints as they are published; what PyTorch reads from them is kept here as digests.
@Suite struct RealCheckpointTests {
  private static let yolo = "weights/yolo11n-seg.pt"
  private static let depth = "weights/dav2s-ardf-fp16.safetensors"

  /// SHA-256 over the names and bytes of `torch.load(...)["model"].state_dict()`, sorted by name,
  /// counters left out.
  private static let yoloDigest = "163f426bebd55aa65ae80e17733002f3c68e0ae38f47a6e166595894e9a332e2"

  private func digest(_ tensors: [String: Tensor]) -> String {
    var bytes: [UInt8] = []
    for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
      bytes += name.utf8
      tensor.storage.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
    }
    return sha256Hex(bytes)
  }

  @Test(.enabled(if: SharedData.exists(yolo), "the published checkpoint is not present beside the package"))
  func everyTensorIsWhatPyTorchReads() throws {
    let folder = try TemporaryDirectory()
    let output = folder.file("yolo.safetensors")
    try CheckpointConverter.convert(SharedData.path(Self.yolo), to: output, overwrite: false)
    let store = try WeightStore(path: output)
    var tensors: [String: Tensor] = [:]
    for name in store.names { tensors[name] = try store.tensor(named: name) }
    #expect(tensors.count == 471)
    #expect(tensors.values.allSatisfy { $0.dtype == .float16 })
    #expect(digest(tensors) == Self.yoloDigest)
    let names = try JSONValue.parse(store.metadata["names"] ?? "").array
    #expect(names?.count == 80)
    #expect(names?[0] == "person" && names?[79] == "toothbrush")
    var metadata = store.metadata
    metadata["names"] = nil
    #expect(
      metadata == [
        "architecture": "yolo11-seg", "variant": "n", "stride": "32", "imgsz": "640", "license": "AGPL-3.0",
        "format": "ardf.weights/2", "modules": "compared", "source_file": "yolo11n-seg.pt",
        "source_sha256": "55ed65c56c91713d23e8402371c6c49a6fd84f257f7dce452e8d70e41dcbe152",
      ])
    let again = folder.file("again.safetensors")
    try CheckpointConverter.convert(output, to: again, overwrite: false)
    let second = try CheckpointConverter.read(again)
    #expect(digest(second.tensors) == Self.yoloDigest)
    #expect(second.metadata["names"] == store.metadata["names"])
  }

  @Test(.enabled(if: SharedData.exists(depth), "the depth weights are not present beside the package"))
  func depthWeightsAreRecognized() throws {
    let checkpoint = try CheckpointConverter.read(SharedData.path(Self.depth))
    #expect(checkpoint.architecture == "depth-anything-v2")
    #expect(checkpoint.variant == "small")
    #expect(checkpoint.tensors.count == 239)
    #expect(checkpoint.tensors.values.reduce(0) { $0 + $1.count } == 24_785_089)
  }
}
