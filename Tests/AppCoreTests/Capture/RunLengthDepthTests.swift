import AppCore
import Imaging
import TestSupport
import Testing

/// Depth of recordings that is compressed by RVL.
@Suite struct RunLengthDepthTests {
  /// Runs of 4x3 cells, 0 0 1000 1001 / 0 999 3000 0 / 0 0 0 0, made by hand as the paper has it, in two words of eight
  /// nibbles: 2 empty, 2 filled with differences 1000 (2000: the octal digits 0 2 7 3 from the least) and 1 (2); 1 empty, 2
  /// filled with differences -2 (3) and 2001 (4002: 2 4 6 7); 5 empty.
  private static let runs: [UInt8] = [0x21, 0xF3, 0x8A, 0x22, 0x50, 0xE7, 0xAC, 0x23]
  private static let cells: [Float] = [0, 0, 1000, 1001, 0, 999, 3000, 0, 0, 0, 0, 0]

  /// The first frame's depth of a recording with such a map.
  private static func depth(
    _ runs: [UInt8], width: Int = 4, height: Int = 3, encoding: String = "16UC1",
    quantization: [Float] = [0, 0],
    limits: CaptureLimits = CaptureLimits()
  ) throws -> [Float] {
    var bag = BagWriter()
    bag.addCamera(at: "/a", times: [0], hasDepth: false)
    let parameters = quantization.flatMap { BagWriter.little(Int($0.bitPattern), 4) }
    bag.add(
      compressed: BagWriter.little(0, 4) + parameters + BagWriter.little(width, 4)
        + BagWriter.little(height, 4)
        + runs, "/a/depth/image/compressedDepth", "\(encoding); compressedDepth rvl", frame: "a_optical")
    let place = try TemporaryDirectory()
    let source = try CaptureReader.open(place.write(bag.file(), to: "robot.mcap"), limits: limits)
    return try #require(try source.frame(at: 0).depth).elements.map { $0 > 0 ? $0 : 0 }
  }

  @Test func runsAndDifferencesAreUndone() throws {
    #expect(try Self.depth(Self.runs) == Self.cells.map { $0 * 0.001 })
  }

  @Test func quantizedDepthIsUndone() throws {
    let found = try Self.depth(Self.runs, encoding: "32FC1", quantization: [2000, 1])
    for (depth, stored) in zip(found, Self.cells) where stored > 0 {
      #expect(abs(depth - 2000 / (stored - 1)) < 1e-5)
    }
    #expect(zip(found, Self.cells).allSatisfy { ($1 > 0) == ($0 > 0) })
  }

  /// Every way to cut it short, and sizes that its runs do not have.
  @Test func damagedRunsAreRefused() throws {
    func isDamage(_ runs: [UInt8], width: Int = 4, height: Int = 3) -> Bool {
      do {
        _ = try Self.depth(runs, width: width, height: height)
        return false
      } catch CaptureError.malformed(_, let reason) {
        return reason.contains("RVL")
      } catch {
        return false
      }
    }
    for count in 0..<8 { #expect(isDamage(Array(Self.runs.prefix(count)))) }
    #expect(isDamage(Self.runs, width: 8, height: 6))
    #expect(isDamage(Self.runs, width: 0))
    #expect(isDamage([UInt8](repeating: 0, count: 64)))
    #expect(isDamage([UInt8](repeating: 0xFF, count: 64)))
  }

  /// Whatever a bit says, the map has its size or is refused.
  @Test func noBitFlipDoesMore() throws {
    for bit in 0..<8 * Self.runs.count {
      var runs = Self.runs
      runs[bit / 8] ^= 1 << (bit % 8)
      if let found = try? Self.depth(runs) { #expect(found.count == 12) }
    }
  }

  @Test func sizesAreCheckedBeforeTheyAreBelieved() throws {
    #expect {
      _ = try Self.depth(Self.runs, width: 65535, height: 65535)
    } throws: { error in
      guard case CaptureError.tooManyPixels(_, 65535, 65535, _) = error else { return false }
      return true
    }
  }
}
