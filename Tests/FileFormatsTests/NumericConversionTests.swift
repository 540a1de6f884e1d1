import FileFormats
import Testing

@Suite struct NumericConversionTests {
  @Test(arguments: [
    (0.0, 0), (-0.0, 0), (2.9, 2), (-2.9, -2), (1e18, 1_000_000_000_000_000_000), (0x1p63, Int.max),
    (Double(0x1p63).nextDown, 0x7fff_ffff_ffff_fc00), (1e300, .max), (.infinity, .max), (-0x1p63, .min),
    (-1e19, .min), (-.infinity, .min), (.nan, 0), (.leastNonzeroMagnitude, 0),
  ])
  func wholeNumbers(_ value: Double, _ expected: Int) { #expect(Int(clamping: value) == expected) }

  @Test(
    arguments: [
      (255.9, 255), (256, 255), (-0.9, 0), (-1, 0), (.nan, 0), (.infinity, 255), (-.infinity, 0),
    ] as [(Float, UInt8)])
  func bytes(_ value: Float, _ expected: UInt8) { #expect(UInt8(clamping: value) == expected) }

  @Test func narrowIntegers() {
    #expect(Int32(clamping: 1e10) == .max)
    #expect(Int32(clamping: -1e10) == .min)
    #expect(Int32(clamping: Float.nan) == 0)
    #expect(Int32(clamping: Float(0x1p31)) == .max)
  }
}
