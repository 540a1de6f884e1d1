import Digests
import FileFormats
import Testing

@Suite struct RunLengthMaskTests {
  /// Texts that pycocotools 2.0 writes for these masks.
  @Test func textsArePycocotools() throws {
    let square: [UInt8] = [0, 0, 0, 0, 0, 1, 1, 0, 0, 1, 1, 0]
    let mask = RunLengthMask(height: 3, width: 4, mask: square)
    #expect(mask.runs == [4, 2, 1, 2, 3])
    #expect(mask.counts == "42102")
    #expect(mask.area == 4)
    #expect(try RunLengthMask(height: 3, width: 4, counts: "42102") == mask)
    #expect(mask.mask == square)
  }

  /// A disc and sparse stripes, whose text has long and negative differences; digest of pycocotools' text.
  @Test func longTextIsPycocotools() throws {
    var mask: [UInt8] = []
    for y in 0..<160 {
      for x in 0..<120 {
        let isInDisc = (x - 50) * (x - 50) + (y - 80) * (y - 80) < 2000
        mask.append(isInDisc || (x * 7 + y * 3) % 61 == 0 ? 1 : 0)
      }
    }
    let encoded = RunLengthMask(height: 160, width: 120, mask: mask)
    #expect(encoded.area == 6491)
    #expect(encoded.counts.hasPrefix("01l1000K05000K05000K050K05000K05000K0RO>KBS1050VNh0o0XOf00Cn"))
    #expect(
      sha256Hex(Array(encoded.counts.utf8))
        == "fdfe75dc6ad0afc00494c0d5e20cbecc5e6efd2a7af2d5ead8ae3f7bd1276222")
  }

  @Test func masksReadBack() throws {
    var random = SplitMix64(seed: 1)
    for density in [1, 3, 60, 64] {
      for (height, width) in [(1, 1), (7, 5), (160, 160), (1, 300), (0, 4)] {
        let mask = (0..<height * width).map { _ -> UInt8 in
          Int.random(in: 0..<64, using: &random) < density ? 1 : 0
        }
        let encoded = RunLengthMask(height: height, width: width, mask: mask)
        let decoded = try RunLengthMask(height: height, width: width, counts: encoded.counts)
        #expect(decoded == encoded && decoded.mask == mask)
        #expect(decoded.area == mask.reduce(0) { $0 + Int($1) })
      }
    }
  }

  @Test(arguments: [
    ("", "mask runs cover 0 pixels of 12"), ("3", "mask runs cover 3 pixels of 12"),
    ("=", "mask run 0 has an impossible length"), ("P", "mask counts are malformed at character 1"),
    (" ", "mask counts are malformed at character 0"), ("p", "mask counts are malformed at character 0"),
    ("ooooooooooooo0", "mask counts are malformed at character 12"),
    ("O", "mask run 0 has an impossible length"), ("99", "mask runs cover 18 pixels of 12"),
    ("42103", "mask runs cover 13 pixels of 12"), ("421A2", "mask run 3 has an impossible length"),
  ])
  func defectsAreNamed(counts: String, message: String) {
    let error = #expect(throws: RunLengthError.self) {
      try RunLengthMask(height: 3, width: 4, counts: counts)
    }
    #expect(error?.description == message)
  }

  @Test func impossibleSizesAreRefused() {
    #expect(throws: RunLengthError.invalidSize(height: -1, width: 4)) {
      try RunLengthMask(height: -1, width: 4, counts: "")
    }
    #expect(throws: RunLengthError.invalidSize(height: .max, width: 2)) {
      try RunLengthMask(height: .max, width: 2, counts: "")
    }
    #expect(throws: RunLengthError.invalidSize(height: 1 << 20, width: 1 << 20)) {
      try RunLengthMask(height: 1 << 20, width: 1 << 20, counts: "")
    }
  }

  @Test func digestsAreThoseOfTheStandard() {
    #expect(sha256Hex([]) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      sha256Hex(Array("abc".utf8)) == "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad")
  }
}
