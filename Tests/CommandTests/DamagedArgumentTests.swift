import ArgumentParser
import Foundation
import ParserTargets
import Testing
import ardf

/// Command lines changed anywhere: they are parsed or refused, and nothing ends the process.
@Suite struct DamagedArgumentTests {
  private static let isExhaustive = ProcessInfo.processInfo.environment["ARDF_EXHAUSTIVE"] != nil

  /// Every option with a text of its own, one argument a line.
  private static let commandLines = [
    """
    run
    a
    b
    --out
    o
    --threads
    16
    --shard
    3/12
    --effect
    0=smoke
    --tap
    12.5,7=snow
    --imgsz
    640
    --conf
    0.25
    --iou
    0.7
    --max-det
    300
    --depth-size
    518
    --max-pixels
    12M
    --max-frames
    9
    --max-json
    1G
    --max-file
    64K
    """,
    """
    run
    a.png
    --out
    o
    --depth-map
    d.npy
    --intrinsics
    500.5,500.5,320,240,640,480
    --depth-scale
    5000
    """,
    """
    replay
    a
    --out
    o
    --detect-every
    300ms
    --rate
    29.97
    --repeat
    2
    --seed
    18446744073709551615
    --effect
    bed=snow
    """,
    "inspect\nplan\nw\n--size\n480x640", "bench\nw\n-t\n1,2\n-n\n8\n--size\n480x640",
    "verify\n--weights\nw\n--reference\nr.npz", "tune\nw\n--size\n64x64\n--out\np.json",
    "simulate\ns.json", "fuse\n--relative\nr.npy\n--capture\nc\n--out\no\n--fusion\nlinear",
  ]

  @Test(arguments: commandLines) func damageIsSurvived(_ line: String) {
    let damage = Damage(
      Array(line.utf8), masks: Self.isExhaustive ? Damage.everyValue : Damage.fewValues)
    for index in stride(from: 0, to: damage.count, by: Self.isExhaustive ? 1 : max(1, damage.count / 150)) {
      let arguments = String(decoding: damage.damaged(index), as: UTF8.self)
        .split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
      do {
        _ = try ARDF.parseAsRoot(arguments)
      } catch {
        #expect(
          !ARDF.fullMessage(for: error).isEmpty || ARDF.exitCode(for: error) == .success, "\(arguments)")
      }
    }
  }

  /// Numbers at the ends of what their types hold, in every place that has a number.
  @Test(arguments: [
    "-9223372036854775808", "9223372036854775807", "18446744073709551615", "1e19", "1e308", "nan", "inf",
    "-0", "",
    "5e-324",
  ])
  func extremeNumbersAreSurvived(_ number: String) {
    for line in Self.commandLines {
      let arguments = line.split(separator: "\n").map(String.init)
      for index in arguments.indices where arguments[index].contains(where: \.isNumber) {
        var changed = arguments
        for place in changed[index].matches(of: /[0-9.]+/).reversed() {
          changed[index].replaceSubrange(place.range, with: number)
          _ = try? ARDF.parseAsRoot(changed)
        }
      }
    }
  }
}
