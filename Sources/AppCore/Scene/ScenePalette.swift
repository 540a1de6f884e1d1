/// Linear colors that tell things apart.
enum ScenePalette {
  private static let objects: [[Double]] = [
    [0.02, 0.7, 0.75], [0.9, 0.35, 0.02], [0.2, 0.65, 0.05], [0.6, 0.1, 0.75], [0.9, 0.65, 0.02],
    [0.05, 0.25, 0.9], [0.85, 0.06, 0.2], [0.3, 0.3, 0.3],
  ]

  static func color(_ index: Int) -> [Double] { objects[index % objects.count] }

  /// A color that suits an effect.
  static func color(of effect: EffectType) -> [Double] {
    switch effect {
    case .explosion, .flamethrower, .dragonBreath: [1, 0.25, 0.02]
    case .smoke, .tornado: [0.3, 0.3, 0.32]
    case .lightning: [0.55, 0.65, 1]
    case .magic, .aurora: [0.35, 0.1, 0.9]
    case .snow: [0.9, 0.95, 1]
    case .love: [0.9, 0.05, 0.3]
    case .dance, .confetti: [0.9, 0.6, 0.05]
    case .debugCube: [1, 0, 0]
    case .debugMesh: [1, 1, 0]
    }
  }
}
