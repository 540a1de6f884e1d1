/// A dancer of neon light between sweeping spotlights, with notes in the air.
struct DanceArt: EffectArt {
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let beat = moment.time * 1.0
    spotlights(moment, on: &buffer)
    notes(moment, on: &buffer)
    dancer(beat, on: &buffer)
  }

  private func spotlights(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let colors: [SIMD3<Float>] = [
      SIMD3(1.0, 0.25, 0.6), SIMD3(0.25, 0.6, 1.0), SIMD3(0.4, 1.0, 0.5), SIMD3(1.0, 0.75, 0.2),
    ]
    let time = moment.time
    let beams = (0..<4).map { number -> (x: Float, slope: Float, color: SIMD3<Float>) in
      let n = Float(number)
      return (
        (n - 1.5) * 0.36, Wave.sine(time * (0.17 + 0.03 * n) + n * 0.29) * 0.42, colors[number]
      )
    }
    buffer.shadeSoftly(cell: 4) { x, y in
      let down = 2 - y
      var light = SIMD3<Float>.zero
      for beam in beams {
        let half = 0.02 + down * 0.11
        let off = abs(x - beam.x - beam.slope * down) / half
        guard off < 1 else { continue }
        let soft = (1 - off * off) * (1 - off * off)
        let strength: Float = soft * 0.26 * (1 - down * 0.28) * smoothStep(0, 0.1, down)
        light += beam.color * strength
      }
      // The pools on the floor.
      for beam in beams {
        let d = SIMD2((x - beam.x - beam.slope * 1.92) / 0.3, (y - 0.08) / 0.075)
        let fall = max(0, 1 - (d * d).sum())
        light += beam.color * (fall * fall * 0.5)
      }
      return SIMD4(light, 0)
    }
  }

  private func notes(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let scatter = moment.scatter
    for index in 0..<9 {
      let life = moment.life(period: scatter.value(index, 0, in: 2.6...3.8), offset: scatter.unit(index, 1))
      let seed = index &+ life.generation &* 151
      let side: Float = index % 2 == 0 ? 1 : -1
      let place = SIMD2(
        side * (0.34 + 0.3 * life.age + scatter.value(seed, 2, in: -0.05...0.12)),
        0.55 + life.age * 1.15 + Wave.sine(life.age * 2 + scatter.unit(seed, 3)) * 0.05)
      let hue = scatter.unit(seed, 4)
      let color = mix(SIMD3<Float>(1, 0.4, 0.8), SIMD3(0.35, 0.85, 1), hue)
      let fade = smoothStep(0, 0.15, life.age) * smoothStep(1, 0.6, life.age)
      let lean = Wave.sine(moment.time * 0.5 + scatter.unit(index, 5)) * 0.04
      let isPair = index % 3 == 0
      buffer.glow(place, radius: 0.15, color, fade * 0.25)
      buffer.stamp(place, size: 0.115, turns: lean, opacity: fade) { point, pixel in
        let distance = isPair ? Self.pair(point) : Self.single(point)
        return (mix(color, SIMD3(1, 1, 1), 0.35), smoothStep(pixel * 1.2, -pixel * 1.2, distance))
      }
    }
  }

  private static func head(_ p: SIMD2<Float>, _ center: SIMD2<Float>) -> Float {
    let d = p - center
    let turned = SIMD2(d.x * 0.9 + d.y * 0.436, (d.y * 0.9 - d.x * 0.436) * 1.35)
    return (turned * turned).sum().squareRoot() - 0.24
  }

  private static func bar(_ p: SIMD2<Float>, _ a: SIMD2<Float>, _ b: SIMD2<Float>, _ half: Float) -> Float {
    let along = b - a
    let share = min(max(((p - a) * along).sum() / (along * along).sum(), 0), 1)
    let d = p - a - along * share
    return (d * d).sum().squareRoot() - half
  }

  private static func single(_ p: SIMD2<Float>) -> Float {
    min(
      min(head(p, SIMD2(-0.15, -0.6)), bar(p, SIMD2(0.05, -0.55), SIMD2(0.05, 0.7), 0.045)),
      bar(p, SIMD2(0.05, 0.68), SIMD2(0.42, 0.3), 0.08))
  }

  private static func pair(_ p: SIMD2<Float>) -> Float {
    let heads = min(head(p, SIMD2(-0.55, -0.6)), head(p, SIMD2(0.35, -0.45)))
    let stems = min(
      bar(p, SIMD2(-0.35, -0.55), SIMD2(-0.35, 0.55), 0.045),
      bar(p, SIMD2(0.55, -0.4), SIMD2(0.55, 0.7), 0.045))
    return min(min(heads, stems), bar(p, SIMD2(-0.35, 0.52), SIMD2(0.55, 0.67), 0.1))
  }

  /// Hips that swing on every beat, knees and elbows that follow.
  private func dancer(_ beat: Float, on buffer: inout LightBuffer) {
    let swing = Wave.sine(beat)
    let bounce = 0.035 * abs(Wave.sine(beat))
    let half = Wave.sine(beat / 2)
    let hip = SIMD2<Float>(0.09 * swing, 0.72 - bounce)
    let chest = hip + SIMD2(-0.05 * swing, 0.36)
    let neck = chest + SIMD2(-0.02 * swing, 0.09)
    let face = neck + SIMD2(0.03 * Wave.sine(beat * 2), 0.13)
    let body = SIMD3<Float>(0.25, 0.85, 1)
    let limbs = SIMD3<Float>(1, 0.3, 0.75)

    func limb(
      _ root: SIMD2<Float>, _ lengths: (Float, Float), _ turns: (Float, Float), _ color: SIMD3<Float>
    ) {
      let joint = root + SIMD2(Wave.sine(turns.0), -Wave.cosine(turns.0)) * lengths.0
      let end = joint + SIMD2(Wave.sine(turns.1), -Wave.cosine(turns.1)) * lengths.1
      buffer.beam(root, joint, core: 0.026, halo: 0.13, color, 0.85)
      buffer.beam(joint, end, core: 0.023, halo: 0.12, color, 0.85)
      buffer.glow(end, radius: 0.06, color, 0.7)
    }
    func leg(_ side: Float, _ phase: Float) {
      let step = max(0, Wave.sine(beat / 2 + phase))
      let thigh = side * (0.055 + 0.075 * step) - swing * 0.02
      limb(hip + SIMD2(0.07 * side, -0.01), (0.34, 0.34), (thigh, thigh - side * (0.035 + 0.15 * step)), body)
    }
    leg(-1, 0)
    leg(1, 0.5)
    // One arm up while the other is down, changing places every second beat.
    for side: Float in [-1, 1] {
      let raised = 0.5 + 0.5 * side * half
      let upper = side * mix(0.12, 0.39, raised) + swing * 0.02
      let fore = side * mix(-0.02, 0.47, raised) + swing * 0.05
      limb(chest + SIMD2(0.13 * side, 0.0), (0.25, 0.25), (upper, fore), limbs)
    }
    buffer.beam(hip, chest, core: 0.035, halo: 0.16, body, 0.9)
    buffer.beam(chest + SIMD2(-0.13, 0), chest + SIMD2(0.13, 0), core: 0.026, halo: 0.12, body, 0.8)
    buffer.beam(hip + SIMD2(-0.07, 0), hip + SIMD2(0.07, 0), core: 0.026, halo: 0.12, body, 0.8)
    buffer.glow(face, radius: 0.2, limbs, 0.5)
    buffer.disc(face, radius: 0.082, softness: 0.012, mix(limbs, SIMD3(1, 1, 1), 0.75), 0.95)
  }
}
