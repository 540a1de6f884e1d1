/// A NumPy array: row-major elements of one type.
package struct NPYArray: Sendable, Equatable {
  /// The elements in row-major (C) order.
  package enum Storage: Sendable, Equatable {
    /// `?`
    case bool([Bool])
    /// `u1`
    case uint8([UInt8])
    /// `i1`
    case int8([Int8])
    /// `u2`
    case uint16([UInt16])
    /// `i2`
    case int16([Int16])
    /// `u4`
    case uint32([UInt32])
    /// `i4`
    case int32([Int32])
    /// `u8`
    case uint64([UInt64])
    /// `i8`
    case int64([Int64])
    /// `f2`, as bit patterns.
    case float16([UInt16])
    /// `f4`
    case float32([Float])
    /// `f8`
    case float64([Double])

    /// The number of elements.
    package var count: Int {
      switch self {
      case .bool(let values): values.count
      case .uint8(let values): values.count
      case .int8(let values): values.count
      case .uint16(let values), .float16(let values): values.count
      case .int16(let values): values.count
      case .uint32(let values): values.count
      case .int32(let values): values.count
      case .uint64(let values): values.count
      case .int64(let values): values.count
      case .float32(let values): values.count
      case .float64(let values): values.count
      }
    }

    /// NumPy's name of the element type, little-endian.
    package var typeName: String {
      switch self {
      case .bool: "|b1"
      case .uint8: "|u1"
      case .int8: "|i1"
      case .uint16: "<u2"
      case .int16: "<i2"
      case .uint32: "<u4"
      case .int32: "<i4"
      case .uint64: "<u8"
      case .int64: "<i8"
      case .float16: "<f2"
      case .float32: "<f4"
      case .float64: "<f8"
      }
    }
  }

  /// The dimensions, outermost first; empty for a single value.
  package let shape: [Int]
  /// The elements in row-major order.
  package let storage: Storage

  /// An array of `shape`, whose product must be the number of elements.
  package init(shape: [Int], _ storage: Storage) {
    precondition(shape.reduce(1, *) == storage.count, "shape and element count differ")
    self.shape = shape
    self.storage = storage
  }

  /// A single-precision array.
  package init(shape: [Int], floats: [Float]) { self.init(shape: shape, .float32(floats)) }

  /// The number of elements.
  package var count: Int { storage.count }

  /// The elements as single-precision numbers, rounded where they need more digits; booleans are 0 and 1.
  package func floats() -> [Float] {
    switch storage {
    case .bool(let values): values.map { $0 ? 1 : 0 }
    case .uint8(let values): values.map(Float.init)
    case .int8(let values): values.map(Float.init)
    case .uint16(let values): values.map(Float.init)
    case .int16(let values): values.map(Float.init)
    case .uint32(let values): values.map(Float.init)
    case .int32(let values): values.map(Float.init)
    case .uint64(let values): values.map(Float.init)
    case .int64(let values): values.map(Float.init)
    case .float16(let values): HalfPrecision.floats(fromBinary16: values.span)
    case .float32(let values): values
    case .float64(let values): values.map(Float.init)
    }
  }

  /// Reads the `.npy` file at `path`.
  ///
  /// - Throws: `FileError` or `NPYError`.
  package static func read(path: String) throws -> NPYArray {
    try read(FileBytes(MappedFile(path: path)))
  }

  /// Reads a `.npy` file held in memory.
  package static func read(bytes: [UInt8]) throws(NPYError) -> NPYArray { try read(FileBytes(bytes)) }

  package static func read(_ file: FileBytes) throws(NPYError) -> NPYArray {
    let header = try NPYHeader(file)
    let data = file.slice(header.dataOffset..<file.count)
    let count = try header.checkedCount(dataBytes: data.count)
    let storage = header.type.decode(data, bigEndian: header.isBigEndian)
    precondition(storage.count == count)
    guard header.isFortranOrder, header.shape.count > 1 else { return NPYArray(shape: header.shape, storage) }
    return NPYArray(shape: header.shape, storage.transposedFromFortranOrder(shape: header.shape))
  }

  /// The `.npy` file (format 1.0, little-endian, row-major) of the array.
  package func encoded() -> [UInt8] { header + storage.littleEndianBytes }

  /// Calls `body` with the parts of that file: all before the elements, and these where they lie in memory.
  package func withEncoded<Result>(
    _ body: (_ header: [UInt8], _ elements: RawSpan) throws(FileError) -> Result
  ) throws(FileError) -> Result {
    let header = header
    func within(_ elements: [some BitwiseCopyable]) throws(FileError) -> Result {
      try withRawBytes(of: elements) { (elements) throws(FileError) in try body(header, elements) }
    }
    return switch storage {
    case .uint8(let values): try within(values)
    case .uint16(let values), .float16(let values): try within(values)
    case .float32(let values): try within(values)
    case .float64(let values): try within(values)
    case .bool, .int8, .int16, .uint32, .int32, .uint64, .int64: try within(storage.littleEndianBytes)
    }
  }

  private var header: [UInt8] {
    let dimensions = shape.map { "\($0)," }.joined(separator: " ")
    let trimmed = shape.count > 1 ? String(dimensions.dropLast()) : dimensions
    var header = "{'descr': '\(storage.typeName)', 'fortran_order': False, 'shape': (\(trimmed)), }"
    let padding = 64 - (10 + header.utf8.count + 1) % 64
    header += String(repeating: " ", count: padding % 64) + "\n"
    let length = header.utf8.count
    var bytes: [UInt8] = NPYHeader.signature + [1, 0, UInt8(length & 0xff), UInt8(length >> 8)]
    bytes += header.utf8
    return bytes
  }

  /// Writes the array as a `.npy` file, whole or not at all.
  package func write(path: String, overwrite: Bool) throws(FileError) {
    try AtomicFile.write(encoded(), to: path, overwrite: overwrite)
  }
}
