import Synchronization

/// A scene that is drawn by us: holds what is attached, and says how it looks at any moment.
public final class FilmScene: EffectScene {
  private struct Entry {
    let staged: StagedEffect
    let player: FilmPlayer?
  }

  private let entries = Mutex<[Entry]>([])

  /// An empty scene.
  public init() {}

  /// How many effects are attached.
  public var count: Int { entries.withLock(\.count) }

  /// Shows an effect; false for a player other than `FilmPlayer`.
  public func attach(_ effect: StagedEffect, player: (any MediaPlayer)?) -> Bool {
    let film = player as? FilmPlayer
    guard film != nil || player == nil else { return false }
    entries.withLock { $0.append(Entry(staged: effect, player: film)) }
    return true
  }

  /// Takes an effect away.
  public func detach(_ id: Int) { entries.withLock { $0.removeAll { $0.staged.id == id } } }

  /// The effects as they look now, first placed first; their films are drawn side by side.
  ///
  /// - Throws: what a film throws.
  public func shown(at now: Duration) async throws -> [ShownEffect] {
    let entries = entries.withLock { $0 }
    return try await withThrowingTaskGroup(of: (Int, ShownEffect).self) { group in
      for (number, entry) in entries.enumerated() {
        group.addTask { (number, try await Self.shown(entry, at: now)) }
      }
      var shown: [(Int, ShownEffect)] = []
      for try await effect in group { shown.append(effect) }
      return shown.sorted { $0.0 < $1.0 }.map(\.1)
    }
  }

  private static func shown(_ entry: Entry, at now: Duration) async throws -> ShownEffect {
    ShownEffect(
      effect: entry.staged.effect, box: entry.staged.box, cloud: entry.staged.cloud,
      picture: try await entry.player?.picture(), pivot: entry.player?.pivot ?? .center,
      opacity: entry.staged.opacity(at: now))
  }
}
