import Geometry
import Imaging
import NNRuntime

extension DETRDetector: BuiltInObjectNetwork {
  /// Boxes alone.
  public var form: ObjectForm { .boxes }

  /// A query is an object, and no box is suppressed.
  public var suppressesOverlaps: Bool { false }

  /// The sides of the network's input, for people.
  public var inputText: String {
    switch preprocessing.size {
    case .exact(let size): "\(size.width)x\(size.height)"
    case .shorterSide(let shorter, let longer): "shorter side \(shorter), longer side at most \(longer)"
    }
  }

  /// The objects of an upright picture, in its pixels, best first.
  ///
  /// - Throws: `DETRError`.
  public func detect(_ picture: RGBImage, _ request: DetectionRequest) throws(DETRError) -> DetectedObjects {
    let clock = ContinuousClock()
    let began = clock.now
    let size = preprocessing.inputSize(for: picture.size)
    let planar = preprocessing.planes(of: picture, size: size)
    let prepared = clock.now
    let outputs = try outputs(planar: planar, size: size)
    let inferred = clock.now
    guard outputs.areFinite else { throw .nonFiniteOutput }
    // The picture covers the whole input.
    let fit = request.letterbox ?? Letterbox(imageSize: picture.size, networkSize: size, contentSize: size)
    let choices = design.scoring.choices(
      outputs.logits, perQuery: outputs.logitsPerQuery, confidence: request.thresholds.confidence)
    let objects = choices.prefix(request.thresholds.limit).compactMap { choice -> DetectedObject? in
      let whole: Rect<UprightPixels> = DETRBox(outputs.boxes, query: choice.query).rect(in: picture.size)
      let box = whole.clipped(to: picture.size.bounds())
      // Nothing of it is in the picture.
      if box.isEmpty { return nil }
      return DetectedObject(
        classIndex: choice.classIndex, className: classNames[choice.classIndex], confidence: choice.score,
        box: box, networkBox: fit.toNetwork(whole))
    }
    let surest = objects.isEmpty ? surest(outputs) : nil
    let ended = clock.now
    return DetectedObjects(
      objects: objects, surest: surest, letterbox: fit,
      timings: StageTimings(began: began, prepared: prepared, inferred: inferred, ended: ended),
      selection: ended - inferred)
  }

  private func surest(_ outputs: DETROutputs) -> SurestCandidate? {
    design.scoring.choices(outputs.logits, perQuery: outputs.logitsPerQuery, confidence: 0).first
      .flatMap {
        SurestCandidate(
          classIndex: $0.classIndex, className: classNames[$0.classIndex], confidence: $0.score)
      }
  }

  package var exportedPlatform: String { "ardf_onnx" }

  package var exportedInput: PixelSize { preprocessing.standardSize }

  package var exportedStep: Int { 1 }

  package var exportedMetadata: String? { nil }

  package var exportedPorts: ExportedPorts {
    ExportedPorts(
      input: "pixel_values", sides: ports.size,
      outputs: [
        ExportedPorts.Output(name: "logits", shape: [-1, logitsPerQuery]),
        ExportedPorts.Output(name: "pred_boxes", shape: [-1, 4]),
      ])
  }

  /// Logits a query: with no object, where that is one.
  private var logitsPerQuery: Int { classNames.count + (design.scoring == .bestClass ? 1 : 0) }

  /// As many as networks of these designs have by far.
  private static let mostQueries = 4096

  package func exportedElements(of size: PixelSize) -> Int { Self.mostQueries * (logitsPerQuery + 4) }

  package func exportedTensors(planar: ArraySlice<Float>, size: PixelSize) throws(DETRError)
    -> [ExportedTensor]
  {
    let found = try outputs(planar: Array(planar), size: size)
    return [
      ExportedTensor(shape: [found.queries, found.logitsPerQuery], elements: found.logits),
      ExportedTensor(shape: [found.queries, 4], elements: found.boxes),
    ]
  }
}
