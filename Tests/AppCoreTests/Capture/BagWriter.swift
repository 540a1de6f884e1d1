import Archives
import FileFormats
import Geometry
import Imaging

/// A message in CDR: numbers least significant byte first, aligned to their size after the four bytes of the header.
struct CDRWriter {
  private(set) var bytes: [UInt8] = [0, 1, 0, 0]

  mutating func number(_ value: UInt64, bytes count: Int) {
    while (bytes.count - 4) % count != 0 { bytes.append(0) }
    for index in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt64(8 * index))) }
  }

  mutating func unsigned(_ value: Int) { number(UInt64(value), bytes: 4) }

  mutating func doubles(_ values: [Double]) { for value in values { number(value.bitPattern, bytes: 8) } }

  mutating func text(_ text: String) { octets(Array(text.utf8) + [0]) }

  mutating func octets(_ octets: [UInt8]) {
    unsigned(octets.count)
    bytes += octets
  }

  /// Times are in nanoseconds.
  mutating func header(_ time: Int, _ frame: String) {
    unsigned(time / 1_000_000_000)
    unsigned(time % 1_000_000_000)
    text(frame)
  }
}

/// A recording of ROS 2 in MCAP, as the specification has it: whole, or in one chunk that is not compressed.
struct BagWriter {
  /// The records of messages and of what they need, without the file's first and last bytes.
  private(set) var records: [UInt8] = []
  /// Those of them that declare channels, and what these hold.
  private(set) var declarations: [UInt8] = []
  private var channels: [String: Int] = [:]
  /// Whether each message is compressed by itself, as rosbag2 may do; they are then recorded 7 ms after their own time.
  var compressesMessages = false
  /// The time of messages whose header has none.
  static let start = 1_700_000_000_000_000_000

  static let magic: [UInt8] = [0x89] + Array("MCAP0\r\n".utf8)

  static func little(_ value: Int, _ count: Int) -> [UInt8] {
    (0..<count).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  /// A frame of Zstandard that states its size, with one block that is stored (RFC 8878).
  static func zstandard(_ bytes: [UInt8]) -> [UInt8] {
    [0x28, 0xb5, 0x2f, 0xfd, 0xa0] + little(bytes.count, 4) + little(bytes.count << 3 | 1, 3) + bytes
  }

  /// A frame of Zstandard of zeros, whose blocks say so in four bytes each.
  static func zstandardZeros(blocks: Int) -> [UInt8] {
    let size = 128 << 10
    return [0x28, 0xb5, 0x2f, 0xfd, 0xa0] + little(blocks * size, 4)
      + (1...blocks).flatMap { little(size << 3 | 2 | ($0 == blocks ? 1 : 0), 3) + [0] }
  }

  static func text(_ text: String) -> [UInt8] { little(text.utf8.count, 4) + Array(text.utf8) }

  static func record(_ kind: UInt8, _ content: [UInt8]) -> [UInt8] {
    [kind] + little(content.count, 8) + content
  }

  mutating func add(
    _ topic: String, _ type: String, time: Int = start, encoding: String = "cdr", _ message: [UInt8]
  ) {
    if channels[topic] == nil {
      let id = channels.count + 1
      channels[topic] = id
      let number = Self.little(id, 2)
      let declared =
        Self.record(3, number + Self.text(type) + Self.text("ros2msg") + Self.text(""))
        + Self.record(4, number + number + Self.text(topic) + Self.text(encoding) + Self.little(0, 4))
      records += declared
      declarations += declared
    }
    let recorded = Self.little(compressesMessages ? time + 7_000_000 : time, 8)
    let times = recorded + recorded
    let message = compressesMessages ? Self.zstandard(message) : message
    records += Self.record(5, Self.little(channels[topic] ?? 0, 2) + Self.little(0, 4) + times + message)
  }

  mutating func add(
    image: [UInt8], _ topic: String, _ encoding: String, size: PixelSize, time: Int, frame: String
  ) {
    var message = CDRWriter()
    message.header(time, frame)
    message.unsigned(size.height)
    message.unsigned(size.width)
    message.text(encoding)
    message.number(0, bytes: 1)
    message.unsigned(image.count / size.height)
    message.octets(image)
    add(topic, "sensor_msgs/msg/Image", time: time, message.bytes)
  }

  /// A picture's file, or another compressed picture.
  mutating func add(
    compressed data: [UInt8], _ topic: String, _ format: String, time: Int = start, frame: String
  ) {
    var message = CDRWriter()
    message.header(time, frame)
    message.text(format)
    message.octets(data)
    add(topic, "sensor_msgs/msg/CompressedImage", time: time, message.bytes)
  }

  mutating func add(
    camera k: [Double], _ topic: String, size: PixelSize, frame: String, model: String = "plumb_bob",
    distortion: [Double] = [0, 0, 0, 0, 0]
  ) {
    var message = CDRWriter()
    message.header(Self.start, frame)
    message.unsigned(size.height)
    message.unsigned(size.width)
    message.text(model)
    message.unsigned(distortion.count)
    message.doubles(distortion)
    message.doubles([k[0], 0, k[2], 0, k[1], k[3], 0, 0, 1])
    message.doubles([1, 0, 0, 0, 1, 0, 0, 0, 1])
    message.doubles([k[0], 0, k[2], 0, 0, k[1], k[3], 0, 0, 0, 1, 0])
    for _ in 0..<6 { message.unsigned(0) }
    message.number(0, bytes: 1)
    add(topic, "sensor_msgs/msg/CameraInfo", message.bytes)
  }

  /// `pose`: x y z qx qy qz qw.
  mutating func add(transform pose: [Double], _ topic: String, time: Int, parent: String, child: String) {
    var message = CDRWriter()
    message.unsigned(1)
    message.header(time, parent)
    message.text(child)
    message.doubles(pose)
    add(topic, "tf2_msgs/msg/TFMessage", time: time, message.bytes)
  }

  /// The record of a chunk.
  static func chunk(
    _ records: [UInt8], compression: String = "", size: Int? = nil, checksum: Int? = nil
  ) -> [UInt8] {
    record(
      6,
      little(0, 16) + little(size ?? records.count, 8)
        + little(checksum ?? Int(CRC32.checksum(of: FileBytes(records))), 4) + text(compression)
        + little(records.count, 8) + records)
  }

  /// The file; with a chunk whose checksum is `checksum` where that is stated.
  func file(chunked: Bool = false, compression: String = "", size: Int? = nil, checksum: Int? = nil)
    -> [UInt8]
  {
    let chunk = Self.chunk(records, compression: compression, size: size, checksum: checksum)
    let header = Self.record(1, Self.text("ros2") + Self.text("test"))
    let end = Self.record(15, Self.little(0, 4)) + Self.record(2, Self.little(0, 20)) + Self.magic
    return Self.magic + header + (chunked ? chunk : records) + end
  }
}

extension BagWriter {
  /// The messages of a camera: pictures of one color, depth of 2 meters, its intrinsics.
  ///
  /// `times`: of pictures and of depth maps, milliseconds after `start`.
  mutating func addCamera(
    at place: String, times: [Int] = [0, 100], depthTimes: [Int] = [0, 100], hasDepth: Bool = true,
    hasInfo: Bool = true, depthFrame: String? = nil, depthFocal: Double = 20
  ) {
    let size = PixelSize(width: 16, height: 12)
    let frame = "\(place)_optical"
    for time in times {
      let pixels = [UInt8](repeating: UInt8(time % 256), count: 3 * 192)
      add(
        image: pixels, "\(place)/color/image_raw", "rgb8", size: size, time: Self.start + time * 1_000_000,
        frame: frame)
    }
    if hasInfo { add(camera: [20, 20, 7.5, 5.5], "\(place)/color/camera_info", size: size, frame: frame) }
    guard hasDepth else { return }
    for (index, time) in depthTimes.enumerated() {
      let pixels = Array(repeating: Self.little(2000 + index, 2), count: 192).flatMap(\.self)
      add(
        image: pixels, "\(place)/depth/image", "16UC1", size: size, time: Self.start + time * 1_000_000,
        frame: depthFrame ?? frame)
    }
    if hasInfo {
      add(
        camera: [depthFocal, depthFocal, 7.5, 5.5], "\(place)/depth/camera_info", size: size,
        frame: depthFrame ?? frame)
    }
  }
}
