import Geometry

/// An effect on the stage.
public struct StagedEffect: Sendable, Identifiable {
  /// Never used again.
  public let id: Int
  /// The effect and its place.
  public let effect: PlacedEffect
  /// The object's box, if it was measured.
  public let box: Box3D?
  /// The object's points.
  public let cloud: [Point3<World>]
  /// When it was placed.
  public let placedAt: Duration

  /// Opacity in [0, 1]: rises linearly over `OverlayPlane.fadeIn`.
  public func opacity(at now: Duration) -> Double { OverlayPlane(shownAt: placedAt).opacity(at: now) }
}

/// Presenter of placed effects: the platform's scene.
public protocol EffectScene: Sendable {
  /// Shows an effect; false if nothing could be shown.
  func attach(_ effect: StagedEffect, player: (any MediaPlayer)?) -> Bool
  /// Takes an effect away; nothing if it is not there.
  func detach(_ id: Int)
}

/// The effects in the world, from placing to removal.
///
/// An effect counts as placed only once the scene shows it. Removing detaches it and stops its player, exactly
/// once; removing it again does nothing.
public actor EffectStage {
  private let time: any TimeSource
  private let pool: PlayerPool
  private let scene: any EffectScene
  private let state = SnapshotStream<[StagedEffect]>([])
  private var players: [Int: any MediaPlayer] = [:]
  private var nextId = 0

  /// An empty stage.
  public init(time: any TimeSource, pool: PlayerPool, scene: any EffectScene) {
    self.time = time
    self.pool = pool
    self.scene = scene
  }

  /// The effects, first placed first, and every change.
  public nonisolated func snapshots() -> AsyncStream<[StagedEffect]> { state.snapshots() }

  /// The effects, first placed first.
  public nonisolated var effects: [StagedEffect] { state.current }

  /// Gets a player ready for an effect that was chosen.
  public func prepare(_ type: EffectType) async {
    if !type.isDebug { await pool.preload(type) }
  }

  /// Places an effect on a measured object.
  ///
  /// - Throws: `PlacementError`: no place, no points, no film, or the scene shows nothing.
  @discardableResult
  public func place(_ type: EffectType, on object: ObjectExtent) async throws(PlacementError) -> StagedEffect
  {
    let effect = try PlacedEffect(type, on: object)
    var player: (any MediaPlayer)?
    if !type.isDebug {
      player = await pool.take(type)
      guard player != nil else { throw .unavailable(type) }
    }
    let staged = StagedEffect(
      id: nextId, effect: effect, box: object.box3D, cloud: type == .debugMesh ? object.cloud : [],
      placedAt: time.now)
    nextId += 1
    guard scene.attach(staged, player: player) else {
      player?.stop()
      throw .unavailable(type)
    }
    player?.play()
    players[staged.id] = player
    state.update { $0.append(staged) }
    return staged
  }

  /// Places everything in the queue, first chosen first; what cannot be placed is reported.
  public func place(_ entries: [EffectQueue.Entry]) async -> [PlacementError] {
    var refused: [PlacementError] = []
    for entry in entries {
      do throws(PlacementError) {
        try await place(entry.type, on: entry.object)
      } catch {
        refused.append(error)
      }
    }
    return refused
  }

  /// Removes one effect; false if it is not there (any more).
  @discardableResult
  public func remove(_ id: Int) -> Bool {
    guard state.current.contains(where: { $0.id == id }) else { return false }
    state.update { $0.removeAll { $0.id == id } }
    scene.detach(id)
    players.removeValue(forKey: id)?.stop()
    return true
  }

  /// Removes all effects and lets go of the players that wait.
  public func clear() async {
    for effect in state.current { remove(effect.id) }
    await pool.clear()
  }

  /// Lets the films of all effects start again when they have ended: called by players that end.
  public func restart(_ id: Int) {
    players[id]?.seekToStart()
    players[id]?.play()
  }

  /// Ends the snapshots.
  public func close() { state.finish() }
}
