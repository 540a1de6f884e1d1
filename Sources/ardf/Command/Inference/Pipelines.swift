import AppCore
import FileFormats
import Geometry
import HTTPServing
import Imaging
import InferenceProtocol
import InferenceServing
import Models
import Perception
import Synchronization

extension InferenceCall {
  /// A detector with the thresholds that the request asks for.
  fileprivate func adapted(_ detector: ObjectDetector) throws -> ObjectDetector {
    var adapted = detector
    if let limit = try request.integer("max_det", in: 1...ObjectRules.mostObjects) {
      adapted.rules.thresholds.limit = limit
    }
    if let confidence = try request.number("conf", in: 0...1) {
      adapted.rules.thresholds.confidence = Float(confidence)
    }
    if let overlap = try request.number("iou", in: 0...1) {
      adapted.rules.thresholds.overlap = Float(overlap)
    }
    adapted.rules.maskBounds.pixels = DetectionsFile.maximumBoxPixels
    adapted.rules.maskBounds.isWanted = isWanted
    let masks = MaskMemory(memory)
    adapted.rules.maskBounds.holds = { masks.hold($0) }
    return adapted
  }

  /// Runs a network on a picture; a fault of the picture is reported as the client's error.
  fileprivate func running<Result>(_ body: () throws -> Result) throws -> Result {
    do {
      return try body()
    } catch {
      guard case PerceptionError.network(_, let defect) = error, let fault = defect as? any NetworkFault
      else { throw error }
      switch fault.kind {
      case .unwanted: try checkWanted()
      case .tooManyMaskPixels: throw UnfitInput("image: \(fault)")
      case .noMaskMemory:
        throw Refusal.overloaded(
          "there is no memory for the masks of all objects; lower max_det", retryAfter: 1)
      case .nonFiniteOutput: throw UnfitInput("image: the network's outputs become infinite")
      case .weights, .plan, .unfit: break
      }
      throw error
    }
  }
}

/// The memory of a picture's masks, taken from a request's reservation.
private final class MaskMemory: Sendable {
  private let reservation: MemoryBudget.Reservation
  private let held = Mutex(0)

  init(_ reservation: MemoryBudget.Reservation) { self.reservation = reservation }

  /// Reserves this many bytes for masks in place of what was reserved; false if there is too little memory.
  func hold(_ bytes: Int) -> Bool {
    held.withLock { held in
      if bytes <= held {
        reservation.give(held - bytes)
      } else if (try? reservation.take(bytes - held)) == nil {
        return false
      }
      held = bytes
      return true
    }
  }
}

/// `detect`: a picture to its objects.
struct DetectPipeline: ServedModel {
  let description: ModelDescription
  private let detectors: [ObjectDetector]
  private let limits: ImageLimits

  init(_ detectors: [ObjectDetector], limits: ImageLimits) {
    (self.detectors, self.limits) = (detectors, limits)
    description = ModelDescription(
      name: "detect", platform: "ardf_pipeline", inputs: [SentPicture.description],
      outputs: ObjectTensors(detectors[0].network).descriptions,
      parameters: ["network": detectors[0].network.name])
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    let detector = try call.adapted(detectors[call.worker])
    let picture = try SentPicture(call, limits: limits)
    try call.checkWanted()
    let found = try call.running {
      try detector.objects(
        in: picture.upright, orientation: picture.orientation, stored: picture.image.size)
    }
    return try ObjectTensors(detector.network).tensors(
      found.detections, of: picture.image.size, memory: call.memory)
  }
}

/// `classify`: a picture to its classes.
struct ClassifyPipeline: ServedModel {
  /// Classes that are returned unless a request asks for another number.
  private static let usualCount = 5

  let description: ModelDescription
  private let classifiers: [PictureClassifier]
  private let limits: ImageLimits

  init(_ classifiers: [PictureClassifier], limits: ImageLimits) {
    (self.classifiers, self.limits) = (classifiers, limits)
    description = ModelDescription(
      name: "classify", platform: "ardf_pipeline", inputs: [SentPicture.description],
      outputs: [
        TensorDescription("scores", .float32, [-1]), TensorDescription("classes", .int64, [-1]),
        TensorDescription("labels", .bytes, [-1]),
      ], parameters: ["network": classifiers[0].name])
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    let top = try call.request.integer("top", in: 1...ObjectRules.mostObjects)
    let picture = try SentPicture(call, limits: limits)
    try call.checkWanted()
    let found = try call.running { try classifiers[call.worker].classify(picture.upright).classes }
      .prefix(top ?? Self.usualCount)
    return [
      ProtocolTensor("scores", [found.count], found.map(\.probability)),
      ProtocolTensor("classes", [found.count], integers: found.map(\.index)),
      ProtocolTensor("labels", texts: found.map(\.name)),
    ]
  }
}

/// `depth`: a picture, and for a prompted network a sensor's depth, to the depth of its pixels.
struct DepthPipeline: ServedModel {
  let description: ModelDescription
  private let networks: [any DepthNetwork]
  private let limits: ImageLimits

  init(_ networks: [any DepthNetwork], limits: ImageLimits) {
    (self.networks, self.limits) = (networks, limits)
    let isPrompted = networks[0].output == .prompted
    description = ModelDescription(
      name: "depth", platform: "ardf_pipeline",
      inputs: [SentPicture.description] + (isPrompted ? [SentSensor.depth(isOptional: false)] : []),
      outputs: [TensorDescription("depth", .float32, [-1, -1])],
      parameters: ["network": networks[0].name, "depth": DepthModel.meaning(of: networks[0].output)])
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    let picture = try SentPicture(call, limits: limits)
    let sensor = try SentSensor.plane(call)
    try call.checkWanted()
    do {
      // Its depth, once more where it is turned, and inverse depth beside meters.
      let maps = (picture.orientation == .up ? 1 : 2) + (networks[call.worker].output.isMetric ? 1 : 0)
      try call.memory.take(maps * MemoryLayout<Float>.stride * picture.pixels)
      let estimate = try call.running {
        try networks[call.worker]
          .estimate(picture.upright, orientation: picture.orientation, sensor: sensor).get()
      }
      // One map is left.
      call.memory.give(picture.bytes + (maps - 1) * MemoryLayout<Float>.stride * picture.pixels)
      let depth = estimate.depth.metric?.values ?? estimate.depth.relative.values
      return [ProtocolTensor("depth", [depth.height, depth.width], depth.elements)]
    } catch let error as NoEstimate {
      throw UnfitInput("image: \(error)")
    }
  }
}

/// A sensor's depth as a client sends it.
private enum SentSensor {
  static func depth(isOptional: Bool) -> TensorDescription {
    TensorDescription("lidar", .float32, [-1, -1], isOptional: isOptional, takesNonFinite: true)
  }

  static let confidence = TensorDescription("confidence", .uint8, [-1, -1], isOptional: true)

  /// The map in meters; nil where none was sent.
  static func plane(_ call: InferenceCall) throws -> Plane<Float>? {
    guard let tensor = call.inputs["lidar"], let elements = tensor.floats else { return nil }
    return try plane(tensor, elements)
  }

  static func confidences(_ call: InferenceCall) throws -> Plane<UInt8>? {
    guard let tensor = call.inputs["confidence"], let elements = tensor.octets else { return nil }
    return try plane(tensor, elements)
  }

  private static func plane<Element>(_ tensor: ProtocolTensor, _ elements: [Element]) throws -> Plane<Element>
  {
    let (height, width) = (tensor.shape[0], tensor.shape[1])
    guard height > 0, width > 0, elements.count <= CaptureLimits().depthCells else {
      throw UnfitInput(
        "\(tensor.name): \(height)x\(width): give a map of 1 to \(CaptureLimits().depthCells) cells")
    }
    return Plane(width: width, height: height, elements: elements)
  }
}

/// `measure`: a picture, a sensor's depth, and the camera to objects in meters.
struct MeasurePipeline: ServedModel {
  let description: ModelDescription
  private let perceivers: [Perceiver]
  private let sensor: SensorModel
  private let limits: ImageLimits

  /// - `sensor`: the kind of sensor of the depth that clients send.
  init(_ perceivers: [Perceiver], sensor: SensorModel, limits: ImageLimits) {
    // Clients get figures alone.
    self.perceivers = perceivers.map { perceiver in
      var perceiver = perceiver
      perceiver.estimatesUnscaledDepth = false
      return perceiver
    }
    (self.sensor, self.limits) = (sensor, limits)
    description = ModelDescription(
      name: "measure", platform: "ardf_pipeline",
      inputs: [
        SentPicture.description, SentSensor.depth(isOptional: true), SentSensor.confidence,
        TensorDescription("intrinsics", .float64, [3, 3]),
        TensorDescription("pose", .float64, [4, 4], isOptional: true),
      ],
      outputs: ObjectTensors(perceivers[0].detector.network).descriptions + [
        TensorDescription("distances", .float32, [-1]), TensorDescription("centers", .float32, [-1, 3]),
        TensorDescription("sizes", .float32, [-1, 3]), TensorDescription("yaws", .float32, [-1]),
        TensorDescription("objects", .bytes, [-1]), TensorDescription("notes", .bytes, [-1]),
      ],
      parameters: [
        "network": perceivers[0].detector.network.name, "depth_network": perceivers[0].depth?.name ?? "none",
      ])
  }

  func infer(_ call: InferenceCall) throws -> [ProtocolTensor] {
    var perceiver = perceivers[call.worker]
    perceiver.detector = try call.adapted(perceiver.detector)
    let picture = try SentPicture(call, limits: limits)
    let frame: CapturedFrame
    do {
      frame = try CapturedFrame.checked(
        name: "request", image: picture.image, orientation: picture.orientation,
        depth: try SentSensor.plane(call), confidence: try SentSensor.confidences(call),
        sensor: sensor, intrinsics: call.inputs["intrinsics"]?.doubles ?? [],
        cameraToWorld: call.inputs["pose"]?.doubles)
    } catch let error as CaptureError {
      throw UnfitInput("\(error)")
    }
    try call.checkWanted()
    try call.memory.take(Self.bytesPerPixel * picture.pixels)
    let perceived = try call.running { try perceiver.perceiveInTurn(frame) }
    let extents = perceived.extents
    let count = extents.count
    let objects = try ObjectTensors(perceiver.detector.network).tensors(
      perceived.detections, of: frame.imageSize, memory: call.memory)
    return objects + [
      ProtocolTensor("distances", [count], extents.map { Float($0.distance.meters ?? .nan) }),
      ProtocolTensor(
        "centers", [count, 3],
        extents.flatMap { Self.three($0.box3D.map { ($0.center.x, $0.center.y, $0.center.z) }) }),
      ProtocolTensor(
        "sizes", [count, 3],
        extents.flatMap { Self.three($0.box3D.map { ($0.dimensions.x, $0.dimensions.y, $0.dimensions.z) }) }),
      ProtocolTensor("yaws", [count], extents.map { Float($0.box3D?.yaw ?? .nan) }),
      ProtocolTensor("objects", texts: perceived.documents.map { $0.serialized() }),
      ProtocolTensor("notes", texts: perceived.notes),
    ]
  }

  /// Memory of measuring besides the picture, bytes per pixel: maps of depth in single precision.
  private static let bytesPerPixel = 16

  /// The number, or NaN for nil.
  private static func three(_ numbers: (Double, Double, Double)?) -> [Float] {
    guard let numbers else { return [.nan, .nan, .nan] }
    return [Float(numbers.0), Float(numbers.1), Float(numbers.2)]
  }
}
