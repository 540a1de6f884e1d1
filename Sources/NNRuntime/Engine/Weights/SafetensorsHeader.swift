import FileFormats

/// The checked header of a safetensors file.
package struct SafetensorsHeader {
  package struct Entry {
    package let name: String
    package let dtype: DType
    package let shape: [Int]
    /// Bytes of the data, counted from the start of the file's data.
    package let range: Range<Int>
  }

  static let maximumLength = 16 << 20
  static let maximumRank = 8
  /// A tensor's entry has about 8 values, so this allows some 60,000 tensors in bounded memory.
  static let limits = JSONLimits(bytes: maximumLength, depth: 4, values: 500_000)

  /// Entries in the order of their data.
  package let entries: [Entry]
  package let metadata: [String: String]
  /// The offset of the data in the file.
  package let dataOffset: Int

  package init(_ bytes: FileBytes, file: String) throws(WeightError) {
    func error(_ kind: WeightError.Kind) -> WeightError { WeightError(kind, file: file) }
    let start = bytes.slice(0..<min(bytes.count, 9)).array()
    if start.starts(with: [0x50, 0x4b, 0x03, 0x04]) { throw error(.zipArchive) }
    guard start.count >= 8 else { throw error(.tooSmall(bytes: bytes.count)) }
    let length = UInt64(littleEndianBytes: start[0..<8])
    guard length <= UInt64(Self.maximumLength) else { throw error(.headerTooLong(bytes: length)) }
    dataOffset = 8 + Int(length)
    guard dataOffset <= bytes.count else {
      throw error(.headerCutOff(fileBytes: bytes.count, promised: dataOffset))
    }
    guard length > 0, start[8] == UInt8(ascii: "{") else { throw error(.headerNotAnObject) }
    let value: JSONValue
    do {
      value = try JSONValue.parse(bytes.slice(8..<dataOffset).array(), limits: Self.limits)
    } catch let defect {
      throw error(.malformedHeader(defect))
    }
    var entries: [Entry] = []
    var metadata: [String: String] = [:]
    for (name, value) in value.object ?? [:] {
      if name == "__metadata__" {
        guard let members = value.object else { throw error(.invalidMetadata) }
        for (key, value) in members { metadata[key] = value.string }
        // Keys that are one to a reader of texts are refused as well.
        guard metadata.count == members.count else { throw error(.invalidMetadata) }
      } else {
        do {
          entries.append(try Self.entry(name, value))
        } catch let kind {
          throw WeightError(kind, tensor: name, file: file)
        }
      }
    }
    entries.sort {
      ($0.range.lowerBound, $0.range.upperBound, ByteName($0.name)) < (
        $1.range.lowerBound, $1.range.upperBound, ByteName($1.name)
      )
    }
    self.entries = entries
    self.metadata = metadata
    try checkTiling(dataBytes: bytes.count - dataOffset, file: file)
  }

  private static func entry(_ name: String, _ value: JSONValue) throws(WeightError.Kind) -> Entry {
    guard !name.isEmpty, name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control }) else {
      throw .invalidName
    }
    guard let fields = value.object else { throw .entryNotAnObject }
    if let unknown = fields.keys.first(where: { !["dtype", "shape", "data_offsets"].contains($0) }) {
      throw .unknownField(unknown)
    }
    guard let type = fields["dtype"] else { throw .missingField("dtype") }
    guard let shapeValue = fields["shape"] else { throw .missingField("shape") }
    guard let offsetsValue = fields["data_offsets"] else { throw .missingField("data_offsets") }
    guard let dtype = DType(rawValue: type.string ?? "") else {
      throw .unknownDType(type.string ?? type.serialized())
    }
    guard let shape = wholeNumbers(shapeValue) else { throw .invalidShape }
    guard shape.count <= maximumRank else { throw .tooManyDimensions(shape.count) }
    guard let needed = dtype.byteCount(shape: shape) else { throw .shapeOverflows(shape) }
    guard let offsets = wholeNumbers(offsetsValue), offsets.count == 2, offsets[0] <= offsets[1] else {
      throw .invalidOffsets
    }
    guard offsets[1] - offsets[0] == needed else {
      throw .wrongByteCount(found: offsets[1] - offsets[0], needed: needed)
    }
    return Entry(name: name, dtype: dtype, shape: shape, range: offsets[0]..<offsets[1])
  }

  private static func wholeNumbers(_ value: JSONValue) -> [Int]? {
    guard let elements = value.array else { return nil }
    var numbers: [Int] = []
    for element in elements {
      guard case .integer(let number) = element, number >= 0 else { return nil }
      numbers.append(number)
    }
    return numbers
  }

  /// Proves that the entries cover the data exactly once, in order.
  private func checkTiling(dataBytes: Int, file: String) throws(WeightError) {
    var end = 0
    var last = ""
    for entry in entries {
      if entry.range.lowerBound < end {
        throw WeightError(.overlap(with: last), tensor: entry.name, file: file)
      }
      if entry.range.lowerBound > end {
        throw WeightError(.hole(bytes: entry.range.lowerBound - end), tensor: entry.name, file: file)
      }
      end = entry.range.upperBound
      last = entry.name
    }
    if end > dataBytes {
      let (promised, overflow) = dataOffset.addingReportingOverflow(end)
      throw WeightError(
        .incomplete(fileBytes: dataOffset + dataBytes, promised: overflow ? .max : promised), file: file)
    }
    if end < dataBytes { throw WeightError(.trailingBytes(dataBytes - end), file: file) }
  }
}
