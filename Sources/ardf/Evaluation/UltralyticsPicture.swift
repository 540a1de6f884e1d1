import FileFormats
import Geometry

/// How `yolo val` fits a picture into the network's input, in pixels.
package struct ValidationFrame: Sendable, Hashable {
  /// The scaled picture.
  package let contentWidth, contentHeight: Int
  /// The network's input.
  package let networkWidth, networkHeight: Int
  /// Padding before the picture.
  package let padLeft, padTop: Int

  /// The whole from its parts; the network's sides are multiples of 4.
  package init(
    contentWidth: Int, contentHeight: Int, networkWidth: Int, networkHeight: Int, padLeft: Int, padTop: Int
  ) {
    (self.contentWidth, self.contentHeight) = (contentWidth, contentHeight)
    (self.networkWidth, self.networkHeight) = (networkWidth, networkHeight)
    (self.padLeft, self.padTop) = (padLeft, padTop)
  }
}

/// The labels of a picture in the network's input, as Ultralytics 8.4.190 makes them for `val`.
///
/// Outlines are filled in the input's pixels and reduced to a quarter, the prototype grid. Where objects overlap, a
/// pixel belongs to the least of them (`overlap_mask`).
package struct UltralyticsPicture: Sendable {
  struct Label: Sendable {
    let classIndex: Int
    /// Left, top, right, bottom in pixels of the input.
    let box: SIMD4<Float>
    /// x, y in pixels of the input, and 0 where a key point is not labeled.
    var keypoints: [SIMD3<Float>] = []
    /// The least rectangle around the outline, where oriented boxes are compared.
    var orientedBox: GaussianBox?
    /// Cells of the grid.
    var area = 0

    /// The part of the box that an object is taken to fill where distances of key points are compared with it.
    var poseArea: Float { (box[2] - box[0]) * (box[3] - box[1]) * Float(LabelLines.filled) }
  }

  /// The largest first, where there are masks.
  let labels: [Label]
  /// Sides of the prototype grid.
  let gridWidth, gridHeight: Int
  /// For each cell one more than the position of its label, row-major, 0 for none; empty where labels have no outlines.
  let cells: [UInt16]

  /// The labels of a picture in an input.
  package init(_ picture: LabeledPicture, in frame: ValidationFrame, shape: EvaluatedShape) {
    gridWidth = frame.networkWidth / 4
    gridHeight = frame.networkHeight / 4
    let labels = picture.objects.map { object in
      Label(
        classIndex: object.classIndex, box: Self.box(of: object, picture, frame),
        keypoints: Self.keypoints(of: object, picture, frame),
        orientedBox: shape == .orientedBoxes ? Self.orientedBox(of: object, frame) : nil)
    }
    guard shape == .masks, !picture.objects.isEmpty, picture.objects.allSatisfy({ !$0.outline.isEmpty })
    else {
      self.labels = labels
      cells = []
      return
    }
    let count = UltralyticsOutline.corners(for: picture.objects.map { $0.outline.count / 2 })
    var fill = PolygonFill(width: frame.networkWidth, height: frame.networkHeight)
    let masks = picture.objects.map { object in
      let corners = UltralyticsOutline.resampled(object.outline, count: count).map { point in
        // Towards zero, as NumPy converts to whole numbers.
        (
          x: Int(clamping: point.x * Float(frame.contentWidth) + Float(frame.padLeft)),
          y: Int(clamping: point.y * Float(frame.contentHeight) + Float(frame.padTop))
        )
      }
      fill.fill(corners)
      defer { fill.clear(corners) }
      return Self.reduced(fill)
    }
    let areas = masks.map { $0.reduce(0) { $0 + Int($1) } }
    let order = labels.indices.sorted { (areas[$1], $0) < (areas[$0], $1) }
    var cells = [UInt16](repeating: 0, count: gridWidth * gridHeight)
    for (position, index) in order.enumerated() {
      for (cell, isSet) in masks[index].enumerated() where isSet != 0 {
        cells[cell] = UInt16(clamping: position + 1)
      }
    }
    var ordered = order.map { labels[$0] }
    for cell in cells where cell > 0 { ordered[Int(cell) - 1].area += 1 }
    self.labels = ordered
    self.cells = cells
  }

  /// Cells of four by four pixels, set where two of the four in the middle are: what OpenCV's bilinear reduction of
  /// zeros and ones to a quarter rounds to.
  private static func reduced(_ fill: PolygonFill) -> [UInt8] {
    let pixels = fill.elements.span
    var cells: [UInt8] = []
    cells.reserveCapacity(fill.width / 4 * (fill.height / 4))
    for row in 0..<fill.height / 4 {
      for column in 0..<fill.width / 4 {
        let upper = (4 * row + 1) * fill.width + 4 * column + 1
        let lower = upper + fill.width
        let sum = pixels[upper] + pixels[upper + 1] + pixels[lower] + pixels[lower + 1]
        cells.append(sum >= 2 ? 1 : 0)
      }
    }
    return cells
  }

  private static func keypoints(
    of object: LabeledObject, _ picture: LabeledPicture, _ frame: ValidationFrame
  ) -> [SIMD3<Float>] {
    object.keypoints.map { point -> SIMD3<Float> in
      let x = Float(point.x / Double(picture.width)) * Float(frame.contentWidth)
      let y = Float(point.y / Double(picture.height)) * Float(frame.contentHeight)
      return SIMD3(x + Float(frame.padLeft), y + Float(frame.padTop), point.isLabeled ? 1 : 0)
    }
  }

  private static func orientedBox(of object: LabeledObject, _ frame: ValidationFrame) -> GaussianBox? {
    let size = SIMD2<Float>(Float(frame.contentWidth), Float(frame.contentHeight))
    let padding = SIMD2<Float>(Float(frame.padLeft), Float(frame.padTop))
    let corners = stride(from: 0, to: object.outline.count - 1, by: 2).map { index -> SIMD2<Double> in
      let share = SIMD2<Float>(object.outline[index], object.outline[index + 1])
      return SIMD2<Double>(share * size + padding)
    }
    guard !corners.isEmpty else { return nil }
    let rectangle = LeastRectangle.around(corners)
    return GaussianBox(
      center: SIMD2<Float>(rectangle.center), size: SIMD2<Float>(rectangle.size),
      angle: Float(rectangle.angle))
  }

  private static func box(
    of object: LabeledObject, _ picture: LabeledPicture, _ frame: ValidationFrame
  ) -> SIMD4<Float> {
    let size = SIMD4(
      Float(frame.contentWidth), Float(frame.contentHeight), Float(frame.contentWidth),
      Float(frame.contentHeight))
    let padding = SIMD4(
      Float(frame.padLeft), Float(frame.padTop), Float(frame.padLeft), Float(frame.padTop))
    let (width, height) = (Double(picture.width), Double(picture.height))
    let box = object.box
    let share = SIMD4<Float>(
      SIMD4(
        box.x / width, box.y / height, (box.x + box.width) / width, (box.y + box.height) / height))
    return share * size + padding
  }
}
