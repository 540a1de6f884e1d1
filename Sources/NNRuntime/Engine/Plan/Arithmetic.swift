import NNKernelInterface

/// Element type of a precision's products, with the kernels of a catalogue.
package struct Arithmetic {
  /// Precision of this layer, or of all.
  let precision: Precision
  let catalogue: KernelCatalogue
  /// The precision for which the maps between the network's layers are made.
  private let base: Precision
  private let mixed: MixedPrecision?

  /// All layers in one precision.
  init(precision: Precision, catalogue: KernelCatalogue) {
    (self.precision, base, self.catalogue, mixed) = (precision, precision, catalogue, nil)
  }

  /// Layers in a network's precision, but for some.
  init(_ mixed: MixedPrecision, _ catalogue: KernelCatalogue) {
    (precision, base, self.catalogue) = (mixed.precision, mixed.precision, catalogue)
    self.mixed = mixed
  }

  private init(_ precision: Precision, of network: Arithmetic) {
    (self.precision, base, catalogue, mixed) = (precision, network.base, network.catalogue, network.mixed)
  }

  /// The arithmetic of one layer of the network.
  func of(_ node: Node) -> Arithmetic { mixed.map { Arithmetic($0.precision(of: node), of: self) } ?? self }

  /// Element type of maps that no layer needs as floats.
  var maps: ElementType {
    switch base {
    case .fp32, .fp16, .int16: .float32
    case .bf16: .bfloat16
    case .int8: catalogue.multiplies(.bfloat16) ? .bfloat16 : .float32
    }
  }

  /// Element type of attention's products: between maps of floats 16-bit integers, where there are kernels, or floats.
  var attention: ProductElement {
    func has(_ products: ProductElement) -> Bool {
      catalogue.kernels(of: AttentionTask.self).contains { $0.products == products }
    }
    switch (precision, maps) {
    case (.fp32, _), (.fp16, _): return .float32
    case (.bf16, .float32): return .float32
    case (.int16, .float32), (.int8, .float32): return has(.int16) ? .int16 : .float32
    case (.int8, .bfloat16): return has(.int8) ? .int8 : .bfloat16
    case (.bf16, .bfloat16), (.int16, .bfloat16): return .bfloat16
    }
  }

  /// How a dense convolution is computed in less than single precision, one that makes an output of the network with more
  /// digits than others; nil where it isn't.
  func choice(_ layer: Convolution, _ shape: ConvolutionShape, isOutput: Bool) -> KernelChoice? {
    func first(_ products: ProductElement, _ reason: String) -> KernelChoice? {
      catalogue.candidates(layer, shape, products).first.map { KernelChoice(kernel: $0, reason: reason) }
    }
    func winograd(_ products: ProductElement = .int16) -> KernelChoice? {
      catalogue.integerChoice(layer, shape, products)
    }
    func fastWinograd() -> KernelChoice? { catalogue.gainsByWords ? winograd() : nil }
    func words() -> KernelChoice? {
      first(.int16, "products of 16-bit integers, a scale per pixel and channel")
    }
    if let choice = catalogue.steppedChoice(layer, shape) { return choice }
    // Pixels, instead of bf16: more exact, and faster where bf16 is no faster than fp32.
    func fastWords() -> KernelChoice? {
      shape.kernelHeight * shape.kernelWidth == 1 && catalogue.multiplies(.bfloat16)
        && !catalogue.prefersTiles && Processor.current.hasSlowPairs ? words() : nil
    }
    switch precision {
    case .fp32: return nil
    case .bf16 where isOutput: return nil
    case .bf16 where catalogue.prefersTiles: return first(.bfloat16, Self.rounded)
    case .bf16: return fastWinograd() ?? fastWords() ?? first(.bfloat16, Self.rounded)
    case .fp16 where isOutput: return nil
    case .fp16:
      return winograd(.float16)
        ?? first(.float16, "products of half precision, a scale per pixel and channel")
    case .int16: return winograd() ?? words()
    case .int8 where isOutput: return catalogue.gainsByWords ? winograd() ?? words() : nil
    case .int8:
      let bytes = first(.int8, "products of 8-bit integers, a scale per pixel and channel")
      let other = fastWinograd() ?? fastWords() ?? first(.bfloat16, Self.rounded)
      return shape.savesBytes ? bytes ?? other : other ?? bytes
    }
  }

  /// Why something is multiplied in bf16.
  static let rounded = "bf16 products, sums in fp32"
}

extension KernelCatalogue {
  /// Whether direct products of bf16 are faster than Winograd's of integers: the processor multiplies tiles.
  fileprivate var prefersTiles: Bool {
    convolutions.contains { $0.products == .bfloat16 && $0.needs.contains(.amx) }
  }

  /// Whether products of 16-bit integers are faster than those of floats; arm64's are not.
  fileprivate var gainsByWords: Bool {
    convolutions.contains { $0.products == .int16 && !$0.needs.contains(.neon) }
  }
}

extension Precision {
  /// The precision of layers with such products.
  package init(_ products: ProductElement) {
    switch products {
    case .float32: self = .fp32
    case .bfloat16: self = .bf16
    case .float16: self = .fp16
    case .int16: self = .int16
    case .int8: self = .int8
    }
  }

  /// Element type of products that some kernel must have for the precision to be available.
  var products: ProductElement {
    switch self {
    case .fp32: .float32
    case .bf16: .bfloat16
    case .fp16: .float16
    case .int16: .int16
    case .int8: .int8
    }
  }
}

extension ConvolutionShape {
  /// Channels on both sides (the product of both by their sum) from which four times the products take less time than two
  /// passes over the input.
  private static let byteChannels = 32

  /// Whether 8 bits are faster than bf16.
  fileprivate var savesBytes: Bool {
    inChannels * outChannels >= Self.byteChannels * (inChannels + outChannels)
  }
}
