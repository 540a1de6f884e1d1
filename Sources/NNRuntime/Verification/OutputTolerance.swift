import NNRuntime

extension LayerTolerance {
  // What is decoded of the reference's own raw outputs differs by the roundings of the decoding alone.

  /// Anchors and strides: small whole and half numbers, which single precision holds exactly.
  static let grid = LayerTolerance(absolute: 0, relative: 0)
  /// Distances in cells, decoded of the same logits: these are stored in single precision, so that a logit of up to 32 is
  /// off by up to 2^-20, and the expectation changes by that times the variance of its bins, at most 56.
  static let decodedCells = LayerTolerance(absolute: 1e-4, relative: 2e-6, relativeL2: 2e-5)
  /// Pixels, decoded of the same numbers: the former in the coarsest cells, of 32 pixels.
  static let decodedPixels = LayerTolerance(absolute: 5e-3, relative: 2e-6, relativeL2: 2e-5)
  /// Probabilities of the same logits: a quarter of what a logit is off by, and the exponential's own rounding.
  static let decodedProbabilities = LayerTolerance(absolute: 1e-6, relative: 5e-6, relativeL2: 2e-5)
  /// Angles of the same numbers: pi times that.
  static let decodedRadians = LayerTolerance(absolute: 5e-6, relative: 5e-6, relativeL2: 2e-5)

  // What is decoded of the engine's raw outputs is off by what these are, too: a logit by up to 1e-4 of the largest.

  /// Distances in cells after the whole network: a logit off by 1e-3 moves an even distribution by 56 times that.
  static let finalCells = LayerTolerance(absolute: 1e-3, relative: 3e-3, relativeL2: 1e-4)
  /// Pixels after the whole network: the former in cells of 8 to 32 pixels.
  static let finalPixels = LayerTolerance(absolute: 3e-2, relative: 1e-3, relativeL2: 1e-4)
  /// Probabilities after the whole network: a quarter of what a logit is off by; the smallest, by all of it relative to
  /// themselves.
  static let finalProbabilities = LayerTolerance(absolute: 1e-5, relative: 1e-3)
  /// Angles after the whole network.
  static let finalRadians = LayerTolerance(absolute: 5e-5, relative: 1e-3)

  /// Reduced precision's tolerance of decoded outputs over that of a layer: they have passed one more step.
  private static let reducedFactor = 2.0

  /// How far a decoded number may be off.
  ///
  /// - Parameters:
  ///   - quantity: What it is.
  ///   - isOwn: Whether it is decoded of the reference's own raw outputs.
  ///   - precision: What the network was computed in.
  /// - Returns: The tolerance.
  static func output(_ quantity: OutputQuantity, isOwn: Bool, _ precision: Precision) -> LayerTolerance {
    let raw = (isOwn ? LayerVerifier.Mode.isolated : .cumulative).tolerance(isOwn ? .fp32 : precision)
    let exact: LayerTolerance =
      switch quantity {
      case .grid: .grid
      case .cells: isOwn ? .decodedCells : .finalCells
      case .pixels: isOwn ? .decodedPixels : .finalPixels
      case .probabilities: isOwn ? .decodedProbabilities : .finalProbabilities
      case .radians: isOwn ? .decodedRadians : .finalRadians
      case .raw: raw
      }
    guard !isOwn, precision != .fp32, quantity != .grid else { return exact }
    return LayerTolerance(
      absolute: max(exact.absolute, raw.absolute), relative: raw.relative * reducedFactor,
      relativeL2: raw.relativeL2 * reducedFactor)
  }
}

/// How objects may differ, beside their numbers.
enum ObjectTolerance {
  /// Distance of a score from the confidence threshold, or of an overlap from the overlap threshold, within which an object
  /// that only one side has passes.
  ///
  /// For the same raw outputs it is the rounding of single precision, and a pixel's hundredths in a box of
  /// some ten pixels.
  static let ownMargin: (score: Float, overlap: Float) = (1e-5, 2e-3)
  /// The same after the whole network, where boxes are off by up to a tenth of a pixel.
  static let finalMargin: (score: Float, overlap: Float) = (1e-3, 2e-2)
  /// How near to one half a mask's probability may be for its cell to differ, and to a cell the edge that cuts it.
  static let ownMask: Float = 1e-3
  /// The same after the whole network.
  static let finalMask: Float = 2e-2
}
