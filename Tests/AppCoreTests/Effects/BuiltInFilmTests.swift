import AppCore
import FileFormats
import Geometry
import Imaging
import Testing

@Suite struct BuiltInFilmTests {
  static let effects = EffectType.allCases.filter { !$0.isDebug }
  static let size = PixelSize(width: 48, height: 48)

  static func film(_ type: EffectType, seed: UInt64 = 7, size: PixelSize = size) throws -> BuiltInFilm {
    try #require(BuiltInFilm(type, seed: seed, size: size))
  }

  static func coverage(_ picture: RGBAImage) -> Double {
    let shown = stride(from: 3, to: picture.pixels.count, by: 4).count { picture.pixels[$0] > 25 }
    return Double(shown) / Double(picture.width * picture.height)
  }

  @Test(arguments: effects) func everyEffectShowsSomethingBeforeATransparentGround(_ type: EffectType) throws
  {
    let film = try Self.film(type)
    let shares = (0..<24).map { Self.coverage(film.picture(at: Double($0) / 6 + 0.1)) }
    #expect(shares.max()! > 0.03, "something is to be seen")
    #expect(shares.max()! < 0.95, "and something left free")
    // Lightning strikes and explosions pass; everything else is always there.
    if type != .lightning, type != .explosion { #expect(shares.min()! > 0.01) }
  }

  @Test(arguments: effects) func picturesDependOnTimeAndSeedAlone(_ type: EffectType) throws {
    let film = try Self.film(type)
    let picture = film.picture(at: 1.3)
    _ = film.picture(at: 2)
    #expect(film.picture(at: 1.3) == picture)
    #expect(try Self.film(type).picture(at: 1.3) == picture)
    let times = (1...8).map { film.picture(at: Double($0) * 0.31) }
    #expect(Set(times.map(\.pixels)).count > 4, "it moves")
    let other = try (1...8).map { try Self.film(type, seed: 8).picture(at: Double($0) * 0.31) }
    let isSeeded: Set<EffectType> = [
      .explosion, .lightning, .magic, .snow, .tornado, .love, .dance, .confetti, .flamethrower, .dragonBreath,
    ]
    if isSeeded.contains(type) { #expect(times != other) }
  }

  /// Sums, products and square roots alone: a digest that holds on every machine.
  @Test func theSameBytesEverywhere() throws {
    var bytes: [UInt8] = []
    for type in Self.effects {
      for time in [0.4, 1.7] { bytes += try Self.film(type).picture(at: time).pixels }
    }
    #expect(sha256Hex(bytes) == "884188f0eda0332ffa49735b2ccb927de8525420f41d6ff578956e46b428998a")
  }

  @Test func sizesTimesAndDebugEffects() throws {
    let wide = try Self.film(.smoke, size: PixelSize(width: 64, height: 36)).picture(at: 1)
    #expect(wide.width == 64 && wide.height == 36)
    #expect(try abs(Self.film(.smoke, size: PixelSize(width: 64, height: 36)).aspect - 64.0 / 36) < 1e-9)
    let film = try Self.film(.snow)
    #expect(film.picture(at: -3) == film.picture(at: 0))
    #expect(film.picture(at: .nan) == film.picture(at: 0))
    #expect(film.picture(at: .infinity) == film.picture(at: 0))
    #expect(film.picture(at: 1e12).pixels.count == 48 * 48 * 4)
    #expect(film.pivot == .bottom)
    #expect(BuiltInFilm(.debugCube) == nil && BuiltInFilm(.debugMesh) == nil)
  }

  /// The same course at every size: a large picture made small looks like the small one.
  @Test(arguments: [EffectType.love, .flamethrower, .aurora]) func sizeChangesNothingButDetail(
    _ type: EffectType
  ) throws {
    let small = try Self.film(type).picture(at: 1.1)
    let large = try Self.film(type, size: PixelSize(width: 96, height: 96)).picture(at: 1.1)
    #expect(abs(Self.coverage(small) - Self.coverage(large)) < 0.05)
  }
}
