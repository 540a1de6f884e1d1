/// The elements beyond the edge of a map that is sampled.
public enum SampledEdge: UInt8, Hashable, Sendable {
  /// Zeros.
  case zeros
  /// The nearest element.
  case border
}

/// Sums of bilinear samples of maps: out[query, group] = sum over levels and points of weight x map(point).
///
/// A point is (x, y) from -1 to 1, over the map from edge to edge or from the center of the first pixel to that of the last.
public struct SamplingTask {
  /// One of the maps, and where it is sampled.
  public struct Level {
    /// Sizes of the map, and points of a query.
    public var height, width, points: Int
    /// The first element, with the channels of a pixel next to each other.
    public var map: UnsafePointer<Float>
    /// Elements from one group, row and pixel to the next in `map`.
    public var groupStride, rowStride, pixelStride: Int
    /// x of the first point.
    public var places: UnsafePointer<Float>
    /// Elements from one group, query, point, and from x to y, in `places`.
    public var placeGroupStride, placeQueryStride, placeStride, axisStride: Int

    /// A level in the given memory.
    public init(
      height: Int, width: Int, points: Int, map: UnsafePointer<Float>, groupStride: Int, rowStride: Int,
      pixelStride: Int, places: UnsafePointer<Float>, placeGroupStride: Int, placeQueryStride: Int,
      placeStride: Int, axisStride: Int
    ) {
      self.height = height
      self.width = width
      self.points = points
      self.map = map
      self.groupStride = groupStride
      self.rowStride = rowStride
      self.pixelStride = pixelStride
      self.places = places
      self.placeGroupStride = placeGroupStride
      self.placeQueryStride = placeQueryStride
      self.placeStride = placeStride
      self.axisStride = axisStride
    }
  }

  /// Weights of the samples, the points of all levels one after another.
  public struct Weights {
    /// The first point's weight.
    public var base: UnsafePointer<Float>
    /// Elements from one group, query and point to the next.
    public var groupStride, queryStride, pointStride: Int

    /// Weights in the given memory.
    public init(base: UnsafePointer<Float>, groupStride: Int, queryStride: Int, pointStride: Int) {
      self.base = base
      self.groupStride = groupStride
      self.queryStride = queryStride
      self.pointStride = pointStride
    }
  }

  /// Groups with maps and points of their own, queries of each, and channels of a group.
  public var groups, queries, channels: Int
  /// Beyond the edges of all maps.
  public var edge: SampledEdge
  /// Whether -1 and 1 are the centers of the outermost pixels; if not, their outer edges.
  public var alignsCorners: Bool
  /// The maps.
  public var levels: UnsafePointer<Level>
  /// How many there are.
  public var levelCount: Int
  /// Weights of the samples; nil: each counts once.
  public var weights: Weights?
  /// The map that is made: a pixel for each query, the channels of all groups.
  public var output: UnsafeMutablePointer<Float>
  /// Elements from one query to the next in `output`.
  public var outputStride: Int

  /// Sums on the given memory.
  public init(
    groups: Int, queries: Int, channels: Int, edge: SampledEdge, alignsCorners: Bool,
    levels: UnsafePointer<Level>,
    levelCount: Int, weights: Weights?, output: UnsafeMutablePointer<Float>, outputStride: Int
  ) {
    self.groups = groups
    self.queries = queries
    self.channels = channels
    self.edge = edge
    self.alignsCorners = alignsCorners
    self.levels = levels
    self.levelCount = levelCount
    self.weights = weights
    self.output = output
    self.outputStride = outputStride
  }
}
