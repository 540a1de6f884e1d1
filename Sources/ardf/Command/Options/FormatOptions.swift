import ArgumentParser

extension DetectionFormat: ExpressibleByArgument {}

/// How detections are written.
struct FormatOptions: ParsableArguments {
  @Option(
    help: """
      How objects are written: ardf; coco for one list of COCO results in detections.json, a person's key points among \
      them; csv for a table with a row an object; dota for a text file a class, of oriented boxes.
      """)
  var format = DetectionFormat.ardf
}
