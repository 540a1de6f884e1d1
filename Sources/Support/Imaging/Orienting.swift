import Geometry

extension RGBImage {
  /// Width and height as one value.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// This stored picture turned upright: every pixel moves, none changes.
  public func oriented(_ orientation: Orientation) -> RGBImage {
    guard orientation != .up else { return self }
    let upright = orientation.apply(to: size)
    return RGBImage(
      width: upright.width, height: upright.height,
      pixels: orientedElements(pixels, stored: size, orientation, elementsPerPixel: 3))
  }
}

extension Plane {
  /// Width and height as one value.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// This stored plane turned upright: every element moves, none changes.
  @inlinable
  public func oriented(_ orientation: Orientation) -> Plane {
    guard orientation != .up else { return self }
    let upright = orientation.apply(to: size)
    return Plane(
      width: upright.width, height: upright.height,
      elements: orientedElements(elements, stored: size, orientation, elementsPerPixel: 1))
  }
}

/// The index map of an orientation is affine, so two steps and an origin describe it.
///
/// Tiles keep the columns that a quarter turn reads in cache.
@inlinable
func orientedElements<Element>(
  _ elements: [Element], stored: PixelSize, _ orientation: Orientation, elementsPerPixel: Int
) -> [Element] {
  func linear(_ x: Int, _ y: Int) -> Int {
    let index = orientation.storedIndex(uprightX: x, y, stored: stored)
    return (index.y * stored.width + index.x) * elementsPerPixel
  }
  let upright = orientation.apply(to: stored)
  let origin = linear(0, 0)
  let stepX = linear(1, 0) - origin
  let stepY = linear(0, 1) - origin
  let tileSide = 64
  var result = elements
  var output = result.mutableSpan
  let input = elements.span
  for top in stride(from: 0, to: upright.height, by: tileSide) {
    for left in stride(from: 0, to: upright.width, by: tileSide) {
      for y in top..<min(top + tileSide, upright.height) {
        var source = origin + y * stepY + left * stepX
        var target = (y * upright.width + left) * elementsPerPixel
        for _ in left..<min(left + tileSide, upright.width) {
          for channel in 0..<elementsPerPixel { output[target + channel] = input[source + channel] }
          source += stepX
          target += elementsPerPixel
        }
      }
    }
  }
  return result
}
