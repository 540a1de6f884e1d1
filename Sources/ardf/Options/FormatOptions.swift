import ArgumentParser

/// How detections are written.
struct FormatOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case ardf, coco
  }

  @Option(help: "Layout of detections.json: ardf, or coco for one list of COCO results.")
  var format = Format.ardf
}
