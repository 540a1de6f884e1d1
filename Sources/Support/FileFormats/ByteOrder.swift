extension FixedWidthInteger {
  /// The number of these bytes, the most significant first; of more than it holds, the last ones.
  @inlinable
  package init(bigEndianBytes bytes: some Sequence<UInt8>) {
    self = bytes.reduce(0) { $0 << 8 | Self(truncatingIfNeeded: $1) }
  }

  /// The number of these bytes, the least significant first; of more than it holds, the first ones.
  @inlinable
  package init(littleEndianBytes bytes: some BidirectionalCollection<UInt8>) {
    self.init(bigEndianBytes: bytes.reversed())
  }
}
