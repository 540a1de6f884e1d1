/// The 64-bit FNV-1a hash of bytes (Fowler, Noll, Vo): the same in every process; no protection from intent.
package struct FNV1a: Sendable {
  /// The hash of the bytes so far.
  package private(set) var hash: UInt64 = 0xcbf2_9ce4_8422_2325

  /// The hash of nothing.
  package init() {}

  /// Adds a byte.
  package mutating func add(_ byte: UInt8) { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01b3 }

  /// Adds bytes in order.
  package mutating func add(_ bytes: some Sequence<UInt8>) { for byte in bytes { add(byte) } }
}
