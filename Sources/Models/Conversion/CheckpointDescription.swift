import FileFormats

/// Description of a checkpoint, whether or not its network is supported.
public struct CheckpointDescription: Sendable {
  /// The network's name, such as `YOLO11-pose`; nil if unknown.
  public let network: String?
  /// Its published size, such as `n` or `small`; nil where it is unknown.
  public let size: String?
  /// Kind of results, for people; nil if unknown.
  public let finds: String?
  /// Class names in order, as far as they are known.
  public let classNames: [String]
  /// The number of classes; nil for networks without classes, and if nothing states it.
  public let classCount: Int?
  /// Key points of an object and numbers of each, of a network that finds some.
  public let keypointShape: [Int]?
  /// The side of the pictures that it was trained on, where the checkpoint says it.
  public let trainingSize: Int?
  /// The license that the checkpoint states.
  public let license: String?
  /// Ultralytics' version that wrote it, and when, where it says so.
  public let writer, date: String?
  /// Tensors, training's counters apart.
  public let tensorCount: Int
  /// Numbers in them.
  public let valueCount: Int
  /// Remarks on one that can be converted, for people.
  public let remarks: [String]
  /// Why it cannot be converted; nil of one that can.
  public let defect: String?

  /// Whether `ardf convert` makes a weight file of it.
  public var isSupported: Bool { defect == nil }

  /// Describes the checkpoint at `path`; no code in it is run.
  ///
  /// - Parameter path: A `.pt`, `.pth`, `.ckpt` or `.safetensors` file.
  /// - Throws: `CheckpointError` for a file that is damaged, or that is not a checkpoint.
  public init(path: String) throws(CheckpointError) {
    let bytes: FileBytes
    do {
      bytes = try FileBytes(MappedFile(path: path))
    } catch {
      throw CheckpointError(.file(error), file: path)
    }
    do throws(CheckpointErrorAt) {
      self.init(try CheckpointSource(bytes, file: path), ConversionHints(path: path, maxDepth: nil))
    } catch {
      throw CheckpointError(error.kind, tensor: error.tensor, file: path)
    }
  }

  /// Describes a checkpoint held in memory.
  package init(_ bytes: FileBytes, file: String) throws(CheckpointErrorAt) {
    self.init(try CheckpointSource(bytes, file: file), ConversionHints(path: nil, maxDepth: nil))
  }

  private init(_ source: CheckpointSource, _ hints: ConversionHints) {
    let tensors = TensorShapes(source)
    let identified = Self.identified(source, tensors, hints)
    tensorCount = source.tensors.count
    valueCount = source.tensors.values.reduce(0) { Self.sum($0, Self.product($1.shape)) }
    trainingSize = source.training.side
    (writer, date) = (source.origin["version"], source.origin["date"])
    let facts: IdentifiedCheckpoint?
    switch identified {
    case .success(let found): (facts, defect) = (found, nil)
    case .failure(let error):
      facts = nil
      let kind = "\(error.kind)"
      defect = error.tensor.map { "tensor \"\(printableName($0))\": \(kind)" } ?? kind
    }
    remarks = facts?.remarks ?? []
    license = source.origin["license"] ?? facts?.metadata["license"]
    if let network = UltralyticsNetwork(tensors) {
      self.network = network.name
      size = facts?.variant ?? source.scale
      finds = network.task?.finds
      classNames = source.classNames ?? []
      classCount = network.classCount(tensors) ?? source.classNames?.count
      keypointShape =
        network.task == .pose
        ? facts?.metadata[KeypointShape.key].flatMap { text in
          (try? JSONValue.parse(text))?.integers(in: 0...KeypointShape.most)
        } : nil
    } else {
      let depth = DepthAnythingFamily.description(of: source, facts)
      (network, size, finds) = (depth?.network, depth?.size, depth?.finds)
      (classNames, classCount, keypointShape) = ([], nil, nil)
    }
  }

  private static func identified(
    _ source: CheckpointSource, _ tensors: TensorShapes, _ hints: ConversionHints
  ) -> Result<IdentifiedCheckpoint, CheckpointErrorAt> {
    do throws(CheckpointErrorAt) {
      return .success(try CheckpointConverter.identify(source, hints))
    } catch {
      return .failure(error)
    }
  }

  /// A file may claim any shape.
  private static func product(_ shape: [Int]) -> Int {
    shape.reduce(1) { $0.multipliedReportingOverflow(by: $1).overflow ? Int.max : $0 * $1 }
  }

  private static func sum(_ first: Int, _ second: Int) -> Int {
    let (sum, overflow) = first.addingReportingOverflow(second)
    return overflow ? Int.max : sum
  }
}

extension UltralyticsNetwork {
  /// Classes that the shapes of a head tell.
  fileprivate func classCount(_ tensors: TensorShapes) -> Int? {
    let names = task == .classify ? ["linear.weight"] : ["one2one_cv3.0.2.weight", "cv3.0.2.weight"]
    return names.lazy.compactMap { tensors["model.\(head).\($0)"]?.first }.first
  }
}

extension DepthAnythingFamily {
  /// Name, size and output of a depth network; nil for other networks.
  fileprivate static func description(
    of source: CheckpointSource, _ facts: IdentifiedCheckpoint?
  ) -> (network: String, size: String?, finds: String)? {
    let tensors = TensorShapes(source)
    guard let kinship = recognize(tensors) else { return nil }
    let width = tensors["pretrained.cls_token"]?.last
    let size = width.flatMap(DepthAnythingArchitecture.sizeName)?.lowercased()
    if case .relative(let name) = kinship { return (name, size, "depth") }
    if facts?.architecture == "prompt-depth-anything" || hasPrompt(tensors) {
      return ("Prompt Depth Anything", size, "depth in meters beside a sensor's")
    }
    let finds =
      facts?.metadata[GreatestDepth.key].map { "depth in meters, \($0) at most" } ?? "relative inverse depth"
    return ("Depth Anything V2", size, finds)
  }

  private static func hasPrompt(_ tensors: TensorShapes) -> Bool {
    tensors["depth_head.scratch.refinenet1.\(PromptUnit.firstWeight)"] != nil
  }
}
