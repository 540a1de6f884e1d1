import FileFormats

/// Writes a safetensors file tensor by tensor; it appears whole on `finish()`, or not at all.
///
/// The data starts at a multiple of 64 bytes and follows the entries' order without gaps.
package final class SafetensorsWriter {
  /// Type and shape of a tensor, known before its data.
  package struct Entry: Sendable, Equatable {
    /// The tensor's name.
    package let name: String
    /// The element type.
    package let dtype: DType
    /// The extents.
    package let shape: [Int]

    /// An entry; the shape's product must not overflow.
    package init(name: String, dtype: DType, shape: [Int]) {
      self.name = name
      self.dtype = dtype
      self.shape = shape
    }

    var byteCount: Int {
      guard let bytes = dtype.byteCount(shape: shape) else { preconditionFailure("shape \(shape) overflows") }
      return bytes
    }
  }

  private let entries: [Entry]
  private let file: AtomicFileWriter
  private var next = 0

  /// Starts a file that will hold `entries` in this order; names must be unique.
  package init(
    path: String, entries: [Entry], metadata: [String: String] = [:], overwrite: Bool
  ) throws(FileError) {
    self.entries = entries
    file = try AtomicFileWriter(path: path, overwrite: overwrite)
    try file.append(Self.header(entries, metadata))
  }

  /// Adds the data of the next entry, whose type and shape the tensor must have.
  package func append(_ tensor: Tensor) throws(FileError) {
    precondition(next < entries.count, "more tensors than entries")
    let entry = entries[next]
    precondition(
      tensor.dtype == entry.dtype && tensor.shape == entry.shape, "\(entry.name) has another type or shape")
    next += 1
    let result: Result<Void, FileError> = tensor.storage.withBytes { bytes in
      do throws(FileError) { return .success(try file.append(bytes)) } catch { return .failure(error) }
    }
    try result.get()
  }

  /// Gives the file its final name; every entry must have its data.
  package func finish() throws(FileError) {
    precondition(next == entries.count, "\(entries.count - next) tensors have no data yet")
    try file.commit()
  }

  /// Writes a whole file, widest element types first so that all data is naturally aligned, names
  /// sorted within a type.
  package static func write(
    _ tensors: [String: Tensor], metadata: [String: String] = [:], to path: String, overwrite: Bool
  ) throws(FileError) {
    let sorted = tensors.sorted {
      $0.value.dtype.size != $1.value.dtype.size
        ? $0.value.dtype.size > $1.value.dtype.size : ByteName($0.key) < ByteName($1.key)
    }
    let entries = sorted.map { Entry(name: $0.key, dtype: $0.value.dtype, shape: $0.value.shape) }
    let writer = try SafetensorsWriter(path: path, entries: entries, metadata: metadata, overwrite: overwrite)
    for (_, tensor) in sorted { try writer.append(tensor) }
    try writer.finish()
  }

  private static func header(_ entries: [Entry], _ metadata: [String: String]) -> [UInt8] {
    var members: NameTable<JSONValue> = [:]
    if !metadata.isEmpty { members["__metadata__"] = .object(metadata.mapValues(JSONValue.string)) }
    var offset = 0
    for entry in entries {
      let end = offset + entry.byteCount
      let previous = members.updateValue(
        [
          "dtype": .string(entry.dtype.rawValue), "shape": .array(entry.shape.map(JSONValue.integer)),
          "data_offsets": [.integer(offset), .integer(end)],
        ], forKey: entry.name)
      precondition(previous == nil, "the name \(entry.name) is given twice")
      offset = end
    }
    var text = Array(JSONValue.object(members).serialized().utf8)
    text += repeatElement(UInt8(ascii: " "), count: (64 - (8 + text.count) % 64) % 64)
    return rawBytes(of: [UInt64(text.count).littleEndian]) + text
  }
}
