/// The published sizes of Depth Anything V2.
package enum DepthSize: String, Sendable, CaseIterable {
  case small, base, large

  /// Its name.
  package var title: String { rawValue.prefix(1).uppercased() + rawValue.dropFirst() }

  /// How the encoder's authors call it in names of files: `vits`.
  package var encoder: String { "vit\(rawValue.prefix(1))" }

  /// Channels of a token.
  package var width: Int {
    switch self {
    case .small: 384
    case .base: 768
    case .large: 1024
    }
  }

  /// Transformer blocks.
  var blocks: Int { self == .large ? 24 : 12 }

  /// The blocks after which the encoder is tapped.
  package var taps: [Int] { self == .large ? [4, 11, 17, 23] : [2, 5, 8, 11] }

  /// The blocks after which the first version of Depth Anything taps its encoder: the last four.
  var firstVersionTaps: [Int] { Array(blocks - 4..<blocks) }

  /// Channels of the four tapped maps.
  var tapChannels: [Int] {
    switch self {
    case .small: [48, 96, 192, 384]
    case .base: [96, 192, 384, 768]
    case .large: [256, 512, 1024, 1024]
    }
  }

  /// Channels of the head's fusion.
  var features: Int {
    switch self {
    case .small: 64
    case .base: 128
    case .large: 256
    }
  }

  /// The license of the published weights.
  package var license: String { self == .small ? "Apache-2.0" : "CC-BY-NC-4.0" }
}
