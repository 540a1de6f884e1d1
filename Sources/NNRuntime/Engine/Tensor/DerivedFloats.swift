import FileFormats

/// Numbers of single precision that are computed whenever they are read: memory holds what they are computed of alone.
enum DerivedFloats: Sendable {
  /// The transpose of a matrix.
  case transposed(Tensor)
  /// A tensor times one factor for each index of its first axis.
  case scaled(Tensor, [Float])
  /// Result of a function, always the same.
  case computed(count: Int, @Sendable () -> [Float])

  /// Rows and columns that are read and written together: their cache lines are used whole.
  private static let block = 16

  var count: Int {
    switch self {
    case .transposed(let tensor), .scaled(let tensor, _): tensor.count
    case .computed(let count, _): count
    }
  }

  /// Bytes that are kept in memory for them.
  var heldBytes: Int {
    switch self {
    case .transposed(let tensor), .scaled(let tensor, _): tensor.heldBytes
    case .computed: 0
    }
  }

  /// All of them.
  func floats() -> [Float] {
    if case .computed(_, let compute) = self { return compute() }
    return unsafe [Float](count: count) { unsafe fill($0) }
  }

  /// Computes all of them.
  ///
  /// Bytes of a file do not stay in memory afterwards.
  func fill(_ floats: UnsafeMutablePointer<Float>) {
    switch self {
    case .transposed(let matrix):
      guard matrix.dtype == .float32 else {
        return unsafe matrix.floats().withUnsafeBytes { unsafe Self.transpose($0, matrix.shape, to: floats) }
      }
      unsafe matrix.storage.withUnsafeBytes { unsafe Self.transpose($0, matrix.shape, to: floats) }
      matrix.storage.release()
    case .scaled(let tensor, let factors):
      unsafe tensor.storage.convert(tensor.dtype, floats)
      tensor.storage.release()
      let row = tensor.count / max(1, factors.count)
      for (channel, factor) in factors.enumerated() {
        for index in channel * row..<(channel + 1) * row { unsafe floats[index] *= factor }
      }
    case .computed(let count, let compute):
      unsafe compute().withUnsafeBufferPointer { source in
        precondition(source.count == count, "\(source.count) numbers where \(count) were said")
        if let first = source.baseAddress { unsafe floats.update(from: first, count: count) }
      }
    }
  }

  /// Writes the transpose of a matrix of `shape`, whose floats need not be aligned.
  private static func transpose(
    _ source: UnsafeRawBufferPointer, _ shape: [Int], to target: UnsafeMutablePointer<Float>
  ) {
    let (rows, columns) = (shape[0], shape[1])
    guard let base = source.baseAddress, rows > 0, columns > 0 else { return }
    for top in stride(from: 0, to: rows, by: block) {
      for left in stride(from: 0, to: columns, by: block) {
        for column in left..<min(left + block, columns) {
          let line = unsafe target + column &* rows
          for row in top..<min(top + block, rows) {
            let offset = (row &* columns &+ column) &* MemoryLayout<Float>.stride
            unsafe line[row] = base.loadUnaligned(fromByteOffset: offset, as: Float.self)
          }
        }
      }
    }
  }
}
