import FileFormats
import Geometry

/// The fields of one JSON object, taken out with checks that name file and field.
struct FrameFields: Sendable {
  let file: String
  private let object: JSONValue

  init(file: String, json: [UInt8], limits: JSONLimits = .standard) throws(CaptureError) {
    do {
      object = try JSONValue.parse(json, limits: limits, python: true)
    } catch {
      throw .malformed(file: file, reason: error.description)
    }
    self.file = file
    guard object.object != nil else {
      throw .malformed(file: file, reason: "the outermost value must be an object")
    }
  }

  private init(file: String, object: JSONValue) throws(CaptureError) {
    guard object.object != nil else { throw .malformed(file: file, reason: "must be an object") }
    self.file = file
    self.object = object
  }

  /// Whether the field is present and not null.
  func has(_ field: String) -> Bool {
    guard let value = object[field] else { return false }
    return value != .null
  }

  func string(_ field: String) throws(CaptureError) -> String {
    guard let text = try present(field).string else {
      throw .badField(file: file, field: field, expected: "a string")
    }
    return text
  }

  func optionalString(_ field: String) throws(CaptureError) -> String? {
    has(field) ? try string(field) : nil
  }

  func optionalFlag(_ field: String) throws(CaptureError) -> Bool? {
    guard has(field) else { return nil }
    guard let flag = try present(field).bool else {
      throw .badField(file: file, field: field, expected: "true or false")
    }
    return flag
  }

  func number(_ field: String) throws(CaptureError) -> Double {
    guard let number = try present(field).number, number.isFinite else {
      throw .badField(file: file, field: field, expected: "a finite number")
    }
    return number
  }

  /// A whole number in a range.
  func count(_ field: String, in range: ClosedRange<Int>) throws(CaptureError) -> Int {
    guard let count = try present(field).integer(in: range) else {
      throw .badField(file: file, field: field, expected: "a whole number from \(range.lowerBound) upwards")
    }
    return count
  }

  func numbers(_ field: String, count: Int) throws(CaptureError) -> [Double] {
    guard let numbers = try present(field).numbers, numbers.count == count, numbers.allSatisfy(\.isFinite)
    else {
      throw .badField(file: file, field: field, expected: "\(count) numbers")
    }
    return numbers
  }

  /// The elements of rows that are arrays of their own, row after row.
  func matrix(_ field: String, rows: Int, columns: Int) throws(CaptureError) -> [Double] {
    let found = try present(field).array?.compactMap(\.numbers) ?? []
    guard found.count == rows, found.allSatisfy({ $0.count == columns && $0.allSatisfy(\.isFinite) }) else {
      throw .badField(file: file, field: field, expected: "\(rows) rows of \(columns) numbers")
    }
    return found.flatMap(\.self)
  }

  /// The objects of an array; messages call each by `name` and its position.
  func objects(_ field: String, called name: String) throws(CaptureError) -> [FrameFields] {
    guard let elements = try present(field).array else {
      throw .badField(file: file, field: field, expected: "an array of objects")
    }
    var objects: [FrameFields] = []
    for (position, element) in elements.enumerated() {
      objects.append(try FrameFields(file: "\(file), \(name) \(position)", object: element))
    }
    return objects
  }

  /// A width and a height in pixels from an array of two.
  func size(_ field: String) throws(CaptureError) -> PixelSize {
    let sides = try numbers(field, count: 2)
    return try Self.size(sides[0], sides[1], file: file, field: field)
  }

  /// A width and a height in pixels from a field each.
  func size(width: String, height: String) throws(CaptureError) -> PixelSize {
    try Self.size(try number(width), try number(height), file: file, field: "\(width), \(height)")
  }

  static func size(
    _ width: Double, _ height: Double, file: String, field: String
  ) throws(CaptureError) -> PixelSize {
    guard let w = Int(exactly: width), let h = Int(exactly: height), let size = try? PixelSize(checking: w, h)
    else {
      throw .badField(file: file, field: field, expected: "a width and a height in whole pixels")
    }
    return size
  }

  func present(_ field: String) throws(CaptureError) -> JSONValue {
    guard let value = object[field], value != .null else { throw .missingField(file: file, field: field) }
    return value
  }
}
