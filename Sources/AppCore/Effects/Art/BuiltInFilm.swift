import Geometry
import Imaging

/// A film of an effect: a picture with transparency for every moment.
public protocol EffectFilm: Sendable {
  /// Width over height of the pictures.
  var aspect: Double { get }
  /// Which part of the plane stands on the effect's anchor.
  var pivot: Billboard.Pivot { get }
  /// The picture `time` seconds after the start; endless.
  ///
  /// - Throws: if the film cannot be read.
  func picture(at time: Double) async throws -> RGBAImage
}

/// A film that is drawn, not read: a pure function of effect, time and seed, at any size.
///
/// The same arguments give the same bytes on every machine: only sums, products and square roots are used.
package struct BuiltInFilm: EffectFilm {
  /// The effect.
  package let type: EffectType
  /// Which of its many courses it takes.
  package let seed: UInt64
  /// The pictures' size.
  package let size: PixelSize
  private let art: any EffectArt

  /// The default size of `picture`.
  package static let defaultSize = PixelSize(width: 320, height: 320)
  /// Effects repeat after this many seconds, for arithmetic to stay exact.
  private static let longestTime = 4096.0

  /// The film of an effect; nil for the debug effects, which are drawn from the measured extent.
  package init?(_ type: EffectType, seed: UInt64 = 0, size: PixelSize = defaultSize) {
    guard let art = Self.art(of: type) else { return nil }
    self.type = type
    self.seed = seed
    self.size = size
    self.art = art
  }

  /// Width over height.
  package var aspect: Double { Double(size.width) / Double(size.height) }
  /// Effects rise from their anchor.
  package var pivot: Billboard.Pivot { .bottom }

  /// Rows of a picture that are drawn at a time, all bands side by side.
  package static let bandHeight = 80

  /// The picture at a time; times before the start show the start.
  package func picture(at time: Double) async -> RGBAImage {
    await picture(at: time, bandHeight: Self.bandHeight)
  }

  /// The same in bands of another height.
  package func picture(at time: Double, bandHeight: Int) async -> RGBAImage {
    let bounded = time.isFinite ? max(time, 0).truncatingRemainder(dividingBy: Self.longestTime) : 0
    let moment = EffectMoment(time: Float(bounded), scatter: Scatter(seed: seed))
    let pixels = await Bands.drawn(height: size.height, bandHeight: bandHeight) { rows in
      var buffer = LightBuffer(size: size, rows: rows)
      art.draw(moment, on: &buffer)
      return buffer.pixels()
    }
    return RGBAImage(width: size.width, height: size.height, pixels: pixels)
  }

  private static func art(of type: EffectType) -> (any EffectArt)? {
    switch type {
    case .explosion: ExplosionArt()
    case .flamethrower: FlameArt.thrower
    case .dragonBreath: FlameArt.dragonBreath
    case .smoke: SmokeArt()
    case .lightning: LightningArt()
    case .magic: MagicArt()
    case .snow: SnowArt()
    case .tornado: TornadoArt()
    case .love: LoveArt()
    case .aurora: AuroraArt()
    case .dance: DanceArt()
    case .confetti: ConfettiArt()
    case .debugCube, .debugMesh: nil
    }
  }
}
