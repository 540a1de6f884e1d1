import Geometry
import Imaging
import NNRuntime

/// From a detector's raw maps to its decoded output and its objects, in the input's pixels: what `YOLODetector` does on
/// the way to a picture's objects, for comparison with a reference.
struct DetectorDecoding: DecodedNetwork {
  private let architecture: YOLOArchitecture
  private let decoder: AnchorDecoder

  init(_ architecture: YOLOArchitecture) {
    self.architecture = architecture
    decoder = AnchorDecoder(architecture)
  }

  private var coding: BoxCoding { architecture.boxCoding }
  private var classCount: Int { architecture.classCount }
  private var isOriented: Bool { architecture.task == .orientedBoxes }

  /// One level's raw maps.
  private struct Maps {
    let level: PyramidLevel
    let boxes, classes, extras: [Float]
  }

  private var mapNames: [String] {
    let branches = ["box", "cls"] + (architecture.extras > 0 ? [architecture.task.extrasName] : [])
    return branches.flatMap { branch in (0..<3).map { "\(branch).\($0)" } }
  }

  private func maps(_ outputs: [String: [Float]], _ input: MapShape) -> [Maps]? {
    let levels = PyramidLevel.pyramid(inputHeight: input.height, inputWidth: input.width)
    let maps = levels.enumerated().compactMap { index, level -> Maps? in
      let extras = architecture.extras > 0 ? outputs["\(architecture.task.extrasName).\(index)"] : []
      guard let boxes = outputs["box.\(index)"], let classes = outputs["cls.\(index)"], let extras,
        boxes.count == level.count * coding.channels, classes.count == level.count * classCount,
        extras.count == level.count * architecture.extras
      else { return nil }
      return Maps(level: level, boxes: boxes, classes: classes, extras: extras)
    }
    return maps.count == levels.count ? maps : nil
  }

  // MARK: - Tensors

  func tensors(of outputs: [String: [Float]], input: MapShape) -> [DecodedTensor] {
    guard let maps = maps(outputs, input) else { return [] }
    let anchors = maps.reduce(0) { $0 + $1.level.count }
    var tensors = [places(maps, anchors), strides(maps, anchors)]
    if !architecture.isEndToEnd { tensors.append(distances(maps, anchors)) }
    tensors.append(decoded(maps, anchors))
    if let prototypes = outputs["proto"] {
      let (rows, columns, channels) = (input.height / 4, input.width / 4, architecture.extras)
      guard prototypes.count == rows * columns * channels else { return [] }
      tensors.append(
        DecodedTensor(
          names: ["output1"], stage: "the mask prototypes", shape: [channels, rows, columns],
          elements: planes(
            prototypes.span, channels: channels, pixels: rows * columns, pixelStride: channels),
          parts: [DecodedPart("prototypes", .raw, rows: Array(0..<channels))], sources: ["proto"]))
    }
    return tensors
  }

  private func places(_ maps: [Maps], _ anchors: Int) -> DecodedTensor {
    let middles = maps.flatMap { maps in (0..<maps.level.count).map { HeadDecoding.anchor($0, maps.level) } }
    return DecodedTensor(
      names: ["anchors"], stage: "the anchors", shape: [2, anchors],
      elements: middles.map(\.x) + middles.map(\.y), parts: [DecodedPart("anchors", .grid, rows: [0, 1])],
      sources: [])
  }

  private func strides(_ maps: [Maps], _ anchors: Int) -> DecodedTensor {
    DecodedTensor(
      names: ["strides"], stage: "the strides", shape: [1, anchors],
      elements: maps.flatMap { [Float](repeating: Float($0.level.stride), count: $0.level.count) },
      parts: [DecodedPart("strides", .grid, rows: [0])], sources: [])
  }

  /// Left, top, right and bottom, in cells: the expectation of their distributions.
  private func distances(_ maps: [Maps], _ anchors: Int) -> DecodedTensor {
    var sides: [SIMD4<Float>] = []
    for maps in maps {
      let numbers = maps.boxes.span
      for cell in 0..<maps.level.count {
        sides.append(
          HeadDecoding.sides(
            numbers.extracting(cell * coding.channels..<(cell + 1) * coding.channels), coding))
      }
    }
    let head = "model.\(architecture.headIndex).dfl"
    return DecodedTensor(
      names: [head, "\(head).conv"], stage: "the distances from the anchors (DFL)", shape: [4, anchors],
      elements: (0..<4).flatMap { side in sides.map { $0[side] } },
      parts: [DecodedPart("distances", .cells, rows: [0, 1, 2, 3])], sources: (0..<3).map { "box.\($0)" })
  }

  private func decoded(_ maps: [Maps], _ anchors: Int) -> DecodedTensor {
    let channels = 4 + classCount + architecture.extras
    var output = [Float](repeating: 0, count: channels * anchors)
    for maps in maps {
      decoder.decode(
        maps.level, boxes: maps.boxes.span, classes: maps.classes.span, extras: maps.extras.span,
        anchorCount: anchors, into: &output)
    }
    let classes = DecodedPart("class scores", .probabilities, rows: Array(4..<4 + classCount))
    let extras = extraParts(from: 4 + classCount)
    return DecodedTensor(
      names: ["output0"], stage: "the decoded output", shape: [channels, anchors], elements: output,
      parts: [DecodedPart("boxes", .pixels, rows: [0, 1, 2, 3]), classes] + extras, sources: mapNames,
      isFinal: true, module: "model.\(architecture.headIndex)")
  }

  /// Parts after box and classes, from this row on.
  private func extraParts(from first: Int) -> [DecodedPart] {
    let rows = Array(first..<first + architecture.extras)
    switch architecture.task {
    case .detect, .classify: return []
    case .segment: return [DecodedPart("mask coefficients", .raw, rows: rows)]
    case .orientedBoxes: return [DecodedPart("angles", .radians, rows: rows)]
    case .pose:
      guard let keypoints = architecture.keypoints, keypoints.dimensions == 3 else {
        return [DecodedPart("key points", .pixels, rows: rows)]
      }
      return [
        DecodedPart("key points", .pixels, rows: rows.filter { ($0 - first) % 3 < 2 }),
        DecodedPart("visibility of key points", .probabilities, rows: rows.filter { ($0 - first) % 3 == 2 }),
      ]
    }
  }

  // MARK: - Objects

  var objectKind: ObjectKind? {
    ObjectKind(
      box: isOriented ? "center, width and height" : "corners", extras: extraParts(from: 0),
      hasMasks: architecture.task == .segment, isEndToEnd: architecture.isEndToEnd)
  }

  func objects(
    of outputs: [String: [Float]], input: MapShape, thresholds: ObjectThresholds
  ) -> [DecodedObject] {
    guard let maps = maps(outputs, input) else { return [] }
    let size = PixelSize(width: input.width, height: input.height)
    let decoder = MaskDecoder(letterbox: Letterbox(imageSize: size, networkSize: size))
    return chosen(maps, thresholds).map { choice in
      let index = maps.lastIndex { $0.level.firstAnchor <= choice.anchor } ?? 0
      let column = column(of: choice.anchor - maps[index].level.firstAnchor, maps[index])
      let extras = Array(column[(4 + classCount)...])
      let box = isOriented || coding.keepsCorners ? Array(column[..<4]) : corners(column)
      return DecodedObject(
        box: box, score: column[4 + choice.classIndex], classIndex: choice.classIndex, extras: extras,
        mask: outputs["proto"].map { prototypes in
          let plane = decoder.probabilities(
            prototypes: prototypes.span, coefficients: extras, box: rect(box)
          ).plane()
          return DecodedObject.Mask(
            width: plane.width, height: plane.height, probabilities: plane.elements)
        })
    }
  }

  private func column(of cell: Int, _ maps: Maps) -> [Float] {
    decoder.column(
      of: cell, level: maps.level, boxes: maps.boxes.span, classes: maps.classes.span,
      extras: maps.extras.span)
  }

  private func corners(_ column: [Float]) -> [Float] {
    let (x, y, width, height) = (column[0], column[1], column[2] / 2, column[3] / 2)
    return [x - width, y - height, x + width, y + height]
  }

  private func rect(_ corners: [Float]) -> Rect<NetworkPixels> {
    Rect(
      minX: Double(corners[0]), minY: Double(corners[1]), maxX: Double(corners[2]),
      maxY: Double(corners[3]))
  }

  /// Anchors and classes of the objects, best first.
  private func chosen(_ maps: [Maps], _ thresholds: ObjectThresholds) -> [(anchor: Int, classIndex: Int)] {
    if architecture.isEndToEnd {
      let best = EndToEndSelection.best(
        ofLogits: maps.flatMap(\.classes), classCount: classCount, atMost: thresholds.limit)
      let logits = maps.flatMap(\.classes)
      return best.filter {
        sigmoid(logits[$0.anchor * classCount + $0.classIndex]) > thresholds.confidence
      }
    }
    let candidates = maps.flatMap { maps in
      HeadDecoding.candidates(
        level: maps.level, boxes: maps.boxes.span, classes: maps.classes.span, classCount: classCount,
        confidence: thresholds.confidence, coding: coding)
    }
    guard isOriented else {
      return NonMaximumSuppression.survivors(
        of: candidates, overlap: thresholds.overlap, limit: thresholds.limit
      ).map { ($0.anchor, $0.classIndex) }
    }
    let boxes = candidates.map { candidate in
      let index = maps.lastIndex { $0.level.firstAnchor <= candidate.anchor } ?? 0
      let column = column(of: candidate.anchor - maps[index].level.firstAnchor, maps[index])
      return orientedBox(Array(column[..<4]), angle: column[4 + classCount])
    }
    return OrientedSuppression.survivors(
      of: candidates, boxes, overlap: thresholds.overlap, limit: thresholds.limit
    ).map { (candidates[$0].anchor, candidates[$0].classIndex) }
  }

  private func orientedBox(_ numbers: [Float], angle: Float) -> OrientedBox {
    OrientedBox(
      center: SIMD2(numbers[0], numbers[1]), size: SIMD2(numbers[2], numbers[3]), angle: angle)
  }

  func overlap(_ object: DecodedObject, _ other: DecodedObject) -> Float {
    guard isOriented else { return Float(rect(object.box).intersectionOverUnion(rect(other.box))) }
    func gaussian(_ object: DecodedObject) -> GaussianBox {
      let box = orientedBox(object.box, angle: object.extras.first ?? 0)
      return GaussianBox(center: box.center, size: box.size, angle: box.angle)
    }
    return gaussian(object).overlap(gaussian(other))
  }
}
