import AppCore
import Synchronization
import Testing

@Suite struct OverlayTests {
  /// A cache of the capacity, and what it evicted.
  static func cache(_ capacity: Int = 5) -> (OverlayCache<Int, String>, Evicted) {
    let evicted = Evicted()
    return (OverlayCache(capacity: capacity) { key, item in evicted.list.append("\(key)\(item)") }, evicted)
  }

  final class Evicted {
    var list: [String] = []
  }

  @Test func theLeastRecentlyUsedGoesFirst() {
    var (cache, evicted) = Self.cache()
    for key in 0..<5 { cache.insert("", for: key) }
    let used = cache.use(0)
    #expect(used != nil)
    #expect(cache.contains(1), "looking is no use")
    cache.insert("", for: 5)
    cache.insert("", for: 6)
    #expect(evicted.list == ["1", "2"])
    #expect(cache.keys == [3, 4, 0, 5, 6])
  }

  @Test func theActiveOneStays() {
    var (cache, evicted) = Self.cache(2)
    cache.insert("a", for: 0)
    let isThere = cache.activate(0)
    #expect(isThere)
    for key in 1...3 { cache.insert("", for: key) }
    #expect(cache.keys == [0, 3])
    cache.removeInactive()
    #expect(cache.keys == [0])
    #expect(evicted.list == ["1", "2", "3"])
    let isAbsent = !cache.activate(9)
    #expect(isAbsent)
    #expect(cache.active == 0)
    cache.activate(nil)
    cache.removeInactive()
    #expect(evicted.list == ["1", "2", "3", "0a"])
  }

  @Test func everyItemIsEvictedExactlyOnce() {
    var (cache, evicted) = Self.cache()
    cache.insert("a", for: 1)
    cache.insert("b", for: 1)
    #expect(evicted.list == ["1a"])
    cache.remove(1)
    cache.remove(1)
    cache.removeAll()
    #expect(evicted.list == ["1a", "1b"])
    #expect(cache.count == 0)
  }

  @Test func planesKeepTheFilmsShapeAndFadeIn() {
    let plane = OverlayPlane(shownAt: ms(1_000))
    #expect(OverlayPlane.height == 0.225)
    #expect(plane.opacity(at: ms(900)) == 0)
    #expect(plane.opacity(at: ms(1_000)) == 0)
    #expect(plane.opacity(at: ms(1_150)) == 0.5)
    #expect(plane.opacity(at: ms(1_300)) == 1)
    #expect(plane.opacity(at: ms(9_000)) == 1)
  }

  @Test func evictedFilmsArePausedAndTakenAway() async {
    let scene = Scene()
    let clock = VirtualClock(now: ms(40))
    let manager = OverlayManager(time: clock, scene: scene, capacity: 2)
    let players = (0..<3).map { _ in Player() }
    await manager.show(players[0], for: 10)
    await manager.show(players[1], for: 11)
    #expect(await manager.activate(10))
    await manager.show(players[2], for: 12)
    #expect(await manager.hasVideo(10))
    #expect(await manager.hasVideo(12))
    #expect(await !manager.hasVideo(11))
    #expect(players.map(\.calls) == [["play", "play"], ["play", "pause"], ["play"]])
    await manager.perform(.dropObjects(olderThan: .zero))
    await manager.perform(.clearInactiveOverlays)
    #expect(await manager.hasVideo(12))
    #expect(await !manager.hasVideo(10))
    #expect(await !manager.activate(10))
    await manager.remove(12)
    await manager.removeAll()
    #expect(players.map { $0.calls.count { $0 == "pause" } } == [1, 1, 1])
    #expect(
      scene.calls == ["attach 10", "attach 11", "attach 12", "detach 11", "detach 10", "detach 12"]
        || scene.calls == ["attach 10", "attach 11", "detach 11", "attach 12", "detach 10", "detach 12"])
  }

  final class Player: MediaPlayer {
    private let kept = Mutex<[String]>([])
    var calls: [String] { kept.withLock { $0 } }
    private func add(_ call: String) { kept.withLock { $0.append(call) } }
    func prepare() { add("prepare") }
    func play() { add("play") }
    func pause() { add("pause") }
    func stop() { add("stop") }
    func seekToStart() { add("seek") }
  }

  final class Scene: SceneSink {
    private let kept = Mutex<[String]>([])
    var calls: [String] { kept.withLock { $0 } }
    func attach(_ plane: OverlayPlane, player: any MediaPlayer, to objectId: Int) {
      #expect(plane.shownAt == ms(40))
      kept.withLock { $0.append("attach \(objectId)") }
    }
    func detach(_ objectId: Int) { kept.withLock { $0.append("detach \(objectId)") } }
  }
}
