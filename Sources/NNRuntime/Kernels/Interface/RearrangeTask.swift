/// The elements of a map in another order: out[p, c] = in[starts[p] + offset(c)], or zeros where a start is negative.
///
/// Offsets count elements of the input as it lies in memory.
public struct RearrangeTask {
  /// Pixels of the result whose first sources follow each other in memory: a row's, a column's, or none.
  public enum Run: Hashable, Sendable {
    /// Pixels next to each other.
    case row
    /// Pixels below each other.
    case column
    /// Only by chance.
    case none
  }

  /// Sizes of the output.
  public var height, width, channels: Int
  /// The map that is read, of which only the address and the element type count.
  public var input: MapPointer
  /// The map that is made.
  public var output: MutableMapPointer
  /// One for each pixel, row by row; negative: zeros.
  public var starts: UnsafePointer<Int32>
  /// From the source of a channel to the next one's, where there are no `offsets`.
  public var channelStride: Int
  /// From a pixel's start to the source of each channel, where they are not equally far apart.
  public var offsets: UnsafePointer<Int32>?
  /// Pixels whose starts are one apart.
  public var run: Run

  /// Items of its work: pixels, or blocks of sixteen of a run.
  public var items: Int {
    switch run {
    case .none: height * width
    case .row: height * ((width + 15) / 16)
    case .column: (height + 15) / 16 * width
    }
  }

  /// A rearrangement of the given memory.
  public init(
    height: Int, width: Int, channels: Int, input: MapPointer, output: MutableMapPointer,
    starts: UnsafePointer<Int32>, channelStride: Int, offsets: UnsafePointer<Int32>? = nil, run: Run = .none
  ) {
    self.height = height
    self.width = width
    self.channels = channels
    self.input = input
    self.output = output
    self.starts = starts
    self.channelStride = channelStride
    self.offsets = offsets
    self.run = run
  }
}
