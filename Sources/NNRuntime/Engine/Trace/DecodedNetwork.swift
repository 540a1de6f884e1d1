/// Decoding of a network's raw outputs into tensors and objects, for comparison with a reference.
public protocol DecodedNetwork: Sendable {
  /// The tensors that are made of the raw outputs, in the order in which they are made.
  ///
  /// - Parameters:
  ///   - outputs: All of the network's outputs by name, channels last.
  ///   - input: The shape of the network's input.
  /// - Returns: The tensors; empty where an output is missing.
  func tensors(of outputs: [String: [Float]], input: MapShape) -> [DecodedTensor]

  /// How objects are described; nil of a network that finds none.
  var objectKind: ObjectKind? { get }

  /// The objects above the thresholds, best first.
  ///
  /// - Parameters:
  ///   - outputs: All of the network's outputs by name, channels last.
  ///   - input: The shape of the network's input.
  ///   - thresholds: Which candidates become objects.
  /// - Returns: The objects, with the probabilities of their masks where the network makes masks.
  func objects(
    of outputs: [String: [Float]], input: MapShape, thresholds: ObjectThresholds
  ) -> [DecodedObject]

  /// How much two objects overlap, from 0 to 1, as suppression measures it.
  func overlap(_ object: DecodedObject, _ other: DecodedObject) -> Float
}

/// Quantity of a decoded number, which sets its tolerance.
public enum OutputQuantity: String, Sendable, CaseIterable {
  /// Middles of cells, in cells, and cells' sides, in pixels: exact.
  case grid
  /// Distances in cells.
  case cells
  /// Places and sides in pixels of the network's input.
  case pixels
  /// Probabilities.
  case probabilities
  /// Angles, in radians.
  case radians
  /// Numbers that are the network's own.
  case raw
}

/// Rows of a decoded tensor, or numbers of an object, that mean one thing.
public struct DecodedPart: Sendable, Equatable {
  /// Their kind: `boxes`, `key points`.
  public let name: String
  /// Quantity of each.
  public let quantity: OutputQuantity
  /// Their indices along the tensor's first axis, the batch aside.
  public let rows: [Int]

  /// A part.
  public init(_ name: String, _ quantity: OutputQuantity, rows: [Int]) {
    (self.name, self.quantity, self.rows) = (name, quantity, rows)
  }
}

/// A tensor that is decoded from a network's raw outputs.
public struct DecodedTensor: Sendable {
  /// Names in references.
  public let names: [String]
  /// The step that makes it, for people: `the decoding of boxes`.
  public let stage: String
  /// Its shape without the batch.
  public let shape: [Int]
  /// Its elements, row-major.
  public let elements: [Float]
  /// Parts of its rows; each row belongs to one part.
  public let parts: [DecodedPart]
  /// The raw outputs that it is decoded from.
  public let sources: [String]
  /// Whether it is a result of the network: its absence from a reference is reported.
  public let isFinal: Bool
  /// The module whose result it is, by which hooks record it: `model.23`; nil where none is known.
  public let module: String?

  /// A tensor.
  ///
  /// - Precondition: `elements` fill `shape`.
  public init(
    names: [String], stage: String, shape: [Int], elements: [Float], parts: [DecodedPart], sources: [String],
    isFinal: Bool = false, module: String? = nil
  ) {
    precondition(shape.reduce(1, *) == elements.count, "\(elements.count) elements for \(shape)")
    (self.names, self.stage, self.shape, self.elements) = (names, stage, shape, elements)
    (self.parts, self.sources, self.isFinal) = (parts, sources, isFinal)
    self.module = module
  }
}

/// How a network's objects are described in a row of numbers: box, score, class and what else there is.
public struct ObjectKind: Sendable, Equatable {
  /// Format of a box's four numbers, for people.
  public let box: String
  /// Columns after score and class; rows count from 0.
  public let extras: [DecodedPart]
  /// Whether objects have masks.
  public let hasMasks: Bool
  /// Whether the network gives each object one box, so that nothing is suppressed.
  public let isEndToEnd: Bool

  /// A kind.
  public init(box: String, extras: [DecodedPart], hasMasks: Bool, isEndToEnd: Bool) {
    (self.box, self.extras, self.hasMasks, self.isEndToEnd) = (box, extras, hasMasks, isEndToEnd)
  }

  /// Numbers of an object.
  public var count: Int { 6 + extras.reduce(0) { $0 + $1.rows.count } }
}

/// Which candidates become objects.
public struct ObjectThresholds: Sendable, Equatable {
  /// A score must be greater.
  public let confidence: Float
  /// A candidate that overlaps a better one of its class by more is dropped.
  public let overlap: Float
  /// The most objects.
  public let limit: Int

  /// Thresholds.
  public init(confidence: Float, overlap: Float, limit: Int) {
    (self.confidence, self.overlap, self.limit) = (confidence, overlap, limit)
  }
}

/// An object in the network's input.
public struct DecodedObject: Sendable {
  /// A mask's probabilities on the prototype grid, zero outside the object's box.
  public struct Mask: Sendable {
    /// The grid.
    public let width, height: Int
    /// Row-major over the grid.
    public let probabilities: [Float]

    /// A mask of the whole grid.
    public init(width: Int, height: Int, probabilities: [Float]) {
      precondition(probabilities.count == width * height)
      (self.width, self.height, self.probabilities) = (width, height, probabilities)
    }
  }

  /// Pixels: left, top, right, bottom; of oriented boxes center x, center y, width, height.
  public let box: [Float]
  /// The class's probability.
  public let score: Float
  /// The class.
  public let classIndex: Int
  /// Mask coefficients, key points or an angle.
  public let extras: [Float]
  /// Its mask; nil of networks without.
  public let mask: Mask?

  /// An object.
  public init(box: [Float], score: Float, classIndex: Int, extras: [Float], mask: Mask? = nil) {
    precondition(box.count == 4)
    (self.box, self.score, self.classIndex) = (box, score, classIndex)
    (self.extras, self.mask) = (extras, mask)
  }
}
