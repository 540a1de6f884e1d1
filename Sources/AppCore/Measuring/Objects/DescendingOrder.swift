/// The indices of values, the greatest value's first; those of equal ones in their own order.
///
/// A radix sort by 32 bits of the place between the greatest and the least value, and an insertion sort of what these leave
/// open: in the mean linear in their number.
func descendingOrder(of values: [Double]) -> [Int] {
  let (least, greatest) = (values.min() ?? 0, values.max() ?? 0)
  let scale = 0xffff_fffe / (greatest - least)
  // Few values, equal ones, such as are not numbers.
  guard values.count >= 32, scale.isFinite, scale > 0, !values.contains(where: \.isNaN) else {
    return values.indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }
  }
  // Of each value its 32 bits above its index. Adding 2^52 leaves the nearest integer in a number's lowest bits.
  var keys = values.indices.map { index in
    ((greatest - values[index]) * scale + 0x1p52).bitPattern << 32 | UInt64(truncatingIfNeeded: index)
  }
  var sorted = [UInt64](repeating: 0, count: keys.count)
  for shift in stride(from: UInt64(32), to: 64, by: 8) {
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
  var order = keys.map { Int(truncatingIfNeeded: $0 & 0xffff_ffff) }
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
