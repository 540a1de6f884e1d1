import NNKernelInterface
import NNRuntime
import Testing

/// A kernel of dense convolutions as a catalogue has it, and the one that packs weights for projections.
struct DeclaredKernel: CustomTestStringConvertible, Sendable {
  var kernel, gemm: ConvolutionKernel

  var testDescription: String { kernel.fullName }

  /// Every kernel that this machine can have, once.
  static let all: [DeclaredKernel] = catalogues.flatMap { catalogue -> [DeclaredKernel] in
    let kernels = catalogue.convolutions.filter { $0.set == catalogue.name }
    guard let gemm = catalogue.candidates(ConvolutionCase.all[0].shape).first else { return [] }
    return kernels.map { DeclaredKernel(kernel: $0, gemm: gemm) }
  }

  private static let catalogues =
    InstructionSet.available.compactMap(\.catalogue) + [try? openBLASCatalogue()].compactMap(\.self)
}

@Suite("Kernels of dense convolutions keep to the definition, with all that they declare")
struct ConvolutionConformance {
  @Test("every catalogue's, on all shapes of their domains", arguments: DeclaredKernel.all)
  func declared(_ declared: DeclaredKernel) {
    let cases = ConvolutionCase.all.filter { declared.kernel.domain.contains($0.shape) }
    #expect(!cases.isEmpty)
    let pairs = ElementPair.all(of: declared.kernel.maps)
    for test in cases {
      for pair in pairs {
        for prologue in Set(FusedCase.all(of: declared.kernel).filter(test.tries).map(\.prologue)) {
          check(declared, test, pair, prologue)
        }
      }
    }
  }

  private func check(
    _ declared: DeclaredKernel, _ test: ConvolutionCase, _ pair: ElementPair,
    _ prologue: ConvolutionKernel.Prologues
  ) {
    let kernel = declared.kernel
    let reference = ConvolutionReference(test, pair, prologue, products: kernel.products)
    let places = test.shape.kind == .subpixel ? 0..<4 : 0..<1
    for place in places {
      let (row, column) = (place / 2, place % 2)
      let sums = reference.sums(prologue, row: row, column: column)
      for fused in FusedCase.all(of: kernel) where fused.prologue == prologue && test.tries(fused) {
        let run = ConvolutionRun(declared, reference, pair, fused, row: row, column: column)
        let what = "\(test.testDescription) \(fused) at \(place), \(pair.testDescription)"
        let whole = run.output(split: false)
        expectClose(
          whole, reference.finished(sums, fused, row: row, column: column),
          tolerance: pair.tolerance(kernel.tolerance(test.activation, prologue)), what)
        let pieces = run.output(split: true)
        #expect(pieces.map(\.bitPattern) == whole.map(\.bitPattern), "the split must not matter: \(what)")
      }
    }
  }
}

extension ConvolutionKernel {
  /// The tolerance with an activation and a prologue.
  fileprivate func tolerance(_ activation: Activation, _ prologue: Prologues) -> Double {
    let own =
      prologue == .normalize ? max(tolerance.sums, KernelTolerance.normalization.sums) : tolerance.sums
    return activation.isStraight ? own : max(own, tolerance.functions)
  }
}

/// A kernel's run on the operands of a reference.
@safe private struct ConvolutionRun {
  let kernel: ConvolutionKernel
  let reference: ConvolutionReference
  let pair: ElementPair
  let fused: FusedCase
  let row, column: Int
  let packed, bias, zeros, edges, gamma, beta, behind, behindBias, rowWeights, columnWeights: GuardedFloats

  init(
    _ declared: DeclaredKernel, _ reference: ConvolutionReference, _ pair: ElementPair, _ fused: FusedCase,
    row: Int, column: Int
  ) {
    func packed(_ kernel: ConvolutionKernel, _ shape: ConvolutionShape, _ values: [Float], _ scale: [Float]?)
      -> GuardedFloats
    {
      let packed = GuardedFloats(count: kernel.packedCount(shape))
      let (source, factors) = (GuardedFloats(values), scale.map { GuardedFloats($0) })
      unsafe kernel.pack(shape, source.pointer, factors?.pointer, packed.pointer)
      withExtendedLifetime((source, factors)) {}
      #expect(packed.guardsAreIntact)
      return packed
    }
    func padded(_ values: [Float]) -> GuardedFloats {
      GuardedFloats(values + [Float](repeating: 0, count: 64))
    }
    kernel = declared.kernel
    (self.reference, self.pair, self.fused, self.row, self.column) = (reference, pair, fused, row, column)
    let shape = reference.shape
    self.packed = packed(kernel, shape, reference.weights, shape.kind == .subpixel ? nil : reference.scale)
    behind = packed(declared.gemm, reference.projectionShape, reference.behind, nil)
    (bias, behindBias) = (padded(reference.bias), padded(reference.behindBias))
    zeros = GuardedFloats(
      [Float](repeating: 0, count: (max(shape.inChannels, shape.outChannels) + 15) / 16 * 16))
    edges = GuardedFloats(reference.edges)
    (gamma, beta) = (GuardedFloats(reference.gamma), GuardedFloats(reference.beta))
    (rowWeights, columnWeights) = (
      GuardedFloats(reference.rows.weights), GuardedFloats(reference.columns.weights)
    )
  }

  /// All of the output: in one call or, where it is `split`, in as many as can be.
  func output(split: Bool) -> [Float] {
    let shape = reference.shape
    let output = MixedMap(
      pair.output, height: shape.outHeight, width: shape.outWidth,
      channels: fused.epilogue == .project ? reference.projected : shape.outChannels, gap: reference.test.gap,
      rowGap: 2)
    unsafe reference.rows.indices.withUnsafeBufferPointer { rows in
      unsafe reference.columns.indices.withUnsafeBufferPointer { columns in
        var projection = unsafe ConvolutionTask(
          shape: reference.projectionShape, input: reference.input.input, output: output.output,
          weights: behind.pointer, bias: behindBias.pointer, zeros: zeros.pointer, activation: .relu)
        unsafe withUnsafePointer(to: &projection) { projection in
          var task = unsafe ConvolutionTask(
            shape: shape, input: reference.input.input, output: output.output,
            prologue: prologue(rows, columns), epilogue: epilogue(projection), weights: packed.pointer,
            bias: bias.pointer, zeros: zeros.pointer, activation: reference.test.activation)
          compute(&task, split: split)
        }
      }
    }
    #expect(output.guardsAreIntact)
    return output.values
  }

  private func compute(_ task: inout ConvolutionTask, split: Bool) {
    let shape = reference.shape
    let (items, together) = kernel.work(shape)
    let panels = kernel.panels(shape)
    let step = split ? together : items
    let panelStep = split && fused.epilogue != .project ? 1 : panels
    let scratch = GuardedFloats(count: kernel.scratch(shape, step))
    for panel in stride(from: 0, to: panels, by: panelStep) {
      for begin in stride(from: 0, to: items, by: step) {
        unsafe kernel.run(
          &task,
          Share(
            items: begin..<min(items, begin + step), panels: panel..<panel + panelStep,
            scratch: scratch.pointer))
      }
    }
    #expect(scratch.guardsAreIntact)
  }

  private func prologue(
    _ rows: UnsafeBufferPointer<Int32>, _ columns: UnsafeBufferPointer<Int32>
  ) -> ConvolutionTask.Prologue {
    switch fused.prologue {
    case .normalize:
      unsafe .normalize(
        Normalization(gamma: gamma.pointer, beta: beta.pointer, epsilon: ConvolutionReference.epsilon))
    case .multiply: unsafe .multiply(gamma.pointer)
    case .quantize: .quantize(ConvolutionReference.steps)
    case .planes: .planes
    case .enlarge:
      unsafe .enlarge(
        Resampling(
          taps: 2, rowIndices: rows.baseAddress!, columnIndices: columns.baseAddress!,
          rowWeights: rowWeights.pointer, columnWeights: columnWeights.pointer))
    default: .none
    }
  }

  private func epilogue(_ projection: UnsafePointer<ConvolutionTask>) -> ConvolutionTask.Epilogue {
    let isProjected = fused.epilogue == .project
    if reference.shape.kind == .subpixel {
      return unsafe .subpixel(
        Subpixel(
          row: row, column: column, edgeSums: edges.pointer, projection: isProjected ? projection : nil))
    }
    switch fused.epilogue {
    case .residual: return .residual(reference.residual.input, joinsSums: fused.joinsSums)
    case .addend:
      return .addend(
        Addend(map: reference.addend.input, width: reference.shape.outWidth, shift: reference.shift))
    case .project: return unsafe .project(projection)
    default: return .store
    }
  }
}

extension ConvolutionReference {
  /// Shape of the 1x1 convolution after it.
  fileprivate var projectionShape: ConvolutionShape {
    ConvolutionShape(
      inHeight: shape.outHeight, inWidth: shape.outWidth, inChannels: shape.outChannels,
      outHeight: shape.outHeight, outWidth: shape.outWidth, outChannels: projected, kernelHeight: 1,
      kernelWidth: 1, stride: 1, padding: 0)
  }
}

extension ConvolutionKernel {
  /// All items of a convolution, and how few a call may have.
  func work(_ shape: ConvolutionShape) -> (items: Int, together: Int) {
    switch items {
    case .pixels: (shape.outHeight * shape.outWidth, block.rows)
    case .strassenPairs: (shape.rowPairs(block.rows), 1)
    case .rows: (shape.outHeight, min(3, shape.outHeight))
    case .tiles(let tile):
      (
        (shape.outHeight + tile.edge - 1) / tile.edge * ((shape.outWidth + tile.edge - 1) / tile.edge), 1
      )
    }
  }
}
