/// The part of a task that one call of a kernel computes, and the memory that it works in.
///
/// The result of an element never depends on how the work was shared.
public struct Share {
  /// Range of work items: pixels, rows, tiles.
  public var items: Range<Int>
  /// Panels of output channels, of kernels that have them.
  public var panels: Range<Int>
  /// As many floats as the kernel asks for, 64-byte aligned; the calling thread's for the length of the call.
  public var scratch: UnsafeMutablePointer<Float>

  /// The given items and panels.
  public init(items: Range<Int>, panels: Range<Int> = 0..<1, scratch: UnsafeMutablePointer<Float>) {
    self.items = items
    self.panels = panels
    self.scratch = scratch
  }
}
