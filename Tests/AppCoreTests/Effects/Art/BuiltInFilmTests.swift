import AppCore
import Digests
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

  @Test(arguments: effects) func everyEffectShowsSomethingBeforeATransparentGround(_ type: EffectType)
    async throws
  {
    let film = try Self.film(type)
    var shares: [Double] = []
    for moment in 0..<24 { shares.append(Self.coverage(await film.picture(at: Double(moment) / 6 + 0.1))) }
    #expect(shares.max()! > 0.03, "something is to be seen")
    #expect(shares.max()! < 0.95, "and something left free")
    // Lightning strikes and explosions pass; everything else is always there.
    if type != .lightning, type != .explosion { #expect(shares.min()! > 0.01) }
  }

  @Test(arguments: effects) func picturesDependOnTimeAndSeedAlone(_ type: EffectType) async throws {
    let film = try Self.film(type)
    let picture = await film.picture(at: 1.3)
    _ = await film.picture(at: 2)
    #expect(await film.picture(at: 1.3) == picture)
    #expect(try await Self.film(type).picture(at: 1.3) == picture)
    var times: [RGBAImage] = []
    var other: [RGBAImage] = []
    for moment in 1...8 {
      times.append(await film.picture(at: Double(moment) * 0.31))
      other.append(try await Self.film(type, seed: 8).picture(at: Double(moment) * 0.31))
    }
    #expect(Set(times.map(\.pixels)).count > 4, "it moves")
    let isSeeded: Set<EffectType> = [
      .explosion, .lightning, .magic, .snow, .tornado, .love, .dance, .confetti, .flamethrower, .dragonBreath,
    ]
    if isSeeded.contains(type) { #expect(times != other) }
  }

  /// Sums, products and square roots alone: a digest that holds on every machine.
  @Test func theSameBytesEverywhere() async throws {
    var bytes: [UInt8] = []
    for type in Self.effects {
      for time in [0.4, 1.7] { bytes += try await Self.film(type).picture(at: time).pixels }
    }
    #expect(sha256Hex(bytes) == "2ef4805c9c6ab196b80e066c1cf255afe03107e9a135a806b694d2aa79ef8640")
  }

  @Test func sizesTimesAndDebugEffects() async throws {
    let wide = try await Self.film(.smoke, size: PixelSize(width: 64, height: 36)).picture(at: 1)
    #expect(wide.width == 64 && wide.height == 36)
    #expect(try abs(Self.film(.smoke, size: PixelSize(width: 64, height: 36)).aspect - 64.0 / 36) < 1e-9)
    let film = try Self.film(.snow)
    #expect(await film.picture(at: -3) == film.picture(at: 0))
    #expect(await film.picture(at: .nan) == film.picture(at: 0))
    #expect(await film.picture(at: .infinity) == film.picture(at: 0))
    #expect(await film.picture(at: 1e12).pixels.count == 48 * 48 * 4)
    #expect(film.pivot == .bottom)
    #expect(BuiltInFilm(.debugCube) == nil && BuiltInFilm(.debugMesh) == nil)
  }

  /// The same course at every size: a large picture made small looks like the small one.
  @Test(arguments: [EffectType.love, .flamethrower, .aurora]) func sizeChangesNothingButDetail(
    _ type: EffectType
  ) async throws {
    let small = try await Self.film(type).picture(at: 1.1)
    let large = try await Self.film(type, size: PixelSize(width: 96, height: 96)).picture(at: 1.1)
    #expect(abs(Self.coverage(small) - Self.coverage(large)) < 0.05)
  }

  /// Pictures are drawn in bands of rows side by side: no seam shows, whatever their heights.
  @Test(arguments: effects) func bandsOfRowsFitTogether(_ type: EffectType) async throws {
    let film = try Self.film(type, size: PixelSize(width: 51, height: 61))
    let whole = await film.picture(at: 1.3, bandHeight: 61)
    for height in [1, 7, 30] { #expect(await film.picture(at: 1.3, bandHeight: height) == whole) }
  }

  /// Reading a quarter of the pixels gives nearly the same as reading all.
  @Test func smoothValuesAreInterpolated() {
    var all = LightBuffer(size: PixelSize(width: 63, height: 45), rows: 0..<45)
    var quarter = LightBuffer(size: PixelSize(width: 63, height: 45), rows: 0..<45)
    func ramp(_ x: Float, _ y: Float) -> SIMD4<Float> { SIMD4(0.3 + 0.1 * x, 0.2 + 0.3 * y, 0.1, 1) }
    all.shade { ramp($0, $1) }
    quarter.shadeSoftly { ramp($0, $1) }
    let errors = zip(all.texels, quarter.texels).map { a, b in ((a - b) * (a - b)).sum() }
    #expect(errors.max()! < 1e-8, "linear functions are exact, to the border")
  }

  /// Noise continues evenly on both sides of zero and far from it: it is read at times up to an hour.
  @Test(arguments: [Float(0), -0.5, -3000, 2000]) func noiseHasNoSeams(_ start: Float) {
    let noise = NoiseTexture.shared
    let values = (0..<400).map { noise(start + Float($0) / 1024, start + 0.3) }
    let steps = zip(values, values.dropFirst()).map { abs($0 - $1) }
    #expect(steps.max()! < 0.05)
  }
}
