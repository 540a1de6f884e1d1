/// The names and shapes of all weights of a YOLO11-seg variant, as its checkpoints hold them.
///
/// Batch-normalisation counters are left out; they play no part in inference.
package struct YOLO11Layout {
  /// The published variants: depth and width multiples and the cap on channels before scaling.
  package enum Variant: String, CaseIterable {
    case n, s, m, l, x

    var repeats: Int { self == .l || self == .x ? 2 : 1 }
    var width: Double {
      switch self {
      case .n: 0.25
      case .s: 0.5
      case .m, .l: 1
      case .x: 1.5
      }
    }
    var maximumChannels: Int { self == .n || self == .s ? 1024 : 512 }
    /// Every C3k2 of the larger variants is made of C3k blocks.
    var isLarge: Bool { self != .n && self != .s }
  }

  private let variant: Variant
  package private(set) var shapes: [String: [Int]] = [:]

  /// - Parameter classHidden: Channels inside the class branches; nil for those of a network made for `classes`.
  ///   A fine-tuned one may keep the width of the network it was made from.
  package init(_ variant: Variant, classes: Int, classHidden: Int? = nil) {
    self.variant = variant
    let (p3, p4, p5) = (channels(256), channels(512), channels(1024))
    conv("0", 3, channels(64), 3)
    conv("1", channels(64), channels(128), 3)
    c3k2("2", channels(128), p3, c3k: variant.isLarge, share: 4)
    conv("3", p3, p3, 3)
    c3k2("4", p3, p4, c3k: variant.isLarge, share: 4)
    conv("5", p4, p4, 3)
    c3k2("6", p4, p4, c3k: true)
    conv("7", p4, p5, 3)
    c3k2("8", p5, p5, c3k: true)
    conv("9.cv1", p5, p5 / 2, 1)
    conv("9.cv2", p5 / 2 * 4, p5, 1)
    c2psa("10", p5)
    c3k2("13", p5 + p4, p4, c3k: variant.isLarge)
    c3k2("16", p4 + p4, p3, c3k: variant.isLarge)
    conv("17", p3, p3, 3)
    c3k2("19", p3 + p4, p4, c3k: variant.isLarge)
    conv("20", p4, p4, 3)
    c3k2("22", p4 + p5, p5, c3k: true)
    head("23", [p3, p4, p5], classes: classes, classHidden: classHidden ?? max(p3, min(classes, 100)))
  }

  /// The scaled channel count of a layer with `base` channels: ceil(min(base, cap) width / 8) 8.
  private func channels(_ base: Int) -> Int {
    Int((Double(min(base, variant.maximumChannels)) * variant.width / 8).rounded(.up)) * 8
  }

  private mutating func add(_ name: String, _ shape: [Int]) { shapes["model.\(name)"] = shape }

  private mutating func conv(_ name: String, _ input: Int, _ output: Int, _ kernel: Int, groups: Int = 1) {
    add("\(name).conv.weight", [output, input / groups, kernel, kernel])
    for part in ["weight", "bias", "running_mean", "running_var"] { add("\(name).bn.\(part)", [output]) }
  }

  private mutating func plain(_ name: String, _ shape: [Int], bias: Int) {
    add("\(name).weight", shape)
    add("\(name).bias", [bias])
  }

  private mutating func bottleneck(_ name: String, _ channels: Int, hidden: Int) {
    conv("\(name).cv1", channels, hidden, 3)
    conv("\(name).cv2", hidden, channels, 3)
  }

  private mutating func c3k2(_ name: String, _ input: Int, _ output: Int, c3k: Bool, share: Int = 2) {
    let inner = output / share
    conv("\(name).cv1", input, 2 * inner, 1)
    conv("\(name).cv2", (2 + variant.repeats) * inner, output, 1)
    for index in 0..<variant.repeats {
      let block = "\(name).m.\(index)"
      guard c3k else {
        bottleneck(block, inner, hidden: inner / 2)
        continue
      }
      let hidden = inner / 2
      conv("\(block).cv1", inner, hidden, 1)
      conv("\(block).cv2", inner, hidden, 1)
      conv("\(block).cv3", 2 * hidden, inner, 1)
      for part in 0..<2 { bottleneck("\(block).m.\(part)", hidden, hidden: hidden) }
    }
  }

  private mutating func c2psa(_ name: String, _ channels: Int) {
    let inner = channels / 2
    conv("\(name).cv1", channels, 2 * inner, 1)
    conv("\(name).cv2", 2 * inner, channels, 1)
    for index in 0..<variant.repeats {
      let block = "\(name).m.\(index)"
      // Keys and queries have half the width of values.
      conv("\(block).attn.qkv", inner, 2 * inner, 1)
      conv("\(block).attn.proj", inner, inner, 1)
      conv("\(block).attn.pe", inner, inner, 3, groups: inner)
      conv("\(block).ffn.0", inner, 2 * inner, 1)
      conv("\(block).ffn.1", 2 * inner, inner, 1)
    }
  }

  private mutating func head(_ name: String, _ levels: [Int], classes: Int, classHidden score: Int) {
    let box = max(16, levels[0] / 4, 64)
    let coefficient = max(levels[0] / 4, 32)
    let prototypes = channels(256)
    for (level, input) in levels.enumerated() {
      conv("\(name).cv2.\(level).0", input, box, 3)
      conv("\(name).cv2.\(level).1", box, box, 3)
      plain("\(name).cv2.\(level).2", [64, box, 1, 1], bias: 64)
      conv("\(name).cv3.\(level).0.0", input, input, 3, groups: input)
      conv("\(name).cv3.\(level).0.1", input, score, 1)
      conv("\(name).cv3.\(level).1.0", score, score, 3, groups: score)
      conv("\(name).cv3.\(level).1.1", score, score, 1)
      plain("\(name).cv3.\(level).2", [classes, score, 1, 1], bias: classes)
      conv("\(name).cv4.\(level).0", input, coefficient, 3)
      conv("\(name).cv4.\(level).1", coefficient, coefficient, 3)
      plain("\(name).cv4.\(level).2", [32, coefficient, 1, 1], bias: 32)
    }
    add("\(name).dfl.conv.weight", [1, 16, 1, 1])
    conv("\(name).proto.cv1", levels[0], prototypes, 3)
    plain("\(name).proto.upsample", [prototypes, prototypes, 2, 2], bias: prototypes)
    conv("\(name).proto.cv2", prototypes, prototypes, 3)
    conv("\(name).proto.cv3", prototypes, 32, 1)
  }
}
