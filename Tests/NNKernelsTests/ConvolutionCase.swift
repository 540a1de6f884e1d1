import NNKernelInterface
import Testing

/// A dense convolution to try kernels on.
struct ConvolutionCase: CustomTestStringConvertible, Sendable {
  var shape: ConvolutionShape
  var activation: Activation
  /// Elements around the channels of each pixel.
  var gap: Int
  /// The only epilogue that it is tried with, and then without a prologue; nil for all.
  var only: ConvolutionKernel.Epilogues?

  init(
    _ height: Int, _ width: Int, from inChannels: Int, to outChannels: Int, kernel: Int, stride: Int = 1,
    padding: Int = 0, trailing: (bottom: Int, right: Int)? = nil, kind: ConvolutionShape.Kind = .whole,
    activation: Activation = .none, gap: Int = 0, only: ConvolutionKernel.Epilogues? = nil
  ) {
    let isSubpixel = kind == .subpixel
    shape = ConvolutionShape(
      inHeight: height, inWidth: width, inChannels: inChannels,
      outHeight: isSubpixel
        ? height : (height + padding + (trailing?.bottom ?? padding) - kernel) / stride + 1,
      outWidth: isSubpixel ? width : (width + padding + (trailing?.right ?? padding) - kernel) / stride + 1,
      outChannels: outChannels,
      kernelHeight: kernel, kernelWidth: kernel, stride: stride, padding: padding, kind: kind)
    self.activation = activation
    self.gap = gap
    self.only = only
  }

  /// Whether it is tried with something that is fused.
  func tries(_ fused: FusedCase) -> Bool {
    guard fused.prologue != .planes || shape.inChannels == 3 else { return false }
    return only.map { fused == FusedCase(prologue: .none, epilogue: $0) } ?? true
  }

  var testDescription: String {
    "\(shape.inHeight)x\(shape.inWidth)x\(shape.inChannels)->\(shape.outHeight)x\(shape.outWidth)x\(shape.outChannels) k\(shape.kernelHeight) "
      + "s\(shape.stride) p\(shape.padding) \(activation) gap \(gap)"
  }

  /// Channels in the gaps between vectors, panels of 16 columns, odd numbers of rows, a pixel alone, every edge of a map
  /// within a tile.
  static let all: [ConvolutionCase] = [
    .init(1, 1, from: 1, to: 1, kernel: 1),
    .init(13, 11, from: 80, to: 80, kernel: 1, activation: .gelu, gap: 16),
    .init(1, 37, from: 100, to: 67, kernel: 1, activation: .sigmoid),
    .init(6, 10, from: 40, to: 72, kernel: 1, activation: .silu, gap: 3),
    .init(8, 4, from: 7, to: 5, kernel: 1, activation: .relu),
    .init(9, 7, from: 48, to: 24, kernel: 1, activation: .gelu, gap: 5),
    .init(7, 9, from: 24, to: 40, kernel: 1, stride: 2),
    // One pixel a row: read in place where the channels allow it.
    .init(100, 1, from: 64, to: 80, kernel: 1, gap: 3),
    .init(37, 1, from: 48, to: 16, kernel: 1, activation: .silu, gap: 8),
    .init(31, 1, from: 32, to: 40, kernel: 1),
    // Both kinds of channels multiples of 32.
    .init(1, 1, from: 32, to: 64, kernel: 1),
    .init(1, 37, from: 64, to: 32, kernel: 1, activation: .sigmoid),
    .init(13, 11, from: 96, to: 96, kernel: 1, activation: .silu, gap: 16),
    .init(57, 1, from: 160, to: 128, kernel: 1, activation: .gelu, gap: 3),
    // Of so many outputs some have a scale so far below that of their other half, which Strassen adds them to, that the
    // error of the other's sums is theirs too: with a residual, which is no smaller for that.
    .init(20, 20, from: 256, to: 192, kernel: 1, only: .residual),
    .init(14, 22, from: 64, to: 96, kernel: 1, activation: .leakyReLU(slope: 0.2), gap: 2),
    .init(1, 67, from: 96, to: 128, kernel: 1, activation: .gelu, gap: 3),
    .init(5, 7, from: 3, to: 17, kernel: 3, stride: 2, padding: 1, activation: .silu),
    .init(9, 5, from: 8, to: 8, kernel: 3, padding: 1, activation: .relu, gap: 3),
    .init(20, 20, from: 64, to: 33, kernel: 3, stride: 2, padding: 1, gap: 5),
    .init(28, 42, from: 3, to: 48, kernel: 14, stride: 14),
    // Rows that end within a vector, and blocks of many rows.
    .init(19, 33, from: 3, to: 16, kernel: 3, padding: 1, activation: .hardSwish, gap: 2),
    .init(23, 2, from: 3, to: 40, kernel: 5, stride: 2, padding: 2),
    .init(4, 3, from: 70, to: 3, kernel: 3, padding: 1, gap: 1),
    .init(2, 2, from: 5, to: 130, kernel: 5, padding: 2),
    .init(31, 19, from: 24, to: 40, kernel: 3, padding: 1, activation: .silu, gap: 8),
    .init(9, 10, from: 16, to: 8, kernel: 3, padding: 1, gap: 16),
    // Zeros below and to the right alone, and fewer there.
    .init(8, 10, from: 3, to: 24, kernel: 3, stride: 2, trailing: (1, 1), activation: .silu),
    .init(9, 7, from: 12, to: 8, kernel: 2, trailing: (1, 1), activation: .relu, gap: 3),
    .init(11, 6, from: 16, to: 32, kernel: 3, padding: 1, trailing: (0, 2), gap: 16),
    .init(12, 12, from: 32, to: 16, kernel: 3, stride: 2, padding: 1, trailing: (0, 0)),
    // Channels in whole vectors.
    .init(4, 4, from: 16, to: 16, kernel: 3, padding: 1),
    .init(9, 13, from: 16, to: 48, kernel: 3, padding: 1, activation: .silu, gap: 16),
    .init(20, 20, from: 64, to: 64, kernel: 3, padding: 1, activation: .relu),
    .init(33, 6, from: 80, to: 96, kernel: 3, padding: 1, activation: .gelu, gap: 5),
    .init(8, 8, from: 16, to: 16, kernel: 3, stride: 2, padding: 1),
    .init(17, 26, from: 32, to: 48, kernel: 3, stride: 2, padding: 1, activation: .silu, gap: 16),
    .init(
      41, 39, from: 64, to: 96, kernel: 3, stride: 2, padding: 1, activation: .leakyReLU(slope: 0.1), gap: 5),
    .init(1, 1, from: 16, to: 16, kernel: 2, padding: 1, kind: .subpixel, activation: .silu),
    .init(4, 8, from: 32, to: 32, kernel: 2, padding: 1, kind: .subpixel, activation: .silu),
    .init(9, 6, from: 48, to: 80, kernel: 2, padding: 1, kind: .subpixel, activation: .relu, gap: 5),
    .init(21, 23, from: 16, to: 48, kernel: 2, padding: 1, kind: .subpixel, activation: .silu, gap: 16),
  ]
}

/// The prologue and epilogue of a convolution in a test.
struct FusedCase: Hashable {
  var prologue: ConvolutionKernel.Prologues
  var epilogue: ConvolutionKernel.Epilogues
  /// Whether a residual is added before the activation.
  var joinsSums = false

  /// All that a kernel declares, each for itself and together.
  static func all(of kernel: ConvolutionKernel) -> [FusedCase] {
    let prologues: [ConvolutionKernel.Prologues] = [.none, .normalize, .enlarge, .multiply, .planes]
    let epilogues: [ConvolutionKernel.Epilogues] = [.none, .residual, .addend, .project]
    let fused =
      kernel.prologues.contains(.quantize) ? [.quantize] : prologues.filter(kernel.prologues.isSuperset)
    return fused.flatMap { prologue in
      epilogues.filter(kernel.epilogues.isSuperset).flatMap { epilogue in
        (epilogue == .residual ? [false, true] : [false]).map {
          FusedCase(prologue: prologue, epilogue: epilogue, joinsSums: $0)
        }
      }
    }
  }
}
