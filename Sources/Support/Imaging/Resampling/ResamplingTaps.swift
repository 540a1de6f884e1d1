/// Which source cells an output cell of a separable resampling reads, and with what weights.
///
/// Output `i` is the sum over `k` of `weights[i * count + k]` times source cell `starts[i] + k`,
/// cells outside the source being replaced by the nearest cell inside.
struct ResamplingTaps {
  /// Taps an output cell: 2 for bilinear, 4 for bicubic.
  let count: Int
  /// First source cell of each output cell, in `-margin...sourceCount - 1`.
  let starts: [Int]
  /// `count` weights an output cell.
  let weights: [Float]

  /// How far taps may reach beyond either end of the source.
  static let margin = 2

  /// Cubic convolution with A = -0.75 on half-pixel centers, as `cv2.INTER_CUBIC`.
  ///
  /// Positions and weights are rounded to `Float` where OpenCV does so, because far from the origin
  /// a rounded position is what decides the last digits.
  static func bicubic(from source: Int, to target: Int) -> ResamplingTaps {
    let scale = 1 / (Double(target) / Double(source))
    var starts = [Int]()
    var weights = [Float]()
    for i in 0..<target {
      let position = Float((Double(i) + 0.5) * scale - 0.5)
      let floor = position.rounded(.down)
      starts.append(Int(floor) - 1)
      weights += cubicWeights(position - floor)
    }
    return ResamplingTaps(count: 4, starts: starts, weights: weights)
  }

  private static func cubicWeights(_ t: Float) -> [Float] {
    let a: Float = -0.75
    let before = ((a * (t + 1) - 5 * a) * (t + 1) + 8 * a) * (t + 1) - 4 * a
    let left = ((a + 2) * t - (a + 3)) * t * t + 1
    let right = ((a + 2) * (1 - t) - (a + 3)) * (1 - t) * (1 - t) + 1
    return [before, left, right, 1 - before - left - right]
  }

  /// Linear interpolation, in the `Float` arithmetic of `torch.nn.functional.interpolate`.
  static func bilinear(from source: Int, to target: Int, _ alignment: ResamplingAlignment) -> ResamplingTaps {
    var starts = [Int]()
    var weights = [Float]()
    for i in 0..<target {
      let position: Float
      switch alignment {
      case .halfPixel:
        // One rounding, as in PyTorch, whose compiler fuses the product and the sum.
        position = max(0, Float(-0.5).addingProduct(Float(source) / Float(target), Float(i) + 0.5))
      case .alignCorners:
        position = target > 1 ? Float(source - 1) / Float(target - 1) * Float(i) : 0
      }
      let start = min(Int(position), source - 1)
      let fraction = min(1, max(0, position - Float(start)))
      starts.append(start)
      weights += [1 - fraction, fraction]
    }
    return ResamplingTaps(count: 2, starts: starts, weights: weights)
  }
}

/// Where output cells lie on the source grid.
public enum ResamplingAlignment: Sendable {
  /// Centers at (i + 0.5) * in / out - 0.5, clamped at the border (`align_corners=False`).
  case halfPixel
  /// First and last cells coincide: i * (in - 1) / (out - 1) (`align_corners=True`).
  case alignCorners
}
