import NNKernelInterface

/// Chooses the layers that a plan fuses: those that are algebraically equal, that a kernel can compute as
/// one, and that cost less that way.
///
/// In fp32, maps that only one layer reads are not materialized. Reduced precision keeps them, since several
/// chunks read the same rows and each would compute them again. Exceptions are narrow convolutions, for which
/// fp32 is as fast, and maps that integer Winograd kernels, where there are any, save.
struct Fusing {
  let arithmetic: Arithmetic

  private var catalogue: KernelCatalogue { arithmetic.catalogue }
  private var precision: Precision { arithmetic.precision }

  /// Channels up to which Winograd's products in integers save nothing: transforms take most of the time.
  private static let narrowChannels = 32
  /// Elements of a map from which on it costs more to store and read than products of few rows at a time do.
  private static let largeMap = 1536 * 1024
  /// Most output channels of a 1x1 convolution that is fused as an epilogue: its weights then stay in the
  /// cache.
  private static let mostProjected = 64

  /// The same network with fewer and cheaper steps.
  func fused(_ graph: Graph) -> Graph {
    graph.paddingWhileReading().joiningElementwise().quantizingWhileReading(where: canQuantize)
      .projectingBeforeEnlarging().addingWhileEnlarging()
      .joiningTransposed(where: savesProducts)
      .interleavingWhileReading { readsPlanes($0) }
      .normalizingWhileMultiplying { precision == .fp32 && canCompute($0) }
      .excitingWhileMultiplying { precision == .fp32 && canCompute($0) }
      .enlargingWhileReading { isNarrow($0.layer, $0.shapes) && canCompute($0) }
      .projectingWhileStoring { isNarrow($0.layer, $0.shapes) && savesMap($0) }
  }

  /// Whether a kernel multiplies the file's own integers of 8 bits.
  private func canQuantize(_ joint: Joint) -> Bool {
    guard let layer = joint.joined.operation as? Convolution else { return false }
    return catalogue.steppedChoice(layer, joint.joined.convolutionShape(layer, joint.shapes)) != nil
  }

  /// Whether the kernel that computes the layer alone computes it joined too.
  private func canCompute(_ joint: Joint) -> Bool {
    guard let layer = joint.layer.operation as? Convolution,
      let joined = joint.joined.operation as? Convolution,
      let alone = catalogue.choice(layer, joint.layer.convolutionShape(layer, joint.shapes), nil)
    else { return false }
    let shape = joint.joined.convolutionShape(joined, joint.shapes)
    return catalogue.candidates(joined, shape, .float32).contains { $0.name == alone.kernel.name }
  }

  /// Whether the kernel that computes the layer alone, in whatever precision, reads planes too.
  private func readsPlanes(_ joint: Joint) -> Bool {
    guard let layer = joint.layer.operation as? Convolution,
      let joined = joint.joined.operation as? Convolution
    else { return false }
    let shape = joint.layer.convolutionShape(layer, joint.shapes)
    let reduced = arithmetic.of(joint.layer).choice(layer, shape, isOutput: false)
    guard let kernel = (reduced ?? catalogue.choice(layer, shape, nil))?.kernel else { return false }
    return kernel.computes(joined, shape)
  }

  /// Whether the channels on both sides of a layer are few enough for its maps to be left out.
  private func isNarrow(_ node: Node, _ shapes: [MapShape]) -> Bool {
    guard precision != .fp32 else { return true }
    return max(shapes[node.inputs[0]].channels, shapes[node.output].channels) <= Self.narrowChannels
  }

  /// Whether a convolution of 3x3 and the transposed one before it, each with its best kernel, have more products than the
  /// four that they are together.
  private func savesProducts(_ joint: Joint) -> Bool {
    guard let layer = joint.layer.operation as? Convolution,
      let joined = joint.joined.operation as? Convolution,
      case .tiles(let tile) = catalogue.choice(
        layer, joint.layer.convolutionShape(layer, joint.shapes), nil)?.kernel.items
    else { return false }
    let shape = joint.joined.convolutionShape(joined, joint.shapes)
    if precision == .fp32 {
      guard !catalogue.candidates(joined, shape, .float32).isEmpty else { return false }
    } else {
      guard arithmetic.choice(joined, shape, isOutput: false)?.kernel.isWinograd == true else { return false }
    }
    let (small, between) = (joint.shapes[joint.other.inputs[0]], joint.shapes[joint.other.output])
    let apart = joint.layer.convolutionShape(layer, joint.shapes).products(tile)
    return 4 * shape.products(.four) < between.pixels * small.channels * between.channels + apart
  }

  /// Whether a 1x1 convolution is better done to the tiles of the convolution before it: those are large, or small ones that
  /// hold a transposed convolution, and so is the map between the two.
  private func savesMap(_ joint: Joint) -> Bool {
    guard let first = joint.layer.operation as? Convolution,
      let joined = joint.joined.operation as? Convolution,
      let projected = joint.other.operation as? Convolution,
      projected.outChannels <= Self.mostProjected,
      joint.shapes[joint.layer.output].count >= Self.largeMap,
      catalogue.choice(projected, joint.other.convolutionShape(projected, joint.shapes), nil)?.kernel
        .algorithm
        == .gemm
    else { return false }
    let shape = joint.layer.convolutionShape(first, joint.shapes)
    guard let alone = catalogue.choice(first, shape, nil)?.kernel,
      first.transposed != nil || alone.items == .tiles(.six)
    else { return false }
    return catalogue.candidates(joined, shape, .float32).contains { $0.name == alone.name }
  }
}
