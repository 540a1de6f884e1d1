import FileFormats
import Geometry
import Imaging

/// A mask's probabilities as they lie in a file beside `detections.json`, so that what is measured from the files is
/// what is measured from the network's own output.
package struct MaskProbabilities: Sendable {
  /// The file's name beside the document.
  package let file: String
  /// The probabilities, on the network's grid.
  package var grid: Plane<Float> { mask.grid }

  private let mask: InstanceMask

  /// The most cells of a side of a grid that is read.
  static let maximumSide = 1024

  /// The probabilities of a detection; nil where its mask holds none beyond its pixels.
  package init?(of detection: Detection) {
    guard let mask = detection.mask, mask.hasProbabilities else { return nil }
    file = Self.file(ofObject: detection.id)
    self.mask = mask
  }

  private static func file(ofObject id: Int) -> String {
    "probabilities/\(zeroPadded(id, 3)).npy"
  }

  /// The file's entry in the document: where the grid lies, and whether the mask's pixels are known besides.
  var json: JSONValue {
    let place = mask.placement
    return [
      "file": .string(file), "orientation": .string("\(mask.orientation)"),
      "scale": [.number(place.scaleX), .number(place.scaleY)],
      "offset": [.number(place.offsetX), .number(place.offsetY)],
      "hasPixels": .bool(mask.pixels != nil),
    ]
  }

  /// The same, read from a document.
  struct Placed {
    let file: String
    private let orientation: Orientation
    private let placement: GridPlacement
    private let hasPixels: Bool

    init(_ json: JSONValue, id: Int, path: String) throws(DocumentError) {
      let expected = MaskProbabilities.file(ofObject: id)
      guard json["file"]?.string == expected else {
        throw .field("\(path).file", expected: "\"\(expected)\"")
      }
      file = expected
      guard let orientation = Orientation.allCases.first(where: { "\($0)" == json["orientation"]?.string })
      else {
        throw .field("\(path).orientation", expected: "one of up, right, down, left or their mirrors")
      }
      self.orientation = orientation
      guard let scale = json["scale"]?.numbers, scale.count == 2, scale.allSatisfy({ $0 > 0 && $0.isFinite })
      else { throw .field("\(path).scale", expected: "two positive numbers") }
      guard let offset = json["offset"]?.numbers, offset.count == 2, offset.allSatisfy(\.isFinite) else {
        throw .field("\(path).offset", expected: "two numbers")
      }
      placement = GridPlacement(scaleX: scale[0], scaleY: scale[1], offsetX: offset[0], offsetY: offset[1])
      guard case .bool(let hasPixels)? = json["hasPixels"] else {
        throw .field("\(path).hasPixels", expected: "true or false")
      }
      self.hasPixels = hasPixels
    }

    func mask(of grid: Plane<Float>, pixels: RunLengthMask, path: String) throws(DocumentError)
      -> InstanceMask
    {
      guard max(grid.width, grid.height) <= MaskProbabilities.maximumSide,
        grid.elements.allSatisfy({ (0...1).contains($0) })
      else {
        throw .field(
          "\(path).file",
          expected: "a file of at most \(MaskProbabilities.maximumSide) by as many numbers from 0 to 1")
      }
      return InstanceMask(
        imageSize: PixelSize(width: pixels.width, height: pixels.height), orientation: orientation,
        grid: MaskGrid(grid), placement: placement, pixels: hasPixels ? BinaryPatch(ColumnRuns(pixels)) : nil,
        hasProbabilities: true)
    }
  }
}

extension FramedDetection {
  /// The detection with numbers rounded as in `detections.json`, so that it and the file give the same results.
  public var asWritten: Self {
    Self(
      id: id, classId: classId, className: className, confidence: WrittenNumbers.confidence(confidence),
      box: WrittenNumbers.box(box), mask: mask, keypoints: keypoints.map(WrittenNumbers.keypoint),
      orientedBox: orientedBox.map(WrittenNumbers.rect), track: track)
  }
}

/// Numbers of a detection rounded as `detections.json` rounds them.
private enum WrittenNumbers {
  static func keypoint<Frame>(_ keypoint: Keypoint<Frame>) -> Keypoint<Frame> {
    Keypoint(
      Point2(rounded(keypoint.point.x), rounded(keypoint.point.y)),
      confidence: keypoint.confidence.map(confidence))
  }

  static func rect<Frame>(_ rect: RotatedRect<Frame>) -> RotatedRect<Frame> {
    let angle = JSONValue.rounded(rect.angle, decimals: DetectionsFile.confidenceDecimals)
    return RotatedRect(
      center: Point2(rounded(rect.center.x), rounded(rect.center.y)), width: rounded(rect.width),
      height: rounded(rect.height), angle: angle.number ?? rect.angle)
  }

  private static func rounded(_ value: Double) -> Double { DetectionsFile.pixels(value).number ?? value }

  static func confidence(_ value: Float) -> Float {
    Float(JSONValue.asWritten(Double(value), decimals: DetectionsFile.confidenceDecimals))
  }

  static func box<Frame>(_ box: Rect<Frame>) -> Rect<Frame> {
    func pixels(_ value: Double) -> Double { JSONValue.asWritten(value, decimals: DetectionsFile.decimals) }
    return Rect(
      x: pixels(box.minX), y: pixels(box.minY), width: pixels(box.width), height: pixels(box.height))
  }
}
