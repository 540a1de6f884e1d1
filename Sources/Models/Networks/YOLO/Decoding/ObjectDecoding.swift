import Geometry

#if canImport(Darwin)
  import Darwin
#else
  import Glibc
#endif

/// Decoding of an object's outputs other than its box, from raw numbers to key points and angles.
///
/// Ported from Ultralytics 8.4.190 (`Pose.kpts_decode`, `Pose26.kpts_decode`, `OBB.forward_head`, `dist2rbox`).
package enum ObjectDecoding {
  /// An object's key points in network pixels.
  ///
  /// - `numbers`: those of its anchor: x, y and, of three dimensions, the logit of being seen; point by point.
  /// - `isDirect`: YOLO26's way: cells from the anchor. The other counts them doubled, from half a cell before it.
  package static func keypoints(
    _ numbers: Span<Float>, shape: KeypointShape, cell: Int, level: PyramidLevel, isDirect: Bool
  ) -> [Keypoint<NetworkPixels>] {
    precondition(numbers.count == shape.values)
    return (0..<shape.count).map { index in
      let place = place(
        numbers, keypoint: index, of: shape, cell: cell, level: level, isDirect: isDirect)
      return Keypoint(
        Point2(Double(place.x), Double(place.y)),
        confidence: shape.dimensions == 3 ? sigmoid(numbers[index * 3 + 2]) : nil)
    }
  }

  /// Where one of an object's key points is, in network pixels.
  static func place(
    _ numbers: Span<Float>, keypoint index: Int, of shape: KeypointShape, cell: Int, level: PyramidLevel,
    isDirect: Bool
  ) -> SIMD2<Float> {
    let anchor = HeadDecoding.anchor(cell, level)
    let raw = SIMD2(numbers[index * shape.dimensions], numbers[index * shape.dimensions + 1])
    return (isDirect ? raw + anchor : raw * 2 + (anchor - 0.5)) * Float(level.stride)
  }

  /// The angle of an oriented box, radians.
  ///
  /// `isDirect`: YOLO26's way: the number itself. The other is a logit of (-pi/4, 3 pi/4).
  package static func angle(_ number: Float, isDirect: Bool) -> Float {
    isDirect ? number : (sigmoid(number) - 0.25) * .pi
  }

  /// An oriented box in network pixels.
  ///
  /// `boxes`: box numbers of its anchor, which count along the box's own axes.
  package static func orientedBox(
    _ boxes: Span<Float>, _ coding: BoxCoding, angle: Float, cell: Int, level: PyramidLevel
  ) -> OrientedBox {
    let sides = HeadDecoding.sides(boxes, coding)
    let (left, top, right, bottom) = (sides[0], sides[1], sides[2], sides[3])
    let (cosine, sine) = (cos(angle), sin(angle))
    let (x, y) = ((right - left) / 2, (bottom - top) / 2)
    let anchor = HeadDecoding.anchor(cell, level)
    let stride = Float(level.stride)
    let center = (SIMD2(x * cosine - y * sine, x * sine + y * cosine) + anchor) * stride
    return OrientedBox(
      center: center, size: SIMD2(left + right, top + bottom) * stride, angle: angle)
  }
}

/// An oriented box in network pixels, in the reference's precision.
package struct OrientedBox: Sendable, Equatable {
  package let center, size: SIMD2<Float>
  /// From the x axis to the box's first side, towards y, radians.
  package let angle: Float

  /// A box from its parts.
  package init(center: SIMD2<Float>, size: SIMD2<Float>, angle: Float) {
    (self.center, self.size, self.angle) = (center, size, angle)
  }
}
