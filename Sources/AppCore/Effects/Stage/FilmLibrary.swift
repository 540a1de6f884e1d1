import FileFormats
import Geometry

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// The films of effects: the user's own where a folder holds them, built-in ones for all others.
public struct FilmLibrary: PlayerFactory {
  private let films: [EffectType: any EffectFilm]
  private let time: any TimeSource
  private let seed: UInt64

  /// The built-in films alone.
  public init(time: any TimeSource, seed: UInt64 = 0) {
    self.init(films: [:], time: time, seed: seed)
  }

  /// Films of some effects; built-in ones stand in for the others.
  public init(films: [EffectType: any EffectFilm], time: any TimeSource, seed: UInt64 = 0) {
    self.films = films
    self.time = time
    self.seed = seed
  }

  /// The effects that come from the user's own films.
  public var own: [EffectType] { films.keys.sorted { $0.rawValue < $1.rawValue } }

  /// The film of an effect; nil for debug effects.
  public func film(of type: EffectType) -> (any EffectFilm)? {
    films[type] ?? BuiltInFilm(type, seed: seed)
  }

  /// A player of the effect's film.
  public func makePlayer(for type: EffectType) -> (any MediaPlayer)? {
    film(of: type).map { FilmPlayer($0, time: time) }
  }
}
