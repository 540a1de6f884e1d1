import Models
import NNRuntime
import NNVerification
import Testing

/// A fault at one layer of a network.
struct InjectedFault: Sendable, CustomTestStringConvertible {
  enum Kind: Sendable {
    /// Batch normalization with 1e-5 where the network has 1e-3.
    case normalizationEpsilon
    case missingActivation
    /// The kernel's axes exchanged, or those of a square matrix.
    case transposedWeight
    /// Another convention of the corners, or another interpolation.
    case resizeConvention
    case exchangedQueryAndKey
  }

  let kind: Kind
  let isDetector: Bool
  /// The node that is changed, in the graph before fusion.
  let node: String
  /// The layer that must be named.
  let layer: String

  var testDescription: String { "\(kind) at \(node)" }

  init(_ kind: Kind, detector isDetector: Bool, _ node: String, named layer: String) {
    self.kind = kind
    self.isDetector = isDetector
    self.node = node
    self.layer = layer
  }

  /// Changes an operation; nil where the fault does not fit it.
  func applied(to operation: any NNRuntime.Operator, weights: WeightStore) throws -> (any NNRuntime.Operator)?
  {
    switch (kind, operation) {
    case (.normalizationEpsilon, is Affine):
      let bn = weights.root[node.hasSuffix(".bn") ? node : "\(node).bn"]
      let gamma = try bn.tensor("weight").floats()
      let beta = try bn.tensor("bias").floats()
      let mean = try bn.tensor("running_mean").floats()
      let scale = try bn.tensor("running_var").floats().indices.map { channel in
        gamma[channel] / (try bn.tensor("running_var").floats()[channel] + 1e-5).squareRoot()
      }
      return Affine(scale: scale, shift: scale.indices.map { beta[$0] - mean[$0] * scale[$0] })
    case (.missingActivation, is Activate):
      return Activate(.none)
    case (.transposedWeight, var layer as Convolution):
      layer.weights = Self.transposed(layer.weights)
      return layer
    case (.resizeConvention, var resize as Resize):
      switch resize.interpolation {
      case .nearest: resize.interpolation = .bilinear(alignCorners: false)
      case .bilinear(let alignCorners): resize.interpolation = .bilinear(alignCorners: !alignCorners)
      case .bicubic: return nil
      }
      return resize
    case (.exchangedQueryAndKey, var attention as Attention):
      swap(&attention.layout.queryOffset, &attention.layout.keyOffset)
      return attention
    default:
      return nil
    }
  }

  /// The last two axes exchanged; of a 1x1 kernel the first two.
  private static func transposed(_ weights: Tensor) -> Tensor {
    let (out, inputs, side) = (weights.shape[0], weights.shape[1], weights.shape[3])
    let values = weights.floats()
    if side == 1 {
      return Tensor(
        shape: weights.shape,
        floats: values.indices.map { values[$0 % inputs * inputs + $0 / inputs] })
    }
    return Tensor(
      shape: [out, inputs, side, side],
      floats: values.indices.map { index in
        let (filter, position) = index.quotientAndRemainder(dividingBy: side * side)
        return values[filter * side * side + position % side * side + position / side]
      })
  }
}

@Suite("Injected faults are found")
struct FaultInjectionTests {
  static let faults = [
    InjectedFault(.normalizationEpsilon, detector: true, "model.3.bn", named: "model.3"),
    InjectedFault(
      .normalizationEpsilon, detector: true, "model.16.m.0.cv1.bn", named: "model.16.m.0.cv1"),
    InjectedFault(.missingActivation, detector: true, "model.13.cv1", named: "model.13.cv1"),
    InjectedFault(
      .missingActivation, detector: false, "pretrained.blocks.1.mlp.act",
      named: "pretrained.blocks.1.mlp.act"),
    InjectedFault(.transposedWeight, detector: true, "model.7.conv", named: "model.7"),
    InjectedFault(
      .transposedWeight, detector: false, "pretrained.blocks.0.attn.proj", named: "pretrained.blocks.0.add"),
    InjectedFault(.resizeConvention, detector: true, "model.11", named: "model.11"),
    InjectedFault(
      .resizeConvention, detector: false, "depth_head.scratch.refinenet2.resize",
      named: "depth_head.scratch.refinenet1.add"),
    InjectedFault(
      .exchangedQueryAndKey, detector: true, "model.10.m.0.attn.attention",
      named: "model.10.m.0.attn.attention"),
    InjectedFault(
      .exchangedQueryAndKey, detector: false, "pretrained.blocks.2.attn.attention",
      named: "pretrained.blocks.2.attn.attention"),
  ]

  @Test("by name", arguments: faults)
  func found(fault: InjectedFault) throws {
    let golden = fault.isDetector ? VerifiedGolden.detector : .depth
    let weights = try Golden.store(golden.name)
    var graph = try golden.session(PlanOptions(fuse: false)).plan.graph
    let index = try #require(graph.nodes.firstIndex { $0.name == fault.node })
    graph.nodes[index].operation = try #require(
      try fault.applied(to: graph.nodes[index].operation, weights: weights))
    let session = Session(try Plan(graph))
    let reference = try golden.reference()

    let isolated = try LayerVerifier(mode: .isolated).verify(session, against: reference)
    #expect(isolated.layers.filter { !$0.passed }.map(\.name) == [fault.layer], "\(isolated.summary)")
    #expect(isolated.firstDiverging?.holds.contains(fault.node) == true)
    #expect(isolated.firstDiverging?.unobserved == [])

    let cumulative = try LayerVerifier(mode: .cumulative).verify(session, against: reference)
    #expect(cumulative.firstDiverging?.name == fault.layer, "\(cumulative.summary)")
    #expect(cumulative.layers.last?.passed == false || cumulative.layers.filter { !$0.passed }.count > 1)
  }
}
