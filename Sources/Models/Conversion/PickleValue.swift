import NNRuntime

/// A value of a pickle: plain data, or the index of a compound value in a `PickleHeap`.
enum PickleValue: Equatable, Sendable {
  case none
  case bool(Bool)
  case integer(Int)
  /// A whole number of more than 64 bits; its digits are of no use here.
  case hugeInteger
  case number(Double)
  case text(String)
  case bytes([UInt8])
  case compound(Int)
}

/// A compound value; references to others are indices, so that cycles and depth cost nothing.
struct PickleNode: Sendable {
  enum Kind: Equatable, Sendable {
    case list
    case tuple
    /// `values` are keys and values in turn, in the order they were set.
    case dictionary
    case set
    /// The name of a class or function; naming it is all that ever happens to it.
    case global(String)
    /// An object of a class with no meaning here: `values` are what it would be made from.
    case record(String)
    case storage(PickleStorage)
    case tensor(PickleTensor)
  }

  var kind: Kind
  var values: [PickleValue] = []
  /// Argument of `__setstate__`, for records.
  var state = PickleValue.none
}

/// A storage named by a persistent identifier; its bytes are a member of the checkpoint's archive.
struct PickleStorage: Equatable, Sendable {
  let dtype: DType
  let key: String
  /// The number of elements.
  let count: Int
}

/// A strided view of a storage, as the pickle describes it, not checked yet.
struct PickleTensor: Equatable, Sendable {
  let storage: PickleStorage
  let offset: Int
  let shape: [Int]
  let strides: [Int]
}

/// All compound values of a pickle and its top value.
struct PickleHeap: Sendable {
  var nodes: [PickleNode] = []
  var root = PickleValue.none

  func node(_ value: PickleValue) -> PickleNode? {
    guard case .compound(let index) = value else { return nil }
    return nodes[index]
  }

  /// The elements of a list or tuple.
  func elements(_ value: PickleValue) -> [PickleValue]? {
    guard let node = node(value), node.kind == .list || node.kind == .tuple else { return nil }
    return node.values
  }

  /// The members of a dictionary in order; a key set twice counts with its last value.
  func members(_ value: PickleValue) -> [(key: PickleValue, value: PickleValue)]? {
    guard let node = node(value), node.kind == .dictionary else { return nil }
    return stride(from: 0, to: node.values.count, by: 2).map { (node.values[$0], node.values[$0 + 1]) }
  }

  /// The value under a text key of a dictionary.
  func member(_ key: String, of value: PickleValue) -> PickleValue? {
    members(value)?.last { $0.key == .text(key) }?.value
  }

  func tensor(_ value: PickleValue) -> PickleTensor? {
    guard case .tensor(let tensor)? = node(value)?.kind else { return nil }
    return tensor
  }

  /// The whole numbers of a list, a tuple, or a record such as `torch.Size` made from one; nil where there are more
  /// than `most`.
  func integers(_ value: PickleValue, atMost most: Int) -> [Int]? {
    var value = value
    if let node = node(value), case .record(_) = node.kind, node.values.count == 1 { value = node.values[0] }
    guard let elements = elements(value), elements.count <= most else { return nil }
    var integers: [Int] = []
    for element in elements {
      guard case .integer(let integer) = element else { return nil }
      integers.append(integer)
    }
    return integers
  }
}
