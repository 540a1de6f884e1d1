import FileFormats
import Geometry

extension RGBImage {
  /// Width and height as one value.
  public var size: PixelSize { PixelSize(width: width, height: height) }

  /// This stored picture turned upright: every pixel moves, none changes.
  public func oriented(_ orientation: Orientation) -> RGBImage {
    guard orientation != .up else { return self }
    let upright = orientation.apply(to: size)
    let turn = OrientedIndices(stored: size, orientation)
    let input = self
    let turned: [UInt8] = Parallel.rows(
      upright.height, width: 3 * upright.width, threads: Parallel.teamThreads
    ) { rows, output in
      let pixels = input.pixels.span
      // Tiles keep the columns that a quarter turn reads in cache.
      for top in stride(from: rows.lowerBound, to: rows.upperBound, by: tileSide) {
        for left in stride(from: 0, to: upright.width, by: tileSide) {
          for y in top..<min(top + tileSide, rows.upperBound) {
            var source = 3 * (turn.origin + y * turn.stepY + left * turn.stepX)
            var target = 3 * ((y - rows.lowerBound) * upright.width + left)
            for _ in left..<min(left + tileSide, upright.width) {
              output[target] = pixels[source]
              output[target + 1] = pixels[source + 1]
              output[target + 2] = pixels[source + 2]
              source += 3 * turn.stepX
              target += 3
            }
          }
        }
      }
    }
    return RGBImage(width: upright.width, height: upright.height, pixels: turned)
  }
}

/// Sides of the square tiles in which pictures are turned.
private let tileSide = 64

/// The index of each upright pixel among the stored ones: that of the first, and the steps along a row and to the next.
private struct OrientedIndices {
  let origin: Int
  let stepX: Int
  let stepY: Int

  init(stored: PixelSize, _ orientation: Orientation) {
    func linear(_ x: Int, _ y: Int) -> Int {
      let index = orientation.storedIndex(uprightX: x, y, stored: stored)
      return index.y * stored.width + index.x
    }
    origin = linear(0, 0)
    stepX = linear(1, 0) - origin
    stepY = linear(0, 1) - origin
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
      elements: orientedElements(elements, stored: size, orientation))
  }
}

/// The index map of an orientation is affine, so two steps and an origin describe it.
///
/// Tiles keep the columns that a quarter turn reads in cache.
@inlinable
func orientedElements<Element>(
  _ elements: [Element], stored: PixelSize, _ orientation: Orientation
) -> [Element] {
  func linear(_ x: Int, _ y: Int) -> Int {
    let index = orientation.storedIndex(uprightX: x, y, stored: stored)
    return index.y * stored.width + index.x
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
        var target = y * upright.width + left
        for _ in left..<min(left + tileSide, upright.width) {
          output[target] = input[source]
          source += stepX
          target += 1
        }
      }
    }
  }
  return result
}
