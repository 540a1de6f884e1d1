import FileFormats

/// The standard error of `ffmpeg`: presentation times of pictures, and complaints.
struct FFmpegMessages {
  /// Microseconds beyond which a time is invalid.
  private static let longest = 99_999_999_999_999_999

  /// The filter that says when each picture is shown: `frame:12 pts:400000`, in microseconds.
  ///
  /// Of what a frame carries the added key alone is printed: films bring others (time codes, stereo modes, captions).
  static let timeFilter =
    "settb=expr=1/1000000,metadata=mode=add:key=ardf:value=time,metadata=mode=print:key=ardf:file='pipe\\:2':direct=1"

  /// Bytes that were taken in.
  private(set) var bytes = 0
  /// Lines that tell no time; of very many the first and the last.
  private(set) var complaints: [String] = []
  /// The beginning of a line whose end has not come yet.
  private var rest: [UInt8] = []
  /// Microseconds, of pictures that were not asked for yet.
  private var times: [Int: Int] = [:]
  private var freed = 0

  private static let mostComplaints = 2000
  private static let mostBytes = 1 << 20

  /// Reads the next part of the messages.
  ///
  /// - `isWhole`: nothing more will be said.
  /// - Returns: whether enough was taken in since the last time for its memory to be freed.
  mutating func add(_ new: [UInt8], isWhole: Bool) -> Bool {
    bytes += new.count
    rest += new
    let end = isWhole ? rest.count : rest.lastIndex(of: UInt8(ascii: "\n")).map { $0 + 1 } ?? 0
    if end > 0 {
      take(String(decoding: rest[..<end], as: UTF8.self))
      rest.removeFirst(end)
    }
    guard bytes - freed > Self.mostBytes else { return false }
    freed = bytes
    return true
  }

  /// A time may lie inside a complaint, which `ffmpeg` writes in pieces.
  private mutating func take(_ text: String) {
    let others = text.replacing(/frame:(\d{1,12}) +pts:(-?\d{1,17}|NOPTS) +pts_time:\S*\n|ardf=time\n/) {
      match in
      if let number = match.1.flatMap({ integer(of: $0, in: 0...999_999_999_999) }),
        let time = match.2.flatMap({ integer(of: $0, in: -Self.longest...Self.longest) })
      {
        times[number] = time
      }
      return ""
    }
    complaints += others.split(whereSeparator: \.isNewline).map(String.init)
    if complaints.count > Self.mostComplaints {
      complaints.removeSubrange(Self.mostComplaints / 2..<complaints.count - Self.mostComplaints / 2)
    }
  }

  /// The seconds at which a picture is shown, where they were reported; each is returned once.
  mutating func time(ofPicture number: Int) -> Double? {
    times.removeValue(forKey: number).map { Double($0) / 1e6 }
  }
}
