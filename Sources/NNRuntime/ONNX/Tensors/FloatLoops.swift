import FileFormats

/// Loops over single precision on several threads.
///
/// Unsafe: the innermost loops; counts are those of the arrays, or checked before.
enum FloatLoops {
  /// Applies `body` to each element, at about `cost` steps each.
  @inline(__always)
  static func mapped(_ source: [Float], cost: Int = 1, _ body: @Sendable (Float) -> Float) -> [Float] {
    let count = source.count
    return unsafe [Float](count: count) { made in
      unsafe source.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let (from, to) = unsafe (source.baseAddress!, made)
        Parallel.ranges(count, cost: cost) { range in
          for index in range { unsafe to[index] = body(from[index]) }
        }
      }
    }
  }

  /// Applies `body` to each eight elements; the last ones are padded with zeros.
  @inline(__always)
  static func mappedByEight(_ source: [Float], _ body: @Sendable (SIMD8<Float>) -> SIMD8<Float>) -> [Float] {
    let count = source.count
    return unsafe [Float](count: count) { made in
      unsafe source.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let (from, to) = unsafe (source.baseAddress!, made)
        Parallel.ranges((count + 7) / 8, cost: 8) { range in
          for block in range {
            let start = 8 * block
            if start + 8 <= count {
              let taken = unsafe UnsafeRawPointer(from + start).loadUnaligned(as: SIMD8<Float>.self)
              unsafe UnsafeMutableRawPointer(to + start).storeBytes(of: body(taken), as: SIMD8<Float>.self)
            } else {
              var taken = SIMD8<Float>.zero
              for lane in 0..<count - start { unsafe taken[lane] = from[start + lane] }
              let values = body(taken)
              for lane in 0..<count - start { unsafe to[start + lane] = values[lane] }
            }
          }
        }
      }
    }
  }

  /// Applies `body` to pairs of elements of two arrays read with the strides of `rows`.
  @inline(__always)
  static func combined(
    _ a: [Float], _ b: [Float], _ rows: BroadcastRows, _ body: @Sendable (Float, Float) -> Float
  ) -> [Float] {
    unsafe [Float](count: rows.count) { made in
      unsafe a.withUnsafeBufferPointer { a in
        unsafe b.withUnsafeBufferPointer { b in
          nonisolated(unsafe) let (a, b, made) = unsafe (a.baseAddress!, b.baseAddress!, made)
          rows.forEach { start, count, offsetA, offsetB in
            let (a, b, made) = unsafe (a + offsetA, b + offsetB, made + start)
            switch (rows.stepA, rows.stepB) {
            case (1, 1): for i in 0..<count { unsafe made[i] = body(a[i], b[i]) }
            case (1, 0):
              let second = unsafe b[0]
              for i in 0..<count { unsafe made[i] = body(a[i], second) }
            case (0, 1):
              let first = unsafe a[0]
              for i in 0..<count { unsafe made[i] = body(first, b[i]) }
            default:
              for i in 0..<count { unsafe made[i] = body(a[i * rows.stepA], b[i * rows.stepB]) }
            }
          }
        }
      }
    }
  }

  /// The greatest of the elements of each window in each of `planes` parts of an array; not-a-number, if one is.
  static func greatest(_ source: [Float], planes: Int, _ windows: (flat: [Int], ends: [Int])) -> [Float] {
    let (area, count) = (source.count / max(planes, 1), windows.ends.count)
    return unsafe [Float](count: planes * count) { made in
      unsafe source.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let (source, made) = unsafe (source, made)
        Parallel.ranges(planes, cost: windows.flat.count) { range in
          for plane in range {
            var place = 0
            for window in 0..<count {
              var best = -Float.infinity
              while place < windows.ends[window] {
                let value = unsafe source[plane * area + windows.flat[place]]
                best = value > best || value.isNaN ? value : best
                place += 1
              }
              unsafe made[plane * count + window] = best
            }
          }
        }
      }
    }
  }

  /// The values of each plane of `area` elements at points, (images, places, 2) in `points`: sums of four elements, each
  /// times its factor.
  static func sampled(
    _ source: [Float], images: Int, area: Int, at points: [Float], by sampler: PlaneSampler
  ) -> [Float] {
    let (channels, places) = (source.count / max(area * images, 1), points.count / (2 * max(images, 1)))
    guard channels > 0, places > 0 else { return [] }
    return unsafe [Float](count: images * channels * places) { made in
      unsafe source.withUnsafeBufferPointer { source in
        unsafe points.withUnsafeBufferPointer { points in
          nonisolated(unsafe) let (source, points, made) = unsafe (source.baseAddress!, points, made)
          Parallel.ranges(images * places, cost: 16 + 8 * channels) { range in
            for index in range {
              let (image, place) = index.quotientAndRemainder(dividingBy: places)
              let to = unsafe made + (image * channels * places + place)
              guard let taps = unsafe sampler.taps(x: points[2 * index], y: points[2 * index + 1]) else {
                for channel in 0..<channels { unsafe to[channel * places] = 0 }
                continue
              }
              var from = unsafe source + image * channels * area
              let (flat, factors) = (taps.flat, taps.factors)
              for channel in 0..<channels {
                unsafe to[channel * places] =
                  factors[0] * from[Int(flat[0])] + factors[1] * from[Int(flat[1])]
                  + factors[2] * from[Int(flat[2])] + factors[3] * from[Int(flat[3])]
                unsafe from += area
              }
            }
          }
        }
      }
    }
  }

  /// The exponentials of every `width` elements less the greatest of them, divided by their sum.
  static func softmax(_ source: [Float], width: Int) -> [Float] {
    unsafe [Float](count: source.count) { made in
      unsafe source.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let (from, to) = unsafe (source.baseAddress!, made)
        Parallel.ranges(source.count / width, cost: 4 * width) { range in
          for row in range {
            let (from, to) = unsafe (from + row * width, to + row * width)
            var greatest = unsafe from[0]
            for index in 1..<max(width, 1) {
              unsafe greatest = from[index] > greatest ? from[index] : greatest
            }
            // Not-a-number compares with nothing: the sum has it all the same.
            var total = 0.0
            var index = 0
            while index < width {
              let lanes = min(8, width - index)
              var taken = SIMD8<Float>(repeating: -.infinity)
              if lanes == 8 {
                taken = unsafe UnsafeRawPointer(from + index).loadUnaligned(as: SIMD8<Float>.self)
              } else {
                for lane in 0..<lanes { unsafe taken[lane] = from[index + lane] }
              }
              let values = exponential(taken - greatest)
              total += Double(values.sum())
              for lane in 0..<lanes { unsafe to[index + lane] = values[lane] }
              index += lanes
            }
            let factor = Float(1 / total)
            for index in 0..<width { unsafe to[index] *= factor }
          }
        }
      }
    }
  }
}

/// How two arrays are read as one shape that both broadcast to: rows as long as their strides allow.
struct BroadcastRows: Sendable {
  private var shape: [Int] = []
  private var stridesA: [Int] = []
  private var stridesB: [Int] = []
  let count: Int
  private(set) var width = 1
  private(set) var stepA = 0
  private(set) var stepB = 0

  init(_ full: [Int], _ a: [Int], _ b: [Int]) {
    count = full.reduce(1, *)
    for (size, strides) in zip(full, zip(a, b)) where size != 1 {
      let last = shape.count - 1
      if last >= 0, stridesA[last] == strides.0 * size, stridesB[last] == strides.1 * size {
        shape[last] *= size
        (stridesA[last], stridesB[last]) = strides
      } else {
        shape.append(size)
        stridesA.append(strides.0)
        stridesB.append(strides.1)
      }
    }
    if let size = shape.popLast() {
      (width, stepA, stepB) = (size, stridesA.removeLast(), stridesB.removeLast())
    }
  }

  /// Calls `body` with where each piece of a row begins: in the result, its count, in both arrays.
  @inline(__always)
  func forEach(_ body: @Sendable (_ start: Int, _ count: Int, _ offsetA: Int, _ offsetB: Int) -> Void) {
    guard count > 0 else { return }
    guard !shape.isEmpty else {
      // One row: its pieces are independent.
      return Parallel.ranges(width, cost: 1) { range in
        body(range.lowerBound, range.count, range.lowerBound * stepA, range.lowerBound * stepB)
      }
    }
    Parallel.ranges(count / width, cost: width) { range in
      for row in range {
        var (rest, offsetA, offsetB) = (row, 0, 0)
        for axis in shape.indices.reversed() {
          let index = rest % shape[axis]
          rest /= shape[axis]
          offsetA += index * stridesA[axis]
          offsetB += index * stridesB[axis]
        }
        body(row * width, width, offsetA, offsetB)
      }
    }
  }
}
