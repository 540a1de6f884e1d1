/// The published sizes.
package enum YOLOVariant: String, Sendable, CaseIterable {
  case n, s, m, l, x

  /// Depth and width factors of a size in a generation.
  func scaling(_ generation: YOLOGeneration, _ task: YOLOTask) -> YOLOScaling {
    switch generation {
    case .v8:
      let most = task == .classify ? 1024 : self == .m ? 768 : self == .l || self == .x ? 512 : 1024
      return switch self {
      case .n: YOLOScaling(width: 0.25, maximumChannels: most, repeats: 1, deepRepeats: 2)
      case .s: YOLOScaling(width: 0.50, maximumChannels: most, repeats: 1, deepRepeats: 2)
      case .m: YOLOScaling(width: 0.75, maximumChannels: most, repeats: 2, deepRepeats: 4)
      case .l: YOLOScaling(width: 1.00, maximumChannels: most, repeats: 3, deepRepeats: 6)
      case .x: YOLOScaling(width: 1.25, maximumChannels: most, repeats: 3, deepRepeats: 6)
      }
    case .v11, .v26:
      return switch self {
      case .n: YOLOScaling(width: 0.25, maximumChannels: 1024, repeats: 1)
      case .s: YOLOScaling(width: 0.50, maximumChannels: 1024, repeats: 1)
      case .m: YOLOScaling(width: 1.00, maximumChannels: 512, repeats: 1, c3kEverywhere: true)
      case .l: YOLOScaling(width: 1.00, maximumChannels: 512, repeats: 2, c3kEverywhere: true)
      case .x: YOLOScaling(width: 1.50, maximumChannels: 512, repeats: 2, c3kEverywhere: true)
      }
    }
  }
}

/// Depth and width factors of a network's size.
package struct YOLOScaling: Sendable, Equatable {
  /// Factor on every channel count.
  package let width: Double
  /// The most channels of a layer before the factor.
  package let maximumChannels: Int
  /// Blocks in each layer of several.
  package let repeats: Int
  /// Blocks in layers 4 and 6 of YOLOv8, which has twice as many there.
  package let deepRepeats: Int
  /// Whether also the C3k2 layers 2, 4, 13, 16 and 19 of YOLO11 (2 and 4 of YOLO26) are made of C3k blocks.
  package let c3kEverywhere: Bool

  /// Factors and counts.
  package init(
    width: Double, maximumChannels: Int, repeats: Int, deepRepeats: Int? = nil, c3kEverywhere: Bool = false
  ) {
    self.width = width
    self.maximumChannels = maximumChannels
    self.repeats = repeats
    self.deepRepeats = deepRepeats ?? repeats
    self.c3kEverywhere = c3kEverywhere
  }

  /// Channels of a layer that has `base` before scaling.
  package func channels(_ base: Int) -> Int {
    Int((Double(min(base, maximumChannels)) * width / 8).rounded(.up)) * 8
  }
}
