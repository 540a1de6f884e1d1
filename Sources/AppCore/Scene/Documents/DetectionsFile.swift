import FileFormats
import Geometry
import Imaging

/// The content of `detections.json`: what a detector found in one picture, in the stored picture's pixels.
package struct DetectionsFile: Sendable {
  /// Schema of `detections.json`.
  package static let schema = "ardf.detections/1"
  /// The most detections that are read.
  package static let maximumCount = 10_000
  /// The most pixels of all boxes together, as far as they lie in the picture: 300 boxes of 14 megapixels.
  ///
  /// Whatever is drawn of objects lies there, so that this bounds the work.
  package static let maximumBoxPixels = 1 << 32

  /// The highest number of an object.
  package static let highestId = 1 << 40
  /// The numbers of objects.
  package static let ids = 0...highestId
  /// The highest number of a class.
  package static let highestClass = 1 << 20

  /// The longest name of a class, and label: whatever is written into pictures is set letter by letter.
  static let maximumNameBytes = 1000

  /// Decimals of pixels in files.
  static let decimals = 4
  /// Decimals of scores in files.
  static let confidenceDecimals = 6

  /// The picture's name.
  package var image: String
  /// The stored picture's size.
  package var imageSize: PixelSize
  /// Description of the detector; not read back.
  package var model: JSONValue
  /// The detections in the detector's order.
  package var detections: [Detection]

  /// A document from its parts.
  package init(image: String, imageSize: PixelSize, model: JSONValue, detections: [Detection]) {
    self.image = image
    self.imageSize = imageSize
    self.model = model
    self.detections = detections
  }

  /// The document by itself.
  package var json: JSONValue { json(besideProbabilities: false) }

  /// The document.
  ///
  /// `besideProbabilities`: names the files of `probabilities`, which are then to be written beside it.
  package func json(besideProbabilities: Bool) -> JSONValue {
    [
      "schema": .string(Self.schema), "image": .string(image),
      "imageSize": [.integer(imageSize.width), .integer(imageSize.height)], "model": model,
      "detections": .array(
        detections.map { detection in
          var entry = Self.entry(detection)
          if besideProbabilities, let grid = MaskProbabilities(of: detection) {
            entry["probabilities"] = grid.json
          }
          return .object(entry)
        }),
    ]
  }

  private static func entry(_ detection: Detection) -> [String: JSONValue] {
    var entry = fields(detection)
    entry["mask"] = detection.mask.map(runLengths) ?? .null
    return entry
  }

  /// The fields of a detection, without its mask.
  package static func fields(_ detection: Detection) -> [String: JSONValue] {
    let (x, width) = (pixels(detection.box.minX), pixels(detection.box.width))
    let (y, height) = (pixels(detection.box.minY), pixels(detection.box.height))
    var fields: [String: JSONValue] = [
      "id": .integer(detection.id), "classId": .integer(detection.classId),
      "className": .string(detection.className),
      "confidence": .rounded(Double(detection.confidence), decimals: confidenceDecimals),
      "box": ["x": x, "y": y, "width": width, "height": height],
      "centroid": [middle(x, width), middle(y, height)],
    ]
    for (name, value) in shapes(of: detection) { fields[name] = value }
    if let track = detection.track { fields["track"] = .integer(track) }
    return fields
  }

  static func pixels(_ value: Double) -> JSONValue { .rounded(value, decimals: decimals) }

  /// The middle of an interval as it is written, so that a document read and written again is the same.
  private static func middle(_ start: JSONValue, _ length: JSONValue) -> JSONValue {
    guard let start = start.number, let length = length.number else { return .null }
    return pixels(start + length / 2)
  }

  /// A mask as COCO's run lengths.
  package static func runLengths(_ mask: InstanceMask) -> JSONValue {
    let runs = mask.runLengths
    return ["size": [.integer(runs.height), .integer(runs.width)], "counts": .string(runs.counts)]
  }
}

extension DetectionsFile {
  /// Reads the document; `id`s must be unique, boxes finite, masks of the picture's size.
  ///
  /// - `expecting`: the size of the picture that it must speak of, checked before a mask is unpacked.
  /// - `named`: the name of the frame that it must be of; nil for any.
  /// - `probabilities`: reads a file beside the document; nil where it is not there, and a mask is then known by its
  ///   pixels alone.
  /// - Throws: `DocumentError`, `RunLengthError`, `GeometryError`.
  package init(
    json: JSONValue, expecting: PixelSize, named name: String? = nil,
    probabilities: (_ file: String) throws -> Plane<Float>? = { _ in nil }
  ) throws {
    guard json["schema"]?.string == Self.schema else {
      throw DocumentError.schema(found: json["schema"]?.string, expected: Self.schema)
    }
    guard let sides = json["imageSize"]?.integers(in: -Self.highestId...Self.highestId), sides.count == 2
    else {
      throw DocumentError.field("imageSize", expected: "[width, height]")
    }
    guard let entries = json["detections"]?.array, entries.count <= Self.maximumCount else {
      throw DocumentError.field("detections", expected: "an array of at most \(Self.maximumCount) objects")
    }
    let size = try PixelSize(checking: sides[0], sides[1])
    guard size == expecting else {
      throw DocumentError.imageSize(
        found: "\(size.width)x\(size.height)", expected: "\(expecting.width)x\(expecting.height)")
    }
    try Self.check(image: json["image"]?.string, isOf: name)
    var seen: Set<Int> = []
    var boxPixels = 0.0
    let detections = try entries.enumerated().map { index, entry in
      let detection = try Self.detection(
        entry, path: "detections[\(index)]", imageSize: size, probabilities: probabilities)
      guard seen.insert(detection.id).inserted else {
        throw DocumentError.field("detections[\(index)].id", expected: "unique")
      }
      boxPixels += detection.box.clipped(to: size.bounds()).area
      guard boxPixels <= Double(Self.maximumBoxPixels) else {
        throw DocumentError.field(
          "detections", expected: "boxes of at most \(Self.maximumBoxPixels) pixels of the picture together")
      }
      return detection
    }
    self.init(
      image: json["image"]?.string ?? "", imageSize: size, model: json["model"] ?? .null,
      detections: detections
    )
  }

  /// Refuses a document of another frame; endings of pictures do not count, as a picture with a stated camera has none.
  ///
  /// - Parameters:
  ///   - image: The document's field `image`; nil or empty where it does not say.
  ///   - name: The frame's name; nil for any.
  /// - Throws: `DocumentError.image`.
  package static func check(image: String?, isOf name: String?) throws(DocumentError) {
    guard let image, !image.isEmpty, let name,
      !fileStem(image, endings: pictureEndings).isSameName(as: fileStem(name, endings: pictureEndings))
    else { return }
    throw .image(found: printableName(image), expected: printableName(name))
  }

  private static func detection(
    _ entry: JSONValue, path: String, imageSize: PixelSize,
    probabilities: (_ file: String) throws -> Plane<Float>?
  ) throws -> Detection {
    func defect(_ name: String, _ expected: String) -> DocumentError {
      .field("\(path).\(name)", expected: expected)
    }
    guard let id = entry["id"]?.integer(in: Self.ids) else {
      throw defect("id", "a whole number from 0")
    }
    guard let classId = entry["classId"]?.integer(in: 0...Self.highestClass) else {
      throw defect("classId", "a whole number from 0")
    }
    guard let className = entry["className"]?.string else { throw defect("className", "a string") }
    guard className.utf8.count <= Self.maximumNameBytes else {
      throw defect("className", "at most \(Self.maximumNameBytes) bytes long")
    }
    guard let confidence = entry["confidence"]?.number, (0...1).contains(confidence) else {
      throw defect("confidence", "a number from 0 to 1")
    }
    let sides = ["x", "y", "width", "height"].compactMap { entry["box"]?[$0]?.number }
    guard sides.count == 4, sides[2] > 0, sides[3] > 0 else {
      throw defect("box", "x, y and positive width and height")
    }
    var mask: InstanceMask?
    if let object = entry["mask"], !object.isNull {
      guard object["size"]?.integers(in: 0...1 << 24) == [imageSize.height, imageSize.width],
        let counts = object["counts"]?.string
      else { throw defect("mask", "size [\(imageSize.height), \(imageSize.width)] and counts") }
      let runs = try RunLengthMask(height: imageSize.height, width: imageSize.width, counts: counts)
      mask = InstanceMask(runs)
      if let stated = entry["probabilities"], !stated.isNull {
        let placed = try MaskProbabilities.Placed(stated, id: id, path: "\(path).probabilities")
        if let grid = try probabilities(placed.file) {
          mask = try placed.mask(of: grid, pixels: runs, path: "\(path).probabilities")
        }
      }
    }
    let track = entry["track"].flatMap { $0.isNull ? nil : $0 }
    guard track == nil || track?.integer(in: Self.ids) != nil else { throw defect("track", "a whole number") }
    return Detection(
      id: id, classId: classId, className: className, confidence: Float(confidence),
      box: Rect(x: sides[0], y: sides[1], width: sides[2], height: sides[3]), mask: mask,
      keypoints: try keypoints(entry, path: path), orientedBox: try orientedBox(entry, path: path),
      track: track?.integer(in: Self.ids))
  }
}
