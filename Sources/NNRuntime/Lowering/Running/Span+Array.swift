extension Span<Float> {
  /// A copy of the elements.
  var array: [Float] { unsafe withUnsafeBufferPointer { unsafe Array($0) } }
}
