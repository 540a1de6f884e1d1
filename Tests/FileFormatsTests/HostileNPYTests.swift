import Archives
import FileFormats
import Testing

/// Malformed `.npy` and `.npz` files, each built here and refused with its own error.
@Suite struct HostileNPYTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: NPYError
    var testDescription: String { "\(error)" }

    init(_ bytes: [UInt8], _ error: NPYError) {
      self.bytes = bytes
      self.error = error
    }

    init(_ header: String, data: Int = 4, _ error: NPYError) {
      self.init(NPYTests.file(header, [UInt8](repeating: 0, count: data)), error)
    }
  }

  static let signature: [UInt8] = [0x93] + Array("NUMPY".utf8)

  static func header(_ type: String, order: String = "False", shape: String) -> String {
    "{'descr': \(type), 'fortran_order': \(order), 'shape': \(shape), }"
  }

  static let prefix: [Case] = [
    Case([], .notNPY),
    Case(Array("NUMPY".utf8), .notNPY),
    Case([0x50, 0x4b, 3, 4], .notNPY),
    Case(signature + [1, 0, 9], .truncatedHeader(bytes: 9, needed: 10)),
    Case(signature + [1, 0, 9, 0], .truncatedHeader(bytes: 10, needed: 19)),
    Case(signature + [2, 0, 9, 0], .truncatedHeader(bytes: 10, needed: 12)),
    Case(signature + [0, 0, 9, 0], .unsupportedVersion(major: 0, minor: 0)),
    Case(signature + [1, 1, 9, 0], .unsupportedVersion(major: 1, minor: 1)),
    Case(signature + [9, 0, 9, 0], .unsupportedVersion(major: 9, minor: 0)),
    Case(signature + [1, 0, 0xff, 0xff], .headerTooLong(bytes: 65535)),
    Case(
      signature + [2, 0, 0xff, 0xff, 0xff, 0xff],
      .headerTooLong(bytes: 4294967295)),
  ]

  static let dictionary: [Case] = [
    Case("", .malformedHeader("'{' expected at byte 0")),
    Case("{}", .malformedHeader("'descr' is missing")),
    Case("{'descr': '<f4'}", .malformedHeader("'fortran_order' is missing")),
    Case("{'descr': '<f4', 'fortran_order': False}", .malformedHeader("'shape' is missing")),
    Case("{'descr': '<f4', 'descr': '<f4'}", .malformedHeader("'descr' given twice")),
    Case("{'evil': 1}", .malformedHeader("unknown entry 'evil'")),
    Case("{'descr: 1}", .malformedHeader("a quoted name does not end")),
    Case("{'de\\x41': 1}", .malformedHeader("unexpected byte 92 at byte 4")),
    Case("{descr: 1}", .malformedHeader("a quoted name expected at byte 1")),
    Case("{'descr' '<f4'}", .malformedHeader("':' expected at byte 9")),
    Case(
      header("'<f4'", order: "false", shape: "(1,)"),
      .malformedHeader("True or False expected at byte 34")),
    Case(header("'<f4'", shape: "[1]"), .malformedHeader("'(' expected at byte 50")),
    Case(header("'<f4'", shape: "(-1,)"), .malformedHeader("a dimension expected at byte 51")),
    Case(header("'<f4'", shape: "(1 2)"), .malformedHeader("')' expected at byte 53")),
    Case(
      header("'<f4'", shape: "(99999999999999999999,)"),
      .malformedHeader("a dimension expected at byte 51")),
    Case(header("'<f4'", shape: "(1,)") + "x", .malformedHeader("text after the dictionary")),
    Case(header("'<f4'", shape: "__import__('os')"), .malformedHeader("'(' expected at byte 50")),
    Case(header("'|O'", shape: "(1,)"), .pickledObjects),
    Case(header("'O'", shape: "(1,)"), .pickledObjects),
    Case(
      header("[('a', '<f4')]", shape: "(1,)"),
      .unsupportedType("with named fields")),
    Case(header("''", shape: "(1,)"), .unsupportedType("''")),
    Case(header("'<f3'", shape: "(1,)"), .unsupportedType("'<f3'")),
    Case(header("'<c8'", shape: "(1,)"), .unsupportedType("'<c8'")),
    Case(header("'<U4'", shape: "(1,)"), .unsupportedType("'<U4'")),
    Case(header("'|f4'", shape: "(1,)"), .unsupportedType("'|f4'")),
    Case(
      header("'<f4'", shape: "(1,1,1,1,1,1,1,1,1)"), .tooManyDimensions(9)),
    Case(
      header("'<f4'", shape: "(4294967296, 4294967296)"),
      .shapeOverflows([4294967296, 4294967296])),
    Case(
      header("'<f4'", shape: "(2305843009213693952,)"),
      .shapeOverflows([2305843009213693952])),
    Case(
      header("'<f4'", shape: "(1000000000000,)"),
      .wrongDataSize(bytes: 4, needed: 4000000000000)),
    Case(header("'<f4'", shape: "(2,)"), .wrongDataSize(bytes: 4, needed: 8)),
    Case(header("'<f4'", shape: "()"), data: 8, .wrongDataSize(bytes: 8, needed: 4)),
    Case(header("'<f4'", shape: "(0, 7)"), data: 4, .wrongDataSize(bytes: 4, needed: 0)),
  ]

  @Test(arguments: prefix + dictionary)
  func isRefused(file: Case) {
    #expect(throws: file.error) { try NPYArray.read(bytes: file.bytes) }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(NPYError, String)] = [
    (.notNPY, "not a NumPy array: the file does not start with \\x93NUMPY"),
    (
      .truncatedHeader(bytes: 9, needed: 10),
      "NumPy header is cut off: the file has 9 bytes, the header needs 10"
    ),
    (.unsupportedVersion(major: 0, minor: 0), "NumPy format version 0.0 is not supported"),
    (.headerTooLong(bytes: 65535), "NumPy header of 65535 bytes is over the limit of 10000"),
    (.malformedHeader("'{' expected at byte 0"), "malformed NumPy header: '{' expected at byte 0"),
    (.pickledObjects, "NumPy array of Python objects: save it with a numeric dtype"),
    (
      .unsupportedType("with named fields"),
      "NumPy dtype with named fields is not supported: convert it to float32"
    ),
    (.tooManyDimensions(9), "NumPy array of 9 dimensions: at most 8 are read"),
    (
      .shapeOverflows([4294967296, 4294967296]), "NumPy shape [4294967296, 4294967296] has too many elements"
    ),
    (
      .wrongDataSize(bytes: 4, needed: 4000000000000),
      "NumPy data is cut off: 4 bytes where the shape needs 4000000000000"
    ),
    (.wrongDataSize(bytes: 8, needed: 4), "NumPy data of 8 bytes where the shape needs 4"),
  ]

  @Test(arguments: wordings)
  func wording(_ error: NPYError, _ sentence: String) {
    #expect("\(error)" == sentence)
  }

  static let valid = NPYArray(shape: [2, 3], floats: [1, 2, 3, 4, 5, 6]).encoded()
  static let archive = NPZArchive.encoded(["a": NPYArray(shape: [2], .uint8([1, 2]))])

  @Test func everyTruncationIsRefused() {
    for count in Self.valid.indices {
      #expect(throws: NPYError.self, "\(count) bytes") {
        try NPYArray.read(bytes: Array(Self.valid[..<count]))
      }
    }
    for count in Self.archive.indices {
      #expect(throws: ZipError.self, "\(count) bytes") {
        try NPZArchive(bytes: Array(Self.archive[..<count]))
      }
    }
  }

  @Test func everyChangedByteIsSurvived() {
    var accepted = 0
    for position in Self.valid.indices {
      for value in UInt8.min...UInt8.max where value != Self.valid[position] {
        var bytes = Self.valid
        bytes[position] = value
        guard let array = try? NPYArray.read(bytes: bytes) else { continue }
        accepted += 1
        #expect(array.shape.reduce(1, *) == array.count && array.floats().count == array.count)
      }
    }
    // The 24 data bytes may hold anything.
    #expect(accepted >= 24 * 255)
  }

  @Test func everyChangedByteOfAnArchiveIsSurvived() {
    var intact = 0
    for position in Self.archive.indices {
      for value in [0, 1, 2, 8, 0x7f, 0x80, 0xfe, 0xff] as [UInt8] where value != Self.archive[position] {
        var bytes = Self.archive
        bytes[position] = value
        guard let file = try? NPZArchive(bytes: bytes) else { continue }
        for name in file.names {
          // The checksum sees to it that what is read is what was written.
          guard let array = try? file.array(named: name) else { continue }
          #expect(array == NPYArray(shape: [2], .uint8([1, 2])))
          intact += 1
        }
      }
    }
    // Times and attributes of members are of no account.
    #expect(intact > 0)
  }
}
