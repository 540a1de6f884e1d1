/// The output tiles of a Winograd convolution.
public enum WinogradTile: Int, Sendable {
  /// F(4x4,3x3): 36 products for 16 outputs.
  case four = 4
  /// F(6x6,3x3): 64 products for 36 outputs.
  case six = 6

  /// Output pixels of a tile's edge.
  public var edge: Int { rawValue }
  /// Products a tile, input channel and output channel, where the stride is 1.
  public var products: Int { (edge + 2) * (edge + 2) }
}

/// The kernels of a Winograd convolution: 3x3, channels multiples of 16; maps of either element type.
public struct WinogradKernels: Sendable {
  /// Floats that the transformed, packed weights take.
  public var packedCount: @Sendable (_ shape: ConvolutionShape) -> Int
  /// Transforms and packs weights (out, in, 3, 3), each output channel times its `scale`.
  public var pack:
    @Sendable (
      _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
      _ packed: UnsafeMutablePointer<Float>
    ) -> Void
  /// Output tiles `begin..<end` (row-major), output channel panels `firstPanel..<lastPanel`.
  public var convolution:
    @Sendable (
      _ task: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int, _ lastPanel: Int,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Scratch floats of `convolution`.
  public var scratch: @Sendable (_ shape: ConvolutionShape) -> Int

  /// The kernels of one size of tile.
  public init(
    packedCount: @escaping @Sendable (ConvolutionShape) -> Int,
    pack:
      @escaping @Sendable (
        ConvolutionShape, UnsafePointer<Float>, UnsafePointer<Float>?, UnsafeMutablePointer<Float>
      ) -> Void,
    convolution:
      @escaping @Sendable (
        UnsafePointer<ConvolutionTask>, Int, Int, Int, Int, UnsafeMutablePointer<Float>
      ) -> Void,
    scratch: @escaping @Sendable (ConvolutionShape) -> Int
  ) {
    self.packedCount = packedCount
    self.pack = pack
    self.convolution = convolution
    self.scratch = scratch
  }
}
