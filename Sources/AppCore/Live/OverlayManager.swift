/// The platform's scene, which shows overlays.
package protocol SceneSink: Sendable {
  /// Shows a plane with a film for an object.
  func attach(_ plane: OverlayPlane, player: any MediaPlayer, to objectId: Int)
  /// Takes the object's plane away; nothing if it has none.
  func detach(_ objectId: Int)
}

/// Keeps the films of the objects in view: shown while active, paused and dropped on eviction.
package actor OverlayManager {
  private let time: any TimeSource
  private let scene: any SceneSink
  private var cache: OverlayCache<Int, any MediaPlayer>

  /// A manager without overlays.
  package init(time: any TimeSource, scene: any SceneSink, capacity: Int = 5) {
    self.time = time
    self.scene = scene
    cache = OverlayCache(capacity: capacity) { objectId, player in
      player.pause()
      scene.detach(objectId)
    }
  }

  /// Whether the object has a film.
  package func hasVideo(_ objectId: Int) -> Bool { cache.contains(objectId) }

  /// Shows and plays a film for an object and makes it the active one.
  package func show(_ player: any MediaPlayer, for objectId: Int) {
    cache.activate(nil)
    cache.insert(player, for: objectId)
    cache.activate(objectId)
    scene.attach(OverlayPlane(shownAt: time.now), player: player, to: objectId)
    player.play()
  }

  /// Makes a film that is there the active one and plays on; false if there is none.
  @discardableResult
  package func activate(_ objectId: Int) -> Bool {
    guard cache.activate(objectId) else { return false }
    cache.use(objectId)?.play()
    return true
  }

  /// Frees films as the memory manager asks.
  package func perform(_ action: MemoryAction) {
    switch action {
    case .clearInactiveOverlays, .keepOnlyActiveOverlay: cache.removeInactive()
    case .dropObjects, .dropAllButCurrentObjects: break
    }
  }

  /// Takes an object's film away.
  package func remove(_ objectId: Int) { cache.remove(objectId) }

  /// Takes all films away.
  package func removeAll() { cache.removeAll() }
}
