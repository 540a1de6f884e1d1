import NNRuntime
import ONNX

/// `BatchNormalization` with known statistics: a factor and an addend per channel.
enum BatchNormRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard node.outputs.dropFirst().allSatisfy({ $0 == nil || (operands.program.readers[$0!] ?? []).isEmpty }),
      node.step.int("training_mode") ?? 0 == 0, node.step.int("spatial") ?? 1 == 1,
      node.step.int("is_test") ?? 1 != 0, let x = operands.settled(0), x.shape.count > 1
    else { return nil }
    let parameters = (1...4).compactMap { operands.constant($0)?.floats() }
    let channels = x.shape[1]
    guard parameters.count == 4, parameters.allSatisfy({ $0.count == channels }),
      let found = operands.island.pixelwise(x, channels: 1, operands.name)
    else { return nil }
    let epsilon = node.step.float("epsilon") ?? 1e-5
    let scale = (0..<channels).map { parameters[0][$0] / (parameters[3][$0] + epsilon).squareRoot() }
    let shift = (0..<channels).map { parameters[1][$0] - parameters[2][$0] * scale[$0] }
    return [
      Lowered(value: found.value.affine(scale: scale, shift: shift, name: operands.name), view: found.view)
    ]
  }
}

/// `LayerNormalization` over the last axis, one operator or spelled out.
enum LayerNormRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let x = operands.settled(0), let width = x.shape.last, x.shape.count > 1 else { return nil }
    var (gamma, beta, epsilon) = ([Float]?.none, [Float]?.none, Float(1e-5))
    if case .layerNorm(let scale, let shift, let small) = node.operation {
      (gamma, beta, epsilon) = (scale, shift, small)
    } else {
      let step = node.step
      guard [-1, x.shape.count - 1].contains(step.int("axis") ?? -1), step.int("stash_type") ?? 1 == 1,
        node.outputs.dropFirst().allSatisfy({ $0 == nil || (operands.program.readers[$0!] ?? []).isEmpty }),
        let scale = operands.constant(1), scale.shape == [width],
        !operands.has(2) || operands.constant(2) != nil,
        operands.constant(2)?.shape ?? [width] == [width]
      else { return nil }
      (gamma, beta, epsilon) = (scale.floats(), operands.constant(2)?.floats(), step.float("epsilon") ?? 1e-5)
    }
    guard gamma?.count ?? width == width, beta?.count ?? width == width,
      let found = operands.island.pixelwise(x, channels: x.shape.count - 1, operands.name)
    else { return nil }
    let value = found.value.layerNorm(
      gamma: WeightTensor(shape: [width], floats: gamma ?? [Float](repeating: 1, count: width)),
      beta: WeightTensor(shape: [width], floats: beta ?? [Float](repeating: 0, count: width)),
      epsilon: epsilon, name: operands.name)
    return [Lowered(value: value, view: found.view)]
  }
}

/// `Softmax` over one axis.
enum SoftmaxRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let x = operands.settled(0), x.shape.count > 0 else { return nil }
    let isNew = node.step.version >= 13
    var axis = node.step.int("axis") ?? (isNew ? -1 : 1)
    if axis < 0 { axis += x.shape.count }
    // Older versions took all axes from this one on together.
    guard x.shape.indices.contains(axis), isNew || x.shape[(axis + 1)...].allSatisfy({ $0 == 1 }) else {
      return nil
    }
    if let (found, groups) = operands.island.inGroups(x, channels: axis, operands.name) {
      return [Lowered(value: found.value.softmax(groups: groups, name: operands.name), view: found.view)]
    }
    guard let found = operands.island.pixelwise(x, channels: axis, operands.name) else { return nil }
    return [Lowered(value: found.value.softmax(name: operands.name), view: found.view)]
  }
}
