import HTTPServing
import Synchronization

/// Memory for bodies of requests, all together: so that many large ones at once are refused instead of held.
final class BodyRoom: Sendable {
  private let limit: Int
  private let taken = Mutex(0)

  init(limit: Int) { self.limit = limit }

  /// The part of one request; goes back with the last reference.
  final class Part: Sendable {
    private let room: BodyRoom
    private let bytes = Mutex(0)

    init(_ room: BodyRoom) { self.room = room }

    /// Takes more.
    ///
    /// - Throws: `Refusal.overloaded` where there is too little.
    func take(_ count: Int) throws(Refusal) {
      let fits = room.taken.withLock { taken in
        guard count <= room.limit - taken else { return false }
        taken += count
        return true
      }
      guard fits else { throw .overloaded("too many bytes of requests are held; try again", retryAfter: 1) }
      bytes.withLock { $0 += count }
    }

    deinit {
      let bytes = bytes.withLock { $0 }
      room.taken.withLock { $0 -= bytes }
    }
  }
}
