import AppCore
import Geometry
import Imaging
import Synchronization
import Testing

/// A player that notes what is done with it.
final class SpyPlayer: MediaPlayer {
  let calls: Calls
  let name: String
  let isBroken: Bool

  init(_ name: String, _ calls: Calls, isBroken: Bool = false) {
    (self.name, self.calls, self.isBroken) = (name, calls, isBroken)
  }

  func prepare() async throws {
    calls.add("prepare \(name)")
    if isBroken { throw Fault() }
  }
  func play() { calls.add("play \(name)") }
  func pause() { calls.add("pause \(name)") }
  func stop() { calls.add("stop \(name)") }
  func seekToStart() { calls.add("seek \(name)") }
}

final class SpyFactory: PlayerFactory {
  let calls = Calls()
  let broken: Set<Int>
  private let made = Mutex(0)

  init(broken: Set<Int> = []) { self.broken = broken }

  func makePlayer(for type: EffectType) -> (any MediaPlayer)? {
    guard !type.isDebug else { return nil }
    let number = made.withLock { number in
      defer { number += 1 }
      return number
    }
    return SpyPlayer("\(number)", calls, isBroken: broken.contains(number))
  }

  var count: Int { made.withLock { $0 } }
}

struct SpyScene: EffectScene {
  let calls = Calls()
  var refuses = false

  func attach(_ effect: StagedEffect, player: (any MediaPlayer)?) -> Bool {
    guard !refuses else { return false }
    calls.add("attach \(effect.id)")
    return true
  }
  func detach(_ id: Int) { calls.add("detach \(id)") }
}

@Suite struct StageTests {
  // MARK: Pool

  @Test func thePoolKeepsTwoReadyAndFillsUpAgain() async throws {
    let factory = SpyFactory()
    let pool = PlayerPool(factory: factory)
    await pool.preload(.smoke)
    await pool.settled()
    #expect(await pool.readyCount(.smoke) == 1)
    let first = try #require(await pool.take(.smoke) as? SpyPlayer)
    #expect(first.name == "0", "the prepared one")
    await pool.settled()
    #expect(await pool.readyCount(.smoke) == 2)
    #expect(try #require(await pool.take(.smoke) as? SpyPlayer).name == "1", "first prepared, first taken")
    for _ in 0..<5 { await pool.preload(.smoke) }
    await pool.settled()
    #expect(await pool.readyCount(.smoke) == PlayerPool.capacity)
    #expect(await pool.readyCount(.snow) == 0)
    #expect(!factory.calls.list.contains { $0.hasPrefix("stop") })
  }

  @Test func withoutPrerollAPlayerIsMadeOnDemand() async throws {
    let factory = SpyFactory()
    let pool = PlayerPool(factory: factory)
    #expect(await pool.take(.snow) is SpyPlayer)
    #expect(await pool.take(.debugCube) == nil)
    await pool.settled()
    #expect(factory.count == 3, "one taken, two made ready")
  }

  @Test func aFailedPrerollNeverEntersThePool() async throws {
    let factory = SpyFactory(broken: [0])
    let log = RecordingLog()
    let pool = PlayerPool(factory: factory, log: log)
    await pool.preload(.love)
    await pool.settled()
    #expect(await pool.readyCount(.love) == 0)
    #expect(factory.calls.list == ["prepare 0", "stop 0"])
    #expect(log.lines.map(\.text) == ["a player of love could not be prepared: fault 0"])
  }

  @Test func clearingStopsWhatIsReadyAndWhatIsStillBeingPrepared() async throws {
    let factory = SpyFactory()
    let pool = PlayerPool(factory: factory)
    await pool.preload(.magic)
    await pool.settled()
    await pool.preload(.magic)
    await pool.clear()
    await pool.settled()
    #expect(await pool.readyCount(.magic) == 0)
    #expect(factory.calls.list.filter { $0.hasPrefix("stop") }.sorted() == ["stop 0", "stop 1"])
    await pool.preload(.magic)
    await pool.settled()
    #expect(await pool.readyCount(.magic) == 1, "the pool goes on after clearing")
  }

  // MARK: Stage

  @Test func placingAttachesAndPlaysRemovingStopsOnce() async throws {
    let factory = SpyFactory()
    let scene = SpyScene()
    let clock = VirtualClock(now: ms(500))
    let stage = EffectStage(time: clock, pool: PlayerPool(factory: factory), scene: scene)
    let object = PlacementTests.object()
    let placed = try await stage.place(.smoke, on: object)
    #expect(stage.effects.map(\.id) == [placed.id])
    #expect(placed.opacity(at: ms(500)) == 0 && placed.opacity(at: ms(650)) == 0.5)
    #expect(placed.opacity(at: ms(800)) == 1)
    #expect(factory.calls.list.filter { !$0.hasPrefix("prepare") } == ["play 0"], "attaching stops nothing")
    await stage.restart(placed.id)
    #expect(await stage.remove(placed.id))
    #expect(await stage.remove(placed.id) == false, "removing twice is harmless")
    #expect(scene.calls.list == ["attach 0", "detach 0"])
    #expect(
      factory.calls.list.filter { !$0.hasPrefix("prepare") } == ["play 0", "seek 0", "play 0", "stop 0"])
    #expect(stage.effects.isEmpty)
  }

  @Test func onlyWhatIsShownCountsAsPlaced() async throws {
    let factory = SpyFactory()
    var scene = SpyScene()
    scene.refuses = true
    let stage = EffectStage(time: VirtualClock(), pool: PlayerPool(factory: factory), scene: scene)
    await #expect(throws: PlacementError.unavailable(.snow)) {
      try await stage.place(.snow, on: PlacementTests.object())
    }
    #expect(stage.effects.isEmpty)
    #expect(factory.calls.list.contains("stop 0"))
    #expect(!factory.calls.list.contains("play 0"))
  }

  @Test func clearingTakesEverythingAway() async throws {
    let factory = SpyFactory()
    let scene = SpyScene()
    let pool = PlayerPool(factory: factory)
    let stage = EffectStage(time: VirtualClock(), pool: pool, scene: scene)
    let object = PlacementTests.object()
    for type in [EffectType.love, .debugCube, .debugMesh] { try await stage.place(type, on: object) }
    await pool.settled()
    await stage.clear()
    #expect(stage.effects.isEmpty)
    #expect(scene.calls.list.filter { $0.hasPrefix("detach") } == ["detach 0", "detach 1", "detach 2"])
    #expect(factory.calls.list.count { $0.hasPrefix("stop") } == factory.count)
    var snapshots = stage.snapshots().makeAsyncIterator()
    #expect(await snapshots.next()?.isEmpty == true)
    await stage.close()
    #expect(await snapshots.next() == nil)
  }

  @Test func aQueueReportsWhatCannotBePlaced() async throws {
    let stage = EffectStage(time: VirtualClock(), pool: PlayerPool(factory: SpyFactory()), scene: SpyScene())
    var queue = EffectQueue()
    // A distance from everything in the window, but no reading on the mask: no points.
    let window = ObjectExtentTests.sensor((0..<9).map { (130 + $0 % 3, 90 + $0 / 3, 1) })
    let pointless = ExtentEstimator(scene: ObjectExtentTests.scene(window)).extent(
      of: ObjectExtentTests.detection(mask: ObjectExtentTests.mask(leftOfCell: 120)))
    try queue.enqueue(.debugMesh, on: pointless)
    try queue.enqueue(.smoke, on: PlacementTests.object())
    let refused = await stage.place(queue.entries)
    #expect(refused == [.noPoints(objectId: 1)])
    #expect(stage.effects.map(\.effect.type) == [.smoke])
  }

  // MARK: Films

  struct CountingFilm: EffectFilm {
    var aspect: Double { 1 }
    var pivot: Billboard.Pivot { .bottom }
    func picture(at time: Double) throws -> RGBAImage {
      RGBAImage(width: 1, height: 1, pixels: [UInt8(time * 10), 0, 0, 255])
    }
  }

  @Test func aFilmPlaysPausesAndStartsAgain() async throws {
    let clock = VirtualClock()
    let player = FilmPlayer(CountingFilm(), time: clock)
    func shown() async throws -> UInt8? { try await player.picture()?.pixels[0] }
    clock.advance(by: .seconds(1))
    #expect(try await shown() == 0, "it has not started")
    player.play()
    clock.advance(by: .seconds(2))
    player.play()
    #expect(try await shown() == 20)
    player.pause()
    clock.advance(by: .seconds(5))
    #expect(try await shown() == 20)
    player.play()
    clock.advance(by: .seconds(1))
    #expect(try await shown() == 30)
    player.seekToStart()
    clock.advance(by: .seconds(1))
    #expect(try await shown() == 10)
    player.stop()
    player.play()
    #expect(try await shown() == nil)
  }

  @Test func theFilmSceneShowsWhatIsAttached() async throws {
    let clock = VirtualClock()
    let scene = FilmScene()
    let library = FilmLibrary(films: [.smoke: CountingFilm()], time: clock)
    let stage = EffectStage(time: clock, pool: PlayerPool(factory: library), scene: scene)
    let object = PlacementTests.object()
    let smoke = try await stage.place(.smoke, on: object)
    try await stage.place(.debugMesh, on: object)
    clock.advance(by: ms(150))
    let shown = try await scene.shown(at: clock.now)
    #expect(shown.map(\.effect.type) == [.smoke, .debugMesh])
    #expect(shown.map(\.opacity) == [0.5, 0.5])
    #expect(shown[0].picture?.pixels[0] == 1 && shown[0].pivot == .bottom)
    #expect(shown[1].picture == nil && shown[1].cloud.count == object.cloud.count)
    await stage.remove(smoke.id)
    #expect(scene.count == 1)
    #expect(library.own == [.smoke])
    #expect(library.film(of: .snow) is BuiltInFilm)
  }
}
