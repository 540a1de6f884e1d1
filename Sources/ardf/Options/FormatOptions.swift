import ArgumentParser

/// How detections are written.
struct FormatOptions: ParsableArguments {
  enum Format: String, CaseIterable, ExpressibleByArgument {
    case ardf, coco, csv
  }

  @Option(
    help: """
      How objects are written: ardf; coco for one list of COCO results in detections.json; csv for a table with a row \
      an object.
      """)
  var format = Format.ardf
}
