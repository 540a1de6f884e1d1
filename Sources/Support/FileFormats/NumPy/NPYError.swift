/// A defect of a `.npy` array or `.npz` archive.
package enum NPYError: Error, Equatable, CustomStringConvertible {
  /// The file does not start with the NumPy signature.
  case notNPY
  /// A format version other than 1.0, 2.0 and 3.0.
  case unsupportedVersion(major: UInt8, minor: UInt8)
  /// The file ends inside its header.
  case truncatedHeader(bytes: Int, needed: Int)
  /// The header is longer than 10,000 bytes.
  case headerTooLong(bytes: Int)
  /// The header is not the dictionary NumPy writes.
  case malformedHeader(String)
  /// Python objects: reading them would mean running code.
  case pickledObjects
  /// An element type this reader does not know.
  case unsupportedType(String)
  /// More than 8 dimensions.
  case tooManyDimensions(Int)
  /// The product of the dimensions overflows.
  case shapeOverflows([Int])
  /// The data is not as long as the shape says.
  case wrongDataSize(bytes: Int, needed: Int)
  /// An array of the archive unpacks to more bytes than its compressed ones, or its purpose, allow.
  case unpacksTooLarge(String, bytes: Int, limit: Int)
  /// The archive has no array of that name.
  case noSuchArray(String, available: [String])
  /// The array holds elements or a shape other than those asked for.
  case unexpected(found: String, expected: String)

  /// One line that names the defect and the remedy.
  package var description: String {
    switch self {
    case .notNPY: "not a NumPy array: the file does not start with \\x93NUMPY"
    case .unsupportedVersion(let major, let minor): "NumPy format version \(major).\(minor) is not supported"
    case .truncatedHeader(let bytes, let needed):
      "NumPy header is cut off: the file has \(counted(bytes, "byte")), the header needs \(needed)"
    case .headerTooLong(let bytes): "NumPy header of \(bytes) bytes is over the limit of 10000"
    case .malformedHeader(let reason): "malformed NumPy header: \(printableName(reason))"
    case .pickledObjects: "NumPy array of Python objects: save it with a numeric dtype"
    case .unsupportedType(let type):
      "NumPy dtype \(printableName(type)) is not supported: convert it to float32"
    case .tooManyDimensions(let count): "NumPy array of \(count) dimensions: at most 8 are read"
    case .shapeOverflows(let shape): "NumPy shape \(shape) has too many elements"
    case .wrongDataSize(let bytes, let needed):
      bytes < needed
        ? "NumPy data is cut off: \(counted(bytes, "byte")) where the shape needs \(needed)"
        : "NumPy data of \(counted(bytes, "byte")) where the shape needs \(needed)"
    case .unpacksTooLarge(let name, let bytes, let limit):
      "the array \"\(printableName(name))\" unpacks to \(bytes) bytes, over the limit of \(limit): save it with "
        + "numpy.savez, or check that it is the right one"
    case .noSuchArray(let name, let available):
      "no array \"\(printableName(name))\" in the archive; give "
        + (available.isEmpty
          ? "one that has it"
          : "one of those that it has: \(available.map { printableName($0) }.joined(separator: ", "))")
    case .unexpected(let found, let expected): "the NumPy array is \(found), \(expected) is needed"
    }
  }
}

extension NPYError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
