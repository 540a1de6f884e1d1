/// The indices of values, the greatest value's first; those of equal ones in their own order.
///
/// A radix sort by 16 bits of the place between the greatest and the least value, and an insertion sort of what these leave
/// open: in the mean linear in their number.
package func descendingOrder(of values: [Double]) -> [Int] {
  guard let keys = roughlyOrdered(values) else {
    return values.indices.sorted { values[$0] != values[$1] ? values[$0] > values[$1] : $0 < $1 }
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

/// Values in the order of `descendingOrder`, and others of the same indices in that order too.
func descending(_ values: [Double], with others: [Double]) -> (values: [Double], others: [Double]) {
  guard let keys = roughlyOrdered(values) else {
    let order = descendingOrder(of: values)
    return (order.map { values[$0] }, order.map { others[$0] })
  }
  var (sorted, along) = (values, others)
  settle(keys.span, values.span, others.span, &sorted, &along)
  return (sorted, along)
}

/// Values from the least to the greatest.
func ascending(_ values: [Double]) -> [Double] {
  guard let keys = roughlyOrdered(values) else { return values.sorted() }
  var (sorted, along) = (values, values)
  settle(keys.span, values.span, values.span, &sorted, &along)
  return sorted.reversed()
}

/// Lays values and others out in the order of keys, and sorts what the keys leave open.
private func settle(
  _ keys: Span<UInt32>, _ values: Span<Double>, _ others: Span<Double>, _ sorted: inout [Double],
  _ along: inout [Double]
) {
  var sorted = sorted.mutableSpan
  var along = along.mutableSpan
  for index in keys.indices {
    let from = Int(truncatingIfNeeded: keys[index] & 0xffff)
    let (value, other) = (values[from], others[from])
    var place = index
    while place > 0, sorted[place &- 1] < value {
      (sorted[place], along[place]) = (sorted[place &- 1], along[place &- 1])
      place &-= 1
    }
    (sorted[place], along[place]) = (value, other)
  }
}

/// The values' indices below 16 bits of their places, the greatest first; nil for few values, equal ones, and such as are not
/// numbers.
private func roughlyOrdered(_ values: [Double]) -> [UInt32]? {
  var (least, greatest, isNumeric) = (Double.infinity, -Double.infinity, true)
  for value in values {
    least = value < least ? value : least
    greatest = value > greatest ? value : greatest
    isNumeric = isNumeric && !value.isNaN
  }
  let scale = 0xfffe / (greatest - least)
  guard (32...0xffff).contains(values.count), scale.isFinite, scale > 0, isNumeric else { return nil }
  // Of each value its 16 bits above its index. Adding 2^52 leaves the nearest integer in a number's lowest bits.
  var keys = [UInt32](repeating: 0, count: values.count)
  var (lows, highs) = ([Int32](repeating: 0, count: 257), [Int32](repeating: 0, count: 257))
  count(values.span, from: greatest, scale, &keys, &lows, &highs)
  var sorted = keys
  distribute(keys.span, by: 16, &lows, into: &sorted)
  distribute(sorted.span, by: 24, &highs, into: &keys)
  return keys
}

/// Writes the values' keys, and counts how many have each of the lower and the upper eight bits, at the place after.
private func count(
  _ values: Span<Double>, from greatest: Double, _ scale: Double, _ keys: inout [UInt32],
  _ lows: inout [Int32], _ highs: inout [Int32]
) {
  var keys = keys.mutableSpan
  var lows = lows.mutableSpan
  var highs = highs.mutableSpan
  for index in values.indices {
    let place = UInt32(truncatingIfNeeded: ((greatest - values[index]) * scale + 0x1p52).bitPattern)
    keys[index] = place << 16 | UInt32(truncatingIfNeeded: index)
    lows[Int(truncatingIfNeeded: place & 0xff) &+ 1] &+= 1
    highs[Int(truncatingIfNeeded: place >> 8 & 0xff) &+ 1] &+= 1
  }
}

/// The keys in the order of eight of their bits, those alike in their own; `starts` counts how many come before.
private func distribute(
  _ keys: Span<UInt32>, by shift: UInt32, _ starts: inout [Int32], into sorted: inout [UInt32]
) {
  var starts = starts.mutableSpan
  var sorted = sorted.mutableSpan
  for digit in 1..<256 { starts[digit] &+= starts[digit &- 1] }
  for index in keys.indices {
    let key = keys[index]
    let digit = Int(truncatingIfNeeded: key >> shift & 0xff)
    sorted[Int(truncatingIfNeeded: starts[digit])] = key
    starts[digit] &+= 1
  }
}
