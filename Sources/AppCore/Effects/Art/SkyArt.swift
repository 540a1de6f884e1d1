/// Curtains of northern light.
struct AuroraArt: EffectArt {
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    let (time, noise) = (moment.time, moment.noise)
    let ramp = ColorRamp([
      (0, SIMD3(0.10, 0.95, 0.55)), (0.25, SIMD3(0.12, 0.9, 0.62)), (0.5, SIMD3(0.12, 0.6, 0.85)),
      (0.75, SIMD3(0.5, 0.25, 0.9)), (1, SIMD3(0.85, 0.2, 0.6)),
    ])
    let (halfWidth, scale) = (buffer.halfWidth, buffer.scale)
    for layer in 0..<3 {
      let shift = Float(layer) * 2.7
      let depth = Float(layer) / 2
      // A curtain is the same along its rays: one profile per column.
      let columns = (0..<buffer.width).map { column -> (base: Float, height: Float, light: Float) in
        let x = (Float(column) + 0.5) / buffer.scale - buffer.halfWidth
        let fold = noise(x * 0.75 + shift + time * 0.06, shift - time * 0.045)
        let bent = x + (fold - 0.5) * 0.5
        let rays = noise(bent * 4.2 + shift * 3 + time * 0.1, time * 0.22 + shift)
        let fine = noise(bent * 11 - time * 0.16, shift + time * 0.3)
        let base = 0.42 + depth * 0.42 + (fold - 0.5) * 1.1
        let sides = smoothStep(0, 0.35, buffer.halfWidth - abs(x))
        return (
          base, 0.55 + 0.8 * rays + 0.2 * fine, sides * (rays * rays * 2.3 + (fine - 0.5) * 0.6)
        )
      }
      let strength: Float = 0.85 - depth * 0.3
      let top = columns.map { $0.base + $0.height }.max() ?? 0
      buffer.shade(upTo: top) { x, y in
        let column = columns[min(max(Int(Int32((x + halfWidth) * scale)), 0), columns.count - 1)]
        let up = (y - column.base) / column.height
        let light = column.light * strength
        guard up > -0.08, up < 1, light > 0 else { return .zero }
        // A sharp lower hem, rays that fade upwards.
        let hem = smoothStep(-0.08, 0.03, up)
        let fade = (1 - up) * (1 - up)
        return SIMD4(ramp[up * 0.95 + 0.03] * (hem * fade * light), 0)
      }
    }
  }
}

/// Lightning: bolts that branch, flicker and die away.
struct LightningArt: EffectArt {
  private static let period: Float = 1.15
  private static let color = SIMD3<Float>(0.55, 0.68, 1)

  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    for number in 0..<2 {
      let life = moment.life(period: Self.period, offset: Float(number) * 0.43)
      let seed = life.generation &* 2 &+ number
      let age = life.age * Self.period
      // A stroke, and a weaker one through the same channel.
      let again = moment.scatter.value(seed, 0, in: 0.12...0.26)
      let strength = max(stroke(age, lasting: 0.30), 0.8 * stroke(age - again, lasting: 0.42))
      guard strength > 0.01 else { continue }
      let foot = SIMD2(moment.scatter.value(seed, 1, in: -0.35...0.35), Float(0.02))
      let top = SIMD2(moment.scatter.value(seed, 2, in: -0.55...0.55), Float(1.98))
      bolt(from: top, to: foot, seed: seed, width: 1, strength, moment.scatter, on: &buffer)
      buffer.glow(foot, radius: 0.30, Self.color, strength * 0.8)
      buffer.glow(foot, radius: 0.10, SIMD3(0.9, 0.95, 1), strength)
    }
  }

  private func stroke(_ age: Float, lasting: Float) -> Float {
    guard age >= 0, age < lasting else { return 0 }
    let left = 1 - age / lasting
    return left * left * (0.75 + 0.25 * Wave.cosine(age * 21))
  }

  /// A path by midpoint displacement; branches leave it downwards.
  private func bolt(
    from start: SIMD2<Float>, to end: SIMD2<Float>, seed: Int, width: Float, _ strength: Float,
    _ scatter: Scatter, on buffer: inout LightBuffer
  ) {
    var points = [start, end]
    let reach = ((end - start) * (end - start)).sum().squareRoot()
    var offset = reach * 0.13
    for round in 0..<6 where reach / Float(1 << round) > 0.03 {
      var next = [points[0]]
      for index in 1..<points.count {
        let (a, b) = (points[index - 1], points[index])
        let side = scatter.value(seed &* 64 &+ round, index &+ 16, in: -1...1) * offset
        let along = b - a
        let length = max((along * along).sum().squareRoot(), 1e-6)
        next.append((a + b) / 2 + SIMD2(-along.y, along.x) / length * side)
        next.append(b)
      }
      points = next
      offset *= 0.52
    }
    for index in 1..<points.count {
      buffer.beam(
        points[index - 1], points[index], core: 0.011 * width, halo: 0.12 * width, Self.color,
        strength * (0.35 + 0.65 * width))
    }
    guard width > 0.4 else { return }
    for branch in 0..<4 {
      let position = scatter.value(seed, 40 &+ branch, in: 0.12...0.75)
      let root = points[Int(position * Float(points.count - 1))]
      let side: Float = scatter.unit(seed, 50 &+ branch) < 0.5 ? -1 : 1
      let way = SIMD2(
        side * scatter.value(seed, 60 &+ branch, in: 0.15...0.45),
        -scatter.value(seed, 70 &+ branch, in: 0.2...0.55))
      bolt(
        from: root, to: root + way * width, seed: seed &* 8 &+ branch &+ 1, width: width * 0.5,
        strength * 0.7, scatter, on: &buffer)
    }
  }
}

/// Falling snow: soft flakes far away, six-pointed crystals near the eye.
struct SnowArt: EffectArt {
  func draw(_ moment: EffectMoment, on buffer: inout LightBuffer) {
    for index in 0..<150 {
      let depth = moment.scatter.unit(index, 0)
      let speed = mix(0.20, 0.52, depth)
      let life = moment.life(period: 2.2 / speed, offset: moment.scatter.unit(index, 1))
      let seed = index &+ life.generation &* 307
      let sway =
        Wave.sine(
          moment.time * moment.scatter.value(index, 2, in: 0.12...0.3) + moment.scatter.unit(index, 3))
      let place = SIMD2(
        moment.scatter.value(seed, 4, in: -1...1) * buffer.halfWidth + sway * 0.07, 2.1 - life.age * 2.2)
      let sides = smoothStep(0, 0.12, buffer.halfWidth - abs(place.x))
      let fade = sides * smoothStep(0, 0.2, place.y) * smoothStep(2.02, 1.8, place.y)
      if depth > 0.86 {
        let size = moment.scatter.value(index, 5, in: 0.045...0.07)
        let turns = moment.time * moment.scatter.value(index, 6, in: -0.12...0.12) + sway * 0.08
        buffer.stamp(place, size: size, turns: turns, opacity: fade * 0.95, Self.crystal)
      } else {
        let radius = mix(0.007, 0.021, depth)
        buffer.disc(
          place, radius: radius * 0.7, softness: radius * 0.8, SIMD3(0.95, 0.97, 1),
          fade * mix(0.55, 0.9, depth))
      }
    }
  }

  /// A stellar dendrite: six arms with side branches.
  private static func crystal(_ point: SIMD2<Float>, _ pixel: Float) -> (SIMD3<Float>, Float) {
    // Folded into the sector of one arm along +x: twice by 60 degree reflections, then up.
    var p = SIMD2(abs(point.x), abs(point.y))
    let axis = SIMD2<Float>(0.5, 0.8660254)
    let normal = SIMD2<Float>(-axis.y, axis.x)
    let beyond = (p * normal).sum()
    if beyond > -p.y * 0.5 {
      // Nearer to the arm at 60 degrees than to the one along +x.
      let along = (p * axis).sum()
      let across = beyond
      if abs(across) < p.y { p = SIMD2(along, abs(across)) }
    }
    let width: Float = max(0.075, pixel * 0.8)
    var distance = max(p.y - width / 2, p.x - 0.95)
    for (root, length) in [(Float(0.35), Float(0.30)), (0.6, 0.24)] {
      let d = p - SIMD2(root, 0)
      let along = min(max(d.x * 0.5 + d.y * 0.8660254, 0), length)
      let off = d - SIMD2(along * 0.5, along * 0.8660254)
      distance = min(distance, (off * off).sum().squareRoot() - width * 0.42)
    }
    distance = min(distance, (p * p).sum().squareRoot() - 0.14)
    let coverage = smoothStep(pixel, -pixel, distance)
    return (SIMD3(0.93, 0.97, 1), coverage)
  }
}
