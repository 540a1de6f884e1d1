import ArgumentParser
import Models
import NNRuntime

/// How masks are made, by the names that Ultralytics' users know.
enum MasksOption: String, CaseIterable, ExpressibleByArgument {
  case fast, native, retina

  /// `retina_masks=True` calls `process_mask_native`: two names of one way.
  var method: MaskMethod { self == .fast ? .fast : .retina }
}

/// Which objects are found.
struct DetectorOptions: ParsableArguments {
  @Option(help: ArgumentHelp("YOLO11-seg weights, a file or a name such as yolo11n-seg.", valueName: "file"))
  var yolo: String?

  @Option(
    help: """
      Side of the square that pictures are fitted into, a multiple of 32; by default that of the pictures the network \
      was trained on, which is 640 for those published.
      """)
  var imgsz: Int?

  @Flag(
    help: """
      Fit pictures into the least rectangle of multiples of 32 within that square, as Ultralytics' predict does by \
      default, instead of the whole square.
      """)
  var rect = false

  @Option(help: "Scores must be strictly greater.")
  var conf = 0.75

  @Option(help: "Of two boxes of a class that overlap by more, the better is kept.")
  var iou = 0.5

  @Option(help: "The most objects of a picture.")
  var maxDet = 300

  @Option(
    help: ArgumentHelp(
      """
      How masks come to the picture's resolution. retina, also called native: as Ultralytics' retina_masks=True, cut \
      at the picture's own pixels; fast: as its default, cut at the network's and enlarged.
      """, valueName: "way"))
  var masks = MasksOption.retina

  func validate() throws {
    for (name, value) in [("--conf", conf), ("--iou", iou)] where !(0...1).contains(value) {
      throw ValidationError("\(name) \(value): give a number from 0 to 1")
    }
    guard (1...10_000).contains(maxDet) else {
      throw ValidationError("--max-det \(maxDet): give a number from 1 to 10000")
    }
    if let imgsz, !Self.isSide(imgsz) {
      throw ValidationError("--imgsz \(imgsz): give a multiple of 32 from 32 to 4096")
    }
  }

  private static func isSide(_ side: Int) -> Bool {
    side.isMultiple(of: 32) && YOLO11Segmentation.sides.contains(side)
  }

  /// The input for a picture of a network with such weights.
  func input(of weights: WeightStore) -> YOLO11Segmentation.Input {
    let trained = weights.metadata["imgsz"].flatMap { Int($0) }
    let side = imgsz ?? trained.flatMap { Self.isSide($0) ? $0 : nil } ?? 640
    return rect ? .minimalRectangle(side: side) : .fixed(height: side, width: side)
  }

  var thresholds: DetectionThresholds {
    DetectionThresholds(confidence: Float(conf), overlap: Float(iou), limit: maxDet)
  }
}
