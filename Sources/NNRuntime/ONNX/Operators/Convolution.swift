import FileFormats

/// A convolution of any number of axes as products of its weights with the columns of its windows.
///
/// Unsafe: columns are packed straight from the input, padded so that every window lies in it as a whole.
struct Convolution<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable> {
  private let input: Tensor
  private let weights: Tensor
  private let windows: Windows
  private let group: Int

  init(_ call: Call, _ input: Tensor, _ weights: Tensor) throws {
    let group = try call.int("group", default: 1)
    guard input.rank > 2, weights.rank == input.rank, group > 0,
      input.shape[1] == weights.shape[1] * group, weights.shape[0] % group == 0
    else {
      throw ONNXError.malformed(
        "weights of shape \(Shape.text(weights.shape)) in \(counted(group, "group")) do not fit input \(Shape.text(input.shape))"
      )
    }
    let kernel = Array(weights.shape[2...])
    guard try call.ints("kernel_shape") ?? kernel == kernel else {
      throw ONNXError.malformed("attribute \"kernel_shape\" is not the weights' \(kernel)")
    }
    self.input = input
    self.weights = weights
    self.group = group
    windows = try Windows(call, input: Array(input.shape[2...]), kernel: kernel)
  }

  func run(_ bias: Tensor?) throws -> Tensor {
    let (batch, channels) = (input.shape[0], input.shape[1] / group)
    let shape = [batch, weights.shape[0]] + windows.output
    _ = try Shape.count(shape)
    let addends = bias?.doubles().map { T($0) }
    if let addends, addends.count != shape[1] {
      throw ONNXError.malformed("a bias of \(addends.count) for \(counted(shape[1], "channel"))")
    }
    let padded = try PaddedPlanes<T>(input, windows)
    let factors = weights.array(of: T.self)
    if channels == 1 { return Tensor(shape, planeByPlane(padded, factors, addends)) }
    let (made, columns) = (weights.shape[0] / group, windows.output.reduce(1, *))
    let depth = channels * padded.offsets.count
    let product = MatrixProduct<T>(rows: made, depth: depth, columns: columns)
    var result: [T] = []
    result.reserveCapacity(batch * weights.shape[0] * columns)
    for image in 0..<batch {
      for part in 0..<group {
        let first = image * group * channels + part * channels
        result += unsafe padded.withPlanes(from: first, count: channels) { source in
          unsafe product.multiply(factors[part * made * depth..<(part + 1) * made * depth]) {
            unsafe padded.pack(
              source, channels, columns: $0..<$0 + $1, into: $2, width: MatrixProduct<T>.width)
          }
        }
      }
    }
    if let addends {
      for channel in 0..<batch * shape[1] {
        let addend = addends[channel % shape[1]]
        for position in channel * columns..<(channel + 1) * columns { result[position] += addend }
      }
    }
    return Tensor(shape, result)
  }

  /// Groups of one channel: each window position's products are added over whole rows.
  private func planeByPlane(_ padded: PaddedPlanes<T>, _ factors: [T], _ addends: [T]?) -> [T] {
    let (outputs, offsets, step) = (weights.shape[0], padded.offsets, windows.strides.last ?? 1)
    let (columns, width) = (windows.output.reduce(1, *), windows.output.last ?? 1)
    let perGroup = outputs / group
    return unsafe [T](count: input.shape[0] * outputs * columns) { made in
      nonisolated(unsafe) let made = unsafe made
      Parallel.ranges(input.shape[0] * outputs, cost: columns * offsets.count) { range in
        for plane in range {
          let (image, output) = (plane / outputs, plane % outputs)
          unsafe padded.withPlanes(from: image * group + output / perGroup, count: 1) { source in
            for start in stride(from: 0, to: columns, by: width) {
              let to = unsafe made + plane * columns + start
              for x in 0..<width { unsafe to[x] = addends?[output] ?? 0 }
              for (index, offset) in offsets.enumerated() {
                let factor = factors[output * offsets.count + index]
                let from = unsafe source + padded.bases[start] + offset
                if step == 1 {
                  for x in 0..<width { unsafe to[x] += factor * from[x] }
                } else {
                  for x in 0..<width { unsafe to[x] += factor * from[x * step] }
                }
              }
            }
          }
        }
      }
    }
  }
}

/// Channels of images with the padding of windows around them.
///
/// Unsafe: reads from pointers; `withPlanes` checks that the planes are there.
struct PaddedPlanes<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable>: Sendable {
  private let values: [T]
  private let area: Int
  /// Where each window begins in a plane.
  let bases: [Int]
  /// Where the elements of a window lie from its beginning.
  let offsets: [Int]

  init(_ input: Tensor, _ windows: Windows) throws {
    let sizes = windows.input.indices.map { windows.before[$0] + windows.input[$0] + windows.after[$0] }
    let planes = input.shape[0] * input.shape[1]
    let count = try Shape.count([planes] + sizes)
    let steps = Shape.strides(sizes)
    bases = Shape.offsets(windows.output, zip(windows.strides, steps).map(*))
    offsets = Shape.offsets(windows.kernel, zip(windows.dilations, steps).map(*))
    area = sizes.reduce(1, *)
    guard sizes != windows.input else {
      values = input.array(of: T.self)
      return
    }
    let (source, inner) = (input.array(of: T.self), windows.input.reduce(1, *))
    let width = windows.input.last ?? 1
    // Where each row of an image begins in its plane.
    let corner = zip(windows.before, steps).map(*).reduce(0, +)
    let rows = Shape.offsets(Array(windows.input.dropLast()), Array(steps.dropLast())).map { $0 + corner }
    let area = area
    values = unsafe [T](count: count) { made in
      unsafe made.initialize(repeating: 0, count: count)
      unsafe source.withUnsafeBufferPointer { source in
        nonisolated(unsafe) let (from, to) = unsafe (source.baseAddress, made)
        guard width > 0, let from = unsafe from else { return }
        for plane in 0..<planes {
          for (row, base) in rows.enumerated() {
            unsafe (to + plane * area + base).update(from: from + plane * inner + row * width, count: width)
          }
        }
      }
    }
  }

  /// Calls `body` with the elements of neighboring planes.
  @unsafe func withPlanes<R>(from first: Int, count: Int, _ body: (UnsafePointer<T>) -> R) -> R {
    unsafe values[first * area..<(first + count) * area].withUnsafeBufferPointer { buffer in
      // An image of no size has no windows to be read.
      unsafe body(buffer.baseAddress ?? UnsafePointer(bitPattern: MemoryLayout<T>.alignment)!)
    }
  }

  /// Writes the elements of some windows as columns of a panel, a row for each channel and window position.
  @unsafe func pack(
    _ source: UnsafePointer<T>, _ channels: Int, columns: Range<Int>, into panel: UnsafeMutablePointer<T>,
    width: Int
  ) {
    // Neighboring windows that begin at neighboring elements are copied as they lie there.
    var runs: [(column: Int, base: Int, length: Int)] = []
    for column in columns {
      if let last = runs.last, bases[column] == last.base + last.length {
        runs[runs.count - 1].length += 1
      } else {
        runs.append((column - columns.lowerBound, bases[column], 1))
      }
    }
    var row = unsafe panel
    for channel in 0..<channels {
      for offset in offsets {
        let from = unsafe source + channel * area + offset
        for run in runs {
          let (from, to) = unsafe (from + run.base, row + run.column)
          for index in 0..<run.length { unsafe to[index] = from[index] }
        }
        unsafe row += width
      }
    }
  }
}
