import Models
import Testing

@Suite struct CheckpointOriginTests {
  @Test func publishedBytesAreKnownByTheirDigest() {
    let digest = "715fade13be8f229f8a70cc02066f656f2423a59effd0579197bbf57860e1378"
    let origin = CheckpointOrigin(metadata: ["source_sha256": digest, "source_file": "renamed.pth"])
    #expect(origin == .published(file: "depth_anything_v2_vits.pth"))
    #expect("\(origin)" == "the published depth_anything_v2_vits.pth")
  }

  @Test func ownFilesSayThatTheyAreNotPublished() {
    let origin = CheckpointOrigin(metadata: ["origin": "ardf", "architecture": "depth-anything-v2"])
    #expect(origin == .project)
    #expect("\(origin)".contains("not the published"))
  }

  @Test func anythingElseIsUnknown() {
    #expect(CheckpointOrigin(metadata: [:]) == .unknown)
    #expect(CheckpointOrigin(metadata: ["source_sha256": "00", "origin": "elsewhere"]) == .unknown)
  }
}
