import FileFormats
import NNRuntime

/// The sizes that make one Depth Anything V2 network, read off the shapes of its weights.
package struct DepthAnythingArchitecture: Sendable, Equatable {
  /// Channels of a head of every DINOv2 encoder.
  private static let headWidth = 64

  /// Channels of a token.
  package let width: Int
  /// Transformer blocks.
  package let blocks: Int
  /// Attention heads of a block.
  package let heads: Int
  /// Channels inside a block's feed-forward pair.
  package let hidden: Int
  /// Rows and columns of the position embedding.
  package let positionGrid: Int
  /// The blocks after which the head taps the tokens, first to last.
  package let taps: [Int]
  /// Channels of the four tapped maps.
  package let tapChannels: [Int]
  /// Channels of the head's fusion.
  package let features: Int
  /// Channels before the last layer.
  package let lastHidden: Int
  /// Kind of the network's output.
  package let output: DepthOutput

  /// The network's name.
  package var name: String {
    let family =
      switch output {
      case .relative: "depth-anything-v2"
      case .metric: "depth-anything-v2-metric"
      case .prompted: "prompt-depth-anything"
      }
    return Self.sizeName(width: width).map { "\(family)-\($0.lowercased())" } ?? family
  }

  /// The shorter side of the reference's input.
  package var standardBound: Int {
    output == .prompted ? DepthInputSize.standardPrompted : DepthInputSize.standard
  }

  /// A published network.
  package init(_ size: DepthSize, _ output: DepthOutput) {
    (width, blocks, heads, hidden) = (
      size.width, size.blocks, size.width / Self.headWidth, 4 * size.width
    )
    (positionGrid, taps) = (37, size.taps)
    (tapChannels, features, lastHidden) = (size.tapChannels, size.features, 32)
    self.output = output
  }

  /// Reads the sizes off the weights.
  ///
  /// The metadata's `max_depth`, in meters, tells a metric head, which has the shapes of a relative one; `heads` and
  /// `taps` (a JSON list of four blocks) are for networks that were not published.
  ///
  /// - Throws: `DepthError.unknownArchitecture`, or `.weights` if a decisive tensor is missing.
  package init(_ store: WeightStore) throws(DepthError) {
    if let source = OutdatedConversion.source(store.metadata) { throw .convertedBefore(source) }
    if let format = OutdatedConversion.laterFormat(store.metadata) { throw .convertedLater(format) }
    let encoder = store.root["pretrained"]
    let head = store.root["depth_head"]
    let patch = try Self.shape(encoder["patch_embed.proj"], "weight", rank: 4)
    guard patch[2] == DepthInputSize.patch, patch[3] == DepthInputSize.patch else {
      throw DepthError.unknownArchitecture(reason: "patches are \(patch[2])x\(patch[3]) instead of 14x14")
    }
    width = patch[0]
    let blocks = (0...).first { !encoder["blocks"][$0].contains("norm1.weight") }!
    self.blocks = blocks
    hidden = try Self.shape(encoder["blocks.0.mlp.fc1"], "weight", rank: 2)[0]
    heads =
      store.metadata["heads"].flatMap { integer(of: $0, in: 1...1 << 20) } ?? max(1, width / Self.headWidth)
    guard heads > 0, width % heads == 0 else {
      throw DepthError.unknownArchitecture(
        reason: "\(counted(width, "channel")) in \(counted(heads, "head"))")
    }
    let positions = try Self.shape(encoder, "pos_embed", rank: 3)[1] - 1
    positionGrid = Int(Double(positions).squareRoot().rounded())
    guard positions >= 1, positionGrid * positionGrid == positions else {
      throw DepthError.unknownArchitecture(reason: "no square grid has \(counted(positions, "position"))")
    }
    taps = try Self.taps(store.metadata["taps"], blocks: blocks)
    tapChannels = try (0..<4).map { tap throws(DepthError) in
      try Self.shape(head["projects"][tap], "weight", rank: 4)[0]
    }
    features = try Self.shape(head["scratch.layer1_rn"], "weight", rank: 4)[0]
    lastHidden = try Self.shape(head["scratch.output_conv2.0"], "weight", rank: 4)[0]
    output =
      head["scratch.refinenet1"].contains(PromptUnit.firstWeight)
      ? .prompted : try Self.metric(store.metadata["max_depth"])
  }

  /// Greatest depths in meters that a metric head may have.
  package static let greatestDepths: ClosedRange<Float> = 0.1...10_000

  private static func metric(_ metadata: String?) throws(DepthError) -> DepthOutput {
    guard let metadata else { return .relative }
    guard let greatest = Float(metadata), greatestDepths.contains(greatest) else {
      throw .unknownArchitecture(reason: "the metadata's \"max_depth\" is \"\(metadata)\", not meters")
    }
    return .metric(greatest: greatest)
  }

  /// Name of the published networks whose tokens have this number of channels; nil for none.
  static func sizeName(width: Int) -> String? {
    DepthSize.allCases.first { $0.width == width }?.title ?? (width == 1536 ? "Giant" : nil)
  }

  private static func shape(_ scope: WeightScope, _ name: String, rank: Int) throws(DepthError) -> [Int] {
    let shape = try DepthError.of(weights: { () throws(WeightError) in try scope.tensor(name) }).shape
    guard shape.count == rank, shape.allSatisfy({ $0 > 0 }) else {
      throw DepthError.unknownArchitecture(reason: "\(scope.fullName(name)) has shape \(shape)")
    }
    return shape
  }

  /// Version 2 taps after these blocks; version 1 tapped after the last four.
  private static func taps(_ metadata: String?, blocks: Int) throws(DepthError) -> [Int] {
    if let metadata {
      let taps = (try? JSONValue.parse(metadata))?.integers(in: 0...max(blocks, 1) - 1) ?? []
      guard taps.count == 4, taps == taps.sorted(), Set(taps).count == 4 else {
        throw .unknownArchitecture(
          reason: "the metadata's \"taps\" are not four of \(counted(blocks, "block"))")
      }
      return taps
    }
    switch blocks {
    case 12: return DepthSize.small.taps
    case 24: return DepthSize.large.taps
    case 40: return [9, 19, 29, 39]
    default: throw .unknownArchitecture(reason: "encoders have 12, 24 or 40 blocks, this one \(blocks)")
    }
  }
}
