import FileFormats

extension Operators {
  /// Numbers as multiples of a scale, and back.
  static let quantization: [Operator] = [
    Operator(
      "QuantizeLinear", ["axis", "saturate", "block_size", "output_dtype", "precision"], inputs: 2...3,
      halves: .kept
    ) { call in
      let (tensor, scale, zero) = (try call.tensor(0), try call.tensor(1), try call.optional(2))
      let type = try call.numericType("output_dtype", default: zero?.type ?? .uint8)
      guard zero == nil || zero!.type == type else {
        throw ONNXError.malformed("the zero point is of another type than the result")
      }
      let places = try scalePlaces(call, tensor, scale)
      let (values, scales) = (tensor.floats(), scale.floats())
      let zeros = zero?.doubles() ?? [Double](repeating: 0, count: scales.count)
      guard zeros.count == scales.count else {
        throw ONNXError.malformed("scales and zero points differ in number")
      }
      if let format = type.narrow {
        let isSaturating = try call.flag("saturate", default: true)
        let bits = values.indices.map { index in
          format.bits(
            Double(values[index] / scales[places(index)]) + zeros[places(index)], saturating: isSaturating)
        }
        guard !type.isHalf else { throw unsupported(type) }
        return Tensor(tensor.shape, bits.map { UInt8($0) }, type: type)
      }
      guard type.isInteger else { throw unsupported(type) }
      let (low, high) = type.range
      if type == .uint8 || type == .int8, scales.count == 1, scale.rank < 2,
        let bytes = quotients(values, by: scales[0], zero: zeros[0], low...high)
      {
        return type == .uint8
          ? Tensor(tensor.shape, bytes) : Tensor(tensor.shape, bytes.map { Int8(bitPattern: $0) })
      }
      return Tensor(
        type, tensor.shape,
        doubles: values.indices.map { index in
          let multiple = Double((values[index] / scales[places(index)]).rounded(.toNearestOrEven))
          return min(max(multiple + zeros[places(index)], low), high)
        })
    },
    Operator("DequantizeLinear", ["axis", "block_size", "output_dtype"], inputs: 2...3, halves: .kept) {
      call in
      let (tensor, scale) = (try call.tensor(0), try call.tensor(1))
      let places = try scalePlaces(call, tensor, scale)
      let scales = scale.doubles()
      let zeros = try call.optional(2)?.doubles() ?? [Double](repeating: 0, count: scales.count)
      guard zeros.count == scales.count else {
        throw ONNXError.malformed("scales and zero points differ in number")
      }
      let type = try call.numericType("output_dtype", default: scale.type)
      func number(_ value: Double, _ index: Int) -> Double {
        (value - zeros[places(index)]) * scales[places(index)]
      }
      let isByte = tensor.type == .int8 || tensor.type == .uint8
      if type == .float, isByte, try call.int("block_size", default: 0) == 0 {
        let axis = try scale.count == 1 ? nil : Shape.axis(call.int("axis", default: 1), rank: tensor.rank)
        let run = axis.map { Shape.around($0, of: tensor.shape).inner } ?? tensor.count
        var made = Tensor(tensor.shape, multiples(of: scales, tensor.floats(), zeros, run: run))
        made.dequantized = DequantizedBytes(
          integers: tensor, scales: scales.map { Float($0) }, zeros: zeros.map { Int(clamping: $0) },
          axis: axis)
        return made
      }
      let values = tensor.doubles()
      return Tensor(type, tensor.shape, doubles: values.indices.map { number(values[$0], $0) })
    },
    Operator("DynamicQuantizeLinear", inputs: 1...1, outputs: 3...3) { (call: Call) throws -> [Tensor?] in
      let tensor = try call.tensor(0)
      guard tensor.type == .float else { throw unsupported(tensor.type) }
      let values = tensor.array(of: Float.self)
      let (low, high) = (min(0, values.min() ?? 0), max(0, values.max() ?? 0))
      let scale = (high - low) / 255
      let zero = scale == 0 ? 0 : min(max((-low / scale).rounded(.toNearestOrEven), 0), 255)
      let quantized = values.map { value -> UInt8 in
        scale == 0 ? 0 : UInt8(clamping: min(max((value / scale).rounded(.toNearestOrEven) + zero, 0), 255))
      }
      return [Tensor(tensor.shape, quantized), Tensor([], [scale]), Tensor([], [UInt8(clamping: zero)])]
    },
  ]

  /// Rounded quotients plus a zero point, within the range of 8 bits, as the bytes of integers; nil where an element or the
  /// scale is not a finite number that divides.
  ///
  /// The range is that of integers, so that a quotient may be bounded before it is rounded. Adding 1.5 times 2^23 rounds it to an
  /// even one of two integers as near, and leaves it in a number's lowest bits.
  private static func quotients(
    _ values: [Float], by scale: Float, zero: Double, _ range: ClosedRange<Double>
  ) -> [UInt8]? {
    guard scale > 0, scale.isFinite, range.contains(zero), !values.isEmpty else { return nil }
    // Not a number if one is not finite.
    var check: Float = 0
    for value in values { check += value * 0 }
    guard check == 0 else { return nil }
    let (low, high) = (Float(range.lowerBound - zero), Float(range.upperBound - zero))
    let offset = UInt32(bitPattern: Int32(clamping: zero))
    let threads = values.count > 1 << 14 ? Parallel.threads : 1
    return Parallel.rows(values.count, width: 1, threads: threads) { part, made in
      let source = values.span.extracting(part)
      for index in source.indices {
        let quotient = min(max(source[index] / scale, low), high)
        made[index] = UInt8(truncatingIfNeeded: (quotient + 0x1.8p23).bitPattern &+ offset)
      }
    }
  }

  /// Integers of 8 bits, less their zero points, times their scales, of which each holds for a run of elements.
  ///
  /// In single precision the difference is exact, and the product is rounded once.
  private static func multiples(
    of scales: [Double], _ integers: [Float], _ zeros: [Double], run: Int
  ) -> [Float] {
    var values = integers
    for (index, begin) in stride(from: 0, to: values.count, by: max(run, 1)).enumerated() {
      let (scale, zero) = (Float(scales[index % scales.count]), Float(zeros[index % scales.count]))
      for place in begin..<begin + run { values[place] = (values[place] - zero) * scale }
    }
    return values
  }

  /// Which scale each element has: one for all, one for each position of an axis, or one for each block of it.
  private static func scalePlaces(_ call: Call, _ tensor: Tensor, _ scale: Tensor) throws -> (Int) -> Int {
    let block = try call.int("block_size", default: 0)
    if scale.count == 1, block == 0 { return { _ in 0 } }
    let axis = try Shape.axis(call.int("axis", default: 1), rank: tensor.rank)
    let (_, size, inner) = Shape.around(axis, of: tensor.shape)
    if scale.rank == 1, block == 0 {
      guard scale.count == size else {
        throw ONNXError.malformed("\(counted(scale.count, "scale")) for an axis of \(size)")
      }
      return { $0 / max(inner, 1) % max(size, 1) }
    }
    guard scale.rank == tensor.rank, block > 0, scale.shape[axis] == (size + block - 1) / block,
      tensor.shape.indices.allSatisfy({ $0 == axis || scale.shape[$0] == tensor.shape[$0] })
    else { throw ONNXError.malformed("scales of shape \(Shape.text(scale.shape)) in blocks of \(block)") }
    let blocks = scale.shape[axis]
    return { flat in
      let (row, position) = (flat / inner / size, flat / inner % size)
      return (row * blocks + position / block) * inner + flat % inner
    }
  }
}
