import Geometry

/// A box that moves: Kalman filters of constant velocity over its center and over its size.
///
/// The noise of motion and of measurement is a share of the box's size, so that near and far objects are followed alike.
/// It couples neither filter with the other.
///
/// Source: A. Bewley et al., *Simple online and realtime tracking* (2016); N. Wojke et al., *Simple online and realtime
/// tracking with a deep association metric* (2017), whose weights these are; N. Aharon et al., *BoT-SORT* (2022), for
/// width in place of aspect ratio and for the camera's motion.
struct BoxMotion: Sendable {
  /// The meaning of the two numbers that follow the center.
  enum Shape: Sendable {
    /// Width over height, and height (ByteTrack).
    case aspectAndHeight
    /// Width and height (BoT-SORT).
    case widthAndHeight
  }

  /// Standard deviation of a position, as a share of the box's size.
  private static let position = 1.0 / 20
  /// Standard deviation of a velocity, per frame.
  private static let velocity = 1.0 / 160
  /// Those of an aspect ratio and of its velocity, and of a measured one.
  private static let aspect = (value: 1e-2, velocity: 1e-5, measured: 1e-1)

  private let shape: Shape
  private var (center, size): (PairMotion, PairMotion)

  /// A box at rest.
  ///
  /// - Precondition: its height is positive.
  init(_ box: TrackedBox, shape: Shape) {
    self.shape = shape
    let (place, extent) = Self.numbers(of: box, shape)
    let scale = Self.scale(extent, shape)
    center = PairMotion(
      place, deviation: 2 * Self.position * scale, velocityDeviation: 10 * Self.velocity * scale)
    var deviation = 2 * Self.position * scale
    var velocityDeviation = 10 * Self.velocity * scale
    if shape == .aspectAndHeight {
      deviation.x = Self.aspect.value
      velocityDeviation.x = Self.aspect.velocity
    }
    size = PairMotion(extent, deviation: deviation, velocityDeviation: velocityDeviation)
  }

  /// Moves on by a frame.
  ///
  /// - `isSeen`: whether the last frame showed the object; if not, its height (in width and height: both) stays.
  /// - `movesUnseen`: whether its place keeps moving then.
  mutating func predict(isSeen: Bool, movesUnseen: Bool) {
    if !isSeen {
      size.stop(1)
      if shape == .widthAndHeight || !movesUnseen { size.stop(0) }
      if !movesUnseen {
        center.stop(0)
        center.stop(1)
      }
    }
    let scale = Self.scale(size.value, shape)
    center.predict(noise: Self.position * scale, velocityNoise: Self.velocity * scale)
    var (noise, velocityNoise) = (Self.position * scale, Self.velocity * scale)
    if shape == .aspectAndHeight { (noise.x, velocityNoise.x) = (Self.aspect.value, Self.aspect.velocity) }
    size.predict(noise: noise, velocityNoise: velocityNoise)
  }

  /// Takes in where a detector sees the box.
  mutating func update(_ box: TrackedBox) {
    let (place, extent) = Self.numbers(of: box, shape)
    let scale = Self.scale(size.value, shape)
    center.update(place, noise: Self.position * scale)
    var noise = Self.position * scale
    if shape == .aspectAndHeight { noise.x = Self.aspect.measured }
    size.update(extent, noise: noise)
  }

  /// Follows the camera's motion from the last frame to this one.
  ///
  /// - Precondition: its shape is width and height.
  mutating func follow(_ camera: Similarity) {
    precondition(shape == .widthAndHeight, "an aspect ratio does not turn")
    center.follow(camera.turned, shift: camera.shift)
    size.follow(camera.sizeOfTurnedBox, shift: .zero)
  }

  /// The box as it is now.
  var box: TrackedBox {
    let height = size.value.y
    let width = shape == .widthAndHeight ? size.value.x : size.value.x * height
    let (left, top) = (center.value.x - width / 2, center.value.y - height / 2)
    return TrackedBox(
      minX: Float(left), minY: Float(top), maxX: Float(left + width), maxY: Float(top + height))
  }

  private static func numbers(
    of box: TrackedBox, _ shape: Shape
  ) -> (center: SIMD2<Double>, size: SIMD2<Double>) {
    let (width, height) = (box.maxX - box.minX, box.maxY - box.minY)
    let first = shape == .widthAndHeight ? width : width / height
    return (
      SIMD2(Double(box.minX + width / 2), Double(box.minY + height / 2)),
      SIMD2(Double(first), Double(height))
    )
  }

  /// The numbers to which the noise of center and size is proportional, but for that of an aspect ratio.
  private static func scale(_ size: SIMD2<Double>, _ shape: Shape) -> SIMD2<Double> {
    shape == .widthAndHeight ? size : SIMD2(size.y, size.y)
  }
}

/// A box in pixels, in the precision in which boxes are compared.
struct TrackedBox: Sendable, Equatable {
  var minX, minY, maxX, maxY: Float

  /// A box of a detection.
  init<Frame>(_ box: Rect<Frame>) {
    (minX, minY, maxX, maxY) = (Float(box.minX), Float(box.minY), Float(box.maxX), Float(box.maxY))
  }

  /// A box from its edges.
  init(minX: Float, minY: Float, maxX: Float, maxY: Float) {
    (self.minX, self.minY, self.maxX, self.maxY) = (minX, minY, maxX, maxY)
  }

  /// Intersection over union with another box.
  func overlap(_ other: TrackedBox) -> Float {
    let width = max(min(maxX, other.maxX) - max(minX, other.minX), 0)
    let height = max(min(maxY, other.maxY) - max(minY, other.minY), 0)
    let both = width * height
    return both / (area + other.area - both + 1e-7)
  }

  /// Whether it has pixels, and no more than can be counted.
  var hasArea: Bool { maxX > minX && maxY > minY && area > 0 && area.isFinite }

  private var area: Float { (maxX - minX) * (maxY - minY) }
}
