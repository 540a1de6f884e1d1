/// A tensor that a model reads or makes: row-major.
package struct ProtocolTensor: Sendable, Equatable {
  /// Elements in the Swift type that holds their datatype.
  package enum Elements: Sendable, Equatable {
    /// `FP32`, and `FP16` and `BF16` converted to it.
    case floats([Float])
    /// Elements of `FP64`.
    case doubles([Double])
    /// Elements of `UINT8` and `BOOL`.
    case octets([UInt8])
    /// All other whole numbers; of `UINT64` those of 63 bits.
    case integers([Int])
    /// Elements of `BYTES`.
    case texts([[UInt8]])

    /// The number of elements.
    package var count: Int {
      switch self {
      case .floats(let elements): elements.count
      case .doubles(let elements): elements.count
      case .octets(let elements): elements.count
      case .integers(let elements): elements.count
      case .texts(let elements): elements.count
      }
    }
  }

  /// The input's or output's name.
  package let name: String
  package let datatype: Datatype
  package let shape: [Int]
  package let elements: Elements

  init(checked name: String, _ datatype: Datatype, _ shape: [Int], _ elements: Elements) {
    (self.name, self.datatype, self.shape, self.elements) = (name, datatype, shape, elements)
  }

  /// An `FP32` tensor.
  package init(_ name: String, _ shape: [Int], _ elements: [Float]) {
    precondition(shape.reduce(1, *) == elements.count, "\(elements.count) elements for \(shape)")
    self.init(checked: name, .float32, shape, .floats(elements))
  }

  /// A tensor of any datatype, of elements in the Swift type that holds it.
  package init(_ name: String, _ datatype: Datatype, _ shape: [Int], _ elements: Elements) {
    precondition(shape.reduce(1, *) == elements.count, "\(elements.count) elements for \(shape)")
    self.init(checked: name, datatype, shape, elements)
  }

  /// An `INT64` tensor.
  package init(_ name: String, _ shape: [Int], integers: [Int]) {
    precondition(shape.reduce(1, *) == integers.count, "\(integers.count) elements for \(shape)")
    self.init(checked: name, .int64, shape, .integers(integers))
  }

  /// A `BYTES` tensor of one dimension.
  package init(_ name: String, texts: [String]) {
    self.init(checked: name, .bytes, [texts.count], .texts(texts.map { Array($0.utf8) }))
  }

  /// Refuses infinities and NaN, unless the model's input accepts them.
  func checkFinite(for model: ModelDescription) throws(ProtocolError) {
    guard model.inputs.first(where: { $0.name == name })?.takesNonFinite != true else { return }
    let index: Int? =
      switch elements {
      case .floats(let elements): elements.firstIndex { !$0.isFinite }
      case .doubles(let elements): elements.firstIndex { !$0.isFinite }
      case .octets, .integers, .texts: nil
      }
    if let index { throw .element(tensor: name, index: index, datatype: datatype) }
  }

  /// The elements of `FP32`, `FP16` and `BF16`; nil of others.
  package var floats: [Float]? { if case .floats(let elements) = elements { elements } else { nil } }

  /// The elements of `FP64`; nil of others.
  package var doubles: [Double]? { if case .doubles(let elements) = elements { elements } else { nil } }

  /// The elements of `UINT8` and `BOOL`; nil of others.
  package var octets: [UInt8]? { if case .octets(let elements) = elements { elements } else { nil } }

  /// The elements of `BYTES`; nil of others.
  package var texts: [[UInt8]]? { if case .texts(let elements) = elements { elements } else { nil } }
}
