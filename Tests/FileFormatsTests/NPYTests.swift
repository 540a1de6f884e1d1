import FileFormats
import TestSupport
import Testing

@Suite struct NPYTests {
  /// A version 1.0 file of a header text and data bytes.
  static func file(_ header: String, _ data: [UInt8]) -> [UInt8] {
    let length = header.utf8.count
    return [0x93] + Array("NUMPY".utf8) + [1, 0, UInt8(length & 0xff), UInt8(length >> 8)] + header.utf8
      + data
  }

  /// The parts that are written where they lie in memory, one after the other.
  private static func joined(_ array: NPYArray) throws -> [UInt8] {
    try array.withEncoded { (header, elements) throws(FileError) in
      header + (0..<elements.byteCount).map { unsafe elements.unsafeLoad(fromByteOffset: $0, as: UInt8.self) }
    }
  }

  @Test func writtenArraysReadBack() throws {
    let arrays = [
      NPYArray(shape: [2, 3], floats: [1, 2, 3, 4, 5, .infinity]),
      NPYArray(shape: [], .float64([0.1])),
      NPYArray(shape: [3], .uint8([1, 2, 255])),
      NPYArray(shape: [0, 4], .int64([])),
      NPYArray(shape: [1, 2], .uint16([1, 65535])),
      NPYArray(shape: [2], .float16([0x3c00, 0x7bff])),
      NPYArray(shape: [2], .bool([true, false])),
      NPYArray(shape: [1, 1, 1, 1, 1, 1, 1, 2], .int32([.min, .max])),
      NPYArray(shape: [1], .int8([-1])), NPYArray(shape: [1], .int16([-2])),
      NPYArray(shape: [1], .uint32([.max])), NPYArray(shape: [1], .uint64([.max])),
    ]
    for array in arrays {
      #expect(try NPYArray.read(bytes: array.encoded()) == array)
      #expect(try Self.joined(array) == array.encoded())
      #expect((array.encoded().count - array.storage.count * 8) <= 128)
    }
  }

  @Test func theBytesAreNumPys() {
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }"
    let padded = header + String(repeating: " ", count: 118 - header.utf8.count - 1) + "\n"
    #expect(
      NPYArray(shape: [2], floats: [1, -2]).encoded()
        == Self.file(padded, [0, 0, 0x80, 0x3f, 0, 0, 0, 0xc0]))
  }

  @Test func fortranOrderAndBigEndian() throws {
    let fortran = "{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3), }"
    let array = try NPYArray.read(bytes: Self.file(fortran, [1, 4, 2, 5, 3, 6]))
    #expect(array == NPYArray(shape: [2, 3], .uint8([1, 2, 3, 4, 5, 6])))
    let big = "{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }"
    #expect(try NPYArray.read(bytes: Self.file(big, [0x3f, 0x80, 0, 0])).floats() == [1])
  }
}
