/// Makes players for effects.
public protocol PlayerFactory: Sendable {
  /// A player that has loaded nothing yet; nil for effects that have no film.
  func makePlayer(for type: EffectType) -> (any MediaPlayer)?
}

/// Players that are ready to start: a few of each effect, so that placing one never waits for its film.
///
/// Taking one starts preparing the next in the background. A player whose preparation fails never enters the pool,
/// and one that is ready when the pool is already full is stopped at once.
public actor PlayerPool {
  /// How many are kept ready of an effect.
  public static let capacity = 2

  private let factory: any PlayerFactory
  private let log: any LogSink
  private var ready: [EffectType: [any MediaPlayer]] = [:]
  /// Preparations under way; those of before the latest `clear` are disposed of when they end.
  private var pending: [EffectType: Int] = [:]
  private var generation = 0
  private var tasks: [Int: Task<Void, Never>] = [:]
  private var nextTask = 0

  /// An empty pool.
  public init(factory: any PlayerFactory, log: any LogSink = SilentLog()) {
    self.factory = factory
    self.log = log
  }

  /// How many players of an effect are ready.
  public func readyCount(_ type: EffectType) -> Int { ready[type]?.count ?? 0 }

  /// Prepares one player, if the pool has room: for effects that the user is about to choose.
  public func preload(_ type: EffectType) {
    guard readyCount(type) + (pending[type] ?? 0) < Self.capacity else { return }
    start(type)
  }

  /// Hands out the player that has been ready for longest, else a new one that loads as it starts.
  ///
  /// The pool is then refilled in the background. nil for effects without a film.
  public func take(_ type: EffectType) -> (any MediaPlayer)? {
    let player = readyCount(type) > 0 ? ready[type]?.removeFirst() : factory.makePlayer(for: type)
    guard player != nil else { return nil }
    while readyCount(type) + (pending[type] ?? 0) < Self.capacity, start(type) {}
    return player
  }

  /// Stops everything that is ready or being prepared.
  public func clear() {
    for players in ready.values { for player in players { player.stop() } }
    ready = [:]
    pending = [:]
    generation += 1
    for task in tasks.values { task.cancel() }
  }

  /// Returns once nothing is being prepared.
  public func settled() async {
    while let task = tasks.values.first { await task.value }
  }

  @discardableResult
  private func start(_ type: EffectType) -> Bool {
    guard let player = factory.makePlayer(for: type) else { return false }
    pending[type, default: 0] += 1
    let (id, started) = (nextTask, generation)
    nextTask += 1
    tasks[id] = Task {
      let failure: (any Error)?
      do {
        try await player.prepare()
        failure = nil
      } catch {
        failure = error
      }
      self.finish(player, of: type, task: id, started: started, failure)
    }
    return true
  }

  private func finish(
    _ player: any MediaPlayer, of type: EffectType, task: Int, started: Int, _ failure: (any Error)?
  ) {
    tasks[task] = nil
    guard started == generation else { return player.stop() }
    pending[type, default: 1] -= 1
    if let failure {
      log.error("a player of \(type.rawValue) could not be prepared", failure)
      player.stop()
    } else if readyCount(type) < Self.capacity {
      ready[type, default: []].append(player)
    } else {
      player.stop()
    }
  }
}
