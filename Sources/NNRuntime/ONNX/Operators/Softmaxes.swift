#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

extension Operators {
  /// Exponentials of an axis that add up to one, their logarithms, and the greatest alone.
  static let softmaxes: [Operator] = [
    along("Softmax") { line in
      let total = exponentials(&line)
      for index in line.indices { line[index] /= total }
    },
    along("LogSoftmax") { line in
      guard let greatest = line.max() else { return }
      let total = log(line.reduce(0) { $0 + exp($1 - greatest) })
      for index in line.indices { line[index] -= greatest + total }
    },
    along("Hardmax") { line in
      guard let greatest = line.max() else { return }
      let first = line.firstIndex(of: greatest)
      for index in line.indices { line[index] = index == first ? 1 : 0 }
    },
  ]

  /// The exponentials less the greatest in place, and their sum.
  static func exponentials(_ line: inout [Double]) -> Double {
    guard let greatest = line.max() else { return 1 }
    var total = 0.0
    for index in line.indices {
      line[index] = exp(line[index] - greatest)
      total += line[index]
    }
    return total
  }

  /// Up to version 12 all axes from the given one on are one.
  private static func along(_ name: String, _ body: @escaping @Sendable (inout [Double]) -> Void) -> Operator
  {
    Operator(name, ["axis"], inputs: 1...1) { call in
      let given = try call.tensor(0)
      guard given.type == .float || given.type == .double else { throw unsupported(given.type) }
      let isFlat = call.version < 13
      let axis = try Shape.axis(call.int("axis", default: isFlat ? 1 : -1), rank: given.rank)
      let (outer, size, inner) =
        isFlat
        ? (given.shape[..<axis].reduce(1, *), given.shape[axis...].reduce(1, *), 1)
        : Shape.around(axis, of: given.shape)
      if name == "Softmax", given.type == .float, inner == 1, size > 0 {
        return Tensor(given.shape, FloatLoops.softmax(given.array(of: Float.self), width: size))
      }
      var values = given.doubles()
      var line = [Double](repeating: 0, count: size)
      for row in 0..<outer {
        for column in 0..<inner {
          let start = row * size * inner + column
          for index in 0..<size { line[index] = values[start + index * inner] }
          body(&line)
          for index in 0..<size { values[start + index * inner] = line[index] }
        }
      }
      return Tensor(given.type, given.shape, doubles: values)
    }
  }
}
