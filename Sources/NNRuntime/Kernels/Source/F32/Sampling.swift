// Sums of bilinear samples: of each query and group, the elements that count are found once and added up for all channels.

import NNKernelInterface

/// Four elements of a map with their factors, in scratch memory: floats of a tap.
private let tapFloats = 16

func samplingScratch(_ task: UnsafePointer<SamplingTask>) -> Int {
  var points = 0
  for level in 0..<task.pointee.levelCount { points &+= task.pointee.levels[level].points }
  return points &* tapFloats
}

/// Items are queries.
func sampling(_ taskPointer: UnsafePointer<SamplingTask>, _ share: Share) {
  let task = taskPointer.pointee
  for query in share.items {
    for group in 0..<task.groups {
      let taps = findTaps(task, query, group, share.scratch)
      addTaps(
        taps, share.scratch, task.channels,
        to: task.output + (query &* task.outputStride &+ group &* task.channels))
    }
  }
}

/// Writes the taps of all points that reach into their map; how many.
@inline(__always)
private func findTaps(
  _ task: SamplingTask, _ query: Int, _ group: Int, _ scratch: UnsafeMutablePointer<Float>
) -> Int {
  var (taps, point) = (0, 0)
  for index in 0..<task.levelCount {
    let level = task.levels + index
    var place =
      level.pointee.places
      + (group &* level.pointee.placeGroupStride &+ query &* level.pointee.placeQueryStride)
    let map = level.pointee.map + group &* level.pointee.groupStride
    let (height, width) = (level.pointee.height, level.pointee.width)
    for _ in 0..<level.pointee.points {
      var x = center(place[0], width, task.alignsCorners)
      var y = center(place[level.pointee.axisStride], height, task.alignsCorners)
      if task.edge == .border {
        x = bounded(x, Float(width &- 1))
        y = bounded(y, Float(height &- 1))
      }
      // Not so for what is not a number.
      if x > -1 && x < Float(width) && y > -1 && y < Float(height) {
        var weight: Float = 1
        if let weights = task.weights {
          weight =
            weights.base[
              group &* weights.groupStride &+ query &* weights.queryStride &+ point &* weights.pointStride]
        }
        let tap = scratch + taps &* tapFloats
        let (across, down) = (Sides(x, width), Sides(y, height))
        let (upper, lower) = (down.first &* level.pointee.rowStride, down.last &* level.pointee.rowStride)
        let (left, right) = (
          across.first &* level.pointee.pixelStride, across.last &* level.pointee.pixelStride
        )
        keep(tap, 0, map + (upper &+ left), weight * down.before * across.before)
        keep(tap, 1, map + (upper &+ right), weight * down.before * across.after)
        keep(tap, 2, map + (lower &+ left), weight * down.after * across.before)
        keep(tap, 3, map + (lower &+ right), weight * down.after * across.after)
        taps &+= 1
      }
      point &+= 1
      place += level.pointee.placeStride
    }
  }
  return taps
}

/// Where a coordinate lies, counted in pixels from the center of the first.
@inline(__always)
private func center(_ coordinate: Float, _ size: Int, _ alignsCorners: Bool) -> Float {
  let (all, last) = (Float(size), Float(size &- 1))
  return alignsCorners ? (coordinate + 1) * (0.5 * last) : ((coordinate + 1) * all - 1) * 0.5
}

/// At least 0, at most `last`; not a number stays none.
@inline(__always)
private func bounded(_ place: Float, _ last: Float) -> Float { place < 0 ? 0 : place > last ? last : place }

/// The pixels on both sides of a place along an axis, and their factors; one beyond the edge is the other one, times zero.
private struct Sides {
  let first, last: Int
  let before, after: Float

  /// `place` is above -1 and below `size`.
  @inline(__always)
  init(_ place: Float, _ size: Int) {
    let lower = place < 0 ? -1 : Int(place)
    let above = lower &+ 1
    let rest = place - Float(lower)
    first = lower < 0 ? 0 : lower
    last = above < size ? above : size &- 1
    before = lower < 0 ? 0 : 1 - rest
    after = above < size ? rest : 0
  }
}

/// Writes an element of a tap.
@inline(__always)
private func keep(
  _ tap: UnsafeMutablePointer<Float>, _ index: Int, _ source: UnsafePointer<Float>, _ factor: Float
) {
  UnsafeMutableRawPointer(tap + 2 &* index).storeBytes(of: source, as: UnsafePointer<Float>.self)
  tap[8 &+ index] = factor
}

/// The sum of some taps, all channels; corners are added up apart, so that none waits for another.
@inline(__always)
private func addTaps(
  _ taps: Int, _ scratch: UnsafeMutablePointer<Float>, _ channels: Int,
  to output: UnsafeMutablePointer<Float>
) {
  forEachVector(channels) { channel, count in
    let zero = Vector(repeating: 0)
    var (a, b, c, d) = (zero, zero, zero, zero)
    for index in 0..<taps {
      let tap = scratch + index &* tapFloats
      a = added(tap, 0, channel, count, to: a)
      b = added(tap, 1, channel, count, to: b)
      c = added(tap, 2, channel, count, to: c)
      d = added(tap, 3, channel, count, to: d)
    }
    let sum = (a + b) + (c + d)
    if count == 16 { store(sum, output + channel) } else { storePartial(sum, output + channel, count: count) }
  }
}

/// An element of a tap added to a sum, some channels.
@inline(__always)
private func added(
  _ tap: UnsafeMutablePointer<Float>, _ index: Int, _ channel: Int, _ count: Int, to sum: Vector
) -> Vector {
  let source = UnsafeRawPointer(tap + 2 &* index).load(as: UnsafePointer<Float>.self) + channel
  let element = count == 16 ? load(source) : loadPartial(source, count: count)
  return multiplyAdd(Vector(repeating: tap[8 &+ index]), element, sum)
}
