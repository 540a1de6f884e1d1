import FileFormats
import Geometry
import Imaging

/// Sixteen-bit depth as RVL writes it: runs of cells without depth and with it, and the latter's differences, in groups of
/// three bits (Wilson, "Fast Lossless Depth Image Compression", ACM ISS 2017).
enum RunLengthDepth {
  /// The cells with depth that a byte can hold, a nibble each.
  private static let cellsPerByte = 2
  /// Bytes of width and height before the first run.
  private static let sizeBytes = 8

  /// Little-endian width and height, then the runs as `compressed_depth_image_transport` writes them.
  ///
  /// - `limit`: The most cells.
  /// - Throws: `CaptureError.malformed` for runs that end early or hold more cells than the map has, `.tooManyPixels`.
  static func decode(_ bytes: FileBytes, file: String, limit: Int) throws(CaptureError) -> Plane<UInt16> {
    var header = LittleEndianReader(bytes)
    guard let width = header.number(bytes: 4), let height = header.number(bytes: 4),
      let size = try? PixelSize(checking: width, height)
    else { throw .malformed(file: file, reason: "a depth map in RVL does not begin with its size") }
    let count = size.width * size.height
    guard count <= limit else {
      throw .tooManyPixels(file: file, width: width, height: height, limit: limit)
    }
    let words = bytes.slice(sizeBytes..<bytes.count).array()
    guard let cells = cells(of: words, count: count) else {
      throw .malformed(
        file: file, reason: "a depth map in RVL has other runs than its \(counted(count, "cell"))")
    }
    return Plane(width: size.width, height: size.height, elements: cells)
  }

  private static func cells(of bytes: [UInt8], count: Int) -> [UInt16]? {
    var nibbles = Nibbles(bytes)
    var cells: [UInt16] = []
    cells.reserveCapacity(min(count, cellsPerByte * bytes.count))
    var previous: UInt16 = 0
    while cells.count < count {
      guard let empty = nibbles.number(), empty <= count - cells.count else { return nil }
      cells.append(contentsOf: repeatElement(0, count: empty))
      guard cells.count < count else { break }
      guard let filled = nibbles.number(), filled <= count - cells.count else { return nil }
      for _ in 0..<filled {
        guard let folded = nibbles.number() else { return nil }
        // 0, -1, 1, -2, 2 and so on; sums wrap as the encoder's do.
        let difference = (folded >> 1) ^ -(folded & 1)
        previous &+= UInt16(truncatingIfNeeded: difference)
        cells.append(previous)
      }
      guard empty > 0 || filled > 0 else { return nil }
    }
    return cells
  }

  /// Numbers of three bits a nibble, the least first, of which all but the last have the highest bit set; the nibbles of
  /// little-endian words of four bytes, from the highest on.
  private struct Nibbles {
    private let bytes: [UInt8]
    private var position = 0

    /// The most nibbles of a number of 32 bits.
    private static let most = 11

    init(_ bytes: [UInt8]) { self.bytes = bytes }

    mutating func number() -> Int? {
      var value = 0
      for step in 0..<Self.most {
        guard let nibble = next() else { return nil }
        value |= Int(nibble & 7) << (3 * step)
        if nibble & 8 == 0 { return value }
      }
      return nil
    }

    private mutating func next() -> UInt8? {
      let place = position / 2
      let index = place / 4 * 4 + (3 - place % 4)
      guard index < bytes.count else { return nil }
      defer { position += 1 }
      return position.isMultiple(of: 2) ? bytes[index] >> 4 : bytes[index] & 15
    }
  }
}
