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
    "0ebbc80d4a7680d14987a577cd21342b65ecfd94632bd9a8da63ae6417644ee1": "yolo11n.pt",
    "85a76fe86dd8afe384648546b56a7a78580c7cb7b404fc595f97969322d502d5": "yolo11s.pt",
    "d5ffc1a674953a08e11a8d21e022781b1b23a19b730afc309290bd9fb5305b95": "yolo11m.pt",
    "9ebd0e09d59811db4b1d61e2bc6730649608b1ac47f8dd01e2da6bca7c20023f": "yolo11l.pt",
    "7bc158aa95c0ebfdd87f70f01653c1131b93e92522dbe15c228bcd742e773a24": "yolo11x.pt",
    "b62898ebf38940ca4df323863e45ee9d84a1a46d5d11ebdde529fb33aa9f3a32": "yolo11n-obb.pt",
    "c62d41bf9625777760018bf914d2e6cd472420ccd01706d97a61cb6c82502bd7": "yolo11n-cls.pt",
    "9b09cc8bf347f0fc8a5f7657480587f25db09b34bf33b0652110fb03a8ad4fef": "yolo26n.pt",
    "646f8bc3fe0a656803d95c294f7852321748cb29d13466a1af8862e2db384a1b": "yolo26s.pt",
    "401cea9ab23ad19246ff7744859816bc599f350e93c9dd30367b6f0a0745d0b7": "yolo26m.pt",
    "9fe3c544f2b19bebad7ea41e76d7ad3d88b7c2f10d11d24430c5311f6b32db26": "yolo26l.pt",
    "9fdd44a31c504547ffb81d2c6d9e6dac3493c8eaa8b0398d3f43bae6c7003e92": "yolo26x.pt",
    "715fade13be8f229f8a70cc02066f656f2423a59effd0579197bbf57860e1378": "depth_anything_v2_vits.pth",
  ]

  /// SHA-256 of a published checkpoint by its file name; nil where it is not known.
  package static func digest(of file: String) -> String? { published.first { $0.value == file }?.key }

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
