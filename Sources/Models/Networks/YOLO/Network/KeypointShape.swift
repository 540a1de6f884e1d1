import FileFormats

/// How many key points an object has, and how many numbers each has.
package struct KeypointShape: Sendable, Equatable {
  /// Key points of an object.
  package let count: Int
  /// Numbers of each: 2 for its place, 3 with whether it is seen.
  package let dimensions: Int

  /// The joints of a person, as COCO has them.
  package static let coco = KeypointShape(count: 17, dimensions: 3)

  /// The highest number in the metadata.
  static let most = 1 << 20
  /// The metadata's key.
  static let key = "kpt_shape"

  /// A count, and 2 or 3 numbers each.
  package init(count: Int, dimensions: Int) {
    self.count = count
    self.dimensions = dimensions
  }

  /// All numbers of an object.
  package var values: Int { count * dimensions }

  /// The shape of `values` key point numbers, as the metadata states it (`kpt_shape`, a JSON list of two); where it is
  /// silent, three numbers per key point if they divide `values`, else two.
  ///
  /// - Throws: `YOLOError.unknownArchitecture`.
  package init(values: Int, metadata: [String: String]) throws(YOLOError) {
    guard let text = metadata[Self.key] else {
      guard let shape = Self(values: values) else {
        throw .unknownArchitecture(
          reason: "\(counted(values, "number")) of key points, which have 2 or 3 each")
      }
      self = shape
      return
    }
    guard let shape = Self(PlainValue(written: text), values: values) else {
      throw .unknownArchitecture(
        reason: "the metadata's \"\(Self.key)\" is not [count, 2 or 3] of \(counted(values, "number"))")
    }
    self = shape
  }

  /// A list of a count, and 2 or 3 numbers each; nil of anything else than so many numbers.
  init?(_ value: PlainValue, values: Int) {
    guard case .list(let parts) = value, parts.count == 2, case .integer(let count) = parts[0],
      case .integer(let dimensions) = parts[1], dimensions == 2 || dimensions == 3,
      values.isMultiple(of: dimensions), values / dimensions == count
    else { return nil }
    self.init(count: count, dimensions: dimensions)
  }

  /// The shape of key points in `values` numbers: three a key point if that divides them, else two.
  init?(values: Int) {
    guard let dimensions = [3, 2].first(where: { values > 0 && values.isMultiple(of: $0) }) else {
      return nil
    }
    self.init(count: values / dimensions, dimensions: dimensions)
  }

  /// As metadata has it.
  var text: String { "[\(count), \(dimensions)]" }
}
