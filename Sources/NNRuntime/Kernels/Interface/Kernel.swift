/// A kernel of dense convolutions: what it computes, on what, in which blocks, and the functions that do it.
///
/// A kernel sees pointers and integers; it checks nothing. Every pointer, size and range in a task was checked when the plan
/// was made. It allocates nothing and cannot fail.
public struct ConvolutionKernel: Sendable {
  /// Prologues that can be fused before the products; reading the input unchanged is always possible.
  public struct Prologues: OptionSet, Hashable, Sendable {
    /// A bit for each case of `ConvolutionTask.Prologue`.
    public let rawValue: UInt8
    /// The cases of some bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Nothing.
    public static let none = Prologues([])
    /// `ConvolutionTask.Prologue.normalize`.
    public static let normalize = Prologues(rawValue: 1 << 0)
    /// `ConvolutionTask.Prologue.enlarge`.
    public static let enlarge = Prologues(rawValue: 1 << 1)
    /// `ConvolutionTask.Prologue.multiply`.
    public static let multiply = Prologues(rawValue: 1 << 2)
    /// `ConvolutionTask.Prologue.quantize`: a kernel that has it computes nothing without.
    public static let quantize = Prologues(rawValue: 1 << 3)
    /// `ConvolutionTask.Prologue.planes`, of three channels.
    public static let planes = Prologues(rawValue: 1 << 4)
    /// Whatever a pixel alone determines.
    public static let pixelwise: Prologues = [.normalize, .multiply]

    /// Their names, for people.
    public var names: [String] {
      [
        (Self.normalize, "normalize"), (.enlarge, "enlarge"), (.multiply, "multiply"),
        (.quantize, "quantize"), (.planes, "planes"),
      ]
      .filter { contains($0.0) }.map(\.1)
    }
  }

  /// The epilogues that a kernel can fuse; storing the result is always possible.
  public struct Epilogues: OptionSet, Hashable, Sendable {
    /// A bit for each case of `ConvolutionTask.Epilogue`.
    public let rawValue: UInt8
    /// The cases of some bits.
    public init(rawValue: UInt8) { self.rawValue = rawValue }
    /// Nothing.
    public static let none = Epilogues([])
    /// `ConvolutionTask.Epilogue.residual`.
    public static let residual = Epilogues(rawValue: 1 << 0)
    /// `ConvolutionTask.Epilogue.addend`.
    public static let addend = Epilogues(rawValue: 1 << 1)
    /// `ConvolutionTask.Epilogue.project`, and of subpixels their projection.
    public static let project = Epilogues(rawValue: 1 << 2)
    /// A residual or an addend.
    public static let sums = Epilogues(rawValue: residual.rawValue | addend.rawValue)
    /// A residual or a projection.
    public static let residualOrProject = Epilogues(rawValue: residual.rawValue | project.rawValue)

    /// Their names, for people.
    public var names: [String] {
      [(Self.residual, "residual"), (.addend, "addend"), (.project, "project")]
        .filter { contains($0.0) }.map(\.1)
    }
  }

  /// Unit of a call's work.
  public enum Items: Hashable, Sendable {
    /// Output pixels, row by row.
    case pixels
    /// Pairs of blocks of output pixels (`ConvolutionShape.rowPairs`); panels are those of half the output channels.
    case strassenPairs
    /// Output rows. A product over pixels is a map of one pixel per row, where the rows of its maps follow each other.
    case rows
    /// Output tiles, row by row.
    case tiles(WinogradTile)
  }

  /// The register tile: most rows of a product, and columns of a full panel of packed weights.
  public struct Block: Hashable, Sendable {
    /// Rows, columns.
    public var rows, columns: Int
    /// A tile of `rows` x `columns`.
    public init(rows: Int, columns: Int) {
      self.rows = rows
      self.columns = columns
    }
  }

  /// Algorithm and elements, `winograd-f6x6-f32`.
  public let name: String
  /// The catalogue that it was added to first.
  public let set: String
  /// Its algorithm, as plans name it.
  public let algorithm: Algorithm
  /// The convolutions that it computes.
  public let domain: ConvolutionDomain
  /// Element type of its factors.
  public let products: ProductElement
  /// Element types of its maps: input, output and residual.
  public let maps: MapElements
  /// Prologues and epilogues that it can fuse.
  public let prologues: Prologues
  /// Epilogues that it can fuse.
  public let epilogues: Epilogues
  /// How its work is counted.
  public let items: Items
  /// Its register tile.
  public let block: Block
  /// How far it may be from the definition.
  public let tolerance: KernelTolerance
  /// The instructions that it uses.
  public let needs: Processor.Features

  /// Floats that packed weights take.
  public let packedCount: @Sendable (_ shape: ConvolutionShape) -> Int
  /// Packs weights (out, in, kernel height, kernel width), each output channel times its `scale`.
  public let pack:
    @Sendable (
      _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
      _ packed: UnsafeMutablePointer<Float>
    ) -> Void
  /// Scratch floats of a call with at most `items` items.
  public let scratch: @Sendable (_ shape: ConvolutionShape, _ items: Int) -> Int
  /// Computes a share.
  public let run: @Sendable (_ task: UnsafePointer<ConvolutionTask>, _ share: Share) -> Void

  /// A kernel whose instructions are permitted; see `KernelCatalogue.add`.
  init(
    _ name: String, set: String, _ algorithm: Algorithm, of domain: ConvolutionDomain,
    products: ProductElement,
    maps: MapElements, prologues: Prologues, epilogues: Epilogues, items: Items, block: Block,
    tolerance: KernelTolerance, by permit: Permit,
    packedCount: @escaping @Sendable (ConvolutionShape) -> Int,
    pack:
      @escaping @Sendable (
        ConvolutionShape, UnsafePointer<Float>, UnsafePointer<Float>?, UnsafeMutablePointer<Float>
      ) -> Void,
    scratch: @escaping @Sendable (ConvolutionShape, _ items: Int) -> Int,
    run: @escaping @Sendable (UnsafePointer<ConvolutionTask>, Share) -> Void
  ) {
    self.name = name
    self.set = set
    self.algorithm = algorithm
    self.domain = domain
    self.products = products
    self.maps = maps
    self.prologues = prologues
    self.epilogues = epilogues
    self.items = items
    self.block = block
    self.tolerance = tolerance
    needs = permit.features
    self.packedCount = packedCount
    self.pack = pack
    self.scratch = scratch
    self.run = run
  }
}

extension ConvolutionKernel {
  /// Panels of a convolution's output channels, or of half of them.
  public func panels(_ shape: ConvolutionShape) -> Int {
    let channels = items == .strassenPairs ? shape.outChannels / 2 : shape.outChannels
    return (channels + block.columns - 1) / block.columns
  }
}

/// A kernel of another operation: one of `DepthwiseTask`, `PoolTask`, and so on.
public struct Kernel<Task>: Sendable {
  /// Operation and elements, `depthwise-f32`.
  public let name: String
  /// The catalogue that it was added to first.
  public let set: String
  /// Element type of each of its maps.
  public let maps: MapElements
  /// Element type of its factors; floats for operations without products.
  public let products: ProductElement
  /// Tokens, pixels or rows that an item of its work holds.
  public let together: Int
  /// How far it may be from the definition.
  public let tolerance: KernelTolerance
  /// The instructions that it uses.
  public let needs: Processor.Features
  /// Scratch floats of a call.
  public let scratch: @Sendable (_ task: UnsafePointer<Task>) -> Int
  /// Computes a share.
  public let run: @Sendable (_ task: UnsafePointer<Task>, _ share: Share) -> Void

  /// A kernel whose instructions are permitted; see `KernelCatalogue.add`.
  init(
    _ name: String, set: String, products: ProductElement, maps: MapElements, together: Int,
    tolerance: KernelTolerance, by permit: Permit,
    scratch: @escaping @Sendable (UnsafePointer<Task>) -> Int,
    run: @escaping @Sendable (UnsafePointer<Task>, Share) -> Void
  ) {
    self.name = name
    self.set = set
    self.products = products
    self.maps = maps
    self.together = together
    self.tolerance = tolerance
    needs = permit.features
    self.scratch = scratch
    self.run = run
  }
}
