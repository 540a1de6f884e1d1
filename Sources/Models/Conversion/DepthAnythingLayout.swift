/// The names and shapes of all weights of Depth Anything V2 Small, as its checkpoint holds them, or of Prompt Depth
/// Anything's small network.
package struct DepthAnythingLayout {
  /// In the checkpoint, but of no use outside training.
  package static let optional: Set<String> = ["pretrained.mask_token"]

  private static let width = 384
  private static let projections = [48, 96, 192, 384]
  private static let features = 64

  /// A prompted network has this weight, and Depth Anything V2 has not.
  package static let promptWeight = "depth_head.scratch.refinenet1.resConfUnit_depth.0.weight"

  package private(set) var shapes: [String: [Int]] = [:]

  package init(isPrompted: Bool = false) {
    encoder()
    head()
    if isPrompted { prompts() }
  }

  private mutating func layer(_ name: String, _ weight: [Int], bias: Int? = nil) {
    shapes["\(name).weight"] = weight
    shapes["\(name).bias"] = [bias ?? weight[0]]
  }

  private mutating func encoder() {
    let width = Self.width
    shapes["pretrained.cls_token"] = [1, 1, width]
    shapes["pretrained.pos_embed"] = [1, 37 * 37 + 1, width]
    shapes["pretrained.mask_token"] = [1, width]
    layer("pretrained.patch_embed.proj", [width, 3, 14, 14])
    for index in 0..<12 {
      let block = "pretrained.blocks.\(index)"
      layer("\(block).norm1", [width])
      layer("\(block).attn.qkv", [3 * width, width])
      layer("\(block).attn.proj", [width, width])
      shapes["\(block).ls1.gamma"] = [width]
      layer("\(block).norm2", [width])
      layer("\(block).mlp.fc1", [4 * width, width])
      layer("\(block).mlp.fc2", [width, 4 * width])
      shapes["\(block).ls2.gamma"] = [width]
    }
    layer("pretrained.norm", [width])
  }

  private mutating func prompts() {
    for index in 1...4 {
      let unit = "depth_head.scratch.refinenet\(index).resConfUnit_depth"
      for (layer, inputs) in [(0, 1), (2, Self.features), (4, Self.features)] {
        self.layer("\(unit).\(layer)", [Self.features, inputs, 3, 3])
      }
    }
  }

  private mutating func head() {
    let features = Self.features
    for (index, channels) in Self.projections.enumerated() {
      layer("depth_head.projects.\(index)", [channels, Self.width, 1, 1])
      shapes["depth_head.scratch.layer\(index + 1)_rn.weight"] = [features, channels, 3, 3]
      let fusion = "depth_head.scratch.refinenet\(index + 1)"
      layer("\(fusion).out_conv", [features, features, 1, 1])
      for unit in 1...2 {
        for conv in 1...2 { layer("\(fusion).resConfUnit\(unit).conv\(conv)", [features, features, 3, 3]) }
      }
    }
    // The first two widen by 4 and 2, the last halves; the third keeps its size and has no weights.
    for (index, kernel) in [(0, 4), (1, 2), (3, 3)] {
      let channels = Self.projections[index]
      layer("depth_head.resize_layers.\(index)", [channels, channels, kernel, kernel])
    }
    layer("depth_head.scratch.output_conv1", [features / 2, features, 3, 3])
    layer("depth_head.scratch.output_conv2.0", [32, features / 2, 3, 3])
    layer("depth_head.scratch.output_conv2.2", [1, 32, 1, 1])
  }
}
