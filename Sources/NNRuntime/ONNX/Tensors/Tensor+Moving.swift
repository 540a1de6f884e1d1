/// Copies of elements of any type in another order.
extension Tensor {
  /// A tensor of `shape` whose elements are read with these strides from `offset` on.
  func strided(_ shape: [Int], _ strides: [Int], offset: Int = 0) -> Tensor {
    func moved<T: Element>(_: T.Type) -> Tensor {
      Tensor(shape, stridedCopy(array(of: T.self), shape, strides, offset), type: type)
    }
    return moved(self.type.storage)
  }

  /// The axes in another order: axis `permutation[i]` becomes axis `i`.
  func transposed(_ permutation: [Int]) -> Tensor {
    let own = Shape.strides(shape)
    if permutation.filter({ shape[$0] != 1 }) == shape.indices.filter({ shape[$0] != 1 }) {
      return reshaped(permutation.map { shape[$0] })
    }
    return strided(permutation.map { shape[$0] }, permutation.map { own[$0] })
  }

  /// The tensor repeated to a shape that it broadcasts to.
  func broadcast(to target: [Int]) throws -> Tensor {
    guard target != shape else { return self }
    _ = try Shape.count(target, bits: type.bits)
    guard try Shape.broadcast([shape, target]) == target else {
      throw ONNXError.malformed("shape \(Shape.text(shape)) does not broadcast to \(Shape.text(target))")
    }
    return strided(target, Shape.strides(shape, broadcastTo: target))
  }

  /// Along each axis the elements at these positions, in their order; nil: all.
  ///
  /// A negative position is `fill`.
  func selecting(_ positions: [[Int]?], fill: Tensor? = nil) throws -> Tensor {
    let target = zip(shape, positions).map { size, list in list?.count ?? size }
    _ = try Shape.count(target, bits: type.bits)
    let own = Shape.strides(shape)
    let offsets = shape.indices.map { axis in
      (positions[axis] ?? Array(0..<shape[axis])).map { $0 < 0 ? -1 : $0 * own[axis] }
    }
    func moved<T: Element>(_: T.Type) -> Tensor {
      let blank = fill?.array(of: T.self).first ?? T.blank
      return Tensor(target, selectedCopy(array(of: T.self), offsets, blank), type: type)
    }
    return moved(self.type.storage)
  }

  /// Tensors of one type joined along an axis.
  static func joined(_ tensors: [Tensor], axis: Int) -> Tensor {
    var shape = tensors[0].shape
    shape[axis] = tensors.map { $0.shape[axis] }.reduce(0, +)
    func moved<T: Element>(_: T.Type) -> Tensor {
      let outer = shape[..<axis].reduce(1, *)
      let arrays = tensors.map { $0.array(of: T.self) }
      let lengths = tensors.map { $0.shape[axis...].reduce(1, *) }
      var values: [T] = []
      values.reserveCapacity(shape.reduce(1, *))
      if lengths.allSatisfy({ $0 == 1 }) {
        for block in 0..<outer { for index in arrays.indices { values.append(arrays[index][block]) } }
      } else {
        for block in 0..<outer {
          for (array, length) in zip(arrays, lengths) {
            values += array[block * length..<(block + 1) * length]
          }
        }
      }
      return Tensor(shape, values, type: tensors[0].type)
    }
    return moved(tensors[0].type.storage)
  }

  /// The part of an axis.
  func slice(_ range: Range<Int>, axis: Int) -> Tensor {
    let strides = Shape.strides(shape)
    var target = shape
    target[axis] = range.count
    return strided(target, strides, offset: range.lowerBound * strides[axis])
  }

  /// The elements at flat positions.
  func picking(_ positions: [Int], shape: [Int]) -> Tensor {
    func moved<T: Element>(_: T.Type) -> Tensor {
      Tensor(shape, pickedCopy(array(of: T.self), positions), type: type)
    }
    return moved(self.type.storage)
  }
}

@_specialize(where T == Float)
@_specialize(where T == Int64)
@_specialize(where T == UInt8)
@_specialize(where T == UInt16)
private func stridedCopy<T: Element>(_ source: [T], _ shape: [Int], _ strides: [Int], _ offset: Int) -> [T] {
  guard let width = shape.last, !shape.contains(0) else { return shape.isEmpty ? [source[offset]] : [] }
  var result: [T] = []
  result.reserveCapacity(shape.reduce(1, *))
  let step = strides[strides.count - 1]
  Shape.forEachRow(shape, [strides]) { offsets in
    let start = offset + offsets[0]
    if step == 1 {
      result += source[start..<start + width]
    } else {
      for index in 0..<width { result.append(source[start + index * step]) }
    }
  }
  return result
}

@_specialize(where T == Float)
@_specialize(where T == Int64)
@_specialize(where T == UInt8)
private func pickedCopy<T: Element>(_ source: [T], _ positions: [Int]) -> [T] {
  positions.map { source[$0] }
}

@_specialize(where T == Float)
@_specialize(where T == Int64)
@_specialize(where T == UInt8)
private func selectedCopy<T: Element>(_ source: [T], _ offsets: [[Int]], _ blank: T) -> [T] {
  guard let last = offsets.last else { return source }
  let shape = offsets.map(\.count)
  var result: [T] = []
  result.reserveCapacity(shape.reduce(1, *))
  let isRun = zip(last, last.dropFirst()).allSatisfy { $0 >= 0 && $1 == $0 + 1 } && (last.first ?? -1) >= 0
  Shape.forEachIndex(Array(shape.dropLast())) { index in
    var start = 0
    for (axis, position) in index.enumerated() {
      let offset = offsets[axis][position]
      start = offset < 0 || start < 0 ? -1 : start + offset
    }
    if start < 0 {
      result += repeatElement(blank, count: last.count)
    } else if isRun {
      result += source[start + last[0]..<start + last[0] + last.count]
    } else {
      for offset in last { result.append(offset < 0 ? blank : source[start + offset]) }
    }
  }
  return result
}
