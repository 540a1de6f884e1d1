import AppCore
import Geometry
import Testing

@Suite struct ObjectTrackerTests {
  @Test func overlapOfOneHalfKeepsTheIdAndSmoothsTheBox() {
    var tracker = ObjectTracker()
    tracker.update([detection(x: 0, side: 90)], at: ms(0))
    // Shifted by a third: common 60, union 120 of the side.
    tracker.update([detection(x: 30, side: 90)], at: ms(300))
    #expect(tracker.objects.map(\.id) == [0])
    #expect(tracker.objects[0].box == Rect(x: 15, y: 0, width: 90, height: 90))
    #expect(tracker.objects[0].sightings == 2)
    #expect(tracker.objects[0].firstSeen == ms(0))
    #expect(tracker.objects[0].lastSeen == ms(300))
    // 31 from the smoothed box is too far.
    tracker.update([detection(x: 46, side: 90)], at: ms(600))
    #expect(tracker.objects.map(\.id) == [0, 1])
  }

  @Test func classesAreNotMixed() {
    var tracker = ObjectTracker()
    tracker.update([detection(classId: 1)], at: ms(0))
    tracker.update([detection(classId: 2)], at: ms(1))
    #expect(tracker.objects.map(\.classId) == [1, 2])
    #expect(tracker.objects.map(\.sightings) == [1, 1])
  }

  @Test func greatestOverlapsAreJoinedFirst() {
    var tracker = ObjectTracker()
    tracker.update([detection(0, x: 0), detection(1, x: 30)], at: ms(0))
    // The first detection overlaps both objects, the second one more than the first.
    tracker.update([detection(0, x: 20), detection(1, x: 0)], at: ms(1))
    #expect(tracker.objects.map(\.id) == [0, 1])
    #expect(tracker.objects.map(\.box.minX) == [0, 25])
  }

  @Test func equalOverlapsGoToTheOlderObjectAndTheEarlierDetection() {
    var tracker = ObjectTracker()
    tracker.update([detection(0, x: 0), detection(1, x: 40)], at: ms(0))
    tracker.update([detection(0, x: 20)], at: ms(1))
    #expect(tracker.objects.map(\.box.minX) == [10, 40])
    tracker = ObjectTracker()
    tracker.update([detection(0, x: 20)], at: ms(0))
    tracker.update([detection(0, x: 0), detection(1, x: 40)], at: ms(1))
    #expect(tracker.objects.map(\.box.minX) == [10, 40])
    #expect(tracker.objects.map(\.id) == [0, 1])
  }

  @Test func objectsExpireAfterMoreThanThirtySecondsAndIdsAreNotUsedAgain() {
    var tracker = ObjectTracker()
    tracker.update([detection()], at: .zero)
    tracker.expire(at: .seconds(30))
    #expect(tracker.objects.count == 1)
    tracker.expire(at: .seconds(30) + .nanoseconds(1))
    #expect(tracker.objects.isEmpty)
    tracker.update([detection()], at: .seconds(40))
    #expect(tracker.objects.map(\.id) == [1])
  }

  @Test func expiredObjectsAreNotJoined() {
    var tracker = ObjectTracker()
    tracker.update([detection()], at: .zero)
    tracker.update([detection()], at: .seconds(31))
    #expect(tracker.objects.map(\.id) == [1])
    #expect(tracker.objects.map(\.sightings) == [1])
  }

  @Test func memoryPressureDropsTheOldAndTheUnseen() {
    var tracker = ObjectTracker()
    tracker.update([detection(x: 0)], at: .seconds(0))
    tracker.update([detection(x: 500)], at: .seconds(12))
    tracker.update([detection(x: 1000)], at: .seconds(21))
    var less = tracker
    less.drop(olderThan: .seconds(20), at: .seconds(21))
    #expect(less.objects.map(\.id) == [1, 2])
    less.drop(olderThan: .seconds(10), at: .seconds(23))
    #expect(less.objects.map(\.id) == [2])
    tracker.dropAllButCurrent()
    #expect(tracker.objects.map(\.id) == [2])
    tracker.update([], at: .seconds(22))
    tracker.dropAllButCurrent()
    #expect(tracker.objects.isEmpty)
  }
}
