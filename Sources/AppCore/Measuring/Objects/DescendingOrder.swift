/// The indices of values, the greatest value's first; those of equal ones in their own order.
///
/// A radix sort by 16 bits of the place between the greatest and the least value, and an insertion sort of what these leave
/// open: in the mean linear in their number.
package func descendingOrder(of values: [Double]) -> [Int] {
  let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
  let scale = 0xfffe / (greatest - least)
  // Few values, equal ones, such as are not numbers.
  guard (32...0xffff).contains(values.count), scale.isFinite, scale > 0, !values.contains(where: \.isNaN)
  else {
    return values.indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }
  }
  // Of each value its 16 bits above its index. Adding 2^52 leaves the nearest integer in a number's lowest bits.
  var keys = values.indices.map { index in
    let place = UInt32(truncatingIfNeeded: ((greatest - values[index]) * scale + 0x1p52).bitPattern)
    return place << 16 | UInt32(truncatingIfNeeded: index)
  }
  var sorted = [UInt32](repeating: 0, count: keys.count)
  for shift in [UInt32(16), 24] {
    var starts = [Int](repeating: 0, count: 257)
    for key in keys { starts[Int(truncatingIfNeeded: key >> shift & 0xff) + 1] += 1 }
    for digit in 1..<256 { starts[digit] += starts[digit - 1] }
    for key in keys {
      let digit = Int(truncatingIfNeeded: key >> shift & 0xff)
      sorted[starts[digit]] = key
      starts[digit] += 1
    }
    swap(&keys, &sorted)
  }
  var order = keys.map { Int(truncatingIfNeeded: $0 & 0xffff) }
  for index in order.indices.dropFirst() {
    let moved = order[index]
    var place = index
    while place > 0, values[order[place - 1]] < values[moved] {
      order[place] = order[place - 1]
      place -= 1
    }
    order[place] = moved
  }
  return order
}
