import ONNX

extension LayerDifference {
  /// Judges the layer with the tolerance of single precision.
  package func verdict(_ tolerance: Float) -> LayerVerdict {
    LayerVerdict(
      cumulative, isolated: isolated, sensitivity: sensitivity,
      tolerance: isHalf ? max(tolerance, LayerVerdict.toleranceOfHalves) : tolerance)
  }
}

extension OutputDifference {
  /// Judges the output with the tolerance of single precision.
  package func verdict(_ tolerance: Float) -> LayerVerdict {
    LayerVerdict(
      difference, isolated: nil, sensitivity: sensitivity,
      tolerance: isHalf ? max(tolerance, LayerVerdict.toleranceOfHalves) : tolerance)
  }
}
