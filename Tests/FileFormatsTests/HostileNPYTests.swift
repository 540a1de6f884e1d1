import Archives
import FileFormats
import Testing

/// Malformed `.npy` and `.npz` files, each built here and refused with its own message.
@Suite struct HostileNPYTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let message: String
    var testDescription: String { message }

    init(_ bytes: [UInt8], _ message: String) {
      self.bytes = bytes
      self.message = message
    }

    init(_ header: String, data: Int = 4, _ message: String) {
      self.init(NPYTests.file(header, [UInt8](repeating: 0, count: data)), message)
    }
  }

  static let signature: [UInt8] = [0x93] + Array("NUMPY".utf8)

  static func header(_ type: String, order: String = "False", shape: String) -> String {
    "{'descr': \(type), 'fortran_order': \(order), 'shape': \(shape), }"
  }

  static let prefix: [Case] = [
    Case([], "not a NumPy array: the file does not start with \\x93NUMPY"),
    Case(Array("NUMPY".utf8), "not a NumPy array: the file does not start with \\x93NUMPY"),
    Case([0x50, 0x4b, 3, 4], "not a NumPy array: the file does not start with \\x93NUMPY"),
    Case(signature + [1, 0, 9], "NumPy header is cut off: the file has 9 bytes, the header needs 10"),
    Case(signature + [1, 0, 9, 0], "NumPy header is cut off: the file has 10 bytes, the header needs 19"),
    Case(signature + [2, 0, 9, 0], "NumPy header is cut off: the file has 10 bytes, the header needs 12"),
    Case(signature + [0, 0, 9, 0], "NumPy format version 0.0 is not supported"),
    Case(signature + [1, 1, 9, 0], "NumPy format version 1.1 is not supported"),
    Case(signature + [9, 0, 9, 0], "NumPy format version 9.0 is not supported"),
    Case(signature + [1, 0, 0xff, 0xff], "NumPy header of 65535 bytes is over the limit of 10000"),
    Case(
      signature + [2, 0, 0xff, 0xff, 0xff, 0xff],
      "NumPy header of 4294967295 bytes is over the limit of 10000"),
  ]

  static let dictionary: [Case] = [
    Case("", "malformed NumPy header: '{' expected at byte 0"),
    Case("{}", "malformed NumPy header: 'descr' is missing"),
    Case("{'descr': '<f4'}", "malformed NumPy header: 'fortran_order' is missing"),
    Case("{'descr': '<f4', 'fortran_order': False}", "malformed NumPy header: 'shape' is missing"),
    Case("{'descr': '<f4', 'descr': '<f4'}", "malformed NumPy header: 'descr' given twice"),
    Case("{'evil': 1}", "malformed NumPy header: unknown entry 'evil'"),
    Case("{'descr: 1}", "malformed NumPy header: a quoted name does not end"),
    Case("{'de\\x41': 1}", "malformed NumPy header: unexpected byte 92 at byte 4"),
    Case("{descr: 1}", "malformed NumPy header: a quoted name expected at byte 1"),
    Case("{'descr' '<f4'}", "malformed NumPy header: ':' expected at byte 9"),
    Case(
      header("'<f4'", order: "false", shape: "(1,)"),
      "malformed NumPy header: True or False expected at byte 34"),
    Case(header("'<f4'", shape: "[1]"), "malformed NumPy header: '(' expected at byte 50"),
    Case(header("'<f4'", shape: "(-1,)"), "malformed NumPy header: a dimension expected at byte 51"),
    Case(header("'<f4'", shape: "(1 2)"), "malformed NumPy header: ')' expected at byte 53"),
    Case(
      header("'<f4'", shape: "(99999999999999999999,)"),
      "malformed NumPy header: a dimension expected at byte 51"),
    Case(header("'<f4'", shape: "(1,)") + "x", "malformed NumPy header: text after the dictionary"),
    Case(header("'<f4'", shape: "__import__('os')"), "malformed NumPy header: '(' expected at byte 50"),
    Case(header("'|O'", shape: "(1,)"), "NumPy array of Python objects: save it with a numeric dtype"),
    Case(header("'O'", shape: "(1,)"), "NumPy array of Python objects: save it with a numeric dtype"),
    Case(
      header("[('a', '<f4')]", shape: "(1,)"),
      "NumPy dtype with named fields is not supported: convert it to float32"),
    Case(header("''", shape: "(1,)"), "NumPy dtype '' is not supported: convert it to float32"),
    Case(header("'<f3'", shape: "(1,)"), "NumPy dtype '<f3' is not supported: convert it to float32"),
    Case(header("'<c8'", shape: "(1,)"), "NumPy dtype '<c8' is not supported: convert it to float32"),
    Case(header("'<U4'", shape: "(1,)"), "NumPy dtype '<U4' is not supported: convert it to float32"),
    Case(header("'|f4'", shape: "(1,)"), "NumPy dtype '|f4' is not supported: convert it to float32"),
    Case(
      header("'<f4'", shape: "(1,1,1,1,1,1,1,1,1)"), "NumPy array of 9 dimensions: at most 8 are read"),
    Case(
      header("'<f4'", shape: "(4294967296, 4294967296)"),
      "NumPy shape [4294967296, 4294967296] has too many elements"),
    Case(
      header("'<f4'", shape: "(2305843009213693952,)"),
      "NumPy shape [2305843009213693952] has too many elements"),
    Case(
      header("'<f4'", shape: "(1000000000000,)"),
      "NumPy data is cut off: 4 bytes where the shape needs 4000000000000"),
    Case(header("'<f4'", shape: "(2,)"), "NumPy data is cut off: 4 bytes where the shape needs 8"),
    Case(header("'<f4'", shape: "()"), data: 8, "NumPy data of 8 bytes where the shape needs 4"),
    Case(header("'<f4'", shape: "(0, 7)"), data: 4, "NumPy data of 4 bytes where the shape needs 0"),
  ]

  @Test(arguments: prefix + dictionary)
  func isRefused(file: Case) {
    let error = #expect(throws: NPYError.self) { try NPYArray.read(bytes: file.bytes) }
    #expect(error?.description == file.message)
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
