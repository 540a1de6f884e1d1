// The kernels of a catalogue that can compute a layer: legality is read from the kernels' declarations.

@_exported import enum NNKernelInterface.Algorithm
import NNKernelInterface

extension KernelCatalogue {
  /// The kernels that compute a dense convolution with such factors and all that is fused to it.
  package func candidates(
    _ shape: ConvolutionShape, _ products: ProductElement = .float32,
    prologues: ConvolutionKernel.Prologues = .none, epilogues: ConvolutionKernel.Epilogues = .none
  ) -> [ConvolutionKernel] {
    convolutions.filter {
      $0.products == products && $0.domain.contains(shape) && $0.fuses(prologues, epilogues)
    }
  }

  /// The kernels that compute a layer of a graph.
  func candidates(
    _ layer: Convolution, _ shape: ConvolutionShape, _ products: ProductElement
  ) -> [ConvolutionKernel] {
    candidates(
      shape, products, prologues: layer.prologue.asked, epilogues: layer.epilogue.asked)
  }

  /// Whether anything is multiplied in `products`.
  package func multiplies(_ products: ProductElement) -> Bool {
    convolutions.contains { $0.products == products }
  }

  /// The plain product over pixels in single precision, which every catalogue has.
  var gemm: ConvolutionKernel {
    guard let kernel = convolutions.first(where: { $0.algorithm == .gemm && $0.products == .float32 }) else {
      preconditionFailure("\(name) has no gemm")
    }
    return kernel
  }

  /// Why no kernel with an algorithm for tiles computes a convolution: what the nearest of them says.
  func refusal(_ shape: ConvolutionShape, _ products: ProductElement = .float32) -> String? {
    convolutions.filter { $0.products == products && $0.isWinograd }
      .compactMap { $0.domain.refusal(of: shape) }.max { $0.passed < $1.passed }?.reason
  }
}

extension ConvolutionKernel {
  /// Whether it computes a layer that all these are fused to.
  func fuses(_ prologues: Prologues, _ epilogues: Epilogues) -> Bool {
    self.prologues.isSuperset(of: prologues) && self.epilogues.isSuperset(of: epilogues)
      && self.prologues.contains(.quantize) == prologues.contains(.quantize)
  }

  /// Whether it computes a layer of a graph.
  func computes(_ layer: Convolution, _ shape: ConvolutionShape) -> Bool {
    domain.contains(shape) && fuses(layer.prologue.asked, layer.epilogue.asked)
  }

  /// Whether it computes tiles.
  var isWinograd: Bool { if case .tiles = items { true } else { false } }
}

extension Kernel {
  /// The first of some kernels that reads and makes such maps.
  static func first(of kernels: [Kernel], _ maps: MapElements, products: ProductElement = .float32) -> Kernel
  {
    guard
      let kernel = kernels.first(where: { $0.products == products && $0.maps.isSuperset(of: maps) })
    else { preconditionFailure("no kernel for maps \(maps)") }
    return kernel
  }
}

extension Convolution.Prologue {
  /// Prologues that a kernel must fuse; none for a transposition, which takes four kernels.
  fileprivate var asked: ConvolutionKernel.Prologues {
    switch self {
    case .none, .transpose: .none
    case .normalize: .normalize
    case .enlarge: .enlarge
    case .multiply: .multiply
    case .quantize: .quantize
    case .planes: .planes
    }
  }
}

extension Convolution.Epilogue {
  /// Epilogues that a kernel must fuse.
  fileprivate var asked: ConvolutionKernel.Epilogues {
    switch self {
    case .store: .none
    case .residual: .residual
    case .addend: .addend
    case .project: .project
    }
  }
}
