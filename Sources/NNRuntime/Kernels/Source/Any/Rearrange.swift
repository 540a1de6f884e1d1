// Maps in another order. Where the sources of neighboring pixels follow each other, blocks of 16 pixels and 16 channels are
// transposed in registers.

import NNKernelInterface

func rearrange(_ task: UnsafePointer<RearrangeTask>, _ share: Share) {
  let task = task.pointee
  guard task.run == .none else {
    for item in share.items { transposeBlock(task, item) }
    return
  }
  for pixel in share.items {
    let (y, x) = pixel.quotientAndRemainder(dividingBy: task.width)
    let target = task.output.address(y &* task.output.rowStride &+ x &* task.output.pixelStride)
    let start = Int(task.starts[pixel])
    if start < 0 {
      let made = task.output.element.asked
      forEachVector(task.channels) {
        made.storeSome(Vector(repeating: 0), target + $0 &* made.size, $1)
      }
    } else if task.channelStride == 1, task.offsets == nil {
      copyChannels(task, start, to: target)
    } else {
      gatherChannels(task, start, to: target)
    }
  }
}

/// The channels of a pixel that lie side by side from element `start` on.
@inline(__always)
private func copyChannels(_ task: RearrangeTask, _ start: Int, to target: UnsafeMutableRawPointer) {
  let (read, made) = (task.input.element.asked, task.output.element.asked)
  let source = task.input.address(start)
  forEachVector(task.channels) { channel, count in
    made.storeSome(
      read.loadSome(source + channel &* read.size, count), target + channel &* made.size, count)
  }
}

/// The channels of a pixel, one by one.
@inline(__always)
private func gatherChannels(_ task: RearrangeTask, _ start: Int, to target: UnsafeMutableRawPointer) {
  let (read, made) = (task.input.element.asked, task.output.element.asked)
  if read.size != made.size {
    for channel in 0..<task.channels {
      let source = task.input.address(start &+ task.offset(channel))
      made.store(read.load(source, count: 1), target + channel &* made.size, count: 1)
    }
  } else if made.size == 4 {
    gather(UInt32.self, task, start, to: target)
  } else {
    gather(UInt16.self, task, start, to: target)
  }
}

@inline(__always)
private func gather<Word: FixedWidthInteger>(
  _: Word.Type, _ task: RearrangeTask, _ start: Int, to target: UnsafeMutableRawPointer
) {
  let size = MemoryLayout<Word>.size
  let source = UnsafeRawPointer(task.input.base) + start &* size
  if let offsets = task.offsets {
    for channel in 0..<task.channels {
      let word = source.loadUnaligned(fromByteOffset: Int(offsets[channel]) &* size, as: Word.self)
      target.storeBytes(of: word, toByteOffset: channel &* size, as: Word.self)
    }
  } else {
    let step = task.channelStride &* size
    for channel in 0..<task.channels {
      let word = source.loadUnaligned(fromByteOffset: channel &* step, as: Word.self)
      target.storeBytes(of: word, toByteOffset: channel &* size, as: Word.self)
    }
  }
}

/// The block `item` of a run: up to 16 pixels, sixteen channels after the other.
@inline(__always)
private func transposeBlock(_ task: RearrangeTask, _ item: Int) {
  let isRow = task.run == .row
  let (y, x): (Int, Int)
  if isRow {
    let blocks = (task.width &+ 15) / 16
    (y, x) = (item / blocks, item % blocks &* 16)
  } else {
    (y, x) = (item / task.width &* 16, item % task.width)
  }
  let pixels = min(16, isRow ? task.width &- x : task.height &- y)
  let (read, made) = (task.input.element.asked, task.output.element.asked)
  let step = (isRow ? task.output.pixelStride : task.output.rowStride) &* made.size
  let source = task.input.address(Int(task.starts[y &* task.width &+ x]))
  let target = task.output.address(y &* task.output.rowStride &+ x &* task.output.pixelStride)
  let zero = Vector(repeating: 0)
  forEachVector(task.channels) { first, count in
    let place = target + first &* made.size
    transpose(
      { channel in
        guard channel < count else { return zero }
        return read.loadSome(source + task.offset(first &+ channel) &* read.size, pixels)
      },
      { pixel, column in
        if pixel < pixels { made.storeSome(column, place + pixel &* step, count) }
      })
  }
}

extension RearrangeTask {
  /// From a pixel's start to the source of a channel.
  @inline(__always)
  fileprivate func offset(_ channel: Int) -> Int {
    offsets.map { Int($0[channel]) } ?? channel &* channelStride
  }
}
