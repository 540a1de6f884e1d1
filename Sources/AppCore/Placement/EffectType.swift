/// A visual effect that can be placed on an object.
public enum EffectType: String, Sendable, CaseIterable, Hashable {
  case explosion, flamethrower, smoke, lightning, magic, snow, tornado, love, aurora, dance, confetti
  case dragonBreath
  /// A translucent red cube at the object's box.
  case debugCube
  /// The object's points as yellow dots.
  case debugMesh

  /// Kind of an effect's asset.
  public enum AssetKind: String, Sendable {
    /// A looped film with transparency on an upright plane.
    case video
    /// An animated three-dimensional model.
    case model
    /// Drawn from the measured extent, without any asset.
    case debug
  }

  /// Shape of an effect on the screen.
  package enum Form {
    /// Pictures of a film on an upright plane.
    case film
    /// A cube at the object's box.
    case cube
    /// The object's points.
    case points
  }

  /// Its shape on the screen.
  package var form: Form {
    switch self {
    case .explosion, .flamethrower, .smoke, .lightning, .magic, .snow, .tornado, .love, .aurora, .dance,
      .confetti,
      .dragonBreath:
      .film
    case .debugCube: .cube
    case .debugMesh: .points
    }
  }

  /// Whether the effect needs no asset.
  public var isDebug: Bool { form != .film }

  /// The effect whose name is `name`, ignoring case, `-` and `_`: `dragon-breath` is `dragonBreath`.
  public init?(name: String) {
    let key = name.lowercased().filter { $0 != "-" && $0 != "_" }
    guard let match = Self.allCases.first(where: { $0.rawValue.lowercased() == key }) else { return nil }
    self = match
  }
}

/// A set of effects that a version of the app offers.
public enum EffectCatalogue: String, Sendable, CaseIterable {
  /// Films: thirteen effects.
  case films
  /// The older set of animated models: six effects.
  case models

  /// The effects in the order in which they are offered.
  public var effects: [EffectType] {
    switch self {
    case .films:
      [
        .explosion, .flamethrower, .smoke, .lightning, .magic, .snow, .tornado, .love, .aurora, .dance,
        .confetti, .debugCube, .debugMesh,
      ]
    case .models: [.flamethrower, .explosion, .lightning, .dragonBreath, .smoke, .debugCube]
    }
  }

  /// The kind of asset of an effect of this catalogue.
  public func kind(of effect: EffectType) -> EffectType.AssetKind {
    if effect.isDebug { return .debug }
    return self == .films ? .video : .model
  }

  /// The effects that can be placed with the assets at hand, named as the effects; debug effects always can.
  public func available(assets: Set<String>) -> [EffectType] {
    let present = Set(assets.compactMap(EffectType.init(name:)))
    return effects.filter { $0.isDebug || present.contains($0) }
  }
}
