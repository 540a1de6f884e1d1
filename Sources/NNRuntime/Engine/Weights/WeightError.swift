import FileFormats

/// A defect of a weight file or of its fit to a network: what is wrong, in which tensor, in which file.
public struct WeightError: Error, Equatable, CustomStringConvertible {
  /// The defect.
  public enum Kind: Error, Equatable {
    /// The file cannot be opened.
    case file(FileError)
    /// Too short to hold even the header's length.
    case tooSmall(bytes: Int)
    /// A zip archive, as PyTorch writes checkpoints.
    case zipArchive
    /// The header's length is over the limit of 16 MiB.
    case headerTooLong(bytes: UInt64)
    /// The file ends inside its header.
    case headerCutOff(fileBytes: Int, promised: Int)
    /// The header does not start with `{`.
    case headerNotAnObject
    /// The header is not strict JSON.
    case malformedHeader(JSONError)
    /// The metadata is not an object of strings.
    case invalidMetadata
    /// A tensor's name is empty or holds control characters.
    case invalidName
    /// A tensor's entry is not an object.
    case entryNotAnObject
    /// A tensor's entry lacks a field.
    case missingField(String)
    /// A tensor's entry has a field the format does not define.
    case unknownField(String)
    /// An element type the format does not define, or that is not supported.
    case unknownDType(String)
    /// The shape is not a list of whole numbers from 0.
    case invalidShape
    /// More than 8 dimensions.
    case tooManyDimensions(Int)
    /// The product of the extents overflows.
    case shapeOverflows([Int])
    /// The offsets are not two whole numbers in order.
    case invalidOffsets
    /// The offsets enclose another number of bytes than the shape needs.
    case wrongByteCount(found: Int, needed: Int)
    /// The tensor's data starts before another's ends.
    case overlap(with: String)
    /// Bytes before the tensor's data belong to no tensor.
    case hole(bytes: Int)
    /// The file is shorter than its header says.
    case incomplete(fileBytes: Int, promised: Int)
    /// The file has bytes after the last tensor.
    case trailingBytes(Int)

    /// No tensor of that name; the nearest names there are.
    case missing(nearest: [String])
    /// The tensor has another shape than the network needs.
    case wrongShape(found: [Int], expected: [Int])
    /// The tensor does not hold floating-point numbers.
    case notFloat(DType)
    /// The scales of a tensor of 8-bit integers are not as many numbers as it has output channels.
    case wrongScales(found: [Int], expected: Int)
    /// A scale is not a positive number.
    case badScale(channel: Int)
    /// The scales are not those that the file was written with.
    case changedScales
    /// The tensor holds an infinity or a NaN at this flat index, or a number that single precision cannot hold.
    case nonFinite(index: Int)
    /// Tensors that the network did not take.
    case unused([String])
    /// The metadata's activations cannot be built, or name no module of the network.
    case invalidActivations(String)
  }

  /// The defect.
  public let kind: Kind
  /// The tensor it is about, where it is about one.
  public let tensor: String?
  /// The file's name in messages: its path, or a placeholder.
  public let file: String

  /// Builds an error.
  public init(_ kind: Kind, tensor: String? = nil, file: String) {
    self.kind = kind
    self.tensor = tensor
    self.file = file
  }

  /// One line: the file, the tensor, the defect and the remedy.
  public var description: String {
    let defect = tensor.map { "\(file): tensor \"\(printableName($0))\": \(kind)" } ?? "\(file): \(kind)"
    return kind.remedy.map { "\(defect); \($0)" } ?? defect
  }
}

extension WeightError.Kind {
  /// The remedy, where the defect itself does not say it.
  package var remedy: String? {
    switch self {
    case .file, .zipArchive, .wrongShape, .notFloat, .wrongScales, .badScale, .changedScales, .nonFinite,
      .invalidActivations:
      nil
    case .unknownDType: "save it as float32, float16 or bfloat16"
    case .missing, .unused: "give the weights of this network, or convert the checkpoint again"
    case .tooSmall, .headerTooLong, .headerCutOff, .headerNotAnObject, .malformedHeader, .invalidMetadata,
      .invalidName, .entryNotAnObject, .missingField, .unknownField, .invalidShape, .tooManyDimensions,
      .shapeOverflows, .invalidOffsets, .wrongByteCount, .overlap, .hole, .incomplete, .trailingBytes:
      "download the file again, or convert the checkpoint again"
    }
  }
}

extension WeightError.Kind: CustomStringConvertible {
  /// The defect and the remedy.
  public var description: String {
    switch self {
    case .file(let error): error.reason
    case .tooSmall(let bytes): "file is \(byteText(bytes)), too small for a safetensors header"
    case .zipArchive: "this is a zip archive such as a PyTorch checkpoint: run `ardf convert` on it first"
    case .headerTooLong(let bytes):
      "header length \(bytes) is over the limit of 16 MiB: damaged, or not a safetensors file"
    case .headerCutOff(let file, let promised):
      "file is \(byteText(file)), its header alone takes \(byteText(promised)): "
        + "an incomplete download, or not a safetensors file"
    case .headerNotAnObject: "header does not start with '{': damaged, or not a safetensors file"
    case .malformedHeader(let error): "malformed header: \(error)"
    case .invalidMetadata: "__metadata__ is not an object of strings"
    case .invalidName: "the name is empty or holds control characters"
    case .entryNotAnObject: "the entry is not an object"
    case .missingField(let field): "the entry has no \"\(field)\""
    case .unknownField(let field): "the entry has the unknown field \"\(printableName(field))\""
    case .unknownDType(let name): "element type \"\(printableName(name))\" is not supported"
    case .invalidShape: "\"shape\" is not a list of whole numbers from 0"
    case .tooManyDimensions(let count): "\(count) dimensions, at most 8 are allowed"
    case .shapeOverflows(let shape): "shape \(shape) has too many elements"
    case .invalidOffsets: "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"
    case .wrongByteCount(let found, let needed):
      "\"data_offsets\" enclose \(byteText(found)), the shape needs \(byteText(needed))"
    case .overlap(let other): "its data overlaps that of \"\(printableName(other))\""
    case .hole(let bytes): "\(byteText(bytes)) before its data belong to no tensor"
    case .incomplete(let file, let promised):
      "file is \(byteText(file)), header promises \(byteText(promised)): an incomplete download"
    case .trailingBytes(let bytes): "\(byteText(bytes)) after the last tensor belong to no tensor"
    case .missing(let nearest):
      nearest.isEmpty
        ? "is missing"
        : "is missing; nearest names: \(nearest.map { printableName($0) }.joined(separator: ", "))"
    case .wrongShape(let found, let expected): "shape \(found), the network needs \(expected)"
    case .notFloat(let dtype): "element type \(dtype), floating-point numbers are needed"
    case .wrongScales(let found, let expected):
      "its scales have the shape \(found), one for each of \(counted(expected, "output channel")) is needed: quantize again"
    case .badScale(let channel): "the scale of channel \(channel) must be positive: quantize again"
    case .changedScales:
      "the scales of its 8-bit weights are not those that it was written with: quantize again"
    case .nonFinite(let index):
      "element \(index) is infinite or not a number in single precision: pass --allow-nonfinite to accept it"
    case .invalidActivations(let reason):
      "the metadata's \"\(ModuleActivations.key)\": \(reason): convert the checkpoint again"
    case .unused(let names):
      "\(counted(names.count, "tensor is", "tensors are")) not part of the network: "
        + names.prefix(5).map { printableName($0) }.joined(separator: ", ") + (names.count > 5 ? ", ..." : "")
    }
  }

  private func byteText(_ count: Int) -> String {
    func tenths(_ unit: Int) -> String {
      // Two figures at least: 1.2, 12, 123.
      if count >= 10 * unit { return String(count / unit + (count % unit >= unit / 2 ? 1 : 0)) }
      let tenths = (count * 10 + unit / 2) / unit
      return "\(tenths / 10).\(tenths % 10)"
    }
    if count >= 1_000_000_000 { return "\(tenths(1_000_000_000)) GB" }
    if count >= 1_000_000 { return "\(tenths(1_000_000)) MB" }
    return counted(count, "byte")
  }
}

extension WeightError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    if case .file(let file) = kind { file.fault } else { .malformedInput }
  }
}
