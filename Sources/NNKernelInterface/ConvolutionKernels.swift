/// The kernels of a dense convolution by one algorithm.
public struct ConvolutionKernels: Sendable {
  /// Floats that the packed weights take.
  public var packedCount: @Sendable (_ shape: ConvolutionShape) -> Int
  /// Packs weights (out, in, kernel height, kernel width), each output channel times its `scale`.
  public var pack:
    @Sendable (
      _ shape: ConvolutionShape, _ weights: UnsafePointer<Float>, _ scale: UnsafePointer<Float>?,
      _ packed: UnsafeMutablePointer<Float>
    ) -> Void
  /// Output pixels `begin..<end` (row-major), or what the algorithm computes together: tiles, pairs of blocks; of the
  /// output channel panels `firstPanel..<lastPanel`.
  public var convolution:
    @Sendable (
      _ task: UnsafePointer<ConvolutionTask>, _ begin: Int, _ end: Int, _ firstPanel: Int, _ lastPanel: Int,
      _ scratch: UnsafeMutablePointer<Float>
    ) -> Void
  /// Scratch floats of `convolution`.
  public var scratch: @Sendable (_ shape: ConvolutionShape) -> Int

  /// The kernels of one algorithm.
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

extension ConvolutionKernels {
  /// The kernels of tiles of 4x4 outputs: of stride 2, of subpixels, or of 3x3 ones, as a shape asks.
  public init(stride2 strided: Self, kernel2 ofTwo: Self, kernel3 ofThree: Self) {
    @Sendable func kernels(_ shape: ConvolutionShape) -> Self {
      shape.kind == .subpixel ? ofTwo : shape.stride == 2 ? strided : ofThree
    }
    unsafe self.init(
      packedCount: { kernels($0).packedCount($0) },
      pack: { unsafe kernels($0).pack($0, $1, $2, $3) },
      convolution: { unsafe kernels($0.pointee.shape).convolution($0, $1, $2, $3, $4, $5) },
      scratch: { kernels($0).scratch($0) })
  }
}
