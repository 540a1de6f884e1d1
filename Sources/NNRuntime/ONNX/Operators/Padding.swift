import FileFormats

extension Operators {
  static let padding: [Operator] = [
    Operator("Pad", ["pads", "paddings", "value", "mode"], inputs: 1...4, halves: .kept) { call in
      let tensor = try call.tensor(0)
      let mode = try call.choice("mode", ["constant", "reflect", "edge", "wrap"])
      guard let pads = try call.ints("paddings") ?? call.integers("pads", orInput: 1) else {
        throw ONNXError.malformed("there are no pads")
      }
      let axes = try Shape.axes(call.integers(3) ?? Array(0..<tensor.rank), rank: tensor.rank)
      guard pads.count == 2 * axes.count, pads.allSatisfy({ abs($0) < 1 << 32 }) else {
        throw ONNXError.malformed("\(counted(pads.count, "pad")) for \(counted(axes.count, "axis", "axes"))")
      }
      var fill = try call.optional(2)
      if let value = try call.float("value") { fill = Tensor(tensor.type, [], doubles: [value]) }
      if let fill, fill.count != 1 {
        throw ONNXError.malformed("\(fill.count) values to pad with, where one is wanted")
      }
      var positions = [[Int]?](repeating: nil, count: tensor.rank)
      for (index, axis) in axes.enumerated() {
        let (size, low, high) = (tensor.shape[axis], pads[index], pads[index + axes.count])
        guard size + low + high >= 0 else { throw ONNXError.malformed("more is cut off than there is") }
        _ = try Shape.count([size + low + high])
        positions[axis] = try (-low..<size + high).map { try source($0, size, mode) }
      }
      return try tensor.selecting(positions, fill: fill)
    }
  ]

  private static func source(_ position: Int, _ size: Int, _ mode: String) throws -> Int {
    if (0..<size).contains(position) { return position }
    if mode == "constant" { return -1 }
    guard size > 0 else { throw ONNXError.malformed("an empty axis cannot be padded with its own elements") }
    switch mode {
    case "edge": return min(max(position, 0), size - 1)
    case "wrap": return (position % size + size) % size
    default:
      let period = max(2 * (size - 1), 1)
      let phase = (position % period + period) % period
      return size == 1 ? 0 : min(phase, period - phase)
    }
  }
}
