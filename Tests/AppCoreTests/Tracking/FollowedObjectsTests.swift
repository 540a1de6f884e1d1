import AppCore
import Geometry
import Testing

@Suite struct FollowedObjectsTests {
  /// Detections at places, one after the other.
  static func followed(_ places: [Double], each interval: Duration = ms(300)) -> FollowedObjects {
    var followed = FollowedObjects()
    for (number, x) in places.enumerated() {
      _ = followed.update([detection(x: x, side: 90)], at: interval * number)
    }
    return followed
  }

  @Test func anObjectIsFollowedFromItsFirstDetectionAndItsBoxIsSmoothed() {
    var followed = FollowedObjects()
    #expect(followed.update([detection(x: 0, side: 90)], at: ms(0)).map(\.track) == [1])
    #expect(followed.objects.map(\.box) == [Rect(x: 0, y: 0, width: 90, height: 90)])
    // Of the second picture too, which is no beginning.
    let two = [detection(0, x: 400, side: 90), detection(1, x: 20, side: 90)]
    #expect(followed.update(two, at: ms(300)).map(\.track) == [2, 1])
    #expect(followed.objects.map(\.id) == [1, 2])
    #expect(followed.objects.map(\.detectionId) == [1, 0])
    let first = followed.objects[0]
    #expect(first.box.minX > 10 && first.box.minX < 20, "between where it was and where it is seen")
    #expect(abs(first.box.width - 90) < 1e-3 && abs(first.box.height - 90) < 1e-3)
    #expect(first.sightings == 2 && first.firstSeen == ms(0) && first.lastSeen == ms(300))
  }

  @Test func anOverlapOfLessThanAHalfIsAnotherObject() {
    // Of 90 pixels 62 in common: 62 / 118.
    #expect(Self.followed([0, 28]).objects.map(\.id) == [1])
    // 57 in common: 57 / 123.
    #expect(Self.followed([0, 33]).objects.map(\.id) == [1, 2])
  }

  @Test func classesAreNotMixed() {
    var followed = FollowedObjects()
    _ = followed.update([detection(classId: 1)], at: ms(0))
    _ = followed.update([detection(classId: 2)], at: ms(1))
    #expect(followed.objects.map(\.classId) == [1, 2])
    #expect(followed.objects.map(\.sightings) == [1, 1])
    #expect(
      followed.update([detection(0, classId: 2), detection(1, classId: 1)], at: ms(2)).map(\.track) == [2, 1])
  }

  @Test func pairsAreThoseThatOverlapMostTogether() {
    var followed = FollowedObjects()
    _ = followed.update([detection(0, x: 0, side: 90), detection(1, x: 30, side: 90)], at: ms(0))
    // The first detection overlaps both objects, the second one more than the first.
    let second = [detection(0, x: 20, side: 90), detection(1, x: 0, side: 90)]
    #expect(followed.update(second, at: ms(1)).map(\.track) == [2, 1])
  }

  /// The filter alone says what is sure enough.
  @Test func lowScoresAreFollowedToo() {
    var followed = FollowedObjects()
    for number in 0..<3 {
      let unsure = Detection(
        id: 0, classId: 0, className: "class 0", confidence: 0.04,
        box: Rect(x: 4 * Double(number), y: 0, width: 90, height: 90))
      #expect(followed.update([unsure], at: ms(number)).map(\.track) == [1])
    }
  }

  @Test func anObjectOutOfSightIsWhereItWasSeenLast() {
    let places = (0..<10).map { Double(10 * $0) }
    var followed = Self.followed(places)
    let last = followed.objects[0]
    for second in 4..<30 { _ = followed.update([], at: .seconds(second)) }
    #expect(followed.objects == [last])
    #expect(followed.update([detection(x: 90, side: 90)], at: .seconds(30)).map(\.track) == [1])
    #expect(followed.objects.map(\.sightings) == [11])
  }

  @Test func objectsExpireAfterMoreThanThirtySecondsAndIdsAreNotUsedAgain() {
    var followed = FollowedObjects()
    _ = followed.update([detection()], at: .zero)
    followed.expire(at: .seconds(30))
    #expect(followed.objects.count == 1)
    followed.expire(at: .seconds(30) + .nanoseconds(1))
    #expect(followed.objects.isEmpty)
    #expect(followed.update([detection()], at: .seconds(40)).map(\.track) == [2])
    #expect(followed.objects.map(\.id) == [2])
  }

  @Test func expiredObjectsAreNotJoined() {
    var followed = FollowedObjects(lifetime: .seconds(5))
    _ = followed.update([detection()], at: .zero)
    _ = followed.update([detection()], at: .seconds(6))
    #expect(followed.objects.map(\.id) == [2])
    #expect(followed.objects.map(\.sightings) == [1])
  }

  @Test func memoryPressureDropsTheOldAndTheUnseen() {
    var followed = FollowedObjects()
    _ = followed.update([detection(x: 0)], at: .seconds(0))
    _ = followed.update([detection(x: 500)], at: .seconds(12))
    _ = followed.update([detection(x: 1000)], at: .seconds(21))
    var less = followed
    less.drop(olderThan: .seconds(20), at: .seconds(21))
    #expect(less.objects.map(\.id) == [2, 3])
    less.drop(olderThan: .seconds(10), at: .seconds(23))
    #expect(less.objects.map(\.id) == [3])
    followed.dropAllButCurrent()
    #expect(followed.objects.map(\.id) == [3])
    _ = followed.update([], at: .seconds(22))
    followed.dropAllButCurrent()
    #expect(followed.objects.isEmpty)
    #expect(followed.update([detection(x: 1000)], at: .seconds(23)).map(\.track) == [4])
  }

  /// Other rules of the tracker are the tracker's: two sights, pictures instead of time.
  @Test func theTrackersRulesAreTheLoopsIfAskedFor() {
    var rules = TrackingRules(.botsort)
    rules.buffer = 2
    var followed = FollowedObjects(rules)
    _ = followed.update([], at: ms(0))
    #expect(followed.update([detection()], at: ms(1)).map(\.track) == [nil])
    #expect(followed.objects.isEmpty)
    #expect(followed.update([detection()], at: ms(2)).map(\.track) == [1])
    #expect(followed.objects.map(\.sightings) == [1])
    for number in 3..<9 { _ = followed.update([], at: ms(number)) }
    #expect(followed.objects.isEmpty)
  }
}
