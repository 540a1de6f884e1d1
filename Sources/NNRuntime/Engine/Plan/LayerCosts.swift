import NNKernelInterface

extension Plan {
  /// Bytes that a layer's maps and weights move in the time of one operation in single precision, inverted: what
  /// processors do between their caches and their multipliers, within a factor of two.
  private static let operationsPerByte = 8.0

  /// The expected cost of each layer, in single-precision operations: its products, weighted by the width of their
  /// factors and the share that the algorithm leaves, and the bytes to move.
  ///
  /// It follows from the plan alone, so that decisions based on it are the same on every run, however busy the machine
  /// is.
  package var layerCosts: [Double] {
    zip(layers, layerBytes).map { layer, bytes in
      layer.operations * layer.productShare * layer.precision.factorShare
        + Double(bytes) * layer.passes * Self.operationsPerByte
    }
  }
}

extension PlannedLayer {
  /// The products that the algorithm needs, of those of the definition.
  fileprivate var productShare: Double {
    switch choice.algorithm {
    case .winograd6x6: 1 / 5
    case .winograd4x4 where (inputs.first?.height ?? 0) > output.height: 1 / 1.8
    case .winograd4x4: 1 / 4
    case .strassen: 7 / 8
    case .gemm, .direct, .subpixel, .blocked, .vector, .none: 1
    }
  }

  /// How often the maps are moved: transforms write them and read them again.
  fileprivate var passes: Double {
    switch choice.algorithm {
    case .winograd4x4, .winograd6x6: 3
    case .gemm, .strassen, .direct, .subpixel, .blocked, .vector, .none: 1
    }
  }
}

extension Precision {
  /// The time of a product, of one in single precision.
  fileprivate var factorShare: Double {
    switch self {
    case .fp32: 1
    case .bf16, .fp16, .int16: 1 / 2
    case .int8: 1 / 4
    }
  }
}
