import FileFormats

/// Where a frame stands in a job: its capture among all captures, and the frame in its capture, both from 0.
package struct FramePosition: Hashable, Comparable, Sendable, CustomStringConvertible {
  package static let mostCaptures = 1_000_000_000
  package static let mostFrames = 10_000_000

  package let capture: Int
  package let frame: Int

  package init(capture: Int, frame: Int) {
    precondition(
      (0..<Self.mostCaptures).contains(capture) && (0..<Self.mostFrames).contains(frame),
      "a position beyond what a job may hold")
    self.capture = capture
    self.frame = frame
  }

  /// `000000123.0000004`: texts sort as positions do.
  package var description: String { "\(zeroPadded(capture, 9)).\(zeroPadded(frame, 7))" }

  package init?(_ text: String) {
    let parts = text.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count == 2, parts[0].utf8.count == 9, parts[1].utf8.count == 7,
      let capture = integer(of: parts[0], in: 0...Self.mostCaptures - 1),
      let frame = integer(of: parts[1], in: 0...Self.mostFrames - 1)
    else { return nil }
    self.init(capture: capture, frame: frame)
    // Not `+0000000.`: a position has one text.
    guard description == text else { return nil }
  }

  package static func < (first: FramePosition, second: FramePosition) -> Bool {
    (first.capture, first.frame) < (second.capture, second.frame)
  }

  /// In one word, whose order is that of positions.
  var packed: UInt64 { UInt64(capture) << 24 | UInt64(frame) }

  init(packed: UInt64) { self.init(capture: Int(packed >> 24), frame: Int(packed & 0xff_ffff)) }
}
