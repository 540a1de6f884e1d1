import FileFormats

/// Meters that a reading of depth may say: no sensor and no network sees farther than 100 km, and within it every
/// measure of a scene stays finite.
enum DepthMeters: NumberBounds {
  static let range = 0.0...1e5
  static let expected = "meters from 0 to 100,000"
}

/// Meters of one unit of a stored depth: with less, 16 bits end within the nearest that any sensor reads; with more, its
/// steps are longer than rooms' furniture.
package enum DepthUnitMeters: NumberBounds {
  package static let range = 1e-6...1.0
  package static let expected = "meters of one unit, from 0.000001 to 1"
}

/// Meters from the world's origin along an axis: sixteen times the Earth's radius, so that every map projection and
/// Earth-centered frame fits; doubles are 15 nm apart there.
enum WorldMeters: NumberBounds {
  static let range = -1e8...1e8
  static let expected = "meters within 100,000,000 of the world's origin"
}

/// Meters from the world's origin along an axis, of what a camera sees: it may look along one from its border.
enum SceneMeters: NumberBounds {
  static let range = -1e9...1e9
  static let expected = "meters within 1,000,000,000 of the world's origin"
}
