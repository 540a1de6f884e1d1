import Archives
import FileFormats
import NNRuntime

/// A checkpoint written by `torch.save`: a zip archive of a pickle and the tensors' storages.
struct TorchCheckpoint: Sendable {
  /// How many times the file's own bytes the tensors may take, beyond `smallBytes`: weights hardly shrink, and few
  /// share a storage.
  private static let largestRatio = 4
  private static let smallBytes = 32 << 20

  /// The most bytes that all tensors together, or the storages unpacked for them, may take.
  private let mostBytes: Int
  private let archive: ZipArchive
  private let prefix: String
  /// The pickled values.
  let heap: PickleHeap

  init(_ bytes: FileBytes) throws(CheckpointError.Kind) {
    mostBytes = Self.smallBytes + Self.largestRatio * bytes.count
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
    let kept = try Self.contents(pickle.name, archive)
    let instructions = kept.array()
    kept.release()
    do {
      heap = try PickleMachine.run(instructions, limits: limits)
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

  /// The archive's member that holds a view's storage.
  private func member(of view: PickleTensor) throws(CheckpointError.Kind) -> ZipArchive.Member {
    do {
      return try archive.member(prefix + "data/" + view.storage.key)
    } catch {
      throw .zip(error)
    }
  }

  /// Proves that a pickled view lies within its storage, of which nothing is read.
  ///
  /// - Returns: The view's bytes.
  func check(_ view: PickleTensor) throws(CheckpointError.Kind) -> Int {
    let storage = try member(of: view)
    let size = view.storage.dtype.size
    let (needed, overflow) = view.storage.count.multipliedReportingOverflow(by: size)
    guard !overflow, storage.size == needed else {
      throw .wrongStorageSize(found: storage.size, needed: overflow ? .max : needed)
    }
    guard view.shape.count <= 8, let bytes = view.storage.dtype.byteCount(shape: view.shape) else {
      throw .invalidShape(view.shape)
    }
    // A view larger than its storage repeats elements; weights never do.
    guard bytes <= storage.size, try Self.lastIndex(of: view) < max(view.storage.count, 1) || bytes == 0
    else {
      throw .outsideStorage
    }
    return bytes
  }

  /// Proves that views together take no more than a file of this size may hold, each view by itself and each
  /// compressed storage once.
  func checkSize(of views: [PickleTensor]) throws(CheckpointError.Kind) {
    var bytes = 0
    var unpacked = 0
    var seen: Set<String> = []
    for view in views {
      bytes += try check(view)
      if seen.insert(view.storage.key).inserted { unpacked += try member(of: view).unpackedBytes }
      guard bytes <= mostBytes, unpacked <= mostBytes else {
        throw .unpacksTooLarge(bytes: max(bytes, unpacked), limit: mostBytes)
      }
    }
  }

  /// The tensor a pickled view describes: shared with its storage where it is contiguous, copied where not.
  ///
  /// `unpacked`: The compressed storages read so far, by their keys; each is unpacked once.
  func tensor(
    _ view: PickleTensor, unpacked: inout [String: FileBytes]
  ) throws(CheckpointError.Kind) -> Tensor {
    let bytes = try check(view)
    let size = view.storage.dtype.size
    let member = try member(of: view)
    let storage: FileBytes
    if let known = unpacked[view.storage.key] {
      storage = known
    } else {
      storage = try Self.contents(member.name, archive)
      if member.unpackedBytes > 0 { unpacked[view.storage.key] = storage }
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
