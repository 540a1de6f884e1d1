/// The output tiles of a Winograd convolution.
public enum WinogradTile: Int, Sendable {
  /// F(4x4,3x3): 36 products for 16 outputs; F(4x4,2x2): 25.
  case four = 4
  /// F(6x6,3x3): 64 products for 36 outputs.
  case six = 6

  /// Output pixels of a tile's edge.
  public var edge: Int { rawValue }
  /// Products a tile, input channel and output channel, of a square kernel and stride 1.
  public func products(kernel: Int) -> Int { (edge + kernel - 1) * (edge + kernel - 1) }
}
