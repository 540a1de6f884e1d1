import FileFormats
import NNRuntime

/// A tensor of a checkpoint that is known by its shape and type, and read when it is needed.
package struct CheckpointTensor: Sendable {
  private enum Source: Sendable {
    case loaded(Tensor)
    case view(PickleTensor)
    /// One below the other.
    case joined([CheckpointTensor])
  }

  package let shape: [Int]
  package let dtype: DType
  private let source: Source

  /// A tensor whose bytes are a part of a mapped file.
  init(_ tensor: Tensor) {
    (shape, dtype, source) = (tensor.shape, tensor.dtype, .loaded(tensor))
  }

  /// A view of a storage in a checkpoint's archive.
  init(_ view: PickleTensor) {
    (shape, dtype, source) = (view.shape, view.storage.dtype, .view(view))
  }

  private init(joined parts: [CheckpointTensor]) {
    shape = parts.joinedShape
    (dtype, source) = (parts[0].dtype, .joined(parts))
  }

  /// The views that have to be read for it.
  var views: [PickleTensor] {
    switch source {
    case .loaded: []
    case .view(let view): [view]
    case .joined(let parts): parts.flatMap(\.views)
    }
  }

  /// The tensor itself.
  ///
  /// - `torch`: The archive of its views.
  /// - `unpacked`: See `TorchCheckpoint.tensor(_:unpacked:)`.
  func tensor(
    from torch: TorchCheckpoint?, unpacked: inout [String: FileBytes]
  ) throws(CheckpointError.Kind) -> Tensor {
    switch source {
    case .loaded(let tensor): return tensor
    case .view(let view):
      guard let torch else { preconditionFailure("a view of no archive") }
      return try torch.tensor(view, unpacked: &unpacked)
    case .joined(let parts):
      var tensors: [Tensor] = []
      for part in parts { tensors.append(try part.tensor(from: torch, unpacked: &unpacked)) }
      return Tensor.joined(tensors)
    }
  }
}

/// Tensors that can be put one below the other, along their first axis.
package protocol JoinableTensor {
  var shape: [Int] { get }
  var dtype: DType { get }
  /// One tensor of several of the same shape, with one axis at least, and type.
  static func joined(_ parts: [Self]) -> Self
}

extension Array where Element: JoinableTensor {
  fileprivate var joinedShape: [Int] { [count * self[0].shape[0]] + self[0].shape.dropFirst() }
}

extension CheckpointTensor: JoinableTensor {
  package static func joined(_ parts: [CheckpointTensor]) -> CheckpointTensor {
    CheckpointTensor(joined: parts)
  }
}

extension Tensor: JoinableTensor {
  package static func joined(_ parts: [Tensor]) -> Tensor {
    var bytes: [UInt8] = []
    for part in parts {
      part.storage.withBytes { span in for index in span.indices { bytes.append(span[index]) } }
    }
    return Tensor(
      shape: parts.joinedShape, dtype: parts[0].dtype, storage: TensorStorage(FileBytes(bytes)))
  }
}
