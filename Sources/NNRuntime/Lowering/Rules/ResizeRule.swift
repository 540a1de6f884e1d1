import NNRuntime
import ONNX

/// `Resize` and `Upsample` of the last two axes where the engine interpolates as they do.
enum ResizeRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    let step = node.step
    guard let x = operands.settled(0), x.shape.count == 4, let shape = operands.outputShape(),
      shape.count == 4,
      shape[0] == x.shape[0], shape[1] == x.shape[1], !shape.contains(0),
      step.int("antialias") ?? 0 == 0, step.int("exclude_outside") ?? 0 == 0,
      isWhole(step, x.shape, shape, operands), let kind = interpolation(step, x.shape, shape),
      let map = operands.island.map(x, operands.name)
    else { return nil }
    if shape == x.shape { return [x] }
    let resized = map.resized(
      height: shape[2], width: shape[3], kind, dividesPlaces: true, name: operands.name)
    return [operands.island.tensor(resized)]
  }

  /// Whether sizes are the input's times the scales, without a rest: the engine knows sizes alone.
  private static func isWhole(
    _ step: ONNXStep, _ input: [Int], _ output: [Int], _ operands: Operands
  ) -> Bool {
    if step.type == "Resize", step.version > 10, let sizes = operands.constant(3), sizes.count > 0 {
      return step.string("keep_aspect_ratio_policy") ?? "stretch" == "stretch"
    }
    if step.type == "Upsample", step.attributeNames.contains(where: { $0 != "mode" }) { return false }
    let place = step.type == "Upsample" || step.version <= 10 ? 1 : 2
    guard let scales = operands.constant(place)?.doubles(), step.ints("axes") == nil, scales.count == 4 else {
      return false
    }
    return (0..<4).allSatisfy { Double(input[$0]) * scales[$0] == Double(output[$0]) }
  }

  /// Whether quotients of the places by the scale, in single precision and cut off, are those of whole numbers.
  private static func isFloored(_ input: Int, _ output: Int) -> Bool {
    let scale = Float(output) / Float(input)
    return (0..<output).allSatisfy {
      Int(exactly: (Float($0) / scale).rounded(.down)) == $0 * input / output
    }
  }

  private static func interpolation(_ step: ONNXStep, _ input: [Int], _ output: [Int]) -> Interpolation? {
    let isOld = step.type == "Upsample" || step.version <= 10
    let coordinates = isOld ? "asymmetric" : step.string("coordinate_transformation_mode") ?? "half_pixel"
    switch step.string("mode") ?? "nearest" {
    case "nearest":
      let rounding = isOld ? "floor" : step.string("nearest_mode") ?? "round_prefer_floor"
      let isEnlarged = (2...3).allSatisfy { output[$0] % input[$0] == 0 }
      if coordinates == "asymmetric", rounding == "floor" {
        return (2...3).allSatisfy { isFloored(input[$0], output[$0]) } ? .nearest : nil
      }
      // Whole factors: the pixel that a center falls into, whichever way.
      let isCentered = coordinates == "half_pixel" || coordinates == "half_pixel_symmetric"
      return isEnlarged && isCentered && rounding.hasPrefix("round") ? .nearest : nil
    case "linear", "bilinear":
      let isOne = output[2] == 1 || output[3] == 1
      switch coordinates {
      case "half_pixel": return .bilinear(alignCorners: false)
      case "pytorch_half_pixel": return isOne ? nil : .bilinear(alignCorners: false)
      case "align_corners": return isOne ? nil : .bilinear(alignCorners: true)
      default: return nil
      }
    case "cubic":
      guard
        coordinates == "half_pixel" || coordinates == "pytorch_half_pixel" && output[2] > 1 && output[3] > 1,
        step.float("cubic_coeff_a") ?? -0.75 == -0.75
      else { return nil }
      return .bicubic
    default: return nil
    }
  }
}
