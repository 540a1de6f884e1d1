/// Integers of 8 bits and their scales, from which `DequantizeLinear` made floats.
package final class DequantizedBytes: Sendable {
  /// In the shape of the floats.
  package let integers: Tensor
  /// One for all, or one for each position of `axis`.
  package let scales: [Float]
  /// Zero points, as many as scales.
  package let zeros: [Int]
  /// The axis of the scales, where there are several.
  package let axis: Int?

  init(integers: Tensor, scales: [Float], zeros: [Int], axis: Int?) {
    self.integers = integers
    self.scales = scales
    self.zeros = zeros
    self.axis = axis
  }
}
