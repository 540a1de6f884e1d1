import Synchronization

/// Memory for bodies of requests, all together: so that many large ones at once are refused instead of held.
final class BodyRoom: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// Takes room; false where there is too little. A body always has room where there is no other.
  func take(_ bytes: Int) -> Bool {
    taken.withLock { taken in
      guard taken == 0 || bytes <= limit - taken else { return false }
      taken += bytes
      return true
    }
  }

  func giveBack(_ bytes: Int) { taken.withLock { $0 -= bytes } }
}
