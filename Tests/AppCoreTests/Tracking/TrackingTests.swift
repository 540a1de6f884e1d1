import AppCore
import FileFormats
import Geometry
import TestSupport
import Testing

/// Identities beside those of Ultralytics' trackers on the same boxes (tools/reference/goldens/make-tracking-goldens.py).
@Suite struct TrackingTests {
  static let settings: [(name: String, rules: TrackingRules)] = {
    var short = TrackingRules(.bytetrack)
    short.buffer = 5
    var plain = TrackingRules(.bytetrack)
    plain.fusesScores = false
    return [
      ("bytetrack", TrackingRules(.bytetrack)), ("botsort", TrackingRules(.botsort)),
      ("bytetrack, buffer 5", short), ("bytetrack, scores not fused", plain),
    ]
  }()

  static let films: [JSONValue] = {
    let path = "\(SharedData.packageRoot)/Tests/AppCoreTests/Goldens/ultralytics-8.4.190-tracks.json"
    return (try? JSONValue.read(path: path))?["films"]?.array ?? []
  }()

  static func detection(_ id: Int, _ row: [Double]) -> Detection {
    Detection(
      id: id, classId: 0, className: "thing", confidence: Float(row[4]),
      box: Rect(minX: row[0], minY: row[1], maxX: row[2], maxY: row[3]))
  }

  @Test(arguments: settings.map(\.name))
  func identitiesAreUltralyticss(_ name: String) throws {
    let rules = try #require(Self.settings.first { $0.name == name }?.rules)
    try #require(Self.films.count >= 6)
    for (number, film) in Self.films.enumerated() {
      let expected = try #require(film["tracks"]?[name]?.array)
      var tracker = MultiObjectTracker(rules)
      for (picture, rows) in try #require(film["boxes"]?.array).enumerated() {
        let detections = (rows.array ?? []).enumerated().map { id, row in
          Self.detection(id, (row.array ?? []).compactMap(\.number))
        }
        let ids = tracker.update(detections).map { $0 ?? 0 }
        let theirs = (expected[picture].array ?? []).compactMap { $0.integer(in: 0...1_000_000) }
        #expect(ids == theirs, "film \(number), picture \(picture)")
      }
    }
  }

  @Test func anObjectOfTheFirstPictureIsFollowedAtOnceAndALaterOneFromItsSecond() {
    var tracker = MultiObjectTracker()
    let first = Self.detection(0, [10, 10, 50, 90, 0.9])
    let second = Self.detection(1, [200, 10, 260, 90, 0.9])
    #expect(tracker.update([first]) == [1])
    #expect(tracker.update([first, second]) == [1, nil])
    #expect(tracker.update([second, first]) == [2, 1])
  }

  @Test func aHiddenObjectKeepsItsIdentityForAsLongAsTheBuffer() {
    for (gap, id) in [(20, 1), (40, 2)] {
      var tracker = MultiObjectTracker()
      let thing = Self.detection(0, [100, 100, 180, 220, 0.9])
      _ = tracker.update([thing])
      for _ in 0..<gap { #expect(tracker.update([Detection]()).isEmpty) }
      _ = tracker.update([thing])
      #expect(tracker.update([thing]) == [id])
    }
  }

  @Test func whatIsForgottenIsAnotherObjectWhenItIsSeenAgain() {
    var tracker = MultiObjectTracker()
    let things = [Self.detection(0, [10, 10, 50, 90, 0.9]), Self.detection(1, [200, 10, 260, 90, 0.9])]
    #expect(tracker.update(things) == [1, 2])
    tracker.forget([1, 7])
    #expect(tracker.update(things) == [nil, 2])
    #expect(tracker.update(things) == [3, 2])
    // One that is not seen is forgotten too.
    #expect(tracker.update([things[0]]) == [3])
    tracker.forget([2])
    _ = tracker.update(things)
    #expect(tracker.update(things) == [3, 4])
  }

  @Test func boxesWithoutAreaAndScoresTooLowAreNoObjects() {
    var tracker = MultiObjectTracker()
    #expect(
      tracker.update([Self.detection(0, [5, 5, 5, 30, 0.9]), Self.detection(1, [5, 5, 30, 30, 0.05])])
        == [nil, nil])
  }

  /// Implausible detections, as a client's own detector may give.
  @Test func numbersThatAreNoneAreNoObjectsAndDisturbNoOther() {
    var tracker = MultiObjectTracker(.live)
    let thing = Self.detection(0, [100, 100, 180, 220, 0.9])
    let wild: [[Double]] = [
      [.nan, 0, 10, 10, 0.9], [0, 0, .infinity, 10, 0.9], [-1e30, -1e30, 1e30, 1e30, 0.9],
      [20, 20, 10, 30, 0.9],
      [100, 100, 180, 220, .nan], [100, 100, 180, 220, .infinity],
    ]
    for _ in 0..<3 {
      let detections = [thing] + wild.enumerated().map { Self.detection($0.offset + 1, $0.element) }
      #expect(tracker.update(detections) == [1] + wild.map { _ in nil })
    }
  }
}
