import FileFormats
import Geometry
import Imaging
import NNRuntime

/// YOLO11 with its segmentation head.
package enum YOLO11Family: NetworkFamily {
  package static let task = NetworkTask.objects
  package static let convertible = [
    "YOLO11-seg \(YOLO11Architecture.Variant.allCases.map(\.rawValue).joined(separator: ", "))"
  ]

  /// All class names together; a pickle may name one text any number of times.
  private static let classNameBytes = 1 << 20

  package static func recognize(_ tensors: TensorShapes) -> Kinship? {
    let network = UltralyticsNetwork(tensors)
    if network.head == YOLO11Architecture.headIndex, network.task == .segmentation, !network.isEndToEnd {
      return .member
    }
    return tensors[stem] == nil ? nil : .relative(network.name)
  }

  private static let stem = "model.0.conv.weight"

  /// The tensors of a checkpoint of a published size.
  ///
  /// `classHidden`: As for `YOLO11Architecture`.
  package static func layout(
    _ variant: YOLO11Architecture.Variant, classes: Int, classHidden: Int? = nil
  ) -> WeightLayout {
    WeightLayout { store in
      _ = try YOLO11Network(
        store, YOLO11Architecture(variant, classCount: classes, classHidden: classHidden))
    }
  }

  package static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    guard hints.maxDepth == nil else { throw CheckpointErrorAt(.needlessGreatestDepth) }
    let tensors = source.tensors
    if tensors["model.0.conv.bias"] != nil, tensors["model.0.bn.weight"] == nil {
      throw CheckpointErrorAt(.fused)
    }
    guard let classes = tensors["model.23.cv3.0.2.weight"]?.shape.first, classes > 0 else {
      throw CheckpointErrorAt(.missing, "model.23.cv3.0.2.weight")
    }
    let variant = try variant(of: source)
    let classHidden = tensors["model.23.cv3.0.0.1.conv.weight"]?.shape.first
    try source.check(against: layout(variant, classes: classes, classHidden: classHidden))
    var metadata = source.metadata
    metadata["stride"] = "32"
    if let size = source.trainingSize, YOLO11Segmentation.sides.contains(size), size.isMultiple(of: 32) {
      metadata["imgsz"] = String(size)
    }
    metadata["license"] = metadata["license"] ?? "AGPL-3.0"
    metadata["names"] = try names(source, count: classes)
    return IdentifiedCheckpoint(architecture: "yolo11-seg", variant: variant.rawValue, metadata: metadata)
  }

  /// The size that the first layer's channels and the number of blocks tell.
  private static func variant(
    of source: CheckpointSource
  ) throws(CheckpointErrorAt) -> YOLO11Architecture.Variant {
    let channels = source.tensors[stem]?.shape.first ?? 0
    let isDeep = source.tensors["model.2.m.1.cv1.conv.weight"] != nil
    let found = YOLO11Architecture.Variant.allCases.first {
      let sizes = YOLO11Architecture($0, classCount: 1)
      return sizes.channels(64) == channels && (sizes.repeats == 2) == isDeep
    }
    guard let variant = found else {
      throw CheckpointErrorAt(.unknownArchitecture("the first layer has \(channels) channels"))
    }
    if let claimed = source.scale, claimed != variant.rawValue {
      throw CheckpointErrorAt(
        .unknownArchitecture("it says it is variant \(claimed), its shapes are those of \(variant.rawValue)"))
    }
    return variant
  }

  /// The class names as metadata has them; nil of a checkpoint without names.
  private static func names(_ source: CheckpointSource, count: Int) throws(CheckpointErrorAt) -> String? {
    guard let names = source.classNames else { return nil }
    guard names.count == count else {
      throw CheckpointErrorAt(.wrongClassCount(names: names.count, classes: count))
    }
    guard names.reduce(0, { $0 + $1.utf8.count }) <= classNameBytes else {
      throw CheckpointErrorAt(.classNamesTooLong(limit: classNameBytes))
    }
    return JSONValue.array(names.map(JSONValue.string)).serialized()
  }

  package static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork {
    do throws(YOLOError) {
      return try YOLO11Segmentation(weights: weights, options: options, pool: pool)
    } catch {
      throw .detector(error)
    }
  }
}

extension YOLO11Segmentation: LayeredNetwork {
  package var name: String { architecture.name }

  package var standardSize: PixelSize { PixelSize(width: 640, height: 640) }

  package func inputSize(for picture: PixelSize) -> PixelSize { standardSize }

  /// The one input has no second beside it.
  package func layeredSession(for size: PixelSize, prompt: PixelSize?) throws(NetworkError) -> Session {
    do throws(YOLOError) { return try session(for: size) } catch { throw .detector(error) }
  }

  package func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize)
    throws(PortError)
  {
    inputs.fill(try inputs.input("input")) { target in
      let letterbox = Letterbox(
        imageSize: PixelSize(width: picture.width, height: picture.height), networkSize: size)
      YOLOPreprocessing.fill(&target, with: picture, letterbox: letterbox)
    }
  }
}
