import Archives
import FileFormats

/// Pictures of one part by rows in OpenEXR (openexr.com, "File Layout"), of which one channel of floating-point numbers is
/// read: the depth maps that apps export.
///
/// Rows are stored, or compressed by ZIP or ZIPS.
package enum OpenEXR {
  /// Why a file cannot be read.
  package enum Defect: ClassifiedError, Equatable, CustomStringConvertible {
    /// The bytes end before the picture does.
    case truncated
    /// More pixels than the limit.
    case tooManyPixels(width: Int, height: Int, limit: Int)
    /// The file contradicts itself.
    case malformed(String)
    /// A valid file of a kind that is not read.
    case unsupported(String)

    /// The kind of fault.
    package var fault: Fault { .malformedInput }

    /// The defect.
    package var description: String {
      switch self {
      case .truncated: "EXR data end too early"
      case .tooManyPixels(let width, let height, let limit):
        "EXR of \(width)x\(height) pixels exceeds the limit of \(limit) pixels"
      case .malformed(let reason): "malformed EXR: \(reason)"
      case .unsupported(let what):
        "unsupported EXR: \(what); save it by rows, uncompressed or with ZIP, as half or float"
      }
    }
  }

  private static let magic = 20_000_630
  /// Flags of files of tiles, of deep pixels, and of several parts.
  private static let otherKinds = 0x200 | 0x800 | 0x1000
  private static let mostChannels = 64
  /// The channels that depth is kept in, the most telling first.
  private static let names = ["Z", "depth.Z", "Depth", "depth", "Y", "R", "A", "V"]

  private struct Channel {
    let name: String
    /// Bytes of a sample: four of a float (or whole number), two of a half.
    let length: Int
    let isWhole: Bool
  }

  private struct Header {
    var channels: [Channel] = []
    var compression = 0
    var window: [Int] = []
    /// Where the table of rows begins.
    var end = 0
  }

  /// The depth channel, or the only one.
  ///
  /// - Parameters:
  ///   - bytes: The file.
  ///   - limit: The most pixels.
  /// - Returns: The samples.
  /// - Throws: `Defect`.
  package static func plane(_ bytes: [UInt8], limit: Int) throws(Defect) -> Plane<Float> {
    let file = Reader(bytes)
    let header = try header(file)
    guard header.window.count == 4 else { throw .malformed("no data window") }
    let (width, height) = (
      header.window[2] - header.window[0] + 1, header.window[3] - header.window[1] + 1
    )
    guard width > 0, height > 0 else { throw .malformed("a window without pixels") }
    guard width <= limit, height <= limit / width else {
      throw .tooManyPixels(width: width, height: height, limit: limit)
    }
    let rows: Int
    switch header.compression {
    case 0, 2: rows = 1
    case 3: rows = 16
    default: throw .unsupported("compression \(header.compression)")
    }
    guard let index = channel(header.channels) else {
      throw .unsupported("\(counted(header.channels.count, "channel")), none of which is called as depth is")
    }
    let channel = header.channels[index]
    guard !channel.isWhole else { throw .unsupported("whole numbers") }
    let before = header.channels[..<index].reduce(0) { $0 + $1.length * width }
    let stride = header.channels.reduce(0) { $0 + $1.length * width }
    let chunks = (height + rows - 1) / rows
    var position = header.end + 8 * chunks
    // Before the pixels get their memory: each chunk has eight bytes at least.
    guard position <= bytes.count - 8 * chunks else { throw .truncated }
    var elements = [Float](repeating: 0, count: width * height)
    var isRead = [Bool](repeating: false, count: chunks)
    for _ in 0..<chunks {
      let top = try file.signed(position) - header.window[1]
      let count = try file.signed(position + 4)
      guard top >= 0, top < height, top % rows == 0, !isRead[top / rows], count >= 0 else {
        throw .malformed("rows that are not those of the window")
      }
      isRead[top / rows] = true
      let present = min(rows, height - top)
      let samples = try unpacked(
        try file.bytes(position + 8, count), size: present * stride,
        isStored: header.compression == 0)
      for row in 0..<present {
        for x in 0..<width {
          let place = row * stride + before + x * channel.length
          elements[(top + row) * width + x] = number(samples, place, channel.length)
        }
      }
      position += 8 + count
    }
    return Plane(width: width, height: height, elements: elements)
  }

  private static func channel(_ channels: [Channel]) -> Int? {
    if channels.count == 1 { return 0 }
    for name in names {
      if let index = channels.firstIndex(where: { $0.name == name }) { return index }
    }
    return nil
  }

  private static func number(_ bytes: [UInt8], _ place: Int, _ length: Int) -> Float {
    let low = UInt16(bytes[place]) | UInt16(bytes[place + 1]) << 8
    if length == 2 { return HalfPrecision.float(fromBinary16: low) }
    let high = UInt32(bytes[place + 2]) | UInt32(bytes[place + 3]) << 8
    return Float(bitPattern: UInt32(low) | high << 16)
  }

  private static func header(_ file: Reader) throws(Defect) -> Header {
    guard try file.signed(0) == magic else { throw .malformed("it does not begin as an EXR does") }
    let version = try file.signed(4)
    guard version & 0xff == 2, version & otherKinds == 0 else {
      throw .unsupported("tiles, deep pixels or several parts")
    }
    var header = Header()
    var position = 8
    while true {
      let name = try file.text(&position)
      if name.isEmpty { break }
      _ = try file.text(&position)
      let size = try file.signed(position)
      position += 4
      guard size >= 0 else { throw .malformed("an attribute of no size") }
      _ = try file.range(position, size)
      switch name {
      case "channels": header.channels = try channels(file, position, position + size)
      case "compression": header.compression = Int(try file.bytes(position, 1)[0])
      case "dataWindow":
        for index in 0..<4 { header.window.append(try file.signed(position + 4 * index)) }
      default: break
      }
      position += size
    }
    header.end = position
    return header
  }

  private static func channels(
    _ file: Reader, _ start: Int, _ end: Int
  ) throws(Defect) -> [Channel] {
    var channels: [Channel] = []
    var position = start
    while position < end {
      let name = try file.text(&position)
      if name.isEmpty { break }
      let kind = try file.signed(position)
      let sampling = (try file.signed(position + 8), try file.signed(position + 12))
      guard (0...2).contains(kind), sampling == (1, 1), channels.count < mostChannels else {
        throw .unsupported("a channel of pixels that are not whole numbers, halves or floats each")
      }
      channels.append(Channel(name: name, length: kind == 1 ? 2 : 4, isWhole: kind == 0))
      position += 16
    }
    guard !channels.isEmpty else { throw .malformed("no channels") }
    return channels
  }

  /// A chunk's samples: stored as they are where that is no longer, else differences of bytes, the even ones first.
  private static func unpacked(
    _ stored: [UInt8], size: Int, isStored: Bool
  ) throws(Defect) -> [UInt8] {
    if isStored || stored.count >= size {
      guard stored.count == size else {
        throw .malformed("rows of another length than their pixels")
      }
      return stored
    }
    guard var bytes = ZlibStream.decompress(stored, size: size) else {
      throw .malformed("rows that cannot be decompressed")
    }
    for index in bytes.indices.dropFirst() {
      bytes[index] = bytes[index - 1] &+ bytes[index] &- 128
    }
    let half = (size + 1) / 2
    var samples = bytes
    for index in 0..<size { samples[index] = bytes[index % 2 == 0 ? index / 2 : half + index / 2] }
    return samples
  }

  /// The file's bytes, never read beyond their end.
  private struct Reader {
    private let all: [UInt8]
    private static let longestName = 255

    init(_ bytes: [UInt8]) { all = bytes }

    func range(_ position: Int, _ count: Int) throws(Defect) -> Range<Int> {
      guard count <= all.count, position <= all.count - count else { throw .truncated }
      return position..<position + count
    }

    func bytes(_ position: Int, _ count: Int) throws(Defect) -> [UInt8] {
      Array(all[try range(position, count)])
    }

    /// A signed number of four bytes, least significant first.
    func signed(_ position: Int) throws(Defect) -> Int {
      let bytes = all[try range(position, 4)]
      return Int(Int32(littleEndianBytes: bytes))
    }

    /// Text up to a zero, which is passed too.
    func text(_ position: inout Int) throws(Defect) -> String {
      guard position < all.count else { throw .truncated }
      let rest = all[position...].prefix(Self.longestName + 1)
      guard let end = rest.firstIndex(of: 0) else {
        throw rest.count > Self.longestName ? .malformed("a name without an end") : .truncated
      }
      defer { position = end + 1 }
      return String(decoding: all[position..<end], as: UTF8.self)
    }
  }
}
