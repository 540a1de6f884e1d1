import FileFormats
import Imaging
import Testing

@Suite struct WholeNumberTests {
  private static func numbers(_ values: [Float], scale: Float = 1) -> [UInt16] {
    Plane(width: values.count, height: 1, elements: values).wholeNumbers(scale: scale).elements
  }

  @Test func halvesRoundUpAndWhatHasNoPlaceIsAnEnd() {
    #expect(Self.numbers([0, 0.49, 0.5, 1.5, 2.4999, 65534.5, 65534.4]) == [0, 0, 1, 2, 2, 65535, 65534])
    #expect(Self.numbers([-0.6, -70, -.infinity, .nan, -0.0]) == [0, 0, 0, 0, 0])
    #expect(Self.numbers([65535, 65536, 1e9, .infinity]) == [65535, 65535, 65535, 65535])
  }

  /// The same as one number after the other, over the whole range and beyond.
  @Test func everyNumberIsThatOfACheckedConversion() {
    var random = SplitMix64(seed: 7)
    let values = (0..<20_011).map { _ in Float.random(in: -1...70, using: &random) }
    #expect(Self.numbers(values, scale: 1000) == values.map { UInt16(clamping: $0 * 1000 + 0.5) })
  }
}
