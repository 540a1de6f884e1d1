/// A film that plays on an overlay or an effect; adapters drive the platform's player.
public protocol MediaPlayer: AnyObject, Sendable {
  /// Loads enough to start without delay.
  ///
  /// - Throws: if the film cannot be played; such a player is never shown.
  func prepare() async throws
  /// Starts or goes on.
  func play()
  /// Halts; `play` goes on from here.
  func pause()
  /// Ends for good and frees the film.
  func stop()
  /// Returns to the first picture.
  func seekToStart()
}
