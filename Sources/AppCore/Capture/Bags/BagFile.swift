import FileFormats

/// One file of a ROS 2 recording: its topics, and where each message of those that matter lies.
protocol BagFile: Sendable {
  /// The file's name in messages.
  var name: String { get }
  /// All topics, in the order of the file.
  var topics: [BagTopic] { get }
  /// The messages of the topics that are read, in the order of the file.
  var entries: [BagEntry] { get }
  /// Damaged parts of the file, which are left out.
  var damage: [SkippedFrame] { get }
  /// Oddities of the file that harm nothing that was read, a line each.
  var notes: [String] { get }

  /// When what a message holds was measured, by its header; 0 where that was not filled in.
  func stamp(of entry: BagEntry) throws(CaptureError) -> Int

  /// The bytes of a message.
  ///
  /// - `first`: How many are asked for at most; nil for all.
  func bytes(of entry: BagEntry, first: Int?) throws(CaptureError) -> FileBytes
}

/// A topic of a recording.
struct BagTopic: Sendable, Equatable {
  let name: String
  /// Such as `sensor_msgs/msg/Image`.
  let type: String
  /// How messages are encoded: `cdr`, or what is not read.
  let encoding: String

  /// Whether its messages may be part of a capture.
  var isRead: Bool { encoding == "cdr" && MessageType(rawValue: type) != nil }
}

/// Where a message lies.
struct BagEntry: Sendable {
  /// Its topic's position in the file's topics.
  let topic: Int
  /// Time stamp of the message's header, nanoseconds; 0 where the header is not read along.
  var stamp = 0
  /// When it was recorded, nanoseconds.
  let time: Int
  /// The chunk that holds it, or -1; or in an SQLite file the row.
  let place: Int
  /// Where its bytes begin, and how many there are; 0 and 0 in an SQLite file.
  let offset: Int
  let count: Int
}

/// Limits of what reading a recording may cost.
enum BagLimits {
  /// Topics of a file.
  static let topics = 10_000
  /// Bytes of a row of topics, most of which are the settings of who published it.
  static let topicBytes = 1 << 20
  /// Messages that are read of a file: an hour of a robot's transforms at 1 kHz.
  static let entries = 4 << 20
  /// Bytes that all chunks of a file may unpack to beside `ratio` times its own.
  static let unpackedBytes = 256 << 20
  /// Bytes of unpacked chunks that are kept.
  static let keptBytes = 256 << 20
  /// How many times its own bytes a file's chunks may unpack to: rendered pictures shrink well.
  static let ratio = 64
  /// The last nanosecond since 1970 that a time may be, so that differences to times of headers fit 64 bits.
  static let latest = 4 << 60
  /// Transforms and poses of a recording that are kept.
  static let poses = 2 << 20
}

/// The message types that are read.
enum MessageType: String, CaseIterable {
  case image = "sensor_msgs/msg/Image"
  case compressedImage = "sensor_msgs/msg/CompressedImage"
  case cameraInfo = "sensor_msgs/msg/CameraInfo"
  case transforms = "tf2_msgs/msg/TFMessage"
  case odometry = "nav_msgs/msg/Odometry"
  case pose = "geometry_msgs/msg/PoseStamped"
}
