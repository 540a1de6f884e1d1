/// Where a weight file's numbers come from: known by the file's digest, or as its metadata claims.
package enum CheckpointOrigin: Equatable, Sendable, CustomStringConvertible {
  /// Says of itself that it was converted from what the network's authors published under this name.
  case claimsPublished(file: String)
  /// The very file trained in this project; its model card is `weights/MODEL_CARD.md`.
  case project
  /// Says of itself that it was trained in this project.
  case claimsProject
  /// The file does not say.
  case unknown

  /// The metadata key of files trained here, and its value.
  static let key = "origin", own = "ardf"

  /// SHA-256 of the published checkpoints, as in `weights/manifest.json`.
  static let published = [
    "55ed65c56c91713d23e8402371c6c49a6fd84f257f7dce452e8d70e41dcbe152": "yolo11n-seg.pt",
    "1caa81c0195412efa411b632bcfb8c184939dddb6ae41f6a80c41b211ff257c3": "yolo11s-seg.pt",
    "eb9a06f63e2206c35d68d839b08c362429ebecf933ad54c1ad68b2fd001c17cf": "yolo11m-seg.pt",
    "cabe90049795dfc9a370b7934d6dec7f6b9e44a20e573b0ff81b7e205512c872": "yolo11l-seg.pt",
    "4e53a5f5fd3ee2ae3361c62169c6bb3ed4ae251dd0e57606e230955aa52d919c": "yolo11x-seg.pt",
    "869e83fcdffdc7371fa4e34cd8e51c838cc729571d1635e5141e3075e9319dc0": "yolo11n-pose.pt",
    "715fade13be8f229f8a70cc02066f656f2423a59effd0579197bbf57860e1378": "depth_anything_v2_vits.pth",
  ]

  /// SHA-256 of the weight file trained here, as in `weights/manifest.json`.
  static let bundled = "6f1b71a8b00a5f8e23c4fdf21b492da8987618f72440d0c8a37ac06be2381abe"

  /// Compares the file's digest with that of the file trained here; else reads `source_sha256` and `origin`.
  package init(metadata: [String: String], sha256: String) {
    if sha256 == Self.bundled {
      self = .project
    } else if let file = metadata["source_sha256"].flatMap({ Self.published[$0] }) {
      self = .claimsPublished(file: file)
    } else {
      self = metadata[Self.key] == Self.own ? .claimsProject : .unknown
    }
  }

  /// For people.
  package var description: String {
    switch self {
    case .claimsPublished(let file):
      "claims to be converted from the published \(file); to be sure, convert that yourself"
    case .project: "trained by ardf, not the published checkpoint"
    case .claimsProject: "claims to be trained by ardf, but is not the file that comes with it"
    case .unknown: "unknown"
    }
  }
}
