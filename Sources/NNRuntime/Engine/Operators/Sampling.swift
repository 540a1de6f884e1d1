import FileFormats
import NNKernelInterface
@_exported import enum NNKernelInterface.SampledEdge

/// Sums of bilinear samples of maps, at points that other maps hold.
///
/// That is the sampling of deformable attention (Zhu et al., "Deformable DETR", 2021, equation 3), and, of one map with one
/// point a query, ONNX's `GridSample`.
struct Sampling: VectorOperator {
  /// The maps, (groups, height, width, channels), and for each the points, (groups, queries, points, 2), x first.
  var maps, points: [MapWalk]
  /// (groups, queries, points of all maps); nil: every sample counts once.
  var weights: MapWalk?
  /// Beyond a map's edge.
  var edge: SampledEdge
  /// Whether -1 and 1 are the centers of the outermost pixels; if not, their outer edges.
  var alignsCorners: Bool

  private var groups: Int { points[0].axes[0].size }
  private var queries: Int { points[0].axes[1].size }
  private var channels: Int { maps[0].axes[3].size }
  private var samples: Int { points.reduce(0) { $0 + $1.axes[2].size } }

  var name: String { "sampling" }
  var parameterCount: Int { 0 }
  func longestSum(of input: MapShape) -> Int { 4 * samples }
  func floats(_ reduced: ReducedProducts) -> FloatMaps { .all }
  var elementwiseStep: ElementwiseStep { .none }
  var multiples: ResultMultiples { .any }

  func shape(of inputs: [MapShape]) throws(GraphError.Kind) -> MapShape {
    guard !maps.isEmpty, maps.count == points.count, (maps + points).allSatisfy({ $0.axes.count == 4 }),
      (maps + points).allSatisfy({ $0.axes[0].size == groups }),
      maps.allSatisfy({ $0.axes[3].size == channels && $0.axes[3].stride == 1 }),
      points.allSatisfy({ $0.axes[1].size == queries && $0.axes[3].size == 2 }),
      weights.map({ $0.axes.map(\.size) == [groups, queries, samples] }) ?? true
    else {
      throw .wrongAttributes(
        "samples of \(maps.map { $0.axes.map(\.size) }) at \(points.map { $0.axes.map(\.size) })")
    }
    let walks = maps + points + (weights.map { [$0] } ?? [])
    guard walks.count == inputs.count, zip(walks, inputs).allSatisfy({ $0.fits($1) }) else {
      throw .wrongInputs(inputs, needed: "beyond which maps, points or weights reach")
    }
    return try .result(height: 1, width: queries, channels: groups * channels)
  }

  func step(_ layer: PlacedNode, _ kernel: Kernel<SamplingTask>, _ builder: StepBuilder) -> Step {
    let node = layer.node
    func operand(_ index: Int, _ walk: MapWalk) -> (base: UnsafePointer<Float>, strides: [Int]) {
      let walk = builder.placed(walk, in: node.inputs[index])
      return unsafe (
        UnsafePointer(builder.pointer(node.inputs[index]) + walk.offset), walk.axes.map(\.stride)
      )
    }
    var levels: [SamplingTask.Level] = []
    for (index, map) in maps.enumerated() {
      let (source, place) = unsafe (operand(index, map), operand(maps.count + index, points[index]))
      unsafe levels.append(
        SamplingTask.Level(
          height: map.axes[1].size, width: map.axes[2].size, points: points[index].axes[2].size,
          map: source.base, groupStride: source.strides[0], rowStride: source.strides[1],
          pixelStride: source.strides[2], places: place.base, placeGroupStride: place.strides[0],
          placeQueryStride: place.strides[1], placeStride: place.strides[2], axisStride: place.strides[3]))
    }
    let table = TaskMemory(array: levels)
    let factors: SamplingTask.Weights? = weights.map {
      let found = unsafe operand(2 * maps.count, $0)
      return unsafe SamplingTask.Weights(
        base: found.base, groupStride: found.strides[0], queryStride: found.strides[1],
        pointStride: found.strides[2])
    }
    let task = unsafe SamplingTask(
      groups: groups, queries: queries, channels: channels, edge: edge, alignsCorners: alignsCorners,
      levels: table.pointer, levelCount: levels.count, weights: factors, output: builder.pointer(node.output),
      outputStride: builder.plan.assignment.locations[node.output].pixelStride)
    let work = groups * samples * (channels + 16)
    return builder.step(
      layer.index, kernel, TaskMemory(task, keeping: [table, builder.arena] + builder.operands),
      items: queries, together: max(1, 100_000 / max(work, 1)))
  }

  /// Items are queries.
  static let plain = PlainKernel<SamplingTask>(
    name: "sampling-f32", computes: "sums of bilinear samples", tolerance: .product
  ) { task, share in
    for query in share.items {
      for group in 0..<task.groups {
        for channel in 0..<task.channels {
          var (sum, point) = (0.0, 0)
          for level in 0..<task.levelCount {
            let map = unsafe SampledMap(task, task.levels[level], group: group, channel: channel)
            for index in 0..<map.points {
              var weight: Float = 1
              if let weights = task.weights {
                unsafe weight =
                  weights.base[
                    group * weights.groupStride + query * weights.queryStride + point * weights.pointStride]
              }
              sum += Double(weight) * map.sample(query: query, point: index)
              point += 1
            }
          }
          unsafe task.output[query * task.outputStride + group * task.channels + channel] = Float(sum)
        }
      }
    }
  }
}

/// A channel of a map that is sampled, by the definition.
private struct SampledMap {
  let task: SamplingTask
  let level: SamplingTask.Level
  let group, channel: Int

  init(_ task: SamplingTask, _ level: SamplingTask.Level, group: Int, channel: Int) {
    (self.task, self.level) = (task, level)
    (self.group, self.channel) = (group, channel)
  }

  var points: Int { level.points }

  /// The four elements around a point, each by how near it is.
  func sample(query: Int, point: Int) -> Double {
    let start = group * level.placeGroupStride + query * level.placeQueryStride + point * level.placeStride
    let x = center(unsafe level.places[start], level.width)
    let y = center(unsafe level.places[start + level.axisStride], level.height)
    guard x.isFinite, y.isFinite else { return 0 }
    let (left, top) = (x.rounded(.down), y.rounded(.down))
    let (right, bottom) = (x - left, y - top)
    let upper = (1 - right) * element(top, left) + right * element(top, left + 1)
    let lower = (1 - right) * element(top + 1, left) + right * element(top + 1, left + 1)
    return (1 - bottom) * upper + bottom * lower
  }

  private func center(_ coordinate: Float, _ size: Int) -> Double {
    let (place, size) = (Double(coordinate) + 1, Double(size))
    let center = task.alignsCorners ? place / 2 * (size - 1) : (place * size - 1) / 2
    return task.edge == .border && !center.isNaN ? min(max(center, 0), size - 1) : center
  }

  private func element(_ y: Double, _ x: Double) -> Double {
    guard y >= 0, y < Double(level.height), x >= 0, x < Double(level.width) else { return 0 }
    let pixel = Int(clamping: y) * level.rowStride + Int(clamping: x) * level.pixelStride
    return Double(unsafe level.map[group * level.groupStride + pixel + channel])
  }
}

extension Value {
  /// A map that is sampled, and where.
  public struct Sampled {
    /// The map, and (groups, height, width, channels) in it, channels next to each other.
    public var map: Value, walk: MapWalk
    /// The points, and (groups, queries, points, 2) in them: x first, from -1 to 1.
    public var points: Value, pointWalk: MapWalk

    /// A map and points.
    public init(_ map: Value, _ walk: MapWalk, at points: Value, _ pointWalk: MapWalk) {
      (self.map, self.walk, self.points, self.pointWalk) = (map, walk, points, pointWalk)
    }
  }

  /// Sums of bilinear samples of maps, the first of which is this one's `Sampled`: a pixel for each query, with the
  /// channels of all groups.
  ///
  /// - `weights`: one per sample, (groups, queries, points of all maps); without them every sample counts once.
  /// - `alignsCorners`: whether -1 and 1 are the centers of the outermost pixels; if not, their outer edges.
  public static func sampled(
    _ levels: [Sampled], weights: (map: Value, walk: MapWalk)? = nil, edge: SampledEdge = .zeros,
    alignsCorners: Bool = false, name: String
  ) -> Value {
    let inputs = levels.map(\.map) + levels.map(\.points) + (weights.map { [$0.map] } ?? [])
    let operation = Sampling(
      maps: levels.map(\.walk), points: levels.map(\.pointWalk), weights: weights?.walk,
      edge: edge, alignsCorners: alignsCorners)
    return inputs[0].applying(operation, to: Array(inputs.dropFirst()), name: name)
  }
}
