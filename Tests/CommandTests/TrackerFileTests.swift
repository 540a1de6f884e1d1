import AppCore
import FileFormats
import Foundation
import TestSupport
import Testing
import ardf

/// Settings of trackers in files of Ultralytics'.
@Suite struct TrackerFileTests {
  /// As Ultralytics ships it.
  private static let botsort = """
    # Ultralytics AGPL-3.0 License - https://ultralytics.com/license

    # Default settings for BoT-SORT tracker
    tracker_type: botsort # (str) tracker backend
    track_high_thresh: 0.25
    track_low_thresh: 0.1 # (float) threshold of the second association
    new_track_thresh: 0.25
    track_buffer: 30
    match_thresh: 0.8
    fuse_score: True
    # min_box_area: 10

    # BoT-SORT settings
    gmc_method: sparseOptFlow
    proximity_thresh: 0.5
    appearance_thresh: 0.8
    with_reid: False
    model: auto

    """

  private static func rules(_ text: String) throws -> TrackingRules {
    let place = try TemporaryDirectory()
    try place.write(text, to: "tracker.yaml")
    return try TrackerFile.rules(path: place.file("tracker.yaml"))
  }

  @Test func theDefaultsAreOurs() throws {
    #expect(try Self.rules(Self.botsort) == TrackingRules(.botsort))
    #expect(try Self.rules("tracker_type: bytetrack") == TrackingRules(.bytetrack))
  }

  @Test func everySettingIsRead() throws {
    var expected = TrackingRules(.botsort)
    (expected.highScore, expected.lowScore, expected.newScore) = (0.5, 0.05, 0.6)
    (expected.buffer, expected.mostCost) = (12, 0.9)
    (expected.fusesScores, expected.followsCamera) = (false, false)
    let text = """
      ---
      tracker_type: "botsort"
      track_high_thresh: .5   # a comment
      track_low_thresh: 5e-2
      new_track_thresh:\t0.6
      track_buffer: 12
      match_thresh: '0.9'
      fuse_score: false
      gmc_method: none
      """
    #expect(try Self.rules(text) == expected)
    #expect(try Self.rules(text.replacing("\n", with: "\r\n")) == expected)
    let others = text.replacing("buffer: 12", with: "buffer: 12.0").replacing(": none", with: ": off")
    #expect(try Self.rules("\u{FEFF}" + others + "\n...\n") == expected)
  }

  /// A line in place of one of the defaults, and words of the message.
  private static let wrong: [(line: String, code: Int32, words: String)] = [
    ("track_buffer: 30.5", 65, "track_buffer 30.5: give a number of pictures"),
    ("track_buffer: -1", 65, "from 0 to 100000"), ("match_thresh: 1.2", 65, "match_thresh 1.2: give"),
    ("match_thresh: nan", 65, "from 0 to 1"), ("match_thresh:", 65, "from 0 to 1"),
    ("fuse_score: maybe", 65, "give True or False"), ("tracker_type: sort", 65, "give bytetrack or botsort"),
    ("track_high_thresh: 0.05", 65, "track_low_thresh 0.1 is above track_high_thresh 0.05"),
    ("tracker_type: ocsort", 69, "tracker_type: ocsort is not implemented"),
    ("gmc_method: ecc", 69, "gmc_method: ecc is not implemented"),
    ("gmc_method: magic", 65, "give sparseOptFlow or none"),
    ("with_reid: True", 69, "set it to False"), ("track_bufer: 30", 65, "track_bufer is not a setting"),
    ("  track_buffer: 30", 65, "'key: value'"), ("- 3", 65, "'key: value'"), ("track_buffer:30", 65, "'key"),
    ("{track_buffer: 30}", 65, "'key: value'"), ("track_buffer: &a 30", 65, "give a number of pictures"),
  ]

  @Test(arguments: wrong.indices) func whatIsWrongIsTold(index: Int) throws {
    let (line, code, words) = Self.wrong[index]
    let key = String(line.drop { "- {".contains($0) }.prefix { $0 != ":" && $0 != " " })
    let others = Self.botsort.split(separator: "\n").filter { !$0.hasPrefix(key) }
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "film/a.png")
    try place.write(SyntheticCapture.encoded(), to: "film/b.png")
    try place.write((others + [line[...]]).joined(separator: "\n"), to: "my.yaml")
    let run = try CommandRun(
      ["detect", "film", "--out", "-", "--tracker", "my.yaml"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(run.status == code && run.error.contains(words), "\(line): \(run.error)")
    #expect(run.error.contains("my.yaml"), "\(run.error)")
  }

  @Test func settingsThatAreNotThereOrTwiceAreTold() throws {
    let long = String(repeating: "# comment\n", count: 10_000)
    let wrong: [(text: String, words: String)] = [
      ("", "has no tracker_type"), (long, "is not a tracker's settings"),
      ("track_buffer: 3\ntrack_buffer: 4", "line 2: track_buffer is given twice"),
      // Its own settings come to nothing here.
      ("delta_t: 3\ntracker_type: deepocsort", "deepocsort is not implemented"),
    ]
    for (text, words) in wrong {
      let error = #expect(throws: (any Error).self) { try Self.rules(text) }
      let message = error.map { "\($0)" } ?? ""
      #expect(message.contains(words), "\(message)")
    }
  }

  /// A file changes identities, and options of the command line take precedence over it.
  @Test func aFilesSettingsAreUsed() throws {
    let place = try TemporaryDirectory()
    for index in 0..<2 { try place.write(SyntheticCapture.encoded(), to: "film/p\(index).png") }
    func count(_ options: [String]) throws -> Int {
      let run = try CommandRun(
        ["detect", "film", "--out", "-", "--track"] + options + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 0, "\(run.error)")
      return try run.lines().reduce(0) { $0 + ($1["detections"]?.array?.count ?? 0) }
    }
    let usual = try count(["botsort"])
    #expect(usual > 0)
    try place.write(Self.botsort, to: "same.yaml")
    #expect(try count(["same.yaml"]) == usual)
    try place.write("tracker_type: botsort\nnew_track_thresh: 1.0", to: "none.yaml")
    #expect(try count(["none.yaml"]) == 0, "no score is enough to begin a track")
    #expect(try count(["none.yaml", "--new-track-thresh", "0.25"]) == usual)
    // A name of Ultralytics' own files is the tracker, unless there is such a file.
    #expect(try count(["botsort.yaml"]) == usual)
    try place.write("tracker_type: botsort\nnew_track_thresh: 1.0", to: "botsort.yaml")
    #expect(try count(["botsort.yaml"]) == 0)
    #expect(try count(["botsort", "--new-track-thresh", "100%"]) == 0)
    #expect(try count(["botsort", "--gmc", "off", "--no-fuse-score"]) == usual)
    #expect(try count(["botsort", "--gmc", "sparseOptFlow"]) == usual)
  }
}
