import NNKernelInterface

/// How the work of a convolution in bf16 is cut into chunks: ranges of output rows times ranges of panels.
///
/// It depends on the shape alone. Every chunk reads its rows and all weights of its panels; of all ways to cut
/// the work in enough pieces it is the one that reads least.
struct MixedWorkGrid: Equatable, Sendable {
  var rows, panels: Int
  var rowChunks, panelChunks: Int

  var chunks: Int { rowChunks * panelChunks }
  /// Most output rows of a chunk.
  var rowsTogether: Int { (rows + rowChunks - 1) / rowChunks }

  /// Products of a chunk, at the least: some ten microseconds.
  private static let chunkOperations = 15_000_000.0
  /// Most chunks of a layer: enough to share out evenly, few enough that weights are seldom read again.
  private static let mostChunks = 16
  /// Bytes of input that a chunk keeps in the second-level cache.
  private static let cachedInput = 768 * 1024

  init(_ shape: ConvolutionShape, panelWidth: Int) {
    rows = shape.outHeight
    panels = (shape.outChannels + panelWidth - 1) / panelWidth
    let depth = shape.kernelHeight * shape.kernelWidth * shape.inChannels
    let operations = 2 * Double(rows * shape.outWidth) * Double(shape.outChannels * depth)
    let wanted = min(max(1, Int(operations / Self.chunkOperations)), Self.mostChunks)
    let inputBytes = 2 * shape.inHeight * shape.inWidth * shape.inChannels
    let weightBytes = 2 * depth * shape.outChannels
    let leastRows = min(rows, (inputBytes + Self.cachedInput - 1) / Self.cachedInput)
    var best = (bytes: Int.max, rows: 1, panels: 1)
    for panelChunks in 1...min(panels, wanted) {
      let rowChunks = min(rows, max(leastRows, (wanted + panelChunks - 1) / panelChunks))
      let halo = max(0, shape.kernelHeight - shape.stride) * 2 * shape.inWidth * shape.inChannels
      let bytes = rowChunks * weightBytes + panelChunks * (inputBytes + rowChunks * halo)
      if rowChunks * panelChunks >= min(wanted, rows * panels), bytes < best.bytes {
        best = (bytes, rowChunks, panelChunks)
      }
    }
    (rowChunks, panelChunks) = (best.rows, best.panels)
  }

  /// The rows and panels of a chunk: those of the same rows follow each other, so that a thread keeps to its rows from
  /// layer to layer.
  func range(_ chunk: Int) -> (rows: Range<Int>, panels: Range<Int>) {
    let (part, group) = (chunk / panelChunks, chunk % panelChunks)
    return (
      rows * part / rowChunks..<rows * (part + 1) / rowChunks,
      panels * group / panelChunks..<panels * (group + 1) / panelChunks
    )
  }
}
