import FileFormats
import NNRuntime

/// A checkpoint written by `torch.save`: a zip archive of a pickle and the tensors' storages.
struct TorchCheckpoint {
  private let archive: ZipArchive
  private let prefix: String
  /// The pickled values.
  let heap: PickleHeap

  init(_ bytes: FileBytes) throws(CheckpointError.Kind) {
    do {
      archive = try ZipArchive(bytes)
    } catch {
      throw .zip(error)
    }
    let pickles = archive.members.filter { $0.name.hasSuffix("/data.pkl") }
    guard pickles.count == 1, let pickle = pickles.first else { throw .notTorch }
    prefix = String(pickle.name.dropLast("data.pkl".count))
    let limits = PickleLimits()
    guard pickle.size <= limits.bytes else {
      throw .pickle(.tooLarge(bytes: pickle.size, limit: limits.bytes))
    }
    if archive.contains(prefix + "byteorder") {
      guard try Self.contents(prefix + "byteorder", archive).array() == Array("little".utf8) else {
        throw .bigEndian
      }
    }
    let bytes = try Self.contents(pickle.name, archive).array()
    do {
      heap = try PickleMachine.run(bytes, limits: limits)
    } catch {
      throw .pickle(error)
    }
  }

  private static func contents(_ name: String, _ archive: ZipArchive) throws(CheckpointError.Kind)
    -> FileBytes
  {
    do {
      return try archive.contents(name)
    } catch {
      throw .zip(error)
    }
  }

  /// The tensor a pickled view describes: shared with the file where it is contiguous, copied where not.
  func tensor(_ view: PickleTensor) throws(CheckpointError.Kind) -> Tensor {
    let storage = try Self.contents(prefix + "data/" + view.storage.key, archive)
    let size = view.storage.dtype.size
    let (needed, overflow) = view.storage.count.multipliedReportingOverflow(by: size)
    guard !overflow, storage.count == needed else {
      throw .wrongStorageSize(found: storage.count, needed: overflow ? .max : needed)
    }
    guard view.shape.count <= 8, let bytes = view.storage.dtype.byteCount(shape: view.shape) else {
      throw .invalidShape(view.shape)
    }
    // A view larger than its storage repeats elements; weights never do.
    guard bytes <= storage.count, try Self.lastIndex(of: view) < max(view.storage.count, 1) || bytes == 0
    else {
      throw .outsideStorage
    }
    guard bytes > 0 else {
      return Tensor(shape: view.shape, dtype: view.storage.dtype, storage: TensorStorage(FileBytes([])))
    }
    let data: FileBytes
    if view.isContiguous {
      data = storage.slice(view.offset * size..<view.offset * size + bytes)
    } else {
      data = FileBytes(Self.gathered(view, from: storage, count: bytes / size))
    }
    return Tensor(shape: view.shape, dtype: view.storage.dtype, storage: TensorStorage(data))
  }

  /// The index in the storage of the view's last element.
  private static func lastIndex(of view: PickleTensor) throws(CheckpointError.Kind) -> Int {
    var last = view.offset
    for (extent, stride) in zip(view.shape, view.strides) where extent > 0 {
      let (reach, overflow) = (extent - 1).multipliedReportingOverflow(by: stride)
      let (sum, overflow2) = last.addingReportingOverflow(reach)
      guard !overflow, !overflow2 else { throw .outsideStorage }
      last = sum
    }
    return last
  }

  /// The view's elements in row-major order.
  private static func gathered(_ view: PickleTensor, from storage: FileBytes, count: Int) -> [UInt8] {
    let size = view.storage.dtype.size
    return storage.withBytes { source in
      var result: [UInt8] = []
      result.reserveCapacity(count * size)
      var index = [Int](repeating: 0, count: view.shape.count)
      var position = view.offset
      for _ in 0..<count {
        for byte in 0..<size { result.append(source[position * size + byte]) }
        for axis in view.shape.indices.reversed() {
          index[axis] += 1
          position += view.strides[axis]
          if index[axis] < view.shape[axis] { break }
          position -= index[axis] * view.strides[axis]
          index[axis] = 0
        }
      }
      return result
    }
  }
}

extension PickleTensor {
  /// Whether the elements lie one after the other in row-major order.
  var isContiguous: Bool {
    var expected = 1
    for (extent, stride) in zip(shape, strides).reversed() where extent != 1 {
      guard stride == expected else { return false }
      expected *= extent
    }
    return true
  }
}
