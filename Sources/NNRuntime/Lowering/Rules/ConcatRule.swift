import NNRuntime
import ONNX

/// `Concat`: channels side by side, or pixels after each other.
enum ConcatRule: Rule {
  static func lower(_ node: ProgramNode, _ operands: Operands) -> [Lowered]? {
    guard let shape = operands.outputShape(), var axis = node.step.int("axis"), operands.count > 0 else {
      return nil
    }
    if axis < 0 { axis += shape.count }
    guard shape.indices.contains(axis) else { return nil }
    var parts: [Lowered] = []
    for index in node.inputs.indices {
      guard let size = operands.shape(index), size.count == shape.count, !size.contains(0) else { return nil }
      let part = operands.constant(index).map(operands.constantMap) ?? operands.settled(index)
      guard let part else { return nil }
      parts.append(part)
    }
    guard let images = parts.map(\.map.images).max(),
      let guide = parts.first(where: { $0.map.images == images })
    else { return nil }
    if parts.count == 1 { return parts }
    return
      (sideBySide(parts, guide, axis, shape, operands)
      ?? inSequence(parts, guide, axis, shape, images, operands))
      .map { [$0] }
  }

  private static func sideBySide(
    _ parts: [Lowered], _ guide: Lowered, _ axis: Int, _ shape: [Int], _ operands: Operands
  ) -> Lowered? {
    // In the order of the first part whose channels the axis is.
    let whole = parts.lazy.compactMap { operands.island.whole($0, operands.name) }
    guard let first = whole.first(where: { $0.view.axes[axis] == $0.channelFactors && $0.map.channels > 1 })
    else { return nil }
    var values: [MapValue] = []
    for part in parts {
      let channels = part.shape[axis]
      var axes = first.view.axes.map {
        $0.map { Factor(size: $0.size, stride: $0.stride / first.map.channels * channels) }
      }
      axes[axis] = [Factor(size: channels, stride: 1)]
      let target = StridedView(axes: axes)
      guard part.view.shape == target.shape,
        let value = operands.island.matching(
          part, to: target, of: first.map.with(channels: channels), operands.name)
      else { return nil }
      values.append(value)
    }
    let made = operands.island.builder.concatenate(values, name: operands.name)
    let found = operands.replacing(axis, of: first, with: made)
    return found.shape == shape ? found : nil
  }

  private static func inSequence(
    _ parts: [Lowered], _ guide: Lowered, _ axis: Int, _ shape: [Int], _ images: Int, _ operands: Operands
  ) -> Lowered? {
    let island = operands.island
    guard axis > 0 || images == 1 else { return nil }
    // The channels stay what they are in the first part, or are the last axis.
    let first = island.whole(guide, operands.name)
    let channelAxis =
      shape.indices.first { place in
        place != axis && first.map { $0.map.channels > 1 && $0.view.axes[place] == $0.channelFactors } == true
      } ?? shape.count - 1
    guard channelAxis != axis, images == 1 || channelAxis != 0 else { return nil }
    let outer = images > 1 ? [0] : []
    let middle = shape.indices.filter { $0 != axis && $0 != channelAxis && !outer.contains($0) }
    let order = outer + [axis] + middle + [channelAxis]
    var values: [MapValue] = []
    for part in parts {
      let pixels = part.view.count / part.shape[channelAxis] / part.map.images
      let map = MapShape(
        images: part.map.images, height: 1, width: pixels, channels: part.shape[channelAxis])
      guard part.map.images == images,
        let value = island.arranged(part, order: order, as: map, operands.name), value.isByImages
      else { return nil }
      values.append(value.value)
    }
    let made = values[0].stacked(with: Array(values.dropFirst()), name: operands.name)
    return Lowered(value: made, view: StridedView(shape, inOrder: order))
  }
}
