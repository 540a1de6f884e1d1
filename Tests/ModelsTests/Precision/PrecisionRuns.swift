import Geometry
import Imaging
import Models
import NNRuntime
import TestSupport

/// The raw outputs of a tiny network, each by its name, for an input of numbers in [0, 1).
func tinyOutputs(
  _ name: String, _ options: PlanOptions, threads: Int = 2
) throws -> [(name: String, elements: [Float])] {
  let network = try InspectedNetwork(
    weights: Golden.store(name), options: options, pool: ThreadPool(threads: threads))
  let isDepth = name.hasPrefix("depth")
  let size = PixelSize(width: isDepth ? 56 : 96, height: isDepth ? 42 : 64)
  let session = try network.session(for: size)
  let input = (0..<size.width * size.height * 3).map { Float($0 * 7919 % 1013) / 1013 }
  return try session.run { inputs in
    try inputs.fill(inputs.input("input"), with: input)
  } read: { outputs in
    session.plan.outputs.map { ($0.name, outputs.elements(of: $0)) }
  }
}

/// The published detector on a real picture.
struct RealDetection {
  static let isPossible = SharedData.exists("weights/yolo11n-seg.pt")

  private let store: WeightStore
  private let picture: RGBImage

  init(picture name: String) throws {
    let checkpoint = try CheckpointConverter.read(SharedData.path("weights/yolo11n-seg.pt"))
    store = WeightStore(tensors: checkpoint.tensors, metadata: checkpoint.metadata)
    picture = try ImageCodec.decode(path: SharedData.path("data/images/\(name)")).upright()
  }

  func objects(_ options: PlanOptions) throws -> [DetectedObject] {
    try YOLODetector(weights: store, options: options).detect(picture).objects
  }
}
