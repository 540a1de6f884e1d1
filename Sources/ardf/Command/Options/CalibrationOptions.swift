import FileFormats
import AppCore
import ArgumentParser
import FileFormats
import Imaging
import Sharding

/// The pictures on which errors are measured.
struct CalibrationOptions: ParsableArguments {
  @Option(
    parsing: .upToNextOption,
    help: ArgumentHelp(
      "Pictures, folders, captures or patterns of what the network will see: errors are measured on these. Repeatable.",
      valueName: "pictures"))
  var calibrate: [String] = []

  @Option(
    name: .customLong("calibrate-count"),
    help: ArgumentHelp("Most of these pictures to use, spread evenly.", valueName: "n"))
  var count = 16

  /// Least number of pictures: fewer do not represent others.
  static let least = 4

  func validate() throws {
    guard (Self.least...10_000).contains(count) else {
      throw ValidationError("--calibrate-count \(count): give a number from \(Self.least) to 10000")
    }
  }

  /// The pictures, upright.
  func images(_ limits: CaptureLimits) throws -> [RGBImage] {
    let inputs = try RunInputs(calibrate, names: []) { try CaptureReader.open($0, limits: limits) }
    let wanted = min(count, inputs.frames.count)
    var images: [RGBImage] = []
    var bad = inputs.lost.count
    for index in 0..<wanted {
      let frame = inputs.frames[index * inputs.frames.count / wanted]
      do {
        let captured = try frame.source.frame(at: frame.index)
        guard let image = captured.image?.oriented(captured.orientation) else { continue }
        if !images.contains(where: { $0 == image }) { images.append(image) }
      } catch {
        guard let defect = FrameDefect(error) else { throw error }
        Console.note(LeftOutInputs.line(frame.reference.name, defect.reason))
        bad += 1
      }
    }
    for entry in inputs.lost { Console.note("cannot be opened: \(entry)") }
    try Self.check(bad: bad, of: wanted + inputs.lost.count)
    guard images.count >= Self.least else {
      throw CommandError.input(
        "--calibrate: \(counted(images.count, "different picture")): give at least "
          + "\(Self.least) of what the network will see")
    }
    return images
  }

  /// Refuses bad pictures: what is measured is a weight file's, and pictures that were named are part of what it is
  /// made of.
  private static func check(bad: Int, of total: Int) throws {
    guard bad > 0 else { return }
    throw CommandError.input(
      bad == total
        ? "--calibrate: none of \(counted(total, "picture")) can be read; give at least \(least) of what the network will see"
        : "--calibrate: \(bad) of \(counted(total, "picture")) cannot be read; mend or remove what is named above"
    )
  }
}
