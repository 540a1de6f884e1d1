/// How a layer is computed.
public enum Algorithm: String, Sendable {
  /// One matrix product over the pixels.
  case gemm
  /// One matrix product over the pixels, by seven of a quarter's size.
  case strassen
  /// A matrix product a kernel position, inputs read in place.
  case direct
  /// Winograd F(4x4,3x3), its phases where the stride is 2, or F(4x4,2x2).
  case winograd4x4 = "winograd-f4x4"
  /// Winograd F(6x6,3x3).
  case winograd6x6 = "winograd-f6x6"
  /// A matrix product a position of the kernel, outputs interleaved.
  case subpixel
  /// Online-softmax attention in blocks.
  case blocked
  /// A loop over pixels, vectorized over channels.
  case vector
  /// No work: another layer's memory.
  case none
}
