import FileFormats
import NNRuntime

/// Turns published checkpoints into weight files of the networks here.
///
/// Read: Ultralytics YOLO11-seg `.pt`, Depth Anything V2 Small `.pth` (relative or metric), Prompt Depth Anything Small
/// `.ckpt`, and safetensors files of any of them in their original names or Hugging Face's. No code of a checkpoint is
/// ever run.
public enum CheckpointConverter {
  /// The networks that can be converted.
  public enum Architecture: String, Sendable {
    /// YOLO11 with its segmentation head.
    case yolo11Segmentation = "yolo11-seg"
    /// Depth Anything V2.
    case depthAnythingV2 = "depth-anything-v2"
    /// Prompt Depth Anything.
    case promptDepthAnything = "prompt-depth-anything"
  }

  /// A checkpoint ready to be written.
  public struct Checkpoint: Sendable {
    /// The network.
    public let architecture: Architecture
    /// `n`, `s`, `m`, `l` or `x`; `small`.
    public let variant: String
    /// The weights under the names the networks load.
    public let tensors: [String: Tensor]
    /// Architecture, variant, class names, stride, source, licence: what a weight file says of itself.
    public let metadata: [String: String]

    /// The greatest depth of a metric network, meters.
    public var maxDepth: Double? { metadata[DepthHints.key].flatMap { Double($0) } }
  }

  static let formatVersion = "ardf.weights/1"
  /// All class names together; a pickle may name one text any number of times.
  private static let classNameBytes = 1 << 20

  /// Converts the file at `input` and writes a safetensors file, whole or not at all.
  ///
  /// - Parameter maxDepth: As for `read(_:maxDepth:)`.
  /// - Throws: `CheckpointError` for the input, `FileError` for the output.
  @discardableResult
  public static func convert(
    _ input: String, to output: String, overwrite: Bool, maxDepth: Double? = nil
  ) throws -> Checkpoint {
    let checkpoint = try read(input, maxDepth: maxDepth)
    try SafetensorsWriter.write(
      checkpoint.tensors, metadata: checkpoint.metadata, to: output, overwrite: overwrite)
    return checkpoint
  }

  /// Reads and checks the checkpoint at `path`: its names, shapes and types are exactly the network's.
  ///
  /// A metric depth network has the names and shapes of a relative one. It is known by Hugging Face's `config.json`
  /// beside it, by the name that it was published under, or by its greatest depth given here.
  /// - Parameter maxDepth: The greatest depth of a metric depth network, meters.
  public static func read(
    _ path: String, maxDepth: Double? = nil
  ) throws(CheckpointError) -> Checkpoint {
    let bytes: FileBytes
    do {
      bytes = try FileBytes(MappedFile(path: path))
    } catch {
      throw CheckpointError(.file(error), file: path)
    }
    return try read(bytes, file: path, DepthHints(path: path, given: maxDepth))
  }

  /// Reads and checks a checkpoint held in memory; see `read(_:maxDepth:)`.
  public static func read(
    _ bytes: FileBytes, file: String, maxDepth: Double? = nil
  ) throws(CheckpointError) -> Checkpoint {
    try read(bytes, file: file, DepthHints(path: nil, given: maxDepth))
  }

  private static func read(
    _ bytes: FileBytes, file: String, _ hints: DepthHints
  ) throws(CheckpointError) -> Checkpoint {
    do {
      let source = try CheckpointSource(bytes, file: file)
      let network = try recognize(source, hints)
      var metadata = network.metadata
      metadata["format"] = formatVersion
      metadata["source_file"] = String(file.split(separator: "/").last ?? "")
      metadata["source_sha256"] = sha256Hex(bytes)
      return Checkpoint(
        architecture: network.architecture, variant: network.variant, tensors: try source.loaded(),
        metadata: metadata)
    } catch {
      throw CheckpointError(error.kind, tensor: error.tensor, file: file)
    }
  }

  /// A network whose tensors' names, shapes and types are right.
  private struct Network {
    let architecture: Architecture
    let variant: String
    let metadata: [String: String]
  }

  private static func recognize(
    _ source: CheckpointSource, _ hints: DepthHints
  ) throws(CheckpointErrorAt) -> Network {
    let tensors = source.tensors
    if tensors["model.0.conv.weight"] != nil {
      guard hints.given == nil else { throw CheckpointErrorAt(.needlessGreatestDepth) }
      return try yolo(source)
    }
    if tensors.keys.contains(where: { $0.hasPrefix("pretrained.") || $0.hasPrefix("depth_head.") }) {
      return try depthAnything(source, hints)
    }
    throw CheckpointErrorAt(
      .unknownArchitecture(
        tensors.isEmpty ? "it holds no tensors" : "its first tensor is \"\(tensors.keys.min() ?? "")\""))
  }

  private static func yolo(_ source: CheckpointSource) throws(CheckpointErrorAt) -> Network {
    let tensors = source.tensors
    if tensors["model.0.conv.bias"] != nil, tensors["model.0.bn.weight"] == nil {
      throw CheckpointErrorAt(.fused)
    }
    guard tensors["model.23.proto.cv1.conv.weight"] != nil,
      let classes = tensors["model.23.cv3.0.2.weight"]?.shape.first, classes > 0
    else { throw CheckpointErrorAt(.unknownArchitecture("layer 23 is not YOLO11's segmentation head")) }
    let stem = tensors["model.0.conv.weight"]?.shape.first ?? 0
    let isDeep = tensors["model.2.m.1.cv1.conv.weight"] != nil
    let stems = YOLO11Layout.Variant.allCases.first {
      Int((64 * $0.width / 8).rounded(.up)) * 8 == stem && ($0.repeats == 2) == isDeep
    }
    guard let variant = stems else {
      throw CheckpointErrorAt(.unknownArchitecture("the first layer has \(stem) channels"))
    }
    if let claimed = source.scale, claimed != variant.rawValue {
      throw CheckpointErrorAt(
        .unknownArchitecture("it says it is variant \(claimed), its shapes are those of \(variant.rawValue)"))
    }
    let classHidden = tensors["model.23.cv3.0.0.1.conv.weight"]?.shape.first
    try check(
      tensors, YOLO11Layout(variant, classes: classes, classHidden: classHidden).shapes, optional: [])
    var metadata = source.metadata
    metadata["architecture"] = Architecture.yolo11Segmentation.rawValue
    metadata["variant"] = variant.rawValue
    metadata["stride"] = "32"
    if let size = source.trainingSize, YOLO11Segmentation.sides.contains(size), size.isMultiple(of: 32) {
      metadata["imgsz"] = String(size)
    }
    metadata["license"] = metadata["license"] ?? "AGPL-3.0"
    if let names = source.classNames {
      guard names.count == classes else {
        throw CheckpointErrorAt(.wrongClassCount(names: names.count, classes: classes))
      }
      guard names.reduce(0, { $0 + $1.utf8.count }) <= classNameBytes else {
        throw CheckpointErrorAt(.classNamesTooLong(limit: classNameBytes))
      }
      metadata["names"] = JSONValue.array(names.map(JSONValue.string)).serialized()
    }
    return Network(architecture: .yolo11Segmentation, variant: variant.rawValue, metadata: metadata)
  }

  private static func depthAnything(
    _ source: CheckpointSource, _ hints: DepthHints
  ) throws(CheckpointErrorAt) -> Network {
    if let width = source.tensors["pretrained.cls_token"]?.shape.last, width != 384 {
      throw CheckpointErrorAt(.unknownArchitecture("its encoder is \(width) wide, that of Small is 384"))
    }
    let isPrompted = source.tensors[DepthAnythingLayout.promptWeight] != nil
    try check(
      source.tensors, DepthAnythingLayout(isPrompted: isPrompted).shapes,
      optional: DepthAnythingLayout.optional)
    let architecture = isPrompted ? Architecture.promptDepthAnything : .depthAnythingV2
    var metadata = source.metadata
    metadata["architecture"] = architecture.rawValue
    metadata["variant"] = "small"
    metadata["license"] = metadata["license"] ?? "Apache-2.0"
    do {
      metadata[DepthHints.key] = try hints.greatestDepth(of: source, isPrompted: isPrompted)
    } catch {
      throw CheckpointErrorAt(error)
    }
    return Network(architecture: architecture, variant: "small", metadata: metadata)
  }

  /// Proves that the tensors are exactly those of the network.
  private static func check(
    _ tensors: [String: CheckpointTensor], _ shapes: [String: [Int]], optional: Set<String>
  ) throws(CheckpointErrorAt) {
    for name in shapes.keys.sorted() {
      guard let expected = shapes[name] else { continue }
      guard let tensor = tensors[name] else {
        if optional.contains(name) { continue }
        throw CheckpointErrorAt(.missing, name)
      }
      guard tensor.shape == expected else {
        throw CheckpointErrorAt(.wrongShape(found: tensor.shape, expected: expected), name)
      }
      guard tensor.dtype.isFloat else { throw CheckpointErrorAt(.notFloat(tensor.dtype.rawValue), name) }
    }
    if let extra = tensors.keys.sorted().first(where: { shapes[$0] == nil }) {
      throw CheckpointErrorAt(.unexpected, extra)
    }
  }
}
