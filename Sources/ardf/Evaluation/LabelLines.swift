import FileFormats

/// Contents of lines in label files.
package enum LabelForm: Sendable, Equatable {
  /// Boxes, or outlines.
  case objects
  /// Outlines alone, around which oriented boxes lie.
  case outlines
  /// Boxes, and this number of key points of 2 or 3 numbers.
  case keypoints(count: Int, dimensions: Int)
}

/// The lines of one label file.
struct LabelLines {
  /// How far coordinates may lie outside of the picture, in its sides.
  private static let slack: Float = 0.01
  /// The part of its box that a person fills, where no area is stated (Ultralytics, xtcocotools).
  static let filled = 0.53

  let file: String
  let size: (width: Int, height: Int)
  let form: LabelForm

  private func bad(_ line: Int, _ expected: String) -> LabelError {
    .badLine(file: file, line: line, expected: expected)
  }

  /// The objects, line by line, of the classes that are evaluated.
  func objects(of classes: EvaluatedClasses) throws -> [LabeledObject] {
    let bytes = try FileBytes.contents(of: file)
    guard let text = String(validating: bytes, as: UTF8.self) else { throw bad(1, "UTF-8 text") }
    var objects: [LabeledObject] = []
    var hasOutlines: Bool?
    let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
    for (index, line) in lines.enumerated() {
      let number = index + 1
      // A byte-order mark may lead.
      let fields = line.split { $0.isWhitespace || $0 == "\u{FEFF}" }
      guard let first = fields.first, !first.hasPrefix("#") else { continue }
      let isOutline = try isOutline(fields.count, number)
      guard hasOutlines ?? isOutline == isOutline else {
        throw bad(number, "like the lines above: boxes and outlines do not go together in one file")
      }
      hasOutlines = isOutline
      guard let stated = Double(fields[0]), let classIndex = Int(exactly: stated), classIndex >= 0 else {
        throw bad(number, "a class as a whole number from 0 on, then coordinates")
      }
      let values = fields.dropFirst().compactMap { Double($0).map(Float.init) }
      guard values.count == fields.count - 1, values.allSatisfy(\.isFinite),
        (isOutline ? box(around: values) : coordinates(values)).allSatisfy({ isShare($0) })
      else {
        throw bad(number, "coordinates over the picture's sides, from 0 to 1")
      }
      guard classes.contains(classIndex) else { continue }
      guard classIndex < classes.names.count else {
        throw LabelError.unknownClass(
          file: file, line: number, index: classIndex, count: classes.names.count)
      }
      guard isOutline || (values[2] >= 0 && values[3] >= 0) else {
        throw bad(number, "a box whose width and height are not negative")
      }
      objects.append(isOutline ? outlined(classIndex, values) : boxed(classIndex, values))
    }
    return objects
  }

  private func isShare(_ value: Float) -> Bool { (-Self.slack...1 + Self.slack).contains(value) }

  /// Whether a line with this number of fields is an outline.
  private func isOutline(_ fields: Int, _ line: Int) throws(LabelError) -> Bool {
    let isOutline = fields > 6 && fields % 2 == 1
    switch form {
    case .objects:
      guard isOutline || fields == 5 else {
        throw bad(
          line, "a class and a box (x y width height), or a class and three corners or more (x y x y x y ...)"
        )
      }
      return isOutline
    case .outlines:
      guard isOutline else {
        throw bad(line, "a class and the four corners of an oriented box (x y x y x y x y), or more")
      }
      return true
    case .keypoints(let count, let dimensions):
      guard fields == 5 + count * dimensions else {
        throw bad(
          line,
          "a class, a box (x y width height) and \(counted(count, "key point")) of \(counted(dimensions, "number")) each"
        )
      }
      return false
    }
  }

  /// Those of the numbers that are coordinates.
  private func coordinates(_ values: [Float]) -> [Float] {
    guard case .keypoints(_, 3) = form else { return values }
    return values.enumerated().filter { $0.offset < 4 || ($0.offset - 4) % 3 < 2 }.map(\.element)
  }

  /// Center and size of an outline's box, which must lie in the picture; corners may not, as those of an oriented box at
  /// its border.
  private func box(around values: [Float]) -> [Float] {
    (0..<2).flatMap { axis in
      let places = stride(from: axis, to: values.count, by: 2).map { values[$0] }
      let (low, high) = (places.min() ?? 0, places.max() ?? 0)
      return [(low + high) / 2, high - low]
    }
  }

  private func outlined(_ classIndex: Int, _ values: [Float]) -> LabeledObject {
    let sides = [Double(size.width), Double(size.height)]
    let corners = values.enumerated().map { Double($1) * sides[$0 % 2] }
    let xs = stride(from: 0, to: corners.count, by: 2).map { corners[$0] }
    let ys = stride(from: 1, to: corners.count, by: 2).map { corners[$0] }
    let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
    return LabeledObject(
      classIndex: classIndex,
      box: COCOBox(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top),
      region: .polygons([corners]), outline: values)
  }

  private func boxed(_ classIndex: Int, _ shares: [Float]) -> LabeledObject {
    let values = shares.map(Double.init)
    let (width, height) = (Double(size.width), Double(size.height))
    let box = COCOBox(
      x: (values[0] - values[2] / 2) * width, y: (values[1] - values[3] / 2) * height,
      width: values[2] * width, height: values[3] * height)
    guard case .keypoints(let count, let dimensions) = form else {
      return LabeledObject(classIndex: classIndex, box: box, region: nil)
    }
    let keypoints = (0..<count).map { index in
      let first = 4 + index * dimensions
      let (x, y) = (values[first], values[first + 1])
      return LabeledKeypoint(
        x: x * width, y: y * height,
        isLabeled: dimensions == 3 ? values[first + 2] != 0 : x >= 0 && y >= 0)
    }
    return LabeledObject(
      classIndex: classIndex, box: box, region: nil, keypoints: keypoints, area: box.area * Self.filled)
  }
}
