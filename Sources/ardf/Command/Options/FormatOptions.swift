import ArgumentParser

extension DetectionFormat: ExpressibleByArgument {}

/// How detections are written.
struct FormatOptions: ParsableArguments {
  @Option(
    help: """
      Format of the objects: ardf; coco, one list of COCO results in detections.json, with key points of persons; \
      csv, a table with a row for each object; dota, a text file of oriented boxes for each class.
      """)
  var format = DetectionFormat.ardf
}
