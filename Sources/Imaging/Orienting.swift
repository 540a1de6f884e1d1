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
  var result = [Element]()
  result.reserveCapacity(elements.count)
  for y in 0..<upright.height {
    var source = origin + y * stepY
    for _ in 0..<upright.width {
      for channel in 0..<elementsPerPixel { result.append(elements[source + channel]) }
      source += stepX
    }
  }
  return result
}
