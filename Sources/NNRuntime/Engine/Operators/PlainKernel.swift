import NNKernelInterface

/// All plain kernels, in the order in which kernels are listed: a line for each kind of task.
private let plainKernels: [any PlainKernelRow] = [
  Convolution.plainDepthwise,
  MaxPool.plain,
  Resize.plain,
  LayerNorm.plain,
  Softmax.plain,
  Affine.plain,
  Attention.plain,
  MatrixProduct.plain,
  GroupedConvolution.plain,
  Rearrange.plain,
  ElementFunction.plain,
  Pooling.plain,
  Sampling.plain,
]

/// The plain kernel of an operation: a scalar at a time, in the order of the definition, between maps of floats.
///
/// It shares no arithmetic with the vector kernels that are checked against it, and computes the operation wherever there is
/// none.
struct PlainKernel<Task>: PlainKernelRow {
  /// Operation and element: `maxpool-f32`.
  var name: String
  /// Description of the task's operation, for people.
  var computes: String
  /// How far it may be from the definition.
  var tolerance: KernelTolerance
  /// Scratch floats of a call.
  var scratch: @Sendable (Task) -> Int = { _ in 0 }
  /// Computes a share.
  var run: @Sendable (Task, Share) -> Void

  func add(to catalogue: inout KernelCatalogue) {
    let (scratch, run) = (scratch, run)
    unsafe catalogue.add(
      name, of: Task.self, maps: .float32, tolerance: tolerance, by: .baseline,
      scratch: { unsafe scratch($0.pointee) }, run: { unsafe run($0.pointee, $1) })
  }

  func listings(of catalogue: KernelCatalogue) -> [KernelListing] {
    catalogue.kernels(of: Task.self).map { KernelListing($0, computes: computes) }
  }
}

/// A plain kernel, whatever its task.
private protocol PlainKernelRow: Sendable {
  /// Adds it to a catalogue.
  func add(to catalogue: inout KernelCatalogue)
  /// The kernels of a catalogue that compute its task.
  func listings(of catalogue: KernelCatalogue) -> [KernelListing]
}

extension KernelCatalogue {
  /// The plain kernels of all operations but dense convolutions.
  package static func plain(named name: String = "plain") -> KernelCatalogue {
    plainKernels.reduce(into: KernelCatalogue(name)) { $1.add(to: &$0) }
  }

  /// All kernels but those of dense convolutions, operation by operation.
  var listings: [KernelListing] { plainKernels.flatMap { $0.listings(of: self) } }
}

extension Share {
  /// Calls `body(row, column)` for each item, where items are pixels of rows of `width`.
  @inline(__always)
  func forEachPixel(width: Int, _ body: (_ y: Int, _ x: Int) -> Void) {
    var (y, x) = items.lowerBound.quotientAndRemainder(dividingBy: width)
    for _ in items {
      body(y, x)
      x += 1
      if x == width { (y, x) = (y + 1, 0) }
    }
  }
}

// Access of plain kernels to maps, an element at a time.

extension MapPointer {
  /// An element of a map of floats.
  subscript(y: Int, x: Int, channel: Int) -> Float {
    unsafe base[y * rowStride + x * pixelStride + channel]
  }
}

extension MutableMapPointer {
  /// An element of a map of floats.
  subscript(y: Int, x: Int, channel: Int) -> Float {
    get { unsafe base[y * rowStride + x * pixelStride + channel] }
    nonmutating set { unsafe base[y * rowStride + x * pixelStride + channel] = newValue }
  }
}
