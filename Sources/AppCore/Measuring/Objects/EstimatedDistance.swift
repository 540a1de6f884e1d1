import Geometry

extension DepthScene {
  /// Samples on each side of a box at which a metric network's depth is read.
  private static let samplesPerSide = 64

  /// The median of a metric network's depth on the object: where the mask is set, without one in the oriented box, or in
  /// the whole box, with a warning, if no sample meets either.
  ///
  /// - Precondition: `box` is inside the picture.
  func distanceFromNetwork(
    _ box: Rect<ImagePixels>, of detection: Detection, _ warnings: inout [ExtentWarning]
  ) -> ObjectDistance {
    guard let estimated else { return .unknown }
    let side = Self.samplesPerSide
    var all: [Double] = []
    var masked: [Double] = []
    for row in 0..<side {
      for column in 0..<side {
        let point = Point2<ImagePixels>(
          box.minX + (Double(column) + 0.5) / Double(side) * box.width,
          box.minY + (Double(row) + 0.5) / Double(side) * box.height)
        guard let meters = estimated.meters(at: point, imageSize: imageSize) else { continue }
        all.append(meters)
        let isInside =
          detection.mask.map { $0.probability(at: point) > 0.5 } ?? detection.orientedBox?.contains(point)
          ?? true
        if isInside { masked.append(meters) }
      }
    }
    guard masked.isEmpty else { return ObjectDistance(network: masked) }
    guard !all.isEmpty else { return .unknown }
    warnings.append(.wholeWindow)
    return ObjectDistance(network: all)
  }
}
