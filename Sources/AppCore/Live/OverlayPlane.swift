/// The plane on which an overlay's film is shown: seen from both sides, fading in when it appears.
public struct OverlayPlane: Sendable, Equatable {
  /// Width in metres.
  public static let width = 0.4
  /// The film's size in pixels.
  public static let filmWidth = 1280
  /// The film's size in pixels.
  public static let filmHeight = 720
  /// Height in metres: as the film's sides demand, 0.225.
  public static let height = width * Double(filmHeight) / Double(filmWidth)
  /// How long it takes to become opaque.
  public static let fadeIn = Duration.milliseconds(300)

  /// When the plane appeared.
  public let shownAt: Duration

  /// A plane that appears at a time.
  public init(shownAt: Duration) { self.shownAt = shownAt }

  /// Opacity in [0, 1]: rises linearly during the fade-in.
  public func opacity(at now: Duration) -> Double {
    min(max((now - shownAt).inSeconds / Self.fadeIn.inSeconds, 0), 1)
  }
}
