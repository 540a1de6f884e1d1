import FileFormats
import Geometry

/// Detection of a network in a picture, as it is evaluated.
package struct EvaluatedDetection: Sendable {
  /// Index among the network's classes.
  package let classIndex: Int
  /// Confidence, 0 to 1.
  package let score: Double
  /// In pixels of the upright picture.
  package let box: COCOBox
  /// The pixels of the upright picture; nil where masks are not evaluated.
  package let mask: RunLengthMask?
  /// x, y in pixels of the upright picture, and how sure the network is; empty of networks without.
  package let keypoints: [SIMD3<Double>]

  /// A detection from its parts.
  package init(
    classIndex: Int, score: Double, box: COCOBox, mask: RunLengthMask?, keypoints: [SIMD3<Double>] = []
  ) {
    self.keypoints = keypoints
    self.classIndex = classIndex
    self.score = score
    self.box = box
    self.mask = mask
  }
}

/// Detection of a network, in pixels of the network's input.
package struct InputDetection: Sendable {
  /// Index among the network's classes.
  package let classIndex: Int
  /// Confidence, 0 to 1.
  package let score: Float
  /// Left, top, right and bottom, not clipped.
  package let box: SIMD4<Float>
  /// The cells of the prototype grid that may be set, and which are, row-major.
  package let columns, rows: Range<Int>
  /// Whether each of these cells is set.
  package let isSet: [Bool]
  /// Places of key points; empty of networks without.
  package let keypoints: [SIMD2<Float>]
  /// The oriented box; nil of networks without.
  package let orientedBox: GaussianBox?

  /// A detection from its parts.
  package init(
    classIndex: Int, score: Float, box: SIMD4<Float>, columns: Range<Int> = 0..<0, rows: Range<Int> = 0..<0,
    isSet: [Bool] = [], keypoints: [SIMD2<Float>] = [], orientedBox: GaussianBox? = nil
  ) {
    self.keypoints = keypoints
    self.orientedBox = orientedBox
    precondition(isSet.count == columns.count * rows.count, "a value for each cell")
    self.classIndex = classIndex
    self.score = score
    self.box = box
    self.columns = columns
    self.rows = rows
    self.isSet = isSet
  }
}

/// How average precision is computed.
package enum EvaluationProtocol: String, CaseIterable, Sendable {
  /// As pycocotools does, in pixels of the picture.
  case coco
  /// As Ultralytics' `val` does, in pixels of the network's input.
  case ultralytics
}

/// How well boxes, masks or key points agree with labels.
package struct PrecisionResult: Sendable, Equatable {
  /// Precision of one class.
  package struct OfClass: Sendable, Equatable {
    /// Index among the network's classes.
    package let classIndex: Int
    /// Labels that can be missed.
    package let labels: Int
    /// Average precision.
    package let precision: AveragePrecision
  }

  /// The mean over classes that have labels; nil where there are none.
  package let overall: AveragePrecision?
  /// Classes that have labels, by index.
  package let classes: [OfClass]

  init(_ matched: MatchedClasses, _ precision: ([MatchedDetection], Int) -> AveragePrecision?) {
    classes = matched.labels.indices.compactMap { index in
      precision(matched.detections[index], matched.labels[index]).map {
        OfClass(classIndex: index, labels: matched.labels[index], precision: $0)
      }
    }
    overall = AveragePrecision(mean: classes.map(\.precision))
  }
}

/// The labels of a picture as COCO's rule compares them.
package struct COCOPicture: Sendable {
  let objects: [LabeledObject]
  /// Masks of every object; empty where masks are not evaluated.
  let masks: [RunLengthMask]

  /// The labels of a picture; where masks are compared all have their pixels, where key points are all have theirs.
  package init(_ picture: LabeledPicture, shape: EvaluatedShape) {
    objects = picture.objects
    masks =
      shape == .masks
      ? picture.objects.map {
        $0.region?.mask(height: picture.height, width: picture.width)
          ?? RunLengthMask(height: picture.height, width: picture.width, boundaries: [])
      } : []
  }
}

/// Detections against labels, picture by picture, of which nothing is kept but scores and matches: 16 bytes each.
package struct ObjectEvaluator: Sendable {
  private let rule: EvaluationProtocol
  private var boxes, shapes: MatchedClasses
  private let shape: EvaluatedShape

  /// An evaluator of a network with `classCount` classes.
  ///
  /// - Precondition: COCO's rule has no oriented boxes.
  package init(_ rule: EvaluationProtocol, classCount: Int, shape: EvaluatedShape) {
    precondition(rule == .ultralytics || shape != .orientedBoxes, "COCO's rule has no oriented boxes")
    self.rule = rule
    self.shape = shape
    boxes = MatchedClasses(classCount: classCount)
    shapes = MatchedClasses(classCount: classCount)
  }

  /// How well boxes agree, or oriented boxes.
  package var boxResult: PrecisionResult { result(boxes) }
  /// How well masks or key points agree; nil where neither are compared.
  package var shapeResult: PrecisionResult? {
    switch shape {
    case .boxes, .orientedBoxes: nil
    case .masks, .keypoints: result(shapes)
    }
  }

  private func result(_ matched: MatchedClasses) -> PrecisionResult {
    PrecisionResult(
      matched, rule == .coco ? COCOEvaluation.averagePrecision : UltralyticsEvaluation.averagePrecision)
  }

  /// Adds a picture by COCO's rule.
  ///
  /// - `detections`: best first.
  package mutating func add(_ detections: [EvaluatedDetection], of picture: COCOPicture) {
    precondition(rule == .coco, "another rule's picture")
    let classes = Set(detections.map(\.classIndex)).union(picture.objects.map(\.classIndex))
    for classIndex in classes.sorted() {
      let found = detections.filter { $0.classIndex == classIndex }
      let labels = picture.objects.indices.filter { picture.objects[$0].classIndex == classIndex }
      let isCrowd = labels.map { picture.objects[$0].isCrowd }
      let missable = isCrowd.count { !$0 }
      boxes.addLabels(missable, of: classIndex)
      boxes.add(
        COCOEvaluation.match(scores: found.map(\.score), isCrowd: isCrowd) { detection, label in
          Self.overlap(found[detection].box, picture.objects[labels[label]].box, isCrowd: isCrowd[label])
        }, of: classIndex)
      switch shape {
      case .boxes, .orientedBoxes: continue
      case .masks:
        shapes.addLabels(missable, of: classIndex)
        shapes.add(
          Self.maskMatches(found, labels.map { picture.masks[$0] }, isCrowd: isCrowd), of: classIndex)
      case .keypoints(let sigmas):
        let truths = labels.map { picture.objects[$0] }
        let isIgnored = truths.map { $0.isCrowd || !$0.keypoints.contains(where: \.isLabeled) }
        shapes.addLabels(isIgnored.count { !$0 }, of: classIndex)
        shapes.add(
          COCOEvaluation.match(
            scores: found.map(\.score), isCrowd: isCrowd, isIgnored: isIgnored, most: COCOEvaluation.mostPoses
          ) { detection, label in
            KeypointSimilarity.coco(found[detection].keypoints, truths[label], sigmas: sigmas)
          }, of: classIndex)
      }
    }
  }

  private static func maskMatches(
    _ found: [EvaluatedDetection], _ truths: [RunLengthMask], isCrowd: [Bool]
  ) -> [MatchedDetection] {
    let areas = found.map { $0.mask?.area ?? 0 }
    let frames = found.map { $0.mask?.box }
    return COCOEvaluation.match(scores: found.map(\.score), isCrowd: isCrowd) { detection, label in
      let truth = truths[label]
      guard let mask = found[detection].mask, let frame = frames[detection],
        frame.intersection(truth.box) > 0
      else { return 0 }
      let common = mask.intersection(truth)
      let all = isCrowd[label] ? areas[detection] : areas[detection] + truth.area - common
      return common == 0 ? 0 : Double(common) / Double(all)
    }
  }

  private static func overlap(_ found: COCOBox, _ truth: COCOBox, isCrowd: Bool) -> Double {
    let common = found.intersection(truth)
    return common > 0 ? common / (isCrowd ? found.area : found.area + truth.area - common) : 0
  }

  /// Adds a picture by Ultralytics' rule.
  ///
  /// - `detections`: best first.
  package mutating func add(_ detections: [InputDetection], of picture: UltralyticsPicture) {
    precondition(rule == .ultralytics, "another rule's picture")
    let classes = Set(detections.map(\.classIndex)).union(picture.labels.map(\.classIndex))
    for classIndex in classes.sorted() {
      let found = detections.filter { $0.classIndex == classIndex }
      let labels = picture.labels.indices.filter { picture.labels[$0].classIndex == classIndex }
      boxes.addLabels(labels.count, of: classIndex)
      let scores = found.map(\.score)
      func matches(_ overlaps: (InputDetection) -> [Float]) -> [MatchedDetection] {
        UltralyticsEvaluation.match(scores: scores, overlaps: found.map(overlaps))
      }
      boxes.add(
        matches { found in
          labels.map { label in
            let truth = picture.labels[label]
            guard let box = truth.orientedBox else { return picture.overlap(found.box, with: truth.box) }
            return found.orientedBox?.overlap(box) ?? 0
          }
        }, of: classIndex)
      switch shape {
      case .boxes, .orientedBoxes: continue
      case .masks:
        shapes.addLabels(labels.count, of: classIndex)
        shapes.add(matches { picture.overlaps(of: $0, with: labels) }, of: classIndex)
      case .keypoints(let sigmas):
        shapes.addLabels(labels.count, of: classIndex)
        shapes.add(
          matches { found in
            labels.map { label in
              let truth = picture.labels[label]
              return KeypointSimilarity.ultralytics(
                found.keypoints, truth.keypoints, area: truth.poseArea, sigmas: sigmas)
            }
          }, of: classIndex)
      }
    }
  }
}

extension UltralyticsPicture {
  /// Added to unions, so that nothing is divided by zero.
  private static let margin: Float = 1e-7

  /// Intersection over union of boxes, in the arithmetic of `box_iou`.
  fileprivate func overlap(_ found: SIMD4<Float>, with truth: SIMD4<Float>) -> Float {
    let width = max(0, min(found[2], truth[2]) - max(found[0], truth[0]))
    let height = max(0, min(found[3], truth[3]) - max(found[1], truth[1]))
    let common = width * height
    let truthArea = (truth[2] - truth[0]) * (truth[3] - truth[1])
    let foundArea = (found[2] - found[0]) * (found[3] - found[1])
    return common / (truthArea + foundArea - common + Self.margin)
  }

  /// Intersection over union of a detection's cells with those of some labels.
  fileprivate func overlaps(of found: InputDetection, with labels: [Int]) -> [Float] {
    guard !labels.isEmpty, !cells.isEmpty else { return labels.map { _ in 0 } }
    var common = [Int](repeating: 0, count: self.labels.count + 1)
    var area = 0
    var index = 0
    for row in found.rows {
      for column in found.columns {
        if found.isSet[index] {
          area += 1
          common[Int(cells[row * gridWidth + column])] += 1
        }
        index += 1
      }
    }
    return labels.map { label in
      let both = Float(common[label + 1])
      return both / (Float(self.labels[label].area) + Float(area) - both + Self.margin)
    }
  }
}
