import AppCore
import ArgumentParser
import FileFormats

/// Limits of the memory and work that inputs may ask for, checked before anything is allocated for them.
struct LimitOptions: ParsableArguments {
  @Option(help: "Pixels of one picture, at most.")
  var maxPixels = LimitAmount(CaptureLimits().pixels)

  @Option(help: "Frames of one capture, at most.")
  var maxFrames = LimitAmount(CaptureLimits().frames)

  @Option(help: "Bytes of one file of a picture, of depth or of confidence, at most.")
  var maxFile = LimitAmount(CaptureLimits().frameFileBytes)

  @Option(help: "Bytes of one JSON file or text index, at most. K, M and G stand for 2^10, 2^20 and 2^30.")
  var maxJson = LimitAmount(CaptureLimits().indexBytes)

  /// Limits on a capture.
  var capture: CaptureLimits {
    var limits = CaptureLimits()
    let share = Double(maxJson.count) / Double(limits.indexBytes)
    (limits.pixels, limits.frames) = (maxPixels.count, maxFrames.count)
    limits.frameFileBytes = maxFile.count
    limits.metadataBytes = min(limits.metadataBytes, maxJson.count)
    limits.indexBytes = maxJson.count
    limits.indexFields = max(limits.indexFields, Int(clamping: Double(limits.indexFields) * share))
    return limits
  }
}

/// A number of pixels, frames or bytes: `64M` is 64 times 2^20.
struct LimitAmount: ExpressibleByArgument {
  private static let suffixes: [(letter: Character, factor: Int)] = [
    ("G", 1 << 30), ("M", 1 << 20), ("K", 1 << 10),
  ]
  /// Upper bound of an amount: more than any machine has, and without overflow when multiplied by the bytes of a pixel.
  private static let most = 1 << 40

  let count: Int

  init(_ count: Int) { self.count = count }

  init?(argument: String) {
    var digits = argument[...]
    var factor = 1
    if let last = digits.last,
      let suffix = Self.suffixes.first(where: { $0.letter == Character(last.uppercased()) })
    {
      factor = suffix.factor
      digits.removeLast()
    }
    guard let number = integer(of: digits, in: 1...Self.most / factor) else { return nil }
    count = number * factor
  }

  var defaultValueDescription: String {
    let suffix = Self.suffixes.first { count % $0.factor == 0 }
    return suffix.map { "\(count / $0.factor)\($0.letter)" } ?? "\(count)"
  }
}

/// A command whose inputs have limits that options raise.
protocol LimitedCommand: ParsableCommand {
  var limits: LimitOptions { get }
}

/// A limit that was reached, and the option that raises it.
struct LimitReached: ClassifiedError, CustomStringConvertible {
  let error: any Error
  let option: String

  var description: String { "\(error), or raise the limit with \(option)" }
  var fault: Fault { FileFormats.fault(of: error) ?? .malformedInput }

  /// The error, with the option's name where a limit was reached that `command` can raise.
  static func naming(_ error: any Error, of command: any ParsableCommand) -> any Error {
    guard command is any LimitedCommand, let option = option(for: error) else { return error }
    return LimitReached(error: error, option: option)
  }

  private static func option(for error: any Error) -> String? {
    switch error {
    case CaptureError.tooManyFrames: "--max-frames"
    case CaptureError.tooManyPixels: "--max-pixels"
    case CaptureError.archive(_, .fileTooLarge): "--max-file"
    case CaptureError.fileTooLarge(let file, _, let limit) where limit != CaptureLimits().metadataBytes:
      // A chunk or a message of a recording is named after it.
      (pictureEndings + [".npy"]).contains(where: file.lowercased().hasSuffix)
        || [".mcap, ", ".db3, "].contains(where: file.lowercased().contains)
        ? "--max-file" : file.hasSuffix(".bin") ? nil : "--max-json"
    case let error as InFile:
      switch error.error {
      case JSONError.tooLarge, JSONError.tooManyValues, JSONError.tooManyContainers: "--max-json"
      default: nil
      }
    default: nil
    }
  }
}
