/// A film that plays on an overlay or an effect; adapters drive the platform's player.
public protocol MediaPlayer: AnyObject, Sendable {
  /// Loads enough to start without delay.
  ///
  /// - Throws: if the film cannot be played; such a player is never shown.
  func prepare() async throws
  /// Starts or resumes.
  func play()
  /// Pauses; `play` resumes from here.
  func pause()
  /// Stops permanently and frees the film.
  func stop()
  /// Returns to the first picture.
  func seekToStart()
}
