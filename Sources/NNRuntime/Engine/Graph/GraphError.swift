import FileFormats

/// A layer that cannot be: its weights, its inputs or its attributes do not fit.
public struct GraphError: Error, Equatable, CustomStringConvertible {
  /// The mismatch.
  public enum Kind: Error, Equatable {
    /// The layer's weights, or other numbers of it, have this shape.
    case wrongWeights(found: [Int], needed: String)
    /// The maps that the layer reads have these shapes.
    case wrongInputs([MapShape], needed: String)
    /// A size, stride, padding or other attribute of the layer is out of range.
    case wrongAttributes(String)
    /// The layer reads a value of another builder.
    case foreignValue
  }

  /// The layer's name.
  public let layer: String
  /// The mismatch.
  public let kind: Kind

  /// An error of a layer.
  public init(_ kind: Kind, layer: String) {
    self.kind = kind
    self.layer = layer
  }

  /// One line: the layer, the defect and what is needed.
  public var description: String { "layer \"\(printableName(layer))\": \(kind)" }
}

extension GraphError.Kind: CustomStringConvertible {
  /// The defect and what is needed.
  public var description: String {
    switch self {
    case .wrongWeights(let found, let needed): "weights of shape \(found), \(needed)"
    case .wrongInputs(let shapes, let needed):
      "reads \(shapes.map(\.description).joined(separator: " and ")), \(needed)"
    case .wrongAttributes(let text): text
    case .foreignValue: "reads a value of another builder; make both with one"
    }
  }
}

extension GraphError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault { .malformedInput }
}

extension MapShape {
  /// The most pixels along a side, and channels, that a layer's result may have.
  static let mostAlongSide = 1 << 30

  /// The shape of a layer's result.
  static func result(height: Int, width: Int, channels: Int) throws(GraphError.Kind) -> MapShape {
    let sides = [height, width, channels]
    let count = sides.reduce((value: 1, overflows: false)) { product, side in
      let next = product.value.multipliedReportingOverflow(by: side)
      return (next.partialValue, product.overflows || next.overflow)
    }
    guard sides.allSatisfy({ (1...mostAlongSide).contains($0) }), !count.overflows else {
      throw .wrongAttributes(
        "its result would be \(height)x\(width)x\(channels): no map, or one beyond memory")
    }
    return MapShape(height: height, width: width, channels: channels)
  }
}
