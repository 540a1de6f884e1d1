import NNKernelInterface
import NNRuntime
import Testing

@Suite("Plan: fusion and placement")
struct PlanTests {
  private let catalogue: KernelCatalogue

  init() throws { catalogue = try Backend.native.catalogue() }

  /// Weights of a convolution, all a tenth.
  private func weights(_ out: Int, _ perGroup: Int, _ kernel: Int) -> Tensor {
    Tensor(
      shape: [out, perGroup, kernel, kernel],
      floats: [Float](repeating: 0.1, count: out * perGroup * kernel * kernel))
  }

  private func ones(_ count: Int) -> Tensor {
    Tensor(shape: [count], floats: [Float](repeating: 1, count: count))
  }

  private func normalized(_ x: Value, _ name: String) -> Value {
    let channels = x.shape.channels
    return x.batchNorm(
      gamma: ones(channels), beta: ones(channels), mean: ones(channels), variance: ones(channels),
      epsilon: 1e-3,
      name: "\(name).bn"
    ).activation(.silu, name: "\(name).act")
  }

  @Test("batch norm, activation and residual join the convolution before them")
  func fusion() throws {
    let builder = GraphBuilder(name: "bottleneck")
    let x = builder.input("x", height: 8, width: 8, channels: 16)
    let y = normalized(x.convolution(weights(8, 16, 3), padding: 1, name: "cv1.conv"), "cv1")
    let z = normalized(y.convolution(weights(16, 8, 3), padding: 1, name: "cv2.conv"), "cv2")
    let sum = x.adding(z, name: "add")
    let graph = builder.finished(outputs: [("y", sum)])

    let plan = try Plan(graph)
    #expect(plan.layers.map(\.name) == ["x", "cv1.conv", "cv2.conv"])
    #expect(plan.layers[1].fused == ["cv1.bn", "cv1.act"])
    #expect(plan.layers[2].fused == ["cv2.bn", "cv2.act", "add"])

    let plain = try Plan(graph, options: PlanOptions(fuse: false))
    #expect(
      plain.layers.map(\.name) == [
        "x", "cv1.conv", "cv1.bn", "cv1.act", "cv2.conv", "cv2.bn", "cv2.act", "add",
      ])
  }

  /// Exporters write the part of a map that is added where it is added, after the layers whose result it is added to.
  @Test("a part of an earlier map joins as a residual wherever it is named")
  func laterNamedParts() throws {
    let builder = GraphBuilder(name: "split")
    let x = builder.input("x", height: 8, width: 8, channels: 16)
    let half = x.channels(8..<16, name: "half")
    let y = normalized(half.convolution(weights(8, 8, 3), padding: 1, name: "cv1.conv"), "cv1")
    let same = x.channels(8..<16, name: "same half")
    let graph = builder.finished(outputs: [("y", y.adding(same, name: "add"))])
    let work = try Plan(graph).layers.filter { $0.name.hasPrefix("cv1") || $0.name == "add" }
    #expect(work.map(\.name) == ["cv1.conv"])
    #expect(work.first?.fused == ["cv1.bn", "cv1.act", "add"])
  }

  @Test("what others read stays unfused")
  func sharedValuesStay() throws {
    let builder = GraphBuilder(name: "shared")
    let x = builder.input("x", height: 4, width: 4, channels: 16)
    let y = x.convolution(weights(16, 16, 1), name: "conv")
    let a = y.activation(.relu, name: "act")
    let plan = try Plan(builder.finished(outputs: [("a", a), ("y", y)]))
    #expect(plan.layers.map(\.name) == ["x", "conv", "act"])
  }

  @Test("split, chain and concatenate run without a copy")
  func concatenationByStride() throws {
    let builder = GraphBuilder(name: "C3k2")
    let x = builder.input("x", height: 8, width: 8, channels: 16)
    let y = x.convolution(weights(32, 16, 1), name: "cv1")
    let a = y.channels(0..<16, name: "a")
    let b = y.channels(16..<32, name: "b")
    let m = b.convolution(weights(16, 16, 3), padding: 1, name: "m")
    let all = builder.concatenate([a, b, m], name: "cat")
    let out = all.convolution(weights(16, 48, 1), name: "cv2")
    let plan = try Plan(builder.finished(outputs: [("y", out)]))
    #expect(!plan.layers.contains { $0.operation == "copy" })
    // The concatenation, the input and the output are all the memory there is.
    #expect(plan.arenaBytes <= 8 * 8 * (48 + 16 + 16) * 4)
  }

  @Test("an operand that another concatenation holds is copied")
  func secondConcatenationCopies() throws {
    let builder = GraphBuilder(name: "twice")
    let x = builder.input("x", height: 4, width: 4, channels: 16)
    let y = x.convolution(weights(16, 16, 1), name: "conv")
    let z = x.convolution(weights(16, 16, 1), name: "other")
    let first = builder.concatenate([y, z], name: "first")
    let second = builder.concatenate([z, y], name: "second")
    let plan = try Plan(builder.finished(outputs: [("1", first), ("2", second)]))
    #expect(plan.layers.filter { $0.operation == "copy" }.count == 2)
  }

  @Test("the algorithm comes with its reason and does not depend on threads")
  func reasons() throws {
    let builder = GraphBuilder(name: "choices")
    let x = builder.input("x", height: 32, width: 32, channels: 16)
    let a = x.convolution(weights(16, 16, 3), padding: 1, name: "winograd")
    let b = a.convolution(weights(16, 16, 3), stride: 2, padding: 1, name: "strided")
    let c = b.convolution(weights(8, 16, 1), name: "product")
    let d = c.convolution(weights(8, 8, 3), padding: 1, name: "narrow")
    let plan = try Plan(builder.finished(outputs: [("y", d)]))
    #expect(plan.layers.dropFirst().map(\.choice.algorithm) == [.winograd4x4, .direct, .gemm, .direct])
    for layer in plan.layers { #expect(!layer.choice.reason.isEmpty) }
  }

  @Test(
    "Winograd where it pays",
    arguments: [
      (1, 40, 16, 16, Algorithm.winograd4x4), (1, 160, 64, 64, .winograd6x6), (1, 20, 64, 64, .winograd4x4),
      (1, 80, 64, 64, .winograd6x6), (1, 80, 256, 64, .winograd6x6), (1, 80, 256, 256, .winograd4x4),
      (2, 40, 16, 16, .direct), (2, 64, 32, 64, .winograd4x4), (2, 40, 64, 64, .direct),
      (2, 80, 512, 512, .winograd4x4), (2, 80, 640, 640, .direct),
    ])
  func winograd(
    _ stride: Int, _ side: Int, _ inChannels: Int, _ outChannels: Int, _ algorithm: Algorithm
  ) {
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: inChannels, outHeight: side / stride,
      outWidth: side / stride,
      outChannels: outChannels, kernelHeight: 3, kernelWidth: 3, stride: stride, padding: 1)
    #expect(catalogue.choice(shape)?.kernel.algorithm == algorithm)
    let candidates: [Algorithm] = [.direct, .winograd4x4, .winograd6x6]
    #expect(
      catalogue.candidates(shape).map(\.algorithm) == (stride == 1 ? candidates : candidates.dropLast()))
  }

  @Test(
    "Strassen where channels are many",
    arguments: [
      (40, 256, 256, Algorithm.strassen), (32, 192, 192, .strassen), (80, 1024, 128, .strassen),
      (80, 128, 128, .gemm), (40, 1024, 64, .gemm), (31, 512, 512, .gemm), (40, 255, 256, .gemm),
      (40, 240, 256, .gemm),
    ])
  func strassen(_ side: Int, _ inChannels: Int, _ outChannels: Int, _ algorithm: Algorithm) throws {
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: inChannels, outHeight: side, outWidth: side,
      outChannels: outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
    #expect(catalogue.choice(shape)?.kernel.algorithm == algorithm)
    let canBeCut = inChannels % 32 == 0 && outChannels % 32 == 0
    #expect(catalogue.candidates(shape).map(\.algorithm) == (canBeCut ? [.gemm, .strassen] : [.gemm]))
    var strided = shape
    strided.stride = 2
    #expect(catalogue.candidates(strided).map(\.algorithm) == [.gemm])
  }

  @Test(
    "chunks of Winograd's tiles are shared evenly",
    .enabled(if: InstructionSet.available.contains(.avx512), "the CPU has no AVX-512"),
    arguments: [(160, 2), (80, 1), (160, 1)])
  func evenChunks(_ side: Int, _ stride: Int) throws {
    let catalogue = try Backend.native.catalogue(.avx512)
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: 256, outHeight: side / stride, outWidth: side / stride,
      outChannels: 256, kernelHeight: 3, kernelWidth: 3, stride: stride, padding: 1)
    let kernels = catalogue.candidates(shape).filter { $0.algorithm != .direct }
    #expect(!kernels.isEmpty)
    for kernel in kernels { #expect(WorkGrid(kernel, shape).chunks % 8 == 0) }
  }

  @Test(
    "short layers are shared evenly, a pixel's large ones too, those of a microsecond are not",
    .enabled(if: InstructionSet.available.contains(.avx512bf16), "the CPU has no AVX-512 BF16"),
    arguments: [(14, 112, 672, 8), (56, 16, 72, 4), (7, 32, 32, 1), (1, 1280, 1000, 8), (1, 64, 64, 1)])
  func shortLayers(_ side: Int, _ channels: Int, _ outChannels: Int, _ chunks: Int) throws {
    let catalogue = try #require(InstructionSet.avx512bf16.catalogue)
    let shape = ConvolutionShape(
      inHeight: side * side, inWidth: 1, inChannels: channels, outHeight: side * side, outWidth: 1,
      outChannels: outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
    let kernel = try #require(catalogue.candidates(shape, .bfloat16).first)
    #expect(kernel.items == .rows)
    #expect(WorkGrid(kernel, shape).chunks == chunks)
  }

  @Test(
    "large weights of small maps are read once, large maps too",
    .enabled(if: InstructionSet.available.contains(.avx512), "the CPU has no AVX-512"),
    arguments: [(7, 320, 1280, true), (7, 160, 960, true), (112, 16, 96, false), (56, 64, 256, false)])
  func leastReading(_ side: Int, _ channels: Int, _ outChannels: Int, _ cutsPanels: Bool) throws {
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: channels, outHeight: side, outWidth: side,
      outChannels: outChannels, kernelHeight: 1, kernelWidth: 1, stride: 1, padding: 0)
    let kernel = try #require(
      Backend.native.catalogue(.avx512).candidates(shape).first { $0.items == .pixels })
    let grid = WorkGrid(kernel, shape)
    #expect(grid.chunks >= 8)
    #expect(cutsPanels ? grid.rowChunks == 1 : grid.panelChunks == 1)
  }

  @Test(
    "depthwise convolutions are cut in rows as their neighbors are, those of few rows in channels",
    arguments: [(28, 12, 3, 4), (14, 24, 3, 2), (14, 42, 5, 2), (7, 60, 3, 1), (112, 2, 3, 8)])
  func depthwise(_ side: Int, _ blocks: Int, _ kernel: Int, _ rowChunks: Int) {
    let grid = WorkGrid(depthwise: side, width: side, blocks: blocks, kernel: kernel)
    #expect(grid.rowChunks == rowChunks && grid.chunks % 2 == 0)
    var times = [Int](repeating: 0, count: side * blocks)
    for chunk in 0..<grid.chunks {
      let (rows, panels) = grid.range(chunk)
      for row in rows { for block in panels { times[row * blocks + block] += 1 } }
      // The first of two threads has the upper half of the rows.
      if rowChunks > 1 { #expect((chunk < grid.chunks / 2) == (rows.upperBound <= side / 2)) }
    }
    #expect(times.allSatisfy { $0 == 1 })
  }

  @Test(
    "beside bf16, Winograd's integers wherever it can be had and there are pixels",
    .enabled(if: InstructionSet.available.contains(.avx512bf16), "the CPU has no AVX-512 BF16"),
    arguments: [
      (1, 160, 64, Algorithm.winograd6x6), (1, 40, 16, .winograd4x4), (1, 4, 64, nil), (1, 40, 24, nil),
      (2, 80, 640, .winograd4x4), (2, 160, 32, nil), (2, 40, 128, nil), (2, 40, 512, .winograd4x4),
      (3, 90, 64, nil),
    ])
  func integers(_ stride: Int, _ side: Int, _ channels: Int, _ algorithm: Algorithm?) throws {
    let catalogue = try #require(InstructionSet.avx512bf16.catalogue)
    let shape = ConvolutionShape(
      inHeight: side, inWidth: side, inChannels: channels, outHeight: side / stride, outWidth: side / stride,
      outChannels: channels, kernelHeight: 3, kernelWidth: 3, stride: stride, padding: 1)
    let choice = catalogue.integerChoice(shape)
    #expect(choice?.kernel.algorithm == algorithm)
    #expect(choice?.reason.contains("integers") ?? true)
  }
}
