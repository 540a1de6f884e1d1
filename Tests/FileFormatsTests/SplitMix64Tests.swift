import FileFormats
import Testing

@Suite struct SplitMix64Tests {
  /// Numbers of the authors' program for seed 1234567.
  @Test func numbersAreTheAuthors() {
    var numbers = SplitMix64(seed: 1_234_567)
    #expect(
      (0..<5).map { _ in numbers.next() } == [
        6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423,
        4_593_380_528_125_082_431, 16_408_922_859_458_223_821,
      ])
  }

  @Test func uniformNumbersAreTheUpperBits() {
    var (numbers, units, signed) = (SplitMix64(seed: 5), SplitMix64(seed: 5), SplitMix64(seed: 5))
    for _ in 0..<100 {
      let number = numbers.next()
      let unit = units.unit()
      #expect(unit == Float(number >> 40) * 0x1p-24 && (0..<1).contains(unit))
      #expect(signed.signed() == Float(number >> 40) * 0x1p-23 - 1)
    }
    #expect(SplitMix64.unit(.max) == 1 - 0x1p-24 && SplitMix64.unit(0) == 0)
  }

  @Test func numbersByIndexDependOnEachArgument() {
    let number = SplitMix64.number(seed: 1, index: 2, use: 3)
    #expect(number == SplitMix64.number(seed: 1, index: 2, use: 3))
    #expect(number != SplitMix64.number(seed: 2, index: 2, use: 3))
    #expect(number != SplitMix64.number(seed: 1, index: 3, use: 3))
    #expect(number != SplitMix64.number(seed: 1, index: 2, use: 4))
    #expect(SplitMix64.number(seed: 5, index: 1, use: 0) == SplitMix64.mixed(5 &+ SplitMix64.increment))
  }
}
