import NNRuntime
import ONNX

/// `GridSample` in two dimensions, two taps per axis, and the weighted sums of such samples that deformable attention takes.
///
/// Points beyond the edge that are mirrored, nearest elements and bicubic samples are computed by the definition.
enum SamplingRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let shape = operands.outputShape() else { return nil }
    if case .sampling = node.operation {
      return deformable(node, operands, shape)
    }
    guard let form = Form(node.step), shape.count == 4,
      let input = Input(operands, maps: 0..<1, pointsInOne: true),
      let made = input.applied(form, weights: nil, operands)
    else { return nil }
    return made.reshaped(shape).map { [$0] }
  }

  private static func deformable(_ node: ProgramNode, _ operands: Operands, _ shape: [Int]) -> [Lowered]? {
    let forms = node.steps.filter { $0.type == "GridSample" }.map(Form.init)
    guard let form = forms[0], forms.allSatisfy({ $0 == form }),
      let input = Input(operands, maps: 0..<forms.count, pointsInOne: false),
      let weights = operands.operand(2 * forms.count),
      let made = input.applied(form, weights: weights, operands)
    else { return nil }
    return made.reshaped(shape).map { [$0] }
  }

  /// The attributes of `GridSample`, as the engine knows them.
  private struct Form: Equatable {
    var edge: SampledEdge
    var alignsCorners: Bool

    init?(_ step: ONNXStep) {
      guard ["linear", "bilinear"].contains(step.string("mode") ?? "linear") else { return nil }
      switch step.string("padding_mode") ?? "zeros" {
      case "zeros": edge = .zeros
      case "border": edge = .border
      default: return nil
      }
      alignsCorners = step.int("align_corners") == 1
    }
  }

  /// Maps (images x groups, channels, height, width), and points of each, (images x groups, queries, points, 2).
  private struct Input {
    private let images, groups, channels, queries: Int
    private let levels: [MapValue.Sampled]
    private let counts: [Int]
    private let factor: Float

    /// - `pointsInOne`: whether every point is a query.
    init?(_ operands: Operands, maps: Range<Int>, pointsInOne: Bool) {
      var found: [(map: Lowered, points: Lowered)] = []
      var factor: Float?
      for index in maps {
        guard let (map, own) = operands.operand(index), map.shape.count == 4,
          let points = operands.settledOperand(maps.count + index), points.shape.count == 4,
          points.shape[3] == 2, points.shape[0] == map.shape[0], factor == nil || factor == own
        else { return nil }
        factor = own
        found.append((map, points))
      }
      let images = found.map { max($0.map.map.images, $0.points.map.images) }.max() ?? 1
      let (first, places) = (found[0].map.shape, found[0].points.shape)
      guard first[0] % images == 0 else { return nil }
      let groups = first[0] / images
      let queries = pointsInOne ? places[1] * places[2] : places[1]
      var levels: [MapValue.Sampled] = []
      for (map, points) in found {
        guard Array(map.shape[..<2]) == Array(first[..<2]), points.shape[1] == places[1],
          let source = Self.walked(
            map, [images, groups] + map.shape[1...], [0, 3, 4, 1, 2], images, operands),
          let place = Self.walked(
            points, [images, groups, queries, pointsInOne ? 1 : points.shape[2], 2], [0, 2, 1, 3, 4], images,
            operands)
        else { return nil }
        levels.append(MapValue.Sampled(source.value, source.walk, at: place.value, place.walk))
      }
      (self.images, self.groups, channels, self.queries) = (images, groups, first[1], queries)
      (self.levels, self.factor) = (levels, factor ?? 1)
      counts = found.map { pointsInOne ? 1 : $0.points.shape[2] }
    }

    /// The sums, (images, groups, channels, queries).
    ///
    /// - `weights`: (images x groups, 1, queries, points of all maps), and what they owe.
    func applied(
      _ form: Form, weights: (tensor: Lowered, factor: Float)?, _ operands: Operands
    ) -> Lowered? {
      var factors: (map: MapValue, walk: MapWalk)?
      if let weights {
        let count = counts.reduce(0, +)
        guard weights.tensor.shape == [images * groups, 1, queries, count],
          let found = Self.walked(
            weights.tensor, [images, groups, queries, count], [0, 2, 1, 3], images, operands)
        else { return nil }
        factors = (found.value, found.walk)
      }
      let value = MapValue.sampled(
        levels, weights: factors, edge: form.edge, alignsCorners: form.alignsCorners, name: operands.name)
      return Lowered(
        value: value, view: StridedView([images, groups, channels, queries], inOrder: [0, 3, 1, 2]),
        factor: factor * (weights?.factor ?? 1))
    }

    /// The tensor under another shape as a walk along the axes `order` after the first, images, in the order (groups,
    /// ...): where it lies, or brought into that order.
    private static func walked(
      _ x: Lowered, _ shape: [Int], _ order: [Int], _ images: Int, _ operands: Operands
    ) -> (value: MapValue, walk: MapWalk)? {
      guard let tensor = x.reshaped(shape) else { return nil }
      let isMap = order[1] == 3
      if let walk = walk(tensor, isMap: isMap, images) { return (tensor.value, walk) }
      let channels = order.suffix(isMap ? 2 : order.count - 2).reduce(1) { $0 * shape[$1] }
      let map = MapShape(
        images: images, height: isMap ? shape[3] : 1, width: isMap ? shape[4] : shape[2], channels: channels)
      guard let found = operands.island.arranged(tensor, order: order, as: map, operands.name),
        let walk = walk(found, isMap: isMap, images)
      else { return nil }
      return (found.value, walk)
    }

    private static func walk(_ x: Lowered, isMap: Bool, _ images: Int) -> MapWalk? {
      guard let axes = x.imageAxes(images), axes[0].isEmpty else { return nil }
      guard isMap else { return x.walk(Array(axes.dropFirst())) }
      guard axes[2] == (x.shape[2] == 1 ? [] : [Factor(size: x.shape[2], stride: 1)]) else { return nil }
      var walk = x.walk([axes[1], axes[3], axes[4], axes[2]])
      walk?.axes[3].stride = 1
      return walk
    }
  }
}

extension Lowered {
  /// The same elements in another shape; nil where the map's memory cannot be read as that shape.
  fileprivate func reshaped(_ shape: [Int]) -> Lowered? {
    view.reshaped(shape).map { Lowered(value: value, view: $0, factor: factor) }
  }
}
