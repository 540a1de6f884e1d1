import NNRuntime

// Tensors as the maps that layers want: as they lie, as a part of a map, or rearranged.

extension Island {
  /// Most runs of channels that are side by side, as each may be a part of a map, without work.
  private static let mostParts = 8

  /// The tensor with nothing owed.
  func settled(_ x: Lowered, _ name: String) -> Lowered? {
    guard x.factor != 1 else { return x }
    var plain = x
    plain.factor = 1
    guard var found = whole(plain, name) else { return nil }
    let factors = [Float](repeating: x.factor, count: found.map.channels)
    found.value = found.value.scaled(
      by: WeightTensor(shape: [factors.count], floats: factors), name: unique("\(name).factor"))
    return found
  }

  /// The tensor as all of a map, row-major: the last axis is channels.
  func rowMajor(_ x: Lowered, _ name: String) -> Lowered? {
    arranged(x, order: Array(x.shape.indices), as: mapShape(of: x.shape), name)
  }

  /// The tensor as all of a map, with nothing owed.
  func whole(_ x: Lowered, _ name: String) -> Lowered? {
    guard x.factor == 1 else { return settled(x, name) }
    guard !x.isWhole else { return x }
    if let part = channelRange(x, name) ?? tail(x, name) { return part }
    return rowMajor(x, name)
  }

  /// A view that is some of the channels of every pixel.
  private func channelRange(_ x: Lowered, _ name: String) -> Lowered? {
    let channels = x.map.channels
    let flat = x.view.axes.flatMap(\.self)
    let inner = flat.filter { $0.stride < channels }.sorted { $0.stride < $1.stride }
    let outer = flat.filter { $0.stride >= channels }
    guard x.view.offset < channels, outer.allSatisfy({ $0.stride % channels == 0 }),
      outer.reduce(1, { $0 * $1.size }) == x.map.batchPixels
    else { return nil }
    var count = 1
    for factor in inner {
      guard factor.stride == count else { return nil }
      count *= factor.size
    }
    guard x.view.offset + count <= channels, count < channels else { return nil }
    let range = x.view.offset..<x.view.offset + count
    let axes = x.view.axes.map { axis in
      axis.map { factor in
        factor.stride < channels
          ? factor : Factor(size: factor.size, stride: factor.stride / channels * count)
      }
    }
    return Lowered(
      value: x.value.channels(range, name: unique("\(name).channels")), view: StridedView(axes: axes),
      factor: x.factor)
  }

  /// A view that is the map's last pixels.
  private func tail(_ x: Lowered, _ name: String) -> Lowered? {
    let (map, flat) = (x.map, x.view.axes.flatMap(\.self))
    guard map.images == 1, x.view.offset % map.channels == 0, x.view.offset > 0,
      x.view.offset + x.view.count == map.count, flat.allSatisfy({ $0.stride > 0 }),
      flat.reduce(0, { $0 + ($1.size - 1) * $1.stride }) == x.view.count - 1
    else { return nil }
    var view = x.view
    view.offset = 0
    return Lowered(
      value: x.value.tokens(dropping: x.view.offset / map.channels, name: unique("\(name).tokens")),
      view: view, factor: x.factor)
  }

  /// The tensor as a map of this shape, whose elements are in the order of the axes `order`.
  func arranged(_ x: Lowered, order: [Int], as shape: MapShape, _ name: String) -> Lowered? {
    guard shape.count == x.view.count else { return nil }
    let ordered = StridedView(x.shape, inOrder: order)
    if x.factor != 1 {
      guard let x = settled(x, name) else { return nil }
      return arranged(x, order: order, as: shape, name)
    }
    if x.isWhole, x.view.transposed(order).isRowMajor, let value = reshaped(x.value, to: shape, name) {
      return Lowered(value: value, view: ordered)
    }
    if !x.isWhole, let part = channelRange(x, name) ?? tail(x, name),
      part.view.transposed(order).isRowMajor, let value = reshaped(part.value, to: shape, name)
    {
      return Lowered(value: value, view: ordered)
    }
    let factors = x.view.transposed(order).axes.flatMap(\.self)
    guard let value = rearranged(x.value, x.view.offset, factors, as: shape, name) else { return nil }
    return Lowered(value: value, view: ordered)
  }

  /// The map under another shape, where it has pixels of as many channels.
  private func reshaped(_ value: MapValue, to shape: MapShape, _ name: String) -> MapValue? {
    if value.shape == shape { return value }
    guard value.shape.channels == shape.channels, value.shape.images == shape.images else { return nil }
    return value.map(height: shape.height, width: shape.width, name: unique("\(name).map"))
  }

  /// A map whose elements, in order, are those of `source` at the places that `factors` count through.
  func rearranged(
    _ source: MapValue, _ offset: Int, _ factors: [Factor], as shape: MapShape, _ name: String
  ) -> MapValue? {
    let from = source.shape
    var factors = factors
    if shape.images > 1 || from.images > 1 {
      guard shape.images == from.images, let first = factors.first, first.size % from.images == 0,
        first.stride * (first.size / from.images) == from.of(images: 1).count
      else { return nil }
      factors[0].size = first.size / from.images
    }
    let one = shape.of(images: 1)
    guard
      let split = StridedView(axes: [factors]).reshaped([one.pixels, one.channels]),
      from.of(images: 1).count <= Int(Int32.max)
    else { return nil }
    let (pixels, channels) = (split.axes[0], split.axes[1])
    if channels.count > 1, channels[0].size <= Self.mostParts,
      let parts = inParts(source, offset, pixels, channels, as: shape, name)
    {
      return parts
    }
    let starts = pixels.places(from: offset)
    func most(_ places: [Int]) -> Int { places.map { $0 % from.channels }.max() ?? 0 }
    var order = Rearrangement(
      height: shape.height, width: shape.width, channels: shape.channels, starts: [],
      channelStride: channels.first?.stride ?? 1)
    let span = (one.channels - 1) * order.channelStride
    let isEven =
      channels.count <= 1 && order.channelStride >= 0
      && (order.channelStride % from.channels == 0 || most(starts) + span < from.channels)
    if !isEven {
      let offsets = channels.places(from: 0)
      guard (starts + offsets).allSatisfy({ $0 >= 0 }), most(starts) + most(offsets) < from.channels else {
        return channels.count > 1 ? inParts(source, offset, pixels, channels, as: shape, name) : nil
      }
      order = Rearrangement(
        height: shape.height, width: shape.width, starts: [], channelOffsets: offsets.map { Int32($0) })
    }
    order.starts = starts.map { Int32($0) }
    let view = StridedView(offset: offset, axes: [pixels, channels])
    return arranged(Arrangement(value: source.number, view: view, shape: shape)) {
      source.rearranged(order, name: unique("\(name).order"))
    }
  }

  /// As `rearranged`, where channels lie in several runs: each by itself, side by side.
  private func inParts(
    _ source: MapValue, _ offset: Int, _ pixels: [Factor], _ channels: [Factor], as shape: MapShape,
    _ name: String
  ) -> MapValue? {
    let outer = channels[0]
    guard outer.size <= 256 else { return nil }
    let image = shape.images > 1 ? [Factor(size: shape.images, stride: source.shape.of(images: 1).count)] : []
    let part = shape.with(channels: shape.channels / outer.size)
    var parts: [MapValue] = []
    for index in 0..<outer.size {
      let view = StridedView(
        offset: offset + index * outer.stride, axes: [image + pixels + Array(channels.dropFirst())])
      let lowered = Lowered(value: source, view: view)
      if let slice = channelRange(lowered, name), slice.view.isRowMajor,
        let value = reshaped(slice.value, to: part, name)
      {
        parts.append(value)
      } else if let value = rearranged(source, view.offset, view.axes[0], as: part, name) {
        parts.append(value)
      } else {
        return nil
      }
    }
    return builder.concatenate(parts, name: unique("\(name).side"))
  }

  /// The tensor with an axis as the map's channels and all others as its pixels, in whatever order they lie.
  func pixelwise(_ x: Lowered, channels axis: Int, _ name: String) -> Lowered? {
    if let found = whole(x, name), found.view.axes[axis] == found.channelFactors { return found }
    let others = x.shape.indices.filter { $0 != axis }
    let (channels, pixels) = (x.shape[axis], x.view.count / x.shape[axis])
    let images = x.map.images
    guard pixels % images == 0 else { return nil }
    return arranged(
      x, order: others + [axis],
      as: MapShape(images: images, height: 1, width: pixels / images, channels: channels), name)
  }

  /// The tensor as it lies, where an axis is each of several runs of a pixel's channels.
  func inGroups(_ x: Lowered, channels axis: Int, _ name: String) -> (lowered: Lowered, groups: Int)? {
    guard x.factor == 1, let found = x.isWhole ? x : channelRange(x, name) ?? tail(x, name) else {
      return nil
    }
    let (size, channels) = (x.shape[axis], found.map.channels)
    guard size > 1, found.view.axes[axis] == [Factor(size: size, stride: 1)], channels > size,
      channels % size == 0
    else { return nil }
    return (found, channels / size)
  }

  /// As `pixelwise`, each image of the map one place of the first axis; nil where that is not so.
  func imagewise(_ x: Lowered, channels axis: Int, _ name: String) -> Lowered? {
    pixelwise(x, channels: axis, name).flatMap { $0.isByImages ? $0 : nil }
  }

  /// The tensor (images, channels, height, width) as a map; (images, channels, width) as one of a row.
  func map(_ x: Lowered, _ name: String) -> MapValue? {
    guard x.shape.count == 4 || x.shape.count == 3 else { return nil }
    let images = x.map.images
    guard x.shape[0] == images else { return nil }
    let (height, width) = (x.shape.count == 4 ? x.shape[2] : 1, x.shape[x.shape.count - 1])
    let shape = MapShape(images: images, height: height, width: width, channels: x.shape[1])
    let order = [0] + Array(2..<x.shape.count) + [1]
    return arranged(x, order: order, as: shape, name).flatMap { $0.isByImages ? $0.value : nil }
  }

  /// A map as the tensor (images, channels, height, width), or without the height where `rank` is 3.
  func tensor(_ value: MapValue, rank: Int = 4) -> Lowered {
    let map = value.shape
    let shape =
      rank == 4
      ? [map.images, map.channels, map.height, map.width] : [map.images, map.channels, map.pixels]
    return Lowered(
      value: value, view: StridedView(shape, inOrder: [0] + Array(2..<rank) + [1]))
  }

  /// The tensor in the order of another of its shape, which is all of a map.
  func matching(_ x: Lowered, to other: Lowered, _ name: String) -> MapValue? {
    matching(x, to: other.view, of: other.map, name)
  }

  /// The tensor as a map in which its elements lie as `view` says.
  func matching(_ x: Lowered, to view: StridedView, of map: MapShape, _ name: String) -> MapValue? {
    guard let x = settled(x, name) else { return nil }
    if let found = whole(x, name), found.view == view, let value = reshaped(found.value, to: map, name) {
      return value
    }
    guard x.map.images == map.images, let refined = StridedView.refined(view, x.view) else { return nil }
    let ordered = refined.flatMap(\.self).sorted { $0.a > $1.a }
    return rearranged(
      x.value, x.view.offset, ordered.map { Factor(size: $0.size, stride: $0.b) }, as: map, name)
  }
}

extension [Factor] {
  /// The places that these factors count through, from `start` on.
  fileprivate func places(from start: Int) -> [Int] {
    reduce([start]) { places, factor in
      places.flatMap { place in (0..<factor.size).map { place + $0 * factor.stride } }
    }
  }
}

extension Lowered {
  /// The factors of an axis that is the map's channels.
  var channelFactors: [Factor] { map.channels == 1 ? [] : [Factor(size: map.channels, stride: 1)] }
}
