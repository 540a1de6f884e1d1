/// A convolution of any number of axes as products of its weights with the columns of its windows.
///
/// Unsafe: columns are packed straight from the input, whose bounds `Windows` states.
struct Convolution<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable> {
  private let input: Tensor
  private let weights: Tensor
  private let windows: Windows
  private let group: Int

  init(_ call: Call, _ input: Tensor, _ weights: Tensor) throws {
    let group = try call.int("group", default: 1)
    guard input.rank > 2, weights.rank == input.rank, weights.type == input.type, group > 0,
      input.shape[1] == weights.shape[1] * group, weights.shape[0] % group == 0
    else {
      throw ONNXError.malformed(
        "weights of shape \(Shape.text(weights.shape)) in \(group) groups do not fit input \(Shape.text(input.shape))"
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
    let made = weights.shape[0] / group
    let shape = [batch, weights.shape[0]] + windows.output
    _ = try Shape.count(shape)
    let offsets = windows.offsets
    let (area, columns) = (windows.input.reduce(1, *), windows.output.reduce(1, *))
    let (values, factors) = (input.array(of: T.self), weights.array(of: T.self))
    let depth = channels * offsets.count
    let product = MatrixProduct<T>(rows: made, depth: depth, columns: columns)
    let (starts, steps) = (windows.starts, Shape.strides(windows.input))
    let bases = starts.map { zip($0, steps).map(*).reduce(0, +) }
    let inside = starts.map(windows.isInside)
    var result: [T] = []
    result.reserveCapacity(batch * weights.shape[0] * columns)
    for image in 0..<batch {
      for part in 0..<group {
        let first = (image * group + part) * channels * area
        let left = factors[part * made * depth..<(part + 1) * made * depth]
        let block = unsafe values[first..<first + channels * area].withUnsafeBufferPointer { source in
          unsafe product.multiply(left) { start, count, panel in
            for column in 0..<count {
              let (base, begin) = (bases[start + column], starts[start + column])
              var row = unsafe panel + column
              for channel in 0..<channels {
                let plane = channel * area + base
                if inside[start + column] {
                  for offset in offsets {
                    unsafe row.pointee = source[plane + offset.flat]
                    unsafe row += MatrixProduct<T>.width
                  }
                } else {
                  for offset in offsets {
                    let isIn = begin.indices.allSatisfy {
                      (0..<windows.input[$0]).contains(begin[$0] + offset.index[$0])
                    }
                    unsafe row.pointee = isIn ? source[plane + offset.flat] : 0
                    unsafe row += MatrixProduct<T>.width
                  }
                }
              }
            }
          }
        }
        result += block
      }
    }
    if let bias {
      let addends = bias.doubles().map { T($0) }
      guard addends.count == shape[1] else {
        throw ONNXError.malformed("a bias of \(addends.count) for \(shape[1]) channels")
      }
      for channel in 0..<batch * shape[1] {
        let addend = addends[channel % shape[1]]
        for position in channel * columns..<(channel + 1) * columns { result[position] += addend }
      }
    }
    return Tensor(shape, result)
  }
}
