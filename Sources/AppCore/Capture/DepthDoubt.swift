import Imaging

extension CapturedFrame {
  /// Distances of most of a depth map, meters, that sensors give of rooms: beyond them the unit may be another.
  private static let usualDepths: ClosedRange<Float> = 0.1...8

  /// Why a depth map that a user named may be in another unit than it was read in; nil where it looks right.
  public var depthDoubt: String? {
    guard let depth else { return nil }
    let readings = depth.elements.filter { $0 > 0 && $0.isFinite }.sorted()
    guard !readings.isEmpty else { return "the depth map holds no reading" }
    let median = readings[readings.count / 2]
    guard !Self.usualDepths.contains(median) else { return nil }
    return
      "half of the depth map lies \(median > 1 ? "beyond" : "before") \(Self.text(median)) m: if that is wrong, "
      + "say what one unit of it is with --depth-unit (0.001 for millimeters, 0.0002 for 5000 a meter, 0.0001 for "
      + "tenths of a millimeter)"
  }

  /// Two significant figures are enough.
  private static func text(_ meters: Float) -> String {
    meters < 1 ? "\((meters * 1000).rounded() / 1000)" : "\((meters * 10).rounded() / 10)"
  }
}
