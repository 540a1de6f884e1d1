import Imaging
import Testing

@Suite struct PortableFloatMapTests {
  @Test func rowsComeFromTheBottomLittleEndian() {
    let bytes = PortableFloatMap.encode(Plane(width: 2, height: 2, elements: [1, 2, -0.5, 0]))
    let header = Array("Pf\n2 2\n-1.0\n".utf8)
    #expect(bytes.starts(with: header))
    let one: [UInt8] = [0, 0, 0x80, 0x3f]
    let two: [UInt8] = [0, 0, 0, 0x40]
    let minusHalf: [UInt8] = [0, 0, 0, 0xbf]
    let pixels: [UInt8] = minusHalf + [0, 0, 0, 0] + one + two
    #expect(Array(bytes.dropFirst(header.count)) == pixels)
  }
}
