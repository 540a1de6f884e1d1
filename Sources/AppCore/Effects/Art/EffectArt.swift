/// One moment of an effect being drawn.
struct EffectMoment: Sendable {
  /// Seconds since the effect began.
  let time: Float
  /// Random numbers of this effect alone.
  let scatter: Scatter
  let noise = NoiseTexture.shared

  /// Where in its life a thing is that is born again every `period` seconds, and how often it has been born.
  ///
  /// `offset` in [0, 1) spreads things over the period. Every life may draw random numbers of its own.
  func life(period: Float, offset: Float) -> (age: Float, generation: Int) {
    let position = time / period + offset
    let whole = position.rounded(.down)
    return (position - whole, Int(whole))
  }
}

/// Draws one effect.
protocol EffectArt: Sendable {
  /// Adds the effect's light at a moment.
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer)
}

/// A ramp of colors.
struct ColorRamp: Sendable {
  private static let count = 256
  private let colors: [SIMD3<Float>]

  /// Stops in rising order from 0 to 1.
  init(_ stops: [(Float, SIMD3<Float>)]) {
    colors = (0..<Self.count).map { index in
      let position = Float(index) / Float(Self.count - 1)
      guard let next = stops.firstIndex(where: { $0.0 >= position }) else { return stops[stops.count - 1].1 }
      guard next > 0 else { return stops[0].1 }
      let (low, high) = (stops[next - 1], stops[next])
      return mix(low.1, high.1, (position - low.0) / (high.0 - low.0))
    }
  }

  /// The color at a position, the ends beyond them.
  @inline(__always)
  subscript(position: Float) -> SIMD3<Float> {
    colors[Int(min(max(position, 0), 1) * Float(Self.count - 1))]
  }

  /// Burning gas from its dark edge to its white core.
  static let fire = ColorRamp([
    (0, SIMD3(0, 0, 0)), (0.18, SIMD3(0.35, 0.03, 0.01)), (0.4, SIMD3(0.9, 0.22, 0.02)),
    (0.62, SIMD3(1.0, 0.55, 0.08)), (0.82, SIMD3(1.0, 0.85, 0.35)), (1, SIMD3(1.0, 0.98, 0.85)),
  ])

  /// A dragon's: green at the edge, gold at the core.
  static let dragon = ColorRamp([
    (0, SIMD3(0, 0, 0)), (0.2, SIMD3(0.01, 0.2, 0.16)), (0.42, SIMD3(0.05, 0.6, 0.32)),
    (0.62, SIMD3(0.45, 0.9, 0.25)), (0.82, SIMD3(0.98, 0.95, 0.45)), (1, SIMD3(1.0, 1.0, 0.9)),
  ])
}
