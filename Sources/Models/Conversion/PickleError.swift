import FileFormats

/// A defect of a pickle, or something in it that plain data does not need.
public enum PickleError: Error, Equatable, CustomStringConvertible {
  /// The pickle is larger than the limit.
  case tooLarge(bytes: Int, limit: Int)
  /// The pickle ends inside an instruction, or without its end.
  case unexpectedEnd(offset: Int)
  /// A protocol other than 2 to 5.
  case unsupportedProtocol(UInt8)
  /// An instruction that data does not need, or that does not exist.
  case unsupportedInstruction(UInt8, offset: Int)
  /// An instruction takes more from the stack than there is.
  case stackUnderflow(offset: Int)
  /// An instruction needs a mark and there is none.
  case missingMark(offset: Int)
  /// More than one value is left at the end, or a mark.
  case unbalancedEnd
  /// Something after the end.
  case trailingBytes(offset: Int)
  /// A memo entry that was never written.
  case unknownMemo(Int, offset: Int)
  /// A length that is negative or reaches over the end.
  case invalidLength(offset: Int)
  /// A text that is not UTF-8.
  case invalidText(offset: Int)
  /// An instruction applied to a value it does not fit.
  case wrongOperand(String, offset: Int)
  /// A tensor rebuilt from arguments that do not describe one.
  case malformedTensor(String, offset: Int)
  /// A storage of an element type that is not supported.
  case unsupportedStorage(String, offset: Int)
  /// A limit on values, memo, stack or marks is reached.
  case limitReached(String, limit: Int)

  /// One line that names the defect.
  public var description: String {
    switch self {
    case .tooLarge(let bytes, let limit): "pickle of \(bytes) bytes is over the limit of \(limit)"
    case .unexpectedEnd(let offset): "pickle ends early, at byte \(offset)"
    case .unsupportedProtocol(let version): "pickle protocol \(version) is not supported; 2 to 5 are"
    case .unsupportedInstruction(let code, let offset):
      "pickle instruction 0x\(String(code, radix: 16)) at byte \(offset) is not supported"
    case .stackUnderflow(let offset): "pickle instruction at byte \(offset) takes from an empty stack"
    case .missingMark(let offset): "pickle instruction at byte \(offset) needs a mark"
    case .unbalancedEnd: "pickle does not end with exactly one value"
    case .trailingBytes(let offset): "pickle has bytes after its end, at byte \(offset)"
    case .unknownMemo(let index, let offset):
      "pickle refers to the unknown memo entry \(index) at byte \(offset)"
    case .invalidLength(let offset): "pickle declares an impossible length at byte \(offset)"
    case .invalidText(let offset): "pickle text at byte \(offset) is not UTF-8"
    case .wrongOperand(let reason, let offset): "pickle instruction at byte \(offset): \(reason)"
    case .malformedTensor(let reason, let offset): "pickled tensor at byte \(offset): \(reason)"
    case .unsupportedStorage(let name, let offset):
      "pickled tensor storage \"\(printableName(name))\" at byte \(offset) is not supported"
    case .limitReached(let what, let limit): "pickle has more than \(limit) \(what)"
    }
  }
}

extension PickleError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}
