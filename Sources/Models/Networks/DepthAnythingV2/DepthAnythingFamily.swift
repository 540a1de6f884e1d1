import Geometry
import Imaging
import NNRuntime

/// Depth Anything V2 and Prompt Depth Anything.
package enum DepthAnythingFamily: DepthNetworkFamily {
  package static var task: NetworkTask { .depth(self) }
  package static let convertible = ["Depth Anything V2 Small, Base or Large", "Prompt Depth Anything Small"]

  /// A prompted network has this weight, and Depth Anything V2 has not.
  private static let promptWeight = "depth_head.scratch.refinenet1.\(PromptUnit.firstWeight)"

  package static func recognize(_ tensors: TensorShapes) -> Kinship? {
    guard tensors.contains(prefix: "pretrained.") || tensors.contains(prefix: "depth_head.") else {
      return nil
    }
    if tensors.names.contains(where: { $0.hasSuffix("register_tokens") }) {
      return .relative("a Depth Anything network whose encoder has registers")
    }
    return .member
  }

  /// The tensors of a checkpoint of a published network.
  package static func layout(_ size: DepthSize = .small, isPrompted: Bool) -> WeightLayout {
    layout(size, isPrompted ? .prompted : .relative)
  }

  private static func layout(_ size: DepthSize, _ output: DepthOutput) -> WeightLayout {
    WeightLayout { store in _ = try DepthAnythingNetwork(store, DepthAnythingArchitecture(size, output)) }
  }

  /// The published network whose tokens are so wide.
  ///
  /// - Throws: `.unsupportedNetwork` for one that is published and not supported, else `.unknownArchitecture`.
  private static func size(width: Int?, isPrompted: Bool) throws(CheckpointErrorAt) -> DepthSize {
    guard let width else { throw CheckpointErrorAt(.missing, "pretrained.cls_token") }
    if let size = DepthSize.allCases.first(where: { $0.width == width }), size == .small || !isPrompted {
      return size
    }
    guard let name = DepthAnythingArchitecture.sizeName(width: width) else {
      throw CheckpointErrorAt(
        .unknownArchitecture(
          "its encoder is \(width) wide, those of Small, Base and Large are 384, 768 and 1024"))
    }
    throw CheckpointErrorAt(
      .unsupportedNetwork("\(isPrompted ? "Prompt Depth Anything" : "Depth Anything V2") \(name)"))
  }

  package static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    let isPrompted = source.tensors[promptWeight] != nil
    let size = try size(
      width: source.tensors["pretrained.cls_token"]?.shape.last, isPrompted: isPrompted)
    try source.check(against: layout(size, isPrompted: isPrompted))
    let depth = try greatestDepth(source, hints, size, isPrompted: isPrompted)
    if let taps = source.taps, taps != size.taps {
      throw CheckpointErrorAt(
        .otherModule(
          "the network itself", reason: "it looks at blocks \(taps) of its encoder, \(size.taps) are built"))
    }
    let output = isPrompted ? DepthOutput.prompted : depth == nil ? .relative : .metric(greatest: 1)
    var metadata = source.metadata
    metadata.merge(try source.moduleFacts(layout(size, output), authors: "")) { _, new in new }
    metadata["license"] = metadata["license"] ?? size.license
    metadata[GreatestDepth.key] = depth
    var remarks = isPrompted ? [] : [remark(greatestDepth: depth)]
    if metadata[ModuleFacts.key] == ModuleFacts.untold { remarks.append(ModuleFacts.remark) }
    return IdentifiedCheckpoint(
      architecture: isPrompted ? "prompt-depth-anything" : "depth-anything-v2", variant: size.rawValue,
      metadata: metadata, remarks: remarks)
  }

  private static func greatestDepth(
    _ source: CheckpointSource, _ hints: ConversionHints, _ size: DepthSize, isPrompted: Bool
  ) throws(CheckpointErrorAt) -> String? {
    do throws(CheckpointError.Kind) {
      let config = try source.usesHuggingFaceNames ? hints.path.flatMap(HuggingFaceConfig.beside) : nil
      if !isPrompted { try refuseFirstVersion(size, hints, config) }
      return try GreatestDepth.of(source, isPrompted: isPrompted, hints, config)
    } catch {
      throw CheckpointErrorAt(error)
    }
  }

  /// Remark on how the network's output will be read.
  private static func remark(greatestDepth: String?) -> String {
    greatestDepth.map { "metric depth up to \($0) m" }
      ?? "relative depth, as nothing says otherwise; a metric checkpoint is converted with its range: ardf convert FILE "
      + "FILE.safetensors --max-depth 20 (indoor; 80 outdoor)"
  }

  /// Refuses Depth Anything's first version, which taps its encoder after the last four blocks and has the names and
  /// shapes of the second: only `config.json` and the names it was published under tell it.
  private static func refuseFirstVersion(
    _ size: DepthSize, _ hints: ConversionHints, _ config: HuggingFaceConfig?
  ) throws(CheckpointError.Kind) {
    let first = CheckpointError.Kind.unsupportedNetwork("the first version of Depth Anything")
    if let taps = config?.outIndices {
      if taps == size.taps.map({ $0 + 1 }) { return }
      guard taps == size.firstVersionTaps.map({ $0 + 1 }) else {
        let own = size.taps.map { "\($0 + 1)" }.joined(separator: ", ")
        throw .config("its out_indices are not those of Depth Anything V2 \(size.title), \(own)")
      }
      throw first
    }
    let name = hints.name(parts: 2).replacing("-", with: "_")
    let published = ["depth_anything_\(size.encoder)14", "depth_anything_\(size.rawValue)_hf"]
    if published.contains(where: name.contains) { throw first }
  }

  package static func build(
    _ weights: WeightStore, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any LayeredNetwork {
    do throws(DepthError) {
      return try DepthAnythingV2(weights: weights, options: options, pool: pool)
    } catch {
      throw .depth(error)
    }
  }

  package static func estimator(
    _ weights: WeightStore, side: Int?, options: PlanOptions, pool: ThreadPool
  ) throws(NetworkError) -> any BuiltInDepthNetwork {
    do throws(DepthError) {
      return try DepthAnythingV2(
        weights: weights, input: side.map { .lowerBound($0) }, options: options, pool: pool)
    } catch {
      throw .depth(error)
    }
  }
}

extension DepthAnythingV2: BuiltInDepthNetwork {
  /// The network's name.
  public var name: String { architecture.name }

  package var exportedPlatform: String { "ardf_depth_anything_v2" }
  package var exportedStep: Int { DepthInputSize.patch }
  package var exportedInput: PixelSize {
    get throws {
      try networkSize(for: PixelSize(width: DepthInputSize.standard, height: DepthInputSize.standard))
    }
  }

  package var decoding: any DecodedNetwork { PlainDecoding.depth }

  package var standardSize: PixelSize {
    PixelSize(width: DepthInputSize.standard, height: DepthInputSize.standard)
  }

  package func inputSize(for picture: PixelSize) throws(NetworkError) -> PixelSize {
    do throws(DepthError) { return try networkSize(for: picture) } catch { throw .depth(error) }
  }

  package func layeredSession(for size: PixelSize, prompt: PixelSize?) throws(NetworkError) -> Session {
    do throws(DepthError) { return try session(for: size, prompt: prompt) } catch { throw .depth(error) }
  }

  /// A prompt, which a picture has not, is one half everywhere.
  package func fill(_ inputs: borrowing SessionInputs, with picture: RGBImage, size: PixelSize)
    throws(PortError)
  {
    inputs.fill(try inputs.input("input")) { DepthPreprocessing.fill(&$0, with: picture, size: size) }
    guard architecture.output == .prompted else { return }
    inputs.fill(try inputs.input("prompt")) { target in for index in target.indices { target[index] = 0.5 } }
  }
}
