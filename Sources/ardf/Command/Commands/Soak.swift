import AppCore
import ArgumentParser
import FileFormats
import Geometry
import Imaging
import Perception

/// `ardf soak`: many frames in a row, to find leaks.
struct Soak: AsyncParsableCommand {
  static let configuration = CommandConfiguration(
    abstract:
      "Runs the engine and the live loop for many frames and watches memory, descriptors and results.",
    discussion: """
      Each part prints the growth of resident memory after its first fifth, the descriptors then and at \
      its end, and whether the last result is the first one, byte for byte. Exit status 1 where memory grows by a \
      mebibyte a thousand frames or more, descriptors grow, a result differs, or a cancelled session keeps a \
      permit or a buffer.
      """, shouldDisplay: false)

  @Argument(help: "A picture.")
  var picture: String

  @Option(name: [.customShort("n"), .long], help: "Frames of the engine and of the live loop.")
  var frames = 10_000

  @OptionGroup(title: "Detector") var detector: DetectorOptions
  @OptionGroup(title: "Computation") var compute: ComputeOptions

  func validate() throws {
    guard (10...10_000_000).contains(frames) else {
      throw ValidationError("--frames \(frames): give a number from 10 to 10000000")
    }
  }

  func run() async throws {
    let image = try ImageCodec.decode(path: picture).upright()
    let network = try detector.detector(compute.settings, pool: compute.makePool())
    let live = LiveSoak(picture: image, detector: network)
    // Loading costs more than a frame, and a session of its own.
    let rounds = max(10, frames / 50)
    var table = TextTable(["part", "rounds", "growth/1000", "descriptors", "results"], rightAligned: [1, 2])
    var failures: [String] = []

    func note(_ name: String, _ count: Int, _ watch: ResourceWatch, results: String?) {
      table.add([
        name, "\(count)", "\(byteText(Int(clamping: watch.growthPerThousand)))", watch.descriptorText,
        results ?? "equal",
      ])
      failures += watch.defects.map { "\(name): \($0)" } + (results.map { ["\(name): \($0)"] } ?? [])
    }

    var watch = ResourceWatch(rounds: frames)
    let first = try network.findings(in: image)
    var last = first
    for _ in 0..<frames {
      last = try network.findings(in: image)
      watch.roundEnded()
    }
    note("engine", frames, watch, results: last == first ? nil : "the last result differs")

    let shown = try await live.run(frames: frames)
    note("live loop", frames, shown.watch, results: shown.defect)

    watch = ResourceWatch(rounds: rounds)
    var loaded = first
    for _ in 0..<rounds {
      let fresh = try detector.detector(compute.settings, pool: compute.makePool())
      loaded = try fresh.findings(in: image)
      watch.roundEnded()
    }
    note("load and unload", rounds, watch, results: loaded == first ? nil : "the last result differs")

    watch = ResourceWatch(rounds: rounds)
    var defects: [String] = []
    for round in 0..<rounds {
      if let defect = try await live.cancelled(after: .microseconds(round * 997 % 20_000)) {
        defects.append(defect)
      }
      watch.roundEnded()
    }
    note("cancellation", rounds, watch, results: defects.first)

    try Console.print(table.text)
    guard failures.isEmpty else { throw CommandError.checkFailed(failures.joined(separator: "; ")) }
  }
}

extension ObjectDetector {
  /// The results of a detector's run as text, to be compared.
  fileprivate func findings(in picture: RGBImage) throws -> String {
    let found = try objects(in: picture, orientation: .up, stored: picture.size).detections
    return DetectionsFile(image: "", imageSize: picture.size, model: .null, detections: found).json
      .serialized()
  }
}
