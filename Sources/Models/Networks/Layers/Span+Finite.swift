extension Span<Float> {
  /// Whether no element is an infinity or a NaN.
  var allFinite: Bool {
    // A full exponent plus its lowest bit carries into the sign's place.
    var sums: UInt32 = 0
    for index in indices { sums |= (self[index].bitPattern & 0x7fff_ffff) &+ 0x0080_0000 }
    return sums & 0x8000_0000 == 0
  }
}
