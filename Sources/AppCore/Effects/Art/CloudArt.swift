/// A rising plume of smoke, lit from the upper left.
struct SmokeArt: EffectArt {
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let (time, noise) = (moment.time, moment.noise)
    func density(_ x: Float, _ y: Float) -> Float {
      let height = y / 2
      let drift = (noise(height * 0.9 - time * 0.13, 5.3) - 0.5) * 1.1 * height
      let half = 0.12 + 0.74 * height
      let swirl = noise(x * 0.8 + 2, y * 0.7 - time * 0.32)
      let across = (x - drift + (swirl - 0.5) * 0.5 * (0.3 + height)) / half
      let billows = noise(x * 0.95 + swirl * 0.5, y * 0.8 - time * 0.5)
      let wisps = noise(x * 2.2 + 7 + swirl * 0.6, y * 1.7 - time * 0.85)
      let body = 1 - across * across
      let thickness = body * 0.95 + (billows - 0.5) * 1.7 + (wisps - 0.5) * 0.75 - height * 0.22
      return thickness * smoothStep(0, 0.08, y) * smoothStep(2, 1.45, y)
    }
    // What lies towards the light shades what is here.
    buffer.shade(
      cell: 4,
      smooth: { x, y in
        SIMD4(density(x, y), density(x - 0.07, y + 0.09), 0, 0)
      }
    ) { _, _, densities in
      let here = densities.x
      guard here > 0.02 else { return .zero }
      let light = min(max(0.62 + (here - densities.y) * 0.55, 0.22), 0.97)
      let alpha = smoothStep(0.02, 0.95, here) * 0.86
      let tone = SIMD3<Float>(light * 0.97, light * 0.98, light)
      return SIMD4(tone * alpha, alpha)
    }
  }
}

/// A funnel of dust that turns about a swaying axis.
struct TornadoArt: EffectArt {
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let (time, noise) = (moment.time, moment.noise)
    func axis(_ y: Float) -> Float {
      (0.10 * Wave.sine(y * 0.42 - time * 0.31) + 0.05 * Wave.sine(y * 0.9 + time * 0.53)) * (0.35 + y * 0.5)
    }
    func half(_ y: Float) -> Float { 0.055 + 0.13 * y + 0.115 * y * y }
    buffer.shadeSoftly { x, y in
      let edge = half(y) * (1 + (noise(y * 1.7 - time * 1.2, 1.5) - 0.5) * 0.35)
      let across = (x - axis(y)) / edge
      var color = SIMD4<Float>.zero
      if abs(across) < 1.25 {
        // The side seen at `across` = sin(angle): the surface turns under the eye.
        let bounded = min(max(across, -1), 1)
        let turn = Self.arcSine(bounded)
        let spin = time * (1.5 - y * 0.35)
        let front = noise((turn + spin) * 3 + y * 0.9, y * 2.1 - time * 0.55)
        let back = noise((0.5 - turn + spin) * 3 + y * 0.9, y * 2.1 - time * 0.55)
        let streaks = noise((turn + spin) * 5 + 3, y * 5 + turn * 4)
        let rim = smoothStep(1.25, 0.8, abs(across))
        let dense = min(max(0.25 + (front - 0.42) * 1.9 + (streaks - 0.5) * 0.7 + (back - 0.5) * 0.6, 0), 1)
        let alpha = rim * (0.30 + 0.62 * dense) * smoothStep(2, 1.65, y)
        let round = 0.58 - bounded * 0.3 + (front - 0.5) * 0.5 + (streaks - 0.5) * 0.25
        let light = min(max(round, 0.12), 0.95)
        color = SIMD4(SIMD3(light * 0.93, light * 0.89, light * 0.82) * alpha, alpha)
      }
      return color
    }
    dust(moment, on: &buffer)
    debris(moment, axis: axis, half: half, on: &buffer)
  }

  /// Dust thrown up around the foot.
  private func dust(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let (time, noise) = (moment.time, moment.noise)
    buffer.shadeSoftly(upTo: 0.62) { x, y in
      guard y < 0.6 else { return .zero }
      let cloud = noise(x * 1.2 - time * 0.7, y * 1.9 - time * 0.18)
      let fine = noise(x * 2.9 + time * 0.6, y * 3.1 - time * 0.3)
      let mound = 1 - (x * x) / 0.42 - y / (0.34 + 0.2 * cloud)
      let dense = smoothStep(0, 0.8, mound + (cloud - 0.5) * 1.3 + (fine - 0.5) * 0.5)
      let alpha = dense * 0.72
      let light = 0.5 + (cloud - 0.5) * 0.5 + y * 0.25
      return SIMD4(SIMD3(light * 0.86, light * 0.76, light * 0.62) * alpha, alpha) * smoothStep(0, 0.05, y)
    }
  }

  private func debris(
    _ moment: EffectMoment, axis: (Float) -> Float, half: (Float) -> Float, on buffer: inout LightBuffer
  ) {
    for index in 0..<46 {
      let life = moment.life(
        period: moment.scatter.value(index, 0, in: 1.6...3.4), offset: moment.scatter.unit(index, 1))
      let seed = index &+ life.generation &* 97
      let height = 0.05 + life.age * moment.scatter.value(seed, 2, in: 0.6...1.7)
      let turn = moment.scatter.unit(seed, 3) + moment.time * moment.scatter.value(index, 4, in: 0.8...1.5)
      let distance = half(height) * moment.scatter.value(seed, 5, in: 1.0...1.5)
      let depth = Wave.sine(turn)
      let place = SIMD2(axis(height) + Wave.cosine(turn) * distance, height + depth * distance * 0.18)
      let visible = (depth < 0 ? 1 : 0.35) * smoothStep(0, 0.1, life.age) * smoothStep(1, 0.8, life.age)
      let size = moment.scatter.value(index, 6, in: 0.006...0.017)
      buffer.disc(place, radius: size, softness: size * 0.5, SIMD3(0.25, 0.2, 0.15), visible)
    }
  }

  /// asin / 2 pi within 0.002, from a polynomial and a square root (Abramowitz and Stegun 4.4.45).
  private static func arcSine(_ x: Float) -> Float {
    let a = abs(x)
    let polynomial = 1.5707288 + a * (-0.2121144 + a * (0.0742610 - a * 0.0187293))
    let angle = (1.5707964 - (1 - a).squareRoot() * polynomial) / 6.2831855
    return x < 0 ? -angle : angle
  }
}
