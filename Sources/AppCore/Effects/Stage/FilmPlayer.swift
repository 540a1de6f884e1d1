import Imaging
import Synchronization

/// Plays an effect's film on a clock: the stand-in for a platform's video player.
package final class FilmPlayer: MediaPlayer {
  private struct State {
    /// Played time when it was last halted.
    var played = Duration.zero
    /// Since when it has been playing; nil while halted.
    var since: Duration?
    var isStopped = false
  }

  private let film: any EffectFilm
  private let time: any TimeSource
  private let state = Mutex(State())

  /// A halted player at its film's start.
  package init(_ film: any EffectFilm, time: any TimeSource) {
    self.film = film
    self.time = time
  }

  /// Which part of the film's plane stands on the effect's anchor.
  package var pivot: Billboard.Pivot { film.pivot }

  /// Whether it has ended for good.
  package var isStopped: Bool { state.withLock(\.isStopped) }

  /// Time played so far.
  package var position: Duration {
    let now = time.now
    return state.withLock { $0.played + ($0.since.map { now - $0 } ?? .zero) }
  }

  /// The picture to show now; nil once stopped.
  ///
  /// - Throws: what the film throws.
  package func picture() async throws -> RGBAImage? {
    isStopped ? nil : try await film.picture(at: position.inSeconds)
  }

  /// Draws the film's first picture, so that the next one comes without delay.
  ///
  /// - Throws: what the film throws; such a player is never shown.
  package func prepare() async throws { _ = try await film.picture(at: 0) }

  /// Starts or resumes; does nothing once stopped.
  package func play() {
    let now = time.now
    state.withLock { if !$0.isStopped, $0.since == nil { $0.since = now } }
  }

  /// Halts.
  package func pause() {
    let now = time.now
    state.withLock { state in
      if let since = state.since { state.played += now - since }
      state.since = nil
    }
  }

  /// Ends for good.
  package func stop() {
    pause()
    state.withLock { $0.isStopped = true }
  }

  /// Returns to the first picture, playing on if it was.
  package func seekToStart() {
    let now = time.now
    state.withLock { state in
      state.played = .zero
      if state.since != nil { state.since = now }
    }
  }
}
