import Geometry

/// A box that moves: a Kalman filter of constant velocity over four numbers of the box.
///
/// The noise of motion and of measurement is a share of the box's size, so that near and far objects are followed alike.
/// It couples no two of the four numbers, so that the filter of eight states is four of two.
///
/// Source: A. Bewley et al., *Simple online and realtime tracking* (2016); N. Wojke et al., *Simple online and realtime
/// tracking with a deep association metric* (2017), whose weights these are; N. Aharon et al., *BoT-SORT* (2022), for
/// width in place of aspect ratio.
struct BoxMotion: Sendable {
  /// The meaning of the two numbers that follow the center.
  enum Shape: Sendable {
    /// Width over height, and height (ByteTrack).
    case aspectAndHeight
    /// Width and height (BoT-SORT).
    case widthAndHeight
  }

  /// One number and its velocity, per frame.
  private struct Axis: Sendable {
    var value: Double
    var velocity = 0.0
    // Variance of the value, covariance, variance of the velocity.
    var variance: (value: Double, both: Double, velocity: Double)

    mutating func predict(noise: Double, velocityNoise: Double) {
      value += velocity
      variance.value += 2 * variance.both + variance.velocity + noise * noise
      variance.both += variance.velocity
      variance.velocity += velocityNoise * velocityNoise
    }

    mutating func update(_ measured: Double, noise: Double) {
      let innovation = measured - value
      let total = variance.value + noise * noise
      let gain = (value: variance.value / total, velocity: variance.both / total)
      value += gain.value * innovation
      velocity += gain.velocity * innovation
      variance.velocity -= gain.velocity * gain.velocity * total
      variance.both -= gain.value * gain.velocity * total
      variance.value -= gain.value * gain.value * total
    }
  }

  /// Standard deviation of a position, as a share of the box's size.
  private static let position = 1.0 / 20
  /// Standard deviation of a velocity, per frame.
  private static let velocity = 1.0 / 160
  /// Those of an aspect ratio and of its velocity, and of a measured one.
  private static let aspect = (value: 1e-2, velocity: 1e-5, measured: 1e-1)

  private let shape: Shape
  private var axes: [Axis]

  /// A box at rest.
  ///
  /// - Precondition: its height is positive.
  init(_ box: TrackedBox, shape: Shape) {
    self.shape = shape
    let numbers = Self.numbers(of: box, shape)
    let scales = Self.scales(numbers, shape)
    axes = zip(numbers, scales).map { number, scale in
      let value = scale.map { 2 * Self.position * $0 } ?? Self.aspect.value
      let velocity = scale.map { 10 * Self.velocity * $0 } ?? Self.aspect.velocity
      return Axis(value: number, variance: (value * value, 0, velocity * velocity))
    }
  }

  /// Moves on by a frame.
  ///
  /// - `isSeen`: whether the last frame showed the object; if not, its height (in width and height: both) stays.
  /// - `movesUnseen`: whether its place keeps moving then.
  mutating func predict(isSeen: Bool, movesUnseen: Bool) {
    if !isSeen {
      axes[3].velocity = 0
      if shape == .widthAndHeight { axes[2].velocity = 0 }
      if !movesUnseen { for index in axes.indices { axes[index].velocity = 0 } }
    }
    for (index, scale) in Self.scales(axes.map(\.value), shape).enumerated() {
      axes[index].predict(
        noise: scale.map { Self.position * $0 } ?? Self.aspect.value,
        velocityNoise: scale.map { Self.velocity * $0 } ?? Self.aspect.velocity)
    }
  }

  /// Takes in where a detector sees the box.
  mutating func update(_ box: TrackedBox) {
    let measured = Self.numbers(of: box, shape)
    for (index, scale) in Self.scales(axes.map(\.value), shape).enumerated() {
      axes[index].update(measured[index], noise: scale.map { Self.position * $0 } ?? Self.aspect.measured)
    }
  }

  /// The box as it is now.
  var box: TrackedBox {
    let height = axes[3].value
    let width = shape == .widthAndHeight ? axes[2].value : axes[2].value * height
    return TrackedBox(
      minX: Float(axes[0].value - width / 2), minY: Float(axes[1].value - height / 2),
      maxX: Float(axes[0].value - width / 2 + width), maxY: Float(axes[1].value - height / 2 + height))
  }

  private static func numbers(of box: TrackedBox, _ shape: Shape) -> [Double] {
    let (width, height) = (box.maxX - box.minX, box.maxY - box.minY)
    return [
      Double(box.minX + width / 2), Double(box.minY + height / 2),
      Double(shape == .widthAndHeight ? width : width / height), Double(height),
    ]
  }

  /// The number to which each number's noise is proportional; nil for an aspect ratio.
  private static func scales(_ numbers: [Double], _ shape: Shape) -> [Double?] {
    switch shape {
    case .aspectAndHeight: [numbers[3], numbers[3], nil, numbers[3]]
    case .widthAndHeight: [numbers[2], numbers[3], numbers[2], numbers[3]]
    }
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
