/// Regularly spaced elements of a map: from the one at `offset` on, a count and a stride for each axis.
///
/// Elements are counted as in a dense map: pixel after pixel, all channels of each.
public struct MapWalk: Hashable, Sendable {
  /// An axis: places, and elements from one to the next.
  public struct Axis: Hashable, Sendable {
    /// How many places.
    public var size: Int
    /// Elements from one place to the next; zero: all are one.
    public var stride: Int

    /// An axis of `size` places, `stride` elements apart.
    public init(size: Int, stride: Int) {
      self.size = size
      self.stride = stride
    }
  }

  /// The first element.
  public var offset: Int
  /// The axes.
  public var axes: [Axis]

  /// A walk from an element on.
  public init(offset: Int, axes: [Axis]) {
    self.offset = offset
    self.axes = axes
  }

  /// Whether every element is one of such a map, and steps are the same wherever its pixels lie.
  public func fits(_ map: MapShape) -> Bool {
    var (channel, last) = (offset % map.channels, offset)
    guard (0..<map.count).contains(offset),
      axes.allSatisfy({
        (1...MapShape.mostAlongSide).contains($0.size)
          && ($0.size == 1 || (0...map.count).contains($0.stride))
      }),
      axes.reduce(1.0, { $0 * Double($1.size) }) <= Double(Int32.max)
    else { return false }
    for axis in axes {
      let (span, overflow) = (axis.size - 1).multipliedReportingOverflow(by: axis.stride)
      guard !overflow, span < map.count else { return false }
      last += span
      channel += (axis.size - 1) * (axis.stride % map.channels)
    }
    return last < map.count && channel < map.channels
  }

  /// The walk where pixels lie `pixelStride` apart.
  func placed(channels: Int, pixelStride: Int) -> MapWalk {
    func place(_ element: Int) -> Int { element / channels * pixelStride + element % channels }
    return MapWalk(
      offset: place(offset),
      axes: axes.map { Axis(size: $0.size, stride: $0.size == 1 ? 0 : place($0.stride)) })
  }

  /// Places of the first axes, all but the last two, in row-major order.
  var starts: [Int] {
    axes.dropLast(2).reduce([offset]) { starts, axis in
      starts.flatMap { start in (0..<axis.size).map { start + $0 * axis.stride } }
    }
  }
}

extension StepBuilder {
  /// A walk through a value as it lies in memory.
  func placed(_ walk: MapWalk, in value: ValueID) -> MapWalk {
    walk.placed(
      channels: shapes[value].channels, pixelStride: plan.assignment.locations[value].pixelStride)
  }
}
