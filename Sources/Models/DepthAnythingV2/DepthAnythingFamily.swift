import Geometry
import Imaging
import NNRuntime

/// Depth Anything V2 and Prompt Depth Anything.
package enum DepthAnythingFamily: NetworkFamily {
  package static let task = NetworkTask.depth
  package static let convertible = ["Depth Anything V2 Small", "Prompt Depth Anything Small"]

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

  /// The tensors of a checkpoint of the small network.
  package static func layout(isPrompted: Bool) -> WeightLayout {
    WeightLayout { store in
      _ = try DepthAnythingNetwork(
        store, DepthAnythingArchitecture(small: isPrompted ? .prompted : .relative))
    }
  }

  package static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    let isPrompted = source.tensors[promptWeight] != nil
    let name = isPrompted ? "Prompt Depth Anything" : "Depth Anything V2"
    if let width = source.tensors["pretrained.cls_token"]?.shape.last,
      width != DepthAnythingArchitecture.smallWidth
    {
      guard let size = DepthAnythingArchitecture.sizeName(width: width) else {
        throw CheckpointErrorAt(
          .unknownArchitecture(
            "its encoder is \(width) wide, that of Small is \(DepthAnythingArchitecture.smallWidth)"))
      }
      throw CheckpointErrorAt(.unsupportedNetwork("\(name) \(size), or the first version's"))
    }
    try source.check(against: layout(isPrompted: isPrompted))
    do throws(CheckpointError.Kind) {
      let config = try source.usesHuggingFaceNames ? hints.path.flatMap(HuggingFaceConfig.beside) : nil
      if !isPrompted { try refuseFirstVersion(hints, config) }
      let depth = try GreatestDepth.of(source, isPrompted: isPrompted, hints, config)
      var metadata = source.metadata
      metadata["license"] = metadata["license"] ?? "Apache-2.0"
      metadata[GreatestDepth.key] = depth
      return IdentifiedCheckpoint(
        architecture: isPrompted ? "prompt-depth-anything" : "depth-anything-v2", variant: "small",
        metadata: metadata, remark: isPrompted ? nil : remark(greatestDepth: depth))
    } catch {
      throw CheckpointErrorAt(error)
    }
  }

  /// What the numbers of a network will be taken for.
  private static func remark(greatestDepth: String?) -> String {
    greatestDepth.map { "metric depth up to \($0) m" }
      ?? "relative depth, as nothing says otherwise; of a metric checkpoint give --max-depth (20 indoor, 80 outdoor)"
  }

  /// Refuses Depth Anything's first version, which taps its encoder after the last four blocks and has the names and
  /// shapes of the second: only `config.json` and the names it was published under tell it.
  private static func refuseFirstVersion(
    _ hints: ConversionHints, _ config: HuggingFaceConfig?
  ) throws(CheckpointError.Kind) {
    let first = CheckpointError.Kind.unsupportedNetwork("the first version of Depth Anything")
    if let taps = config?.outIndices {
      if taps == DepthAnythingArchitecture.smallTaps.map({ $0 + 1 }) { return }
      guard taps == [9, 10, 11, 12] else {
        throw .config("its out_indices are not those of Depth Anything V2 Small, 3, 6, 9 and 12")
      }
      throw first
    }
    let name = hints.name(parts: 2).replacing("-", with: "_")
    if ["depth_anything_vits14", "depth_anything_small_hf"].contains(where: name.contains) { throw first }
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
}

extension DepthAnythingV2: LayeredNetwork {
  package var name: String { architecture.name }

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
