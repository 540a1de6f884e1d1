/// How a head's numbers encode the sides of a box.
package struct BoxCoding: Sendable, Equatable {
  /// Bins of the distance distribution of one side (`reg_max`); 1 where the number is the distance itself.
  package let bins: Int
  /// Whether corners are made of the distances, as for heads without suppression, not a center and sides.
  package let keepsCorners: Bool

  /// The expectation of a distribution over 16 bins.
  package static let distribution = BoxCoding(bins: 16, keepsCorners: false)
  /// Plain distances.
  package static let direct = BoxCoding(bins: 1, keepsCorners: true)
  /// Plain distances of a head whose boxes are suppressed.
  static let suppressed = BoxCoding(bins: 1, keepsCorners: false)

  /// Box numbers of one anchor: left, top, right, bottom, each with this number of bins.
  package var channels: Int { 4 * bins }
}
