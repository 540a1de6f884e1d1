import FileFormats
import AppCore
import ArgumentParser

/// How a sequence is played.
struct ReplayOptions: ParsableArguments {
  @Flag(
    help: """
      Play as fast as possible, one frame after the other, none dropped: the same pictures every time. By default \
      frames come at the intervals of their timestamps.
      """)
  var maxSpeed = false

  @Option(help: ArgumentHelp("How often the sequence is played.", valueName: "n"))
  var `repeat` = 1

  @Option(help: ArgumentHelp("Rate of frames, instead of their timestamps'.", valueName: "frames/s"))
  var rate: Double?

  @Flag(
    help:
      "Read all frames into memory before the first is shown: no time is lost to reading, as with a camera.")
  var preload = false

  @Option(help: ArgumentHelp("Detect at this interval, for example 0.3s or 300ms.", valueName: "time"))
  var detectEvery: String?

  @Option(
    help: ArgumentHelp("Detect in this frame, by name or position from 0. Repeatable.", valueName: "frame"))
  var at: [String] = []

  @Option(
    help: ArgumentHelp(
      "Place an effect on an object, by its id in the frame of detection or by its class: 0=smoke, bed=snow. "
        + "Repeatable. Effects: \(EffectType.allCases.map(\.rawValue).joined(separator: ", ")).",
      valueName: "object=effect"))
  var effect: [String] = []

  @Option(
    help: ArgumentHelp(
      "Place an effect on the object at a pixel of the original picture of the frame of detection. Repeatable.",
      valueName: "x,y=effect"))
  var tap: [String] = []

  @Option(
    help: ArgumentHelp(
      "Folder of your own effects, named as they are: smoke.mov, or a folder aurora of PNG files.",
      valueName: "dir"))
  var assets: String?

  @Option(help: "Seed of the built-in effects' random motion.")
  var seed: UInt64 = 0

  @Flag(help: "Measure by how much placed effects drift off their objects, frame by frame.")
  var drift = false

  func validate() throws {
    guard (1...10_000).contains(`repeat`) else {
      throw ValidationError("--repeat \(`repeat`): give a number from 1 to 10000")
    }
    if let rate, !(0.01...1000).contains(rate) {
      throw ValidationError("--rate \(rate): give frames a second from 0.01 to 1000")
    }
    guard detectEvery == nil || at.isEmpty else {
      throw ValidationError("--detect-every and --at exclude each other")
    }
    _ = try interval()
    _ = try wishes()
    if drift, !placesEffects { throw ValidationError("--drift: give --effect or --tap") }
  }

  /// Whether effects are placed.
  var placesEffects: Bool { !effect.isEmpty || !tap.isEmpty }

  /// Whether it is said in which frames objects are looked for.
  var choosesFrames: Bool { detectEvery != nil || !at.isEmpty }

  /// Whether objects are found in any frame.
  var detects: Bool { placesEffects || choosesFrames }

  /// The time between detections; nil where none was given.
  func interval() throws -> Duration? {
    guard let detectEvery else { return nil }
    let (digits, unit) =
      detectEvery.hasSuffix("ms")
      ? (detectEvery.dropLast(2), 1e-3)
      : (detectEvery.hasSuffix("s") ? detectEvery.dropLast() : detectEvery[...], 1.0)
    guard let number = Double(digits), (0...3600).contains(number * unit) else {
      throw ValidationError("--detect-every \(detectEvery): give a time such as 0.3s or 300ms")
    }
    return .nearest(seconds: number * unit)
  }

  /// The effects asked for, in order: first by object, then by tap.
  func wishes() throws -> [EffectWish] {
    let taps = try tap.map { text -> EffectWish in
      let request = try EffectRequest(tap: text)
      guard case .point(let point) = request.target else { throw ValidationError("--tap \(text)") }
      return EffectWish(request.type, on: .point(point))
    }
    return try effect.map(wish) + taps
  }

  private func wish(_ text: String) throws -> EffectWish {
    guard let sign = text.lastIndex(of: "=") else {
      throw ValidationError("--effect \(text): give OBJECT=EFFECT, for example 0=smoke or bed=snow")
    }
    let object = String(text[..<sign])
    let name = String(text[text.index(after: sign)...])
    guard let type = EffectType(name: name) else {
      throw ValidationError(
        "--effect \(text): there is no effect \"\(name)\"; choose one of "
          + EffectType.allCases.map(\.rawValue).joined(separator: ", "))
    }
    let id = CheckedInt(object)
    guard !object.isEmpty, id.map({ $0.within(DetectionsFile.ids) != nil }) ?? true else {
      throw ValidationError("--effect \(text): \"\(object)\" is neither an id nor a class")
    }
    return EffectWish(
      type, on: id?.within(DetectionsFile.ids).map { .object($0) } ?? .className(object))
  }
}

extension ReplayOutput.Pictures: ExpressibleByArgument {}
