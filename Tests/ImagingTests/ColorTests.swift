import Imaging
import Testing

@Suite struct ColorTests {
  /// A millionth of full light.
  private static let lightTolerance = 1e-6

  // MARK: - Linear light

  @Test func everyByteSurvivesLinearLight() {
    for byte in 0...255 { #expect(LinearLight.byte(LinearLight.decoded[byte]) == UInt8(byte)) }
  }

  @Test func bytesAreTheNearest() {
    for step in 0...100_000 {
      let linear = Double(step) / 100_000
      let exact = LinearLight.encode(linear) * 255
      let byte = Double(LinearLight.byte(Float(linear)))
      #expect(abs(byte - exact) <= 0.5 + 1e-3, "\(linear)")
    }
    #expect(LinearLight.byte(-1) == 0 && LinearLight.byte(.nan) == 0)
    #expect(LinearLight.byte(7) == 255)
  }

  @Test func theCurveIsTheStandards() {
    #expect(abs(LinearLight.decode(0.5) - 0.2140411) < Self.lightTolerance)
    #expect(abs(LinearLight.encode(0.2140411) - 0.5) < Self.lightTolerance)
    #expect(abs(LinearLight.decode(0.04) - 0.04 / 12.92) < Self.lightTolerance)
  }

  /// The darkening of the results picture, by 1.74 stops.
  @Test(arguments: [(255, 149), (128, 72), (64, 33), (0, 0)])
  func darkeningActsOnLinearLight(before: Int, after: Int) {
    let gray = RGBImage(width: 1, height: 1, pixels: [UInt8](repeating: UInt8(before), count: 3))
    #expect(gray.exposed(by: -1.74).pixels == [UInt8](repeating: UInt8(after), count: 3))
  }

  @Test func relightingMixesInLinearLight() {
    let gray = RGBImage(width: 4, height: 1, pixels: [UInt8](repeating: 128, count: 12))
    let mask = Plane<Float>(width: 4, height: 1, elements: [0, 0.5, 1, 3])
    let relit = gray.relit(
      mask: mask, insideGain: 1.2, outsideGain: LinearLight.gain(exposureValue: -1.74))
    #expect(relit.pixels == [72, 72, 72, 112, 112, 112, 139, 139, 139, 139, 139, 139])
    let white = RGBImage(width: 1, height: 1, color: .white)
    let lit = white.relit(mask: Plane(width: 1, height: 1, fill: 1), insideGain: 1.2, outsideGain: 0)
    #expect(lit == white)
  }

  // MARK: - Color maps

  @Test func jetFollowsItsFormula() {
    #expect(ColorMap.jetColor(0) == Color(red: 0, green: 0, blue: 127))
    #expect(ColorMap.jetColor(0.25) == Color(red: 0, green: 127, blue: 255))
    #expect(ColorMap.jetColor(0.5) == Color(red: 127, green: 255, blue: 127))
    #expect(ColorMap.jetColor(0.75) == Color(red: 255, green: 127, blue: 0))
    #expect(ColorMap.jetColor(1) == Color(red: 127, green: 0, blue: 0))
    #expect(ColorMap.jet(0) == ColorMap.jetColor(0) && ColorMap.jet(1) == ColorMap.jetColor(1))
    #expect(ColorMap.jetColor(.nan) == Color(red: 0, green: 0, blue: 0))
  }

  /// Entries 0, 64, 128, 192 and 255 of the published tables, and how many levels the polynomial fit
  /// (or, for knots, rounding) is from its table at most.
  @Test func mapsStayCloseToThePublishedTables() {
    let published: [(map: ColorMap, fitError: Int, entries: [[Int]])] = [
      (.turbo, 33, [[48, 18, 59], [40, 188, 235], [164, 252, 60], [251, 126, 33], [122, 4, 3]]),
      (.inferno, 9, [[0, 0, 4], [87, 16, 110], [188, 55, 84], [249, 142, 9], [252, 255, 164]]),
      (.spectral, 1, [[94, 79, 162], [137, 208, 164], [255, 254, 190], [248, 140, 81], [158, 1, 66]]),
    ]
    for (map, fitError, entries) in published {
      for (index, expected) in zip([0, 64, 128, 192, 255], entries) {
        let color = map.colors[index]
        let found = [Int(color.red), Int(color.green), Int(color.blue)]
        let worst = zip(found, expected).map { abs($0 - $1) }.max()!
        #expect(worst <= fitError, "\(found) instead of \(expected) at \(index)")
      }
    }
  }

  @Test func infernoGetsLighterAllTheWay() {
    func luminance(_ color: Color) -> Float {
      0.2126 * LinearLight.decoded[Int(color.red)] + 0.7152 * LinearLight.decoded[Int(color.green)]
        + 0.0722 * LinearLight.decoded[Int(color.blue)]
    }
    let samples = stride(from: 0, through: 255, by: 5).map { luminance(ColorMap.inferno.colors[$0]) }
    #expect(zip(samples, samples.dropFirst()).allSatisfy { $0 < $1 })
  }

  @Test func paintingClampsAndMarksMissingValues() {
    let plane = Plane<Float>(width: 4, height: 1, elements: [-5, 2, 9, .nan])
    let image = ColorMap.jet.paint(plane, range: 0...4, missing: .white)
    #expect(image[0, 0] == ColorMap.jet(0))
    #expect(image[1, 0] == ColorMap.jet(0.5))
    #expect(image[2, 0] == ColorMap.jet(1))
    #expect(image[3, 0] == .white)
    let flat = ColorMap.jet.paint(Plane<Float>(width: 1, height: 1, fill: 3), range: 3...3)
    #expect(flat[0, 0] == ColorMap.jet(0))
  }
}
