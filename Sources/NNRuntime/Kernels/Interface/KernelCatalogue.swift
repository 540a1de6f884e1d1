/// The kernels that there are: what legality, choice, packing, work grids, tuning and tests are read from.
///
/// Where several kernels can do a thing the first is taken, unless a cost model or a measurement says otherwise.
public struct KernelCatalogue: Sendable {
  /// An instruction set, or a backend.
  public let name: String
  /// The name of the single-precision kernels: its own, or that of the catalogue it extends.
  public let floats: String

  /// Dense convolutions and linear layers.
  public private(set) var convolutions: [ConvolutionKernel]
  /// All others, an array of `Kernel<Task>` for each type of task.
  private var operations: [ObjectIdentifier: any Sendable]

  /// An empty one, or one that begins with the kernels of `base`.
  public init(_ name: String, after base: KernelCatalogue? = nil) {
    self.name = name
    floats = base?.floats ?? name
    convolutions = base?.convolutions ?? []
    operations = base?.operations ?? [:]
  }

  /// The kernels of the operation that has such tasks.
  @inline(never)
  public func kernels<Task>(of _: Task.Type) -> [Kernel<Task>] {
    operations[ObjectIdentifier(Task.self)] as? [Kernel<Task>] ?? []
  }

  /// Takes the kernels of `other` for every operation that has none here; except dense convolutions.
  public mutating func complete(by other: KernelCatalogue) {
    operations.merge(other.operations) { own, _ in own }
  }
}

// Kernels are made here, and not by those who have them: a kernel target that made, copied or destroyed one would have
// functions for that, compiled with its instructions, which the linker may keep for the whole program. So would one that
// specialized what is generic here.
extension KernelCatalogue {
  /// Adds a kernel of dense convolutions.
  @inline(never)
  public mutating func add(
    _ name: String, _ algorithm: Algorithm, of domain: ConvolutionDomain, products: ProductElement,
    maps: MapElements, prologues: ConvolutionKernel.Prologues,
    epilogues: ConvolutionKernel.Epilogues, items: ConvolutionKernel.Items,
    block: ConvolutionKernel.Block, tolerance: KernelTolerance, by permit: Permit,
    packedCount: @escaping @Sendable (ConvolutionShape) -> Int,
    pack:
      @escaping @Sendable (
        ConvolutionShape, UnsafePointer<Float>, UnsafePointer<Float>?, UnsafeMutablePointer<Float>
      ) -> Void,
    scratch: @escaping @Sendable (ConvolutionShape, _ items: Int) -> Int,
    run: @escaping @Sendable (UnsafePointer<ConvolutionTask>, Share) -> Void
  ) {
    convolutions.append(
      ConvolutionKernel(
        name, set: self.name, algorithm, of: domain, products: products, maps: maps, prologues: prologues,
        epilogues: epilogues, items: items, block: block, tolerance: tolerance, by: permit,
        packedCount: packedCount, pack: pack, scratch: scratch, run: run))
  }

  /// Adds a kernel of another operation.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  public mutating func add<Task>(
    _ name: String, of _: Task.Type, products: ProductElement, maps: MapElements, together: Int,
    tolerance: KernelTolerance, by permit: Permit,
    scratch: @escaping @Sendable (UnsafePointer<Task>) -> Int,
    run: @escaping @Sendable (UnsafePointer<Task>, Share) -> Void
  ) {
    let kernel = Kernel<Task>(
      name, set: self.name, products: products, maps: maps, together: together, tolerance: tolerance,
      by: permit, scratch: scratch, run: run)
    operations[ObjectIdentifier(Task.self)] = kernels(of: Task.self) + [kernel]
  }

  /// Adds a kernel of another operation that multiplies in single precision, if at all, an item at a time.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  public mutating func add<Task>(
    _ name: String, of task: Task.Type, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    scratch: @escaping @Sendable (UnsafePointer<Task>) -> Int,
    run: @escaping @Sendable (UnsafePointer<Task>, Share) -> Void
  ) {
    add(
      name, of: task, products: .float32, maps: maps, together: 1, tolerance: tolerance, by: permit,
      scratch: scratch, run: run)
  }

  /// Adds one that needs no scratch memory.
  @inline(never) @_semantics("optimize.sil.specialize.generic.never")
  public mutating func add<Task>(
    _ name: String, of task: Task.Type, maps: MapElements, tolerance: KernelTolerance, by permit: Permit,
    run: @escaping @Sendable (UnsafePointer<Task>, Share) -> Void
  ) {
    add(name, of: task, maps: maps, tolerance: tolerance, by: permit, scratch: { _ in 0 }, run: run)
  }
}
