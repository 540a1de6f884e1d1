import Geometry
import NNRuntime

/// From a network's outputs for one picture to its objects.
struct ObjectReading {
  private let architecture: YOLOArchitecture
  private let ports: YOLOPorts
  private let letterbox: Letterbox
  private let thresholds: DetectionThresholds
  private let masks: MaskMethod?
  private let keepsEmpty: Bool
  private let bounds: MaskBounds
  private let levels: [PyramidLevel]

  private var coding: BoxCoding { architecture.boxCoding }
  private var isDirect: Bool { architecture.generation == .v26 }

  /// - `masks`: nil makes none in the picture.
  /// - `keepsEmpty`: also objects no pixel of whose box belongs to them.
  /// - `bounds`: on masks.
  init(
    _ architecture: YOLOArchitecture, _ ports: YOLOPorts, letterbox: Letterbox,
    thresholds: DetectionThresholds, masks: MaskMethod?, keepsEmpty: Bool, bounds: MaskBounds
  ) {
    self.architecture = architecture
    self.ports = ports
    self.letterbox = letterbox
    self.thresholds = thresholds
    self.masks = masks
    self.keepsEmpty = keepsEmpty
    self.bounds = bounds
    let size = letterbox.networkSize
    levels = PyramidLevel.pyramid(inputHeight: size.height, inputWidth: size.width)
  }

  /// The objects, and when it was known which they are: before their masks were made.
  func objects(
    in outputs: borrowing SessionOutputs
  ) -> Result<(objects: [DetectedObject], selected: ContinuousClock.Instant), YOLOError> {
    let candidates: [Candidate]
    do throws(YOLOError) { candidates = try self.candidates(outputs) } catch { return .failure(error) }
    if architecture.task == .orientedBoxes {
      let objects = orientedObjects(candidates, outputs)
      return .success((objects, ContinuousClock.now))
    }
    let survivors =
      coding.keepsCorners
      ? EndToEndSelection.survivors(of: candidates, limit: thresholds.limit)
      : NonMaximumSuppression.survivors(
        of: candidates, overlap: thresholds.overlap, limit: thresholds.limit)
    let selected = ContinuousClock.now
    guard !survivors.isEmpty else { return .success(([], selected)) }
    guard let prototypes = ports.prototypes else {
      return .success((survivors.map { object($0, outputs) }, selected))
    }
    let found = maskedObjects(survivors, outputs, prototypes)
    return found.map { ($0, selected) }
  }

  /// The candidates' objects with their masks, one after the other, within the bounds.
  private func maskedObjects(
    _ candidates: [Candidate], _ outputs: borrowing SessionOutputs, _ prototypes: GraphOutput
  ) -> Result<[DetectedObject], YOLOError> {
    if masks != nil {
      let pixels = candidates.reduce(0.0) { $0 + letterbox.fromNetwork($1.box).area }
      guard pixels <= Double(bounds.pixels) else { return .failure(.tooManyMaskPixels(limit: bounds.pixels)) }
    }
    let decoder = MaskDecoder(letterbox: letterbox)
    let most = decoder.mostBytes(masks)
    return outputs.withElements(of: prototypes) { prototypes, _ in
      var objects: [DetectedObject] = []
      var bytes = 0
      for candidate in candidates {
        guard bounds.isWanted() else { return .failure(.unwanted) }
        guard bounds.holds(bytes + most) else { return .failure(.noMaskMemory) }
        guard let object = maskedObject(candidate, extras(of: candidate, outputs), prototypes, decoder) else {
          continue
        }
        bytes += object.maskBytes
        objects.append(object)
      }
      _ = bounds.holds(bytes)
      return .success(objects)
    }
  }

  private func candidates(_ outputs: borrowing SessionOutputs) throws(YOLOError) -> [Candidate] {
    var candidates: [Candidate] = []
    for (level, maps) in zip(levels, ports.levels) {
      let infinite: GraphOutput? = outputs.withElements(of: maps.boxes) { boxes, _ in
        outputs.withElements(of: maps.classes) { classes, _ in
          guard boxes.allFinite else { return maps.boxes }
          guard classes.allFinite else { return maps.classes }
          candidates += HeadDecoding.candidates(
            level: level, boxes: boxes, classes: classes, classCount: architecture.classCount,
            confidence: thresholds.confidence,
            everyClass: thresholds.takesEveryClass || coding.keepsCorners, coding: coding)
          return nil
        }
      }
      if let infinite { throw .nonFiniteOutput(name: infinite.name) }
      // Mask coefficients are not checked as a whole; key points and angles are few.
      if let extras = maps.extras, architecture.task != .segment {
        guard outputs.withElements(of: extras, { numbers, _ in numbers.allFinite }) else {
          throw .nonFiniteOutput(name: extras.name)
        }
      }
    }
    return candidates
  }

  /// The class and score of the surest candidate, whatever the threshold; nil where it is next to nothing.
  func surest(in outputs: borrowing SessionOutputs) -> SurestCandidate? {
    var best: (logit: Float, classIndex: Int)?
    for maps in ports.levels {
      outputs.withElements(of: maps.classes) { classes, _ in
        for index in classes.indices where classes[index] > best?.logit ?? -.infinity {
          best = (classes[index], index % architecture.classCount)
        }
      }
    }
    return best.flatMap { logit, index in
      SurestCandidate(
        classIndex: index, className: architecture.classNames[index], confidence: sigmoid(logit))
    }
  }

  private func level(of candidate: Candidate) -> (index: Int, cell: Int) {
    let index = levels.lastIndex { $0.firstAnchor <= candidate.anchor } ?? 0
    return (index, candidate.anchor - levels[index].firstAnchor)
  }

  /// The mask coefficients, key points or angle at a candidate's anchor.
  private func extras(of candidate: Candidate, _ outputs: borrowing SessionOutputs) -> [Float] {
    let (index, cell) = level(of: candidate)
    guard let port = ports.levels[index].extras else { return [] }
    let first = cell * architecture.extras
    return outputs.withElements(of: port) { elements, _ in
      (first..<first + architecture.extras).map { elements[$0] }
    }
  }

  // MARK: - Objects

  private func name(of candidate: Candidate) -> String { architecture.classNames[candidate.classIndex] }

  /// The object of a candidate with its key points, if it has any.
  private func object(_ candidate: Candidate, _ outputs: borrowing SessionOutputs) -> DetectedObject {
    var keypoints: [Keypoint<UprightPixels>] = []
    var networkKeypoints: [Keypoint<NetworkPixels>] = []
    if let shape = architecture.keypoints {
      let (index, cell) = level(of: candidate)
      let bounds = letterbox.imageSize.bounds(in: UprightPixels.self)
      networkKeypoints = ObjectDecoding.keypoints(
        extras(of: candidate, outputs).span, shape: shape, cell: cell, level: levels[index],
        isDirect: isDirect)
      keypoints = networkKeypoints.map { keypoint in
        let point = letterbox.fromNetwork(keypoint.point)
        return Keypoint(
          Point2(min(max(point.x, 0), bounds.maxX), min(max(point.y, 0), bounds.maxY)),
          confidence: keypoint.confidence)
      }
    }
    return DetectedObject(
      candidate, className: name(of: candidate), box: letterbox.fromNetwork(candidate.box),
      keypoints: keypoints, networkKeypoints: networkKeypoints)
  }

  /// The object of a candidate; nil if no pixel of its box belongs to it, unless `keepsEmpty`.
  private func maskedObject(
    _ candidate: Candidate, _ coefficients: [Float], _ prototypes: Span<Float>, _ decoder: MaskDecoder
  ) -> DetectedObject? {
    let box = letterbox.fromNetwork(candidate.box)
    var networkMask: ObjectMask?
    var mask: ObjectMask?
    switch masks {
    case .fast:
      let found = decoder.networkMask(prototypes: prototypes, coefficients: coefficients, box: candidate.box)
      guard keepsEmpty || !found.isEmpty else { return nil }
      networkMask = found
      mask = decoder.imageMask(found)
    case .retina:
      let found = decoder.imageMask(prototypes: prototypes, coefficients: coefficients, box: box)
      guard keepsEmpty || !found.isEmpty else { return nil }
      mask = found
    case nil: break
    }
    return DetectedObject(
      candidate, className: name(of: candidate), box: box, mask: mask, networkMask: networkMask,
      probabilities: decoder.probabilities(
        prototypes: prototypes, coefficients: coefficients, box: candidate.box))
  }

  // MARK: - Oriented boxes

  private func orientedObjects(
    _ candidates: [Candidate], _ outputs: borrowing SessionOutputs
  ) -> [DetectedObject] {
    let boxes = candidates.map { orientedBox(of: $0, outputs) }
    if coding.keepsCorners {
      let byAnchor = Dictionary(zip(candidates.map(\.anchor), boxes)) { first, _ in first }
      return EndToEndSelection.survivors(of: candidates, limit: thresholds.limit).compactMap { candidate in
        byAnchor[candidate.anchor].map { object(candidate, $0) }
      }
    }
    return OrientedSuppression.survivors(
      of: candidates, boxes, overlap: thresholds.overlap, limit: thresholds.limit
    ).map { object(candidates[$0], boxes[$0]) }
  }

  private func orientedBox(
    of candidate: Candidate, _ outputs: borrowing SessionOutputs
  ) -> OrientedBox {
    let (index, cell) = level(of: candidate)
    let angle = ObjectDecoding.angle(extras(of: candidate, outputs)[0], isDirect: isDirect)
    return outputs.withElements(of: ports.levels[index].boxes) { numbers, _ in
      ObjectDecoding.orientedBox(
        numbers.extracting(cell * coding.channels..<(cell + 1) * coding.channels), coding, angle: angle,
        cell: cell, level: levels[index])
    }
  }

  private func object(_ candidate: Candidate, _ box: OrientedBox) -> DetectedObject {
    let scale = letterbox.scale
    let center = letterbox.fromNetwork(Point2(Double(box.center.x), Double(box.center.y)))
    // As the reference: sides are scaled as if the box were upright, and the angle is kept.
    let rect = RotatedRect<UprightPixels>(
      center: center, width: Double(box.size.x) / scale.x, height: Double(box.size.y) / scale.y,
      angle: Double(box.angle))
    let around = RotatedRect<NetworkPixels>(
      center: Point2(Double(box.center.x), Double(box.center.y)), width: Double(box.size.x),
      height: Double(box.size.y), angle: Double(box.angle)
    ).bounds
    return DetectedObject(
      Candidate(
        anchor: candidate.anchor, classIndex: candidate.classIndex, score: candidate.score, box: around),
      className: name(of: candidate), box: rect.bounds.clipped(to: letterbox.imageSize.bounds()),
      orientedBox: rect, networkOrientedBox: box)
  }
}
