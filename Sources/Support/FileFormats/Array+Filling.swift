extension Array where Element: BitwiseCopyable {
  /// `count` elements, all of which `body` writes.
  ///
  /// Without elements it is not called: filling an array of no capacity would write to the count of the empty array,
  /// which all threads share.
  @unsafe
  package init(count: Int, filledBy body: (_ elements: UnsafeMutablePointer<Element>) -> Void) {
    guard count > 0 else {
      self = []
      return
    }
    unsafe self.init(unsafeUninitializedCapacity: count) { buffer, initialized in
      unsafe body(buffer.baseAddress!)
      initialized = count
    }
  }
}
