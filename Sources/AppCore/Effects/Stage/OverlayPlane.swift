/// The plane on which an overlay's film is shown: seen from both sides, fading in when it appears.
package struct OverlayPlane: Sendable, Equatable {
  /// Width in meters.
  package static let width = 0.4
  /// The film's size in pixels.
  package static let filmWidth = 1280
  /// The film's size in pixels.
  package static let filmHeight = 720
  /// Height in meters: as the film's sides demand, 0.225.
  package static let height = width * Double(filmHeight) / Double(filmWidth)
  /// How long it takes to become opaque.
  package static let fadeIn = Duration.milliseconds(300)

  /// When the plane appeared.
  package let shownAt: Duration

  /// A plane that appears at a time.
  package init(shownAt: Duration) { self.shownAt = shownAt }

  /// Opacity in [0, 1]: rises linearly during the fade-in.
  package func opacity(at now: Duration) -> Double {
    min(max((now - shownAt).inSeconds / Self.fadeIn.inSeconds, 0), 1)
  }
}
