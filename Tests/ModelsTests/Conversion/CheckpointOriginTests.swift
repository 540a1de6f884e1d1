import Digests
import FileFormats
import Models
import TestSupport
import Testing

@Suite struct CheckpointOriginTests {
  /// A digest of the source proves nothing about the numbers: whoever changes them keeps it.
  @Test func metadataOnlyClaims() {
    let digest = "715fade13be8f229f8a70cc02066f656f2423a59effd0579197bbf57860e1378"
    let metadata = ["source_sha256": digest, "source_file": "renamed.pth"]
    let origin = CheckpointOrigin(metadata: metadata, sha256: "00")
    #expect(origin == .claimsPublished(file: "depth_anything_v2_vits.pth"))
    #expect("\(origin)".hasPrefix("claims to be converted from the published depth_anything_v2_vits.pth"))
    let own = CheckpointOrigin(metadata: ["origin": "ardf"], sha256: "00")
    #expect(own == .claimsProject)
    #expect("\(own)".contains("not the file that comes with it"))
  }

  @Test func theFileTrainedHereIsKnownByItsDigest() throws {
    let digest = try sha256Hex(path: "\(SharedData.packageRoot)/weights/dav2s-ardf-fp16.safetensors")
    let origin = CheckpointOrigin(metadata: [:], sha256: digest)
    #expect(origin == .project)
    #expect("\(origin)".contains("not the published"))
  }

  @Test func anythingElseIsUnknown() {
    #expect(CheckpointOrigin(metadata: [:], sha256: "00") == .unknown)
    let metadata = ["source_sha256": "00", "origin": "elsewhere"]
    #expect(CheckpointOrigin(metadata: metadata, sha256: "00") == .unknown)
  }
}
