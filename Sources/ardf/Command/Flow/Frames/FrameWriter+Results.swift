import AppCore
import FileFormats
import Imaging
import OutputFolders
import Perception
import Reporting
import Sharding
import Synchronization

/// All results of a frame, drawn and written by as many threads as there are.
extension FrameWriter {
  /// Draws and writes everything; the files do not depend on the number of threads.
  ///
  /// - `report`: All that the page shows, without the results picture.
  /// - `document`: Takes the place of the document of detections.
  func write(_ outcome: FrameOutcome, report: FrameReport, document: JSONValue?, threads: Int) throws {
    let steps = try steps(outcome, report: report, document: document)
    try Parallel.team(of: threads) { try Self.sideBySide(steps) }
  }

  /// The longest first; large files early, since the disk works beside the steps that follow.
  private func steps(_ outcome: FrameOutcome, report: FrameReport, document: JSONValue?) throws -> [Step] {
    let frame = outcome.frame
    let (detections, depth) = (outcome.detections, outcome.perceived.depth)
    // From the numbers as objects.json has them, as `compose` draws it.
    let items = try ResultsItem.items(of: detections.detections, objects: report.objects)
    var steps: [Step] = [
      {
        let results = ResultsCompositor().compose(frame, items: items)
        var page = report
        page.results = results
        let shown = page
        try Self.sideBySide([
          { try write(shown) }, { if let results { try write(results, named: "results") } },
        ])
      }
    ]
    if let relative = outcome.perceived.relative { steps.append { try writeArray(of: relative) } }
    // Where nothing could be fitted there is a report of it, and no depth.
    if let metric = depth.best { steps += self.steps(for: metric) }
    if let image = frame.image {
      steps.append { try writeAnnotated(detections, image: image, orientation: frame.orientation) }
    }
    if let relative = outcome.perceived.relative {
      steps.append { try writePicture(of: relative, orientation: frame.orientation) }
    }
    steps.append { try write(outcome.scene, frame: frame, fused: depth.metric) }
    steps += detections.detections.map { detection -> Step in { try writeMask(of: detection) } }
    steps.append {
      if let document { try folder.write(document, to: RunFolder.detections) } else { try write(detections) }
    }
    if let fusion = depth.fusion { steps.append { try write(fusion, metric: nil) } }
    return steps
  }

  /// Makes files with the threads of the calling thread's team, in order where it is alone.
  ///
  /// - Throws: the first error, after which no step begins.
  private static func sideBySide(_ steps: [Step]) throws {
    let failure = Mutex<(any Error)?>(nil)
    Parallel.forEach(steps.count, threads: Parallel.teamThreads) { index in
      guard failure.withLock({ $0 == nil }) else { return }
      do {
        try steps[index]()
      } catch {
        failure.withLock { $0 = $0 ?? error }
      }
    }
    if let error = failure.withLock(\.self) { throw error }
  }
}
