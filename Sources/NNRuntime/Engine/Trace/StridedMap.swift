/// A map of floats in either order of its axes: channels last, or as the reference frameworks keep it.
package struct StridedMap: Sendable {
  /// The map's shape.
  package let shape: MapShape
  /// All elements, in an order that the strides tell.
  package let elements: [Float]
  /// Elements from one pixel of an image to the next (row-major), and from one channel to the next.
  package let pixelStride, channelStride: Int
  /// The shape that the elements have where they come from.
  package let tensorShape: [Int]

  /// A dense map, channels last.
  package init(shape: MapShape, channelsLast elements: [Float], tensorShape: [Int]) {
    precondition(elements.count == shape.count, "\(elements.count) elements for \(shape)")
    self.shape = shape
    self.elements = elements
    pixelStride = shape.channels
    channelStride = 1
    self.tensorShape = tensorShape
  }

  /// A tensor of a reference framework as a map of `shape`; nil where it cannot be one.
  ///
  /// Taken are (images, channels, height, width), (images, tokens, channels), and (images, height, width) for one channel,
  /// of one image also without the leading 1.
  package init?(_ tensorShape: [Int], _ elements: [Float], as shape: MapShape) {
    guard tensorShape.reduce(1, *) == shape.count, elements.count == shape.count else { return nil }
    var extents = tensorShape
    if extents.first == shape.images, extents.count > 2 { extents.removeFirst() }
    self.shape = shape
    self.elements = elements
    self.tensorShape = tensorShape
    switch extents {
    case [shape.channels, shape.height, shape.width]:
      (pixelStride, channelStride) = (1, shape.pixels)
    case [shape.pixels, shape.channels] where shape.height == 1:
      (pixelStride, channelStride) = (shape.channels, 1)
    case [shape.height, shape.width] where shape.channels == 1:
      (pixelStride, channelStride) = (1, shape.pixels)
    default:
      return nil
    }
  }

  /// Index of an element in `elements`; pixels are counted through all images.
  package func index(pixel: Int, channel: Int) -> Int {
    let inImage = channel * channelStride
    guard shape.images > 1 else { return pixel * pixelStride + inImage }
    let (image, pixel) = pixel.quotientAndRemainder(dividingBy: shape.pixels)
    return image * shape.pixels * shape.channels + pixel * pixelStride + inImage
  }

  /// Where element (pixel, channel) is in the tensor it comes from.
  package func location(pixel: Int, channel: Int) -> [Int] {
    var flat = index(pixel: pixel, channel: channel)
    return tensorShape.reversed().map { extent in
      defer { flat /= extent }
      return flat % extent
    }.reversed()
  }
}
