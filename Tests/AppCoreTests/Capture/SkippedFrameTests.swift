import AppCore
import Testing

@Suite struct SkippedFrameTests {
  /// Apps that store color of every third frame leave out hundreds: one line, not hundreds.
  @Test func framesThatLackTheSameAreOneLine() {
    let skipped = (0..<290).map {
      SkippedFrame(name: "frame_\(1000 + $0)", reason: "frame_\(1000 + $0).jpg: no such file")
    }
    #expect(
      SkippedFrame.lines(skipped, besides: 145) == [
        "skipped 290 of 435 frames, frame_1000 to frame_1289: frame_1000.jpg: no such file, and so on"
      ])
  }

  @Test func everyReasonIsTold() {
    let skipped = [
      SkippedFrame(name: "a1", reason: "a1.json: no pose"),
      SkippedFrame(name: "a2", reason: "a2.jpg: missing"),
      SkippedFrame(name: "a3", reason: "a3.json: no pose"),
    ]
    #expect(
      SkippedFrame.lines(skipped, besides: 7) == [
        "skipped 2 of 10 frames, a1 to a3: a1.json: no pose, and so on", "skipped a2: a2.jpg: missing",
      ])
    #expect(SkippedFrame.lines([], besides: 3) == [])
    let files = ["c.svg", "n.txt", "o.gif"].map { SkippedFrame(name: $0, reason: "no picture") }
    #expect(
      SkippedFrame.lines(files, besides: 2, unit: "file") == [
        "skipped 3 of 5 files, c.svg, n.txt, o.gif: no picture"
      ])
    let many = (1...12).map { SkippedFrame(name: "\($0)", reason: "r") }
    #expect(
      SkippedFrame.lines(many, besides: 0) == [
        "skipped 12 of 12 frames, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10 and 2 more: r"
      ])
  }
}
