import Geometry
import NNRuntime

/// The layers of a Depth Anything V2 network with their weights bound.
struct DepthAnythingNetwork: Sendable {
  private let encoder: DinoV2Encoder
  private let head: DPTHead

  /// Binds every tensor of the network (`pretrained`, `depth_head`).
  ///
  /// - Throws: `WeightError` if one is missing, mis-shaped or left over.
  init(_ store: WeightStore, _ sizes: DepthAnythingArchitecture) throws(WeightError) {
    encoder = try DinoV2Encoder(store.root["pretrained"], sizes)
    head = try DPTHead(store.root["depth_head"], sizes)
    store.root.states(ModuleStatement("DepthAnythingV2", "PromptDA", "DPT_DINOv2"))
    try store.verifyAllUsed()
  }

  /// The network for a picture whose sides are multiples of 14.
  ///
  /// Input `input`: normalized RGB; of a prompted network also `prompt`: depth from 0 to 1, of any size. Output
  /// `depth`: what `DepthOutput` says, height x width x 1.
  func graph(name: String, _ size: DepthInput) -> Graph {
    let builder = GraphBuilder(name: name)
    let (height, width) = (size.picture.height, size.picture.width)
    let image = builder.input("input", height: height, width: width, channels: 3)
    let prompt = size.prompt.map {
      builder.input("prompt", height: $0.height, width: $0.width, channels: 1)
    }
    let depth = head(encoder(image, in: builder), prompt: prompt, height: height, width: width)
    return builder.finished(outputs: [("depth", depth)])
  }
}
