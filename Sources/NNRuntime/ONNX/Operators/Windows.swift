import FileFormats

extension Call {
  /// Strides or dilations, one per axis: 1 or more, and 1 where the attribute is missing.
  func perAxis(_ name: String, _ rank: Int) throws -> [Int] {
    try numbers(name, atLeast: 1, count: rank, axes: rank)
  }

  /// The padding before each axis, then that after each.
  func pads(_ rank: Int) throws -> [Int] { try numbers("pads", atLeast: 0, count: 2 * rank, axes: rank) }

  /// Whole numbers of at least `least`, which they also are where the attribute is missing.
  func numbers(_ name: String, atLeast least: Int, count: Int, axes rank: Int) throws -> [Int] {
    let found = try ints(name) ?? [Int](repeating: least, count: count)
    guard found.count == count, found.allSatisfy({ $0 >= least && $0 < 1 << 31 }) else {
      throw ONNXError.malformed("attribute \"\(name)\" is \(found) for \(counted(rank, "axis", "axes"))")
    }
    return found
  }
}

/// The windows that a convolution or a pooling moves over the axes after batch and channels.
struct Windows {
  let input: [Int]
  let kernel: [Int]
  let strides: [Int]
  let dilations: [Int]
  let before: [Int]
  let after: [Int]
  let output: [Int]

  /// From the attributes that convolutions and poolings have in common.
  init(_ call: Call, input: [Int], kernel: [Int]) throws {
    let rank = input.count
    guard kernel.count == rank, kernel.allSatisfy({ $0 > 0 && $0 < 1 << 31 }) else {
      throw ONNXError.malformed("a window of \(kernel) over \(counted(rank, "axis", "axes"))")
    }
    let (strides, dilations) = (try call.perAxis("strides", rank), try call.perAxis("dilations", rank))
    let pads = try call.pads(rank)
    let automatic = try call.choice("auto_pad", ["NOTSET", "SAME_UPPER", "SAME_LOWER", "VALID"])
    let isRoundedUp = try call.flag("ceil_mode")
    var (before, after, output) = ([Int](), [Int](), [Int]())
    for axis in 0..<rank {
      let (size, stride, extent) = (input[axis], strides[axis], dilations[axis] * (kernel[axis] - 1) + 1)
      var (low, high) = automatic == "NOTSET" ? (pads[axis], pads[axis + rank]) : (0, 0)
      var count: Int
      if automatic.hasPrefix("SAME") {
        count = (size + stride - 1) / stride
        let total = max((count - 1) * stride + extent - size, 0)
        low = automatic == "SAME_UPPER" ? total / 2 : total - total / 2
        high = total - low
      } else {
        let room = size + low + high - extent
        guard room >= 0 else {
          throw ONNXError.malformed("a window of \(kernel) is larger than the input of \(input)")
        }
        count = (isRoundedUp ? room + stride - 1 : room) / stride + 1
        // A window that begins in the padding after the input is left out.
        if isRoundedUp, (count - 1) * stride >= size + low { count -= 1 }
      }
      before.append(low)
      after.append(high)
      output.append(count)
    }
    // The places of all windows are held at once.
    _ = try Shape.count(output, bits: 256)
    self.input = input
    self.kernel = kernel
    self.strides = strides
    self.dilations = dilations
    self.before = before
    self.after = after
    self.output = output
  }

  /// Where the elements of the window lie from its first, along each axis and in memory.
  var offsets: [(index: [Int], flat: Int)] {
    let steps = Shape.strides(input)
    var found: [(index: [Int], flat: Int)] = []
    Shape.forEachIndex(kernel) { position in
      let index = position.indices.map { position[$0] * dilations[$0] }
      found.append((index, zip(index, steps).map(*).reduce(0, +)))
    }
    return found
  }

  /// Where each window begins along each axis, maybe in the padding.
  var starts: [[Int]] {
    var found: [[Int]] = []
    Shape.forEachIndex(output) { position in
      found.append(position.indices.map { position[$0] * strides[$0] - before[$0] })
    }
    return found
  }

  /// Whether a window that begins here lies in the input as a whole.
  func isInside(_ start: [Int]) -> Bool {
    start.indices.allSatisfy { start[$0] >= 0 && start[$0] + dilations[$0] * (kernel[$0] - 1) < input[$0] }
  }

  /// The flat positions in the input that each window covers, one window after the other.
  ///
  /// `ends`: where each window's positions end in `flat`.
  var covered: (flat: [Int], ends: [Int]) {
    let (offsets, steps) = (offsets, Shape.strides(input))
    var (flat, ends) = ([Int](), [Int]())
    for start in starts {
      let isInside = isInside(start)
      let base = zip(start, steps).map(*).reduce(0, +)
      for offset in offsets {
        guard
          isInside || start.indices.allSatisfy({ (0..<input[$0]).contains(start[$0] + offset.index[$0]) })
        else { continue }
        flat.append(base + offset.flat)
      }
      ends.append(flat.count)
    }
    return (flat, ends)
  }
}
