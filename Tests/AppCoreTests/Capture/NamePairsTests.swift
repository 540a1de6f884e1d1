import AppCore
import Testing

/// Which depth goes with which picture, by what they are called.
@Suite struct NamePairsTests {
  private func partners(_ pictures: [String], _ files: [String]) -> [Int?]? {
    NamePairs(pictures, files)?.partners
  }

  @Test func equalNamesAreCertain() {
    #expect(partners(["a.jpg", "b.jpg", "c.jpg"], ["c.png", "a.png"]) == [1, nil, 0])
    // Unicode's two forms of a name are two names.
    #expect(partners(["e\u{301}.jpg", "\u{E9}.jpg"], ["\u{E9}.png", "e\u{301}.png"]) == [1, 0])
  }

  @Test func fractionsOfTimesAreNoFrames() {
    #expect(
      partners(
        ["100.100000.jpg", "100.200000.jpg", "100.300000.jpg"],
        ["100.150000.png", "100.250000.png", "101.100000.png"]) == [0, 1, nil])
    #expect(partners(["1.71.png", "1.83.png"], ["1.70.png", "1.82.png"]) == [0, 1])
    // Clocks that have nothing in common tell nothing, and neither does the order.
    #expect(partners(["1.1.jpg", "1.2.jpg"], ["9.1.png", "9.2.png"]) == nil)
  }

  @Test func everyFileGoesWithOnePicture() {
    #expect(partners(["1.00.jpg", "1.02.jpg", "2.00.jpg"], ["1.01.png", "2.01.png"]) == [0, nil, 1])
  }

  @Test func framesBeforeTimes() {
    #expect(
      partners(
        ["0000001-000000000000.jpg", "0000002-000000034415.jpg", "0000003-000000066000.jpg"],
        ["0000001-000000000000.png", "0000002-000000029422.png", "0000003-000000062000.png"]) == [0, 1, 2])
    #expect(
      partners(["frame-000002.color.jpg", "frame-000010.color.jpg"], ["d10.png", "d2.png"]) == [1, 0])
    #expect(partners(["left_640_1.jpg", "left_640_2.jpg"], ["d_480_2.png", "d_480_1.png"]) == [1, 0])
  }

  @Test func clocksInWholeNumbersAreTimes() {
    #expect(
      partners(
        ["1571839021100000.jpg", "1571839021200000.jpg"], ["1571839021210000.png", "1571839021103000.png"])
        == [1, 0])
  }

  @Test func orderIsForNamesWithNothingInCommon() {
    #expect(partners(["x.jpg", "y.jpg"], ["p.png", "q.png"]) == [0, 1])
    #expect(partners(["x.jpg"], ["p.png", "q.png"]) == nil)
    #expect(partners([], ["p.png"]) == nil)
    // One number in common of many is no rule.
    #expect(partners(["1.jpg", "2.jpg", "3.jpg", "4.jpg"], ["a4.png", "a7.png", "a8.png", "a9.png"]) == nil)
  }
}
