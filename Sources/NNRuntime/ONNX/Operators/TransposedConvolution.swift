import FileFormats

/// Each element of the input times all weights of its channel, added up where the windows lie in the output.
struct TransposedConvolution {
  /// Shape of the output.
  let shape: [Int]
  let group: Int
  let strides: [Int]
  let dilations: [Int]
  /// Padding taken away before the output.
  let before: [Int]

  func run<T: BinaryFloatingPoint & SIMDScalar & Element & BitwiseCopyable>(
    _: T.Type, _ input: Tensor, _ weights: Tensor, _ bias: [Double]?
  ) throws -> Tensor {
    let (spatial, kernel, sizes) = (Array(input.shape[2...]), Array(weights.shape[2...]), Array(shape[2...]))
    let (channels, perGroup) = (input.shape[1] / group, weights.shape[1])
    let (area, window, target) = (spatial.reduce(1, *), kernel.reduce(1, *), sizes.reduce(1, *))
    _ = try Shape.count([perGroup, window, area])
    let (values, factors) = (
      input.array(of: T.self), weights.transposed(rows: channels, group).array(of: T.self)
    )
    let product = MatrixProduct<T>(rows: perGroup * window, depth: channels, columns: area)
    let allPlaces = (0..<window).map { places(of: $0, kernel, spatial, sizes) }
    var result = [T](repeating: 0, count: try Shape.count(shape, bits: 64))
    if let bias {
      for position in result.indices { result[position] = T(bias[position / target % shape[1]]) }
    }
    for image in 0..<input.shape[0] {
      for part in 0..<group {
        let first = (image * group + part) * channels * area
        let size = perGroup * window * channels
        let products = product.multiply(
          factors[part * size..<(part + 1) * size], values[first..<first + channels * area])
        for output in 0..<perGroup {
          let start = ((image * group + part) * perGroup + output) * target
          for (index, places) in allPlaces.enumerated() {
            let row = (output * window + index) * area
            for (position, place) in places.enumerated() where place >= 0 {
              result[start + place] += products[row + position]
            }
          }
        }
      }
    }
    return Tensor(shape, result)
  }

  /// Where each input position's product with one weight goes; -1: outside.
  private func places(of weight: Int, _ kernel: [Int], _ spatial: [Int], _ sizes: [Int]) -> [Int] {
    let steps = Shape.strides(sizes)
    var (rest, found) = (weight, [0])
    let offsets = kernel.indices.reversed().map { axis in
      defer { rest /= kernel[axis] }
      return rest % kernel[axis]
    }
    for axis in spatial.indices {
      let shift = offsets[spatial.count - 1 - axis] * dilations[axis] - before[axis]
      found = found.flatMap { base in
        (0..<spatial[axis]).map { index in
          let place = index * strides[axis] + shift
          return base < 0 || place < 0 || place >= sizes[axis] ? -1 : base + place * steps[axis]
        }
      }
    }
    return found
  }
}

extension Tensor {
  /// Each of `group` matrices of `rows` rows transposed.
  fileprivate func transposed(rows: Int, _ group: Int) -> Tensor {
    reshaped([group, rows, count / max(group * rows, 1)]).transposed([0, 2, 1])
  }
}
