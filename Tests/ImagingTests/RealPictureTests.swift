import Digests
import FileFormats
import Imaging
import TestSupport
import Testing

/// Real pictures, where they are present, decoded to the very pixels that OpenCV reads.
@Suite(.enabled(if: SharedData.available, "real data is not present beside the package"))
struct RealPictureTests {
  @Test func everyPixelEqualsOpenCV() throws {
    let digests = try JSONValue.read(path: Goldens.path("opencv-pixels.json"))
    let pictures = try #require(digests.object)
    #expect(!pictures.isEmpty)
    for (name, digest) in pictures {
      let image = try ImageCodec.decode(path: SharedData.path("data/" + name)).upright()
      #expect(sha256Hex(image.pixels) == digest.string, "\(name)")
    }
  }

  @Test func captureDepthIsMillimeters() throws {
    let depth = try ImageCodec.decodeGray16(path: SharedData.path("data/captures/bedroom/00000_depth.png"))
    #expect(depth.width == 256 && depth.height == 192)
    let valid = depth.elements.filter { $0 > 0 }
    #expect(valid.count > depth.elements.count / 2)
    #expect(valid.allSatisfy { $0 < 20_000 })
    let confidence = try ImageCodec.decodeGray8(path: SharedData.path("data/captures/bedroom/00000_conf.png"))
    #expect(confidence.size == depth.size)
    #expect(Set(confidence.elements).isSubset(of: [0, 1, 2]))
  }
}
