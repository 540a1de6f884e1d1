/// Paper that is thrown up and flutters down.
struct ConfettiArt: EffectArt {
  private static let colors: [SIMD3<Float>] = [
    SIMD3(0.98, 0.27, 0.33), SIMD3(1.0, 0.70, 0.15), SIMD3(0.99, 0.90, 0.25), SIMD3(0.27, 0.80, 0.42),
    SIMD3(0.20, 0.62, 0.98), SIMD3(0.65, 0.38, 0.95), SIMD3(1.0, 0.45, 0.75),
  ]

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let scatter = moment.scatter
    for index in 0..<130 {
      let life = moment.life(
        period: scatter.value(index, 0, in: 3.2...4.6), offset: scatter.unit(index, 1))
      let seed = index &+ life.generation &* 409
      let place = path(life.age, seed, scatter)
      let spin = moment.time * scatter.value(index, 5, in: 0.5...1.3) + scatter.unit(index, 6)
      // The sheet tumbles: its width is seen foreshortened, its two sides differently bright.
      let facing = Wave.cosine(spin)
      let width = max(abs(facing), 0.12)
      let tone = Self.colors[index % Self.colors.count] * (facing > 0 ? 1 : 0.72)
      let gloss = max(0, abs(facing) - 0.88) * 2.4
      let isStreamer = index % 9 == 0
      let isRound = index % 5 == 1
      let fade = smoothStep(0, 0.03, life.age) * smoothStep(1, 0.9, life.age)
      buffer.stamp(
        place, size: scatter.value(index, 7, in: 0.028...0.046) * (isStreamer ? 1.9 : 1),
        turns: moment.time * scatter.value(index, 8, in: -0.35...0.35) + scatter.unit(index, 9),
        opacity: fade,
        stretch: SIMD2(isStreamer ? 0.18 : width, 1)
      ) { point, pixel in
        let distance: Float
        if isRound {
          distance = (point * point).sum().squareRoot() - 0.62
        } else if isStreamer {
          let wave = Wave.sine(point.y * 0.9 + spin) * 1.1
          distance = max(abs(point.x - wave) - 0.9, abs(point.y) - 0.95)
        } else {
          distance = max(abs(point.x) - 0.55, abs(point.y) - 0.85)
        }
        return (
          mix(tone, SIMD3(1, 1, 1), gloss), smoothStep(pixel * 1.2, -pixel * 1.2, distance)
        )
      }
    }
  }

  /// Thrown from the foot, slowed by the air at once, then sinking and swaying.
  private func path(_ age: Float, _ seed: Int, _ scatter: Scatter) -> SIMD2<Float> {
    let seconds = age * 4
    let burst = 1 - 1 / (1 + seconds * 5)
    let side = scatter.value(seed, 2, in: -1...1)
    let top = scatter.value(seed, 3, in: 0.9...2.0)
    let sway = Wave.sine(seconds * 0.45 + scatter.unit(seed, 4)) * 0.09 * min(1, seconds)
    let sink = 0.07 * seconds * seconds + 0.16 * seconds
    return SIMD2(
      side * 0.85 * burst + sway, 0.05 + top * burst - sink * (0.55 + 0.45 * scatter.unit(seed, 5)))
  }
}

/// Hearts that rise, swell and fade.
struct LoveArt: EffectArt {
  private static let colors: [SIMD3<Float>] = [
    SIMD3(0.96, 0.13, 0.28), SIMD3(1.0, 0.30, 0.45), SIMD3(0.98, 0.45, 0.62), SIMD3(0.85, 0.08, 0.30),
  ]

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let scatter = moment.scatter
    for index in 0..<26 {
      let life = moment.life(period: scatter.value(index, 0, in: 2.8...4.4), offset: scatter.unit(index, 1))
      let seed = index &+ life.generation &* 131
      let height = 0.1 + life.age * 1.8
      let sway = Wave.sine(life.age * 1.3 + scatter.unit(seed, 2)) * 0.12
      let side = scatter.value(seed, 3, in: -0.62...0.62) * (0.35 + 0.65 * life.age)
      let beat = 1 + 0.09 * Wave.sine(moment.time * 1.3 + scatter.unit(index, 4))
      let grown = smoothStep(0, 0.16, life.age) * (1 + 0.25 * smoothStep(0.16, 0.05, life.age))
      let size = scatter.value(seed, 5, in: 0.075...0.2) * grown * beat
      guard size > 0.004 else { continue }
      let fade = smoothStep(1, 0.72, life.age)
      let tone = Self.colors[seed % Self.colors.count]
      buffer.glow(SIMD2(side + sway, height), radius: size * 1.7, tone, 0.22 * fade)
      buffer.stamp(
        SIMD2(side + sway, height), size: size, turns: sway * 0.5, opacity: fade * 0.96
      ) { point, pixel in Self.heart(point, pixel, tone) }
    }
  }

  private static func heart(
    _ point: SIMD2<Float>, _ pixel: Float, _ tone: SIMD3<Float>
  ) -> (SIMD3<Float>, Float) {
    let distance = outline(SIMD2(abs(point.x), point.y + 0.55) / 1.25) * 1.25
    // Round like a cushion: bright towards the light, deep at the edge, a small mirror of the lamp.
    let inside = min(max(-distance / 0.42, 0), 1)
    let light = 0.72 + 0.3 * inside + (point.y - point.x) * 0.14
    let lamp = point - SIMD2(-0.36, 0.36)
    let turned = SIMD2(lamp.x * 0.8 + lamp.y * 0.6, lamp.y * 0.8 - lamp.x * 0.6)
    let gloss = smoothStep(1, 0.1, (turned.x * turned.x) / 0.035 + (turned.y * turned.y) / 0.011)
    return (
      mix(tone * light, SIMD3(1, 0.92, 0.94), gloss * 0.75), smoothStep(pixel * 1.2, -pixel * 1.2, distance)
    )
  }

  /// Signed distance to a heart from (0, 0) at its tip to about 1.1 at its top, right half: arcs over a square.
  private static func outline(_ p: SIMD2<Float>) -> Float {
    if p.x + p.y > 1 {
      let d = p - SIMD2(0.25, 0.75)
      return (d * d).sum().squareRoot() - 0.3535534
    }
    let top = p - SIMD2(0, 1)
    let toDiagonal = p - SIMD2(repeating: 0.5 * max(p.x + p.y, 0))
    let nearest = min((top * top).sum(), (toDiagonal * toDiagonal).sum()).squareRoot()
    return p.x > p.y ? nearest : -nearest
  }
}

/// A circle of runes from which glitter winds upwards.
struct MagicArt: EffectArt {
  private static let violet = SIMD3<Float>(0.62, 0.32, 1.0)
  private static let gold = SIMD3<Float>(1.0, 0.80, 0.35)

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    circle(moment, on: &buffer)
    let scatter = moment.scatter
    for strand in 0..<3 {
      for step in 0..<34 {
        let share = Float(step) / 34
        let head = Wave.fraction(moment.time * 0.22 + Float(strand) / 3)
        let height = 0.22 + share * 1.55
        let turn = share * 1.9 - moment.time * 0.42 + Float(strand) / 3
        let distance = 0.52 * (1 - 0.55 * share)
        let depth = Wave.sine(turn)
        let place = SIMD2(Wave.cosine(turn) * distance, height + depth * 0.07)
        let behindHead = Wave.fraction(head - share)
        let light = max(0.12, 1 - behindHead * 2.4) * (0.75 - 0.35 * depth) * smoothStep(1, 0.75, share)
        buffer.glow(place, radius: 0.075, Self.violet, light * 0.5)
        buffer.glow(place, radius: 0.022, mix(Self.gold, SIMD3(1, 1, 1), 0.3), light * 1.4)
      }
    }
    for index in 0..<60 {
      let life = moment.life(period: scatter.value(index, 0, in: 1.1...2.6), offset: scatter.unit(index, 1))
      let seed = index &+ life.generation &* 173
      let turn = scatter.unit(seed, 2) + life.age * 0.35
      let distance = scatter.value(seed, 3, in: 0.05...0.6) * (1 - 0.3 * life.age)
      let place = SIMD2(
        Wave.cosine(turn) * distance,
        0.22 + life.age * scatter.value(seed, 4, in: 0.6...1.6) + Wave.sine(turn) * distance * 0.22)
      let twinkle = 0.55 + 0.45 * Wave.sine(moment.time * 2.3 + scatter.unit(index, 5))
      let light = smoothStep(0, 0.15, life.age) * smoothStep(1, 0.45, life.age) * twinkle
      star(
        place, size: scatter.value(seed, 6, in: 0.03...0.085), index % 3 == 0 ? Self.gold : Self.violet,
        light, on: &buffer)
    }
  }

  /// A four-pointed glint.
  private func star(
    _ place: SIMD2<Float>, size: Float, _ color: SIMD3<Float>, _ light: Float, on buffer: inout LightBuffer
  ) {
    let bright = mix(color, SIMD3(1, 1, 1), 0.45)
    for direction in [SIMD2<Float>(1, 0), SIMD2(0, 1)] {
      buffer.streak(place, along: direction * size, width: size * 0.10, bright, light)
    }
    buffer.glow(place, radius: size * 0.75, color, light * 0.6)
  }

  /// The circle lies on the floor and is seen from a little above.
  private func circle(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let center = SIMD2<Float>(0, 0.22)
    let pulse = 0.8 + 0.2 * Wave.sine(moment.time * 0.4)
    let time = moment.time
    let turns = (0..<3).map { number -> (cosine: Float, sine: Float) in
      let turn = Float(number) / 12 + time * 0.03
      return (Wave.cosine(turn), Wave.sine(turn))
    }
    buffer.shade(upTo: 0.52) { x, y in
      let d = SIMD2(x - center.x, (y - center.y) / 0.30)
      let distance = (d * d).sum().squareRoot()
      guard distance < 0.95 else { return .zero }
      func line(_ radius: Float, _ width: Float) -> Float {
        let off = abs(distance - radius) / width
        return max(0, 1 - off) * max(0, 1 - off)
      }
      // Three squares turned against each other make a twelve-pointed star.
      var figure: Float = 0
      for (c, s) in turns {
        let p = SIMD2(abs(c * d.x + s * d.y), abs(c * d.y - s * d.x))
        figure = max(figure, max(0, 1 - abs(max(p.x, p.y) - 0.44) / 0.03))
      }
      let ticks = Self.ticks(d, turn: -time * 0.05)
      let band = distance > 0.68 && distance < 0.78 ? ticks : 0
      let light = line(0.64, 0.035) + line(0.82, 0.045) + figure * 0.6 + band * 0.8
      let haze = max(0, 1 - distance / 0.95) * 0.28
      return SIMD4(mix(Self.violet, Self.gold, min(1, light * 0.45)) * ((light + haze) * pulse), 0)
    }
  }

  /// Marks around the ring, 24 to a turn, by the products of doubled angles: cos 8a, then cos 24a.
  private static func ticks(_ d: SIMD2<Float>, turn: Float) -> Float {
    let length = max((d * d).sum().squareRoot(), 1e-6)
    let (c0, s0) = (Wave.cosine(turn), Wave.sine(turn))
    var c = (d.x * c0 - d.y * s0) / length
    for _ in 0..<3 { c = 2 * c * c - 1 }
    let tripled = c * (4 * c * c - 3)
    return smoothStep(0.1, 0.7, tripled)
  }
}
