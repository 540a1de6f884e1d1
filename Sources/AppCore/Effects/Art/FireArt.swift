/// A jet of flames that widens as it rises, with sparks.
struct FlameArt: EffectArt {
  let ramp: ColorRamp
  /// How far the jet leans to the right at its end.
  let lean: Float
  /// How fast it rises, units a second.
  let speed: Float
  /// Half its width at the end.
  let spread: Float

  static let thrower = FlameArt(ramp: .fire, lean: 0, speed: 2.3, spread: 0.80)
  static let dragonBreath = FlameArt(ramp: .dragon, lean: 0.75, speed: 1.8, spread: 0.66)

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let (time, noise) = (moment.time, moment.noise)
    let start = lean * -0.6
    func heat(_ x: Float, _ y: Float) -> Float {
      let height = y / 2
      let axis = start + lean * 1.4 * height * height
      let half = 0.055 + spread * (height * (1.25 - 0.55 * height))
      // Slow bends move the jet, fast small noise eats its edge into tongues.
      let bend = (noise(y * 0.55 - time * speed * 0.45, 3.7) - 0.5) * 0.9 * height
      // Further out nothing burns, whatever the noise: the body's loss outweighs all that it can add.
      guard abs(x - axis - bend) < 1.75 * half + 0.33 else { return -1 }
      let ripple = (noise(x * 1.3 + 9, y * 1.1 - time * speed) - 0.5) * 0.55 * (0.15 + height)
      let across = abs(x - axis - bend - ripple) / half
      let tongues = noise(x * 1.6 + 4, y * 0.85 - time * speed * 1.15)
      let detail = noise(x * 3.4, y * 2.1 - time * speed * 1.6)
      let body = 1.18 - across * across * 0.9
      let burnt = height * height * 1.05
      return max(body - burnt + (tongues - 0.5) * (0.5 + 1.9 * height) + (detail - 0.5) * 0.5, -1)
    }
    let halfWidth = buffer.halfWidth
    buffer.shade(smooth: { x, y in SIMD4(heat(x, y), 0, 0, 0) }) { x, y, values in
      let heat = values.x
      guard heat > 0 else { return .zero }
      let light = ramp[heat * 0.86] * min(1, heat * 2.2)
      // Nothing ends at the picture's edge.
      let root =
        smoothStep(0, 0.07, y) * smoothStep(2, 1.7, y) * smoothStep(halfWidth, halfWidth - 0.15, abs(x))
      let alpha = smoothStep(0.1, 0.75, heat) * 0.75
      return SIMD4(light, alpha) * root
    }
    sparks(moment, from: start, on: &buffer)
  }

  private func sparks(_ moment: EffectMoment, from start: Float, on buffer: inout LightBuffer) {
    for index in 0..<36 {
      let life = moment.life(
        period: moment.scatter.value(index, 0, in: 0.8...1.7), offset: moment.scatter.unit(index, 1))
      let seed = index &+ life.generation &* 101
      let height = life.age * moment.scatter.value(seed, 2, in: 1.1...2.1)
      let side = moment.scatter.value(seed, 3, in: -1...1) * (0.08 + spread * height * 0.55)
      let sway = Wave.sine(life.age * 1.5 + moment.scatter.unit(seed, 4)) * 0.05
      let axis = start + lean * 0.35 * height * height
      let fade = (1 - life.age) * smoothStep(0, 0.1, life.age)
      let place = SIMD2(axis + side + sway, height)
      buffer.glow(place, radius: 0.035, ramp[0.62], fade * 0.7)
      buffer.glow(place, radius: 0.013, ramp[0.9], fade * 1.6)
    }
  }
}

/// A fireball that bursts, throws burning pieces and leaves smoke; again every few seconds.
struct ExplosionArt: EffectArt {
  private static let period: Float = 2.6
  private static let center = SIMD2<Float>(0, 0.85)

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let life = moment.life(period: Self.period, offset: 0)
    let age = life.age * Self.period
    let shift = moment.scatter.value(life.generation, 0, in: 0...8)
    cloud(age, shift, moment.noise, on: &buffer)
    pieces(age, life.generation, moment.scatter, on: &buffer)
    let flash = max(0, 1 - age / 0.16)
    if flash > 0 {
      buffer.glow(Self.center, radius: 0.95, SIMD3(1, 0.9, 0.7), flash * 1.6)
    }
    ring(age, on: &buffer)
  }

  private func cloud(_ age: Float, _ shift: Float, _ noise: NoiseTexture, on buffer: inout LightBuffer) {
    let grown = age / (age + 0.22)
    let radius = 0.16 + 0.78 * grown
    let rise = 0.16 * age
    let cooling = max(0, 1.45 - age * 0.95)
    let thinning = 1 - smoothStep(1.1, 2.5, age)
    // The noise flows outwards: it is read at a place that moves towards the middle.
    let inward = 1 / (0.35 + radius)
    func turmoil(_ x: Float, _ y: Float) -> SIMD4<Float> {
      let d = SIMD2(x - Self.center.x, y - Self.center.y - rise)
      guard (d * d).sum() < radius * radius * 2.5 else { return .zero }
      return SIMD4(
        noise(d.x * inward * 1.3 + shift, d.y * inward * 1.3 - age * 0.25),
        noise(d.x * inward * 3.4 - shift, d.y * inward * 3.4 + age * 0.3), 0, 0)
    }
    buffer.shade(smooth: turmoil) { x, y, values in
      let d = SIMD2(x - Self.center.x, y - Self.center.y - rise)
      let distance = (d * d).sum().squareRoot()
      guard distance < radius * 1.5 else { return .zero }
      let (turmoil, detail) = (values.x, values.y)
      let shape = 1 - distance / radius + (turmoil - 0.5) * 1.15 + (detail - 0.5) * 0.4
      let density = smoothStep(0.02, 0.42, shape)
      guard density > 0 else { return .zero }
      let heat = (shape * 0.9 + (detail - 0.45) * 0.7) * cooling
      let flame = ColorRamp.fire[min(heat * 1.05, 1)] * min(1, heat * 2)
      let lit = 0.10 + 0.22 * max(0, turmoil - 0.3) + 0.08 * (d.y / radius)
      let smoke = SIMD3<Float>(lit * 1.06, lit, lit * 0.96)
      let alpha = density * thinning * (0.55 + 0.4 * min(1, age * 2))
      let glowing = max(0, heat) > 0 ? flame * (density * thinning) : .zero
      return SIMD4(smoke * alpha + glowing, alpha)
    }
  }

  private func pieces(_ age: Float, _ generation: Int, _ scatter: Scatter, on buffer: inout LightBuffer) {
    guard age < 1.5 else { return }
    for index in 0..<44 {
      let seed = index &+ generation &* 211
      let direction = scatter.unit(seed, 1)
      let speed = scatter.value(seed, 2, in: 0.5...1.9)
      func place(_ t: Float) -> SIMD2<Float> {
        let way = speed * t / (1 + 1.3 * t)
        return Self.center + SIMD2(Wave.cosine(direction) * way, Wave.sine(direction) * way - 0.45 * t * t)
      }
      let last = scatter.value(seed, 3, in: 0.6...1.5)
      let fade = max(0, 1 - age / last)
      guard fade > 0 else { continue }
      buffer.beam(
        place(max(0, age - 0.05)), place(age), core: 0.006, halo: 0.035, SIMD3(1, 0.6, 0.2), fade)
    }
  }

  private func ring(_ age: Float, on buffer: inout LightBuffer) {
    guard age < 0.5 else { return }
    let radius = 0.15 + age * 2.1
    let strength = (1 - age / 0.5) * 0.55
    buffer.shade { x, y in
      let d = SIMD2(x - Self.center.x, (y - Self.center.y) * 1.15)
      let off = abs((d * d).sum().squareRoot() - radius) / 0.06
      guard off < 1 else { return .zero }
      let light = (1 - off) * (1 - off) * strength
      return SIMD4(SIMD3(1, 0.82, 0.6) * light, 0)
    }
  }
}
