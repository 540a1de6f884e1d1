import FileFormats
import NNRuntime

/// The sizes that make one YOLO11-seg network, read off the shapes of its weights.
package struct YOLO11Architecture: Sendable, Equatable {
  /// The published variants.
  package enum Variant: String, Sendable, CaseIterable {
    case n, s, m, l, x

    /// (width multiple, most channels before it, repeats, whether every C3k2 uses C3k).
    var scaling: (width: Double, maximumChannels: Int, repeats: Int, c3kEverywhere: Bool) {
      switch self {
      case .n: (0.25, 1024, 1, false)
      case .s: (0.50, 1024, 1, false)
      case .m: (1.00, 512, 1, true)
      case .l: (1.00, 512, 2, true)
      case .x: (1.50, 512, 2, true)
      }
    }
  }

  /// Index of the head among the layers.
  static let headIndex = 23
  /// Prototypes of every published network.
  private static let publishedCoefficients = 32
  /// The longest side of a network input.
  package static let maximumInputSide = 4096

  /// Factor on every channel count.
  package let width: Double
  /// The most channels of a layer before the factor.
  package let maximumChannels: Int
  /// Blocks in each C3k2 and C2PSA.
  package let repeats: Int
  /// Whether also the C3k2 layers 2, 4, 13, 16 and 19 are made of C3k blocks.
  package let c3kEverywhere: Bool
  /// Classes.
  package let classCount: Int
  /// Class names where weights were read; nil where only the sizes are known.
  private let names: [String]?
  /// Prototypes, and coefficients of an object.
  package let coefficients: Int
  /// Channels inside the class branches.
  ///
  /// Made for N classes, a network has max(channels of P3, min(N, 100)); fine-tuned to other classes, it keeps
  /// the width of the one it was made from.
  package let classHidden: Int

  /// Class names in the order of the class logits.
  package var classNames: [String] { names ?? Self.unnamed(classCount) }

  /// The published variant with these sizes, if there is one.
  package var variant: Variant? {
    Variant.allCases.first {
      $0.scaling == (width, maximumChannels, repeats, c3kEverywhere)
    }
  }

  /// What the network is called: `yolo11l-seg`.
  package var name: String { "yolo11\(variant?.rawValue ?? "")-seg" }

  /// A published variant with `classCount` classes.
  ///
  /// `classHidden`: Channels inside the class branches; nil for those of a network made for so many classes.
  package init(_ variant: Variant, classCount: Int, classHidden: Int? = nil) {
    (width, maximumChannels, repeats, c3kEverywhere) = variant.scaling
    self.classCount = classCount
    names = nil
    coefficients = Self.publishedCoefficients
    self.classHidden =
      classHidden ?? max(Self.channels(256, width: width, atMost: maximumChannels), min(classCount, 100))
  }

  /// Reads the sizes off the weights, and the class names off the metadata (`names`, a JSON list or an object
  /// with the indices as keys); unnamed classes are the 80 of COCO, or numbered.
  ///
  /// - Throws: `YOLOError.unknownArchitecture`, or `.weights` if a decisive tensor is missing.
  package init(_ store: WeightStore) throws(YOLOError) {
    let model = store.root["model"]
    let head = model[Self.headIndex]
    let stem = try Self.outputs(model[0]["conv"])
    let deepest = try Self.outputs(model[9]["cv2"]["conv"])
    guard stem >= 8, stem % 8 == 0, deepest % 8 == 0, deepest >= stem else {
      throw YOLOError.unknownArchitecture(
        reason: "the first layer has \(stem) channels and layer 9 has \(deepest)")
    }
    width = Double(stem) / 64
    maximumChannels = Int(Double(deepest) / width)
    repeats = (0...).first { !model[10]["m"][$0]["ffn"][0]["conv"].contains("weight") }!
    guard (1...8).contains(repeats) else {
      throw YOLOError.unknownArchitecture(reason: "layer 10 has \(repeats) attention blocks")
    }
    c3kEverywhere = model[2]["m"][0]["cv3"]["conv"].contains("weight")
    coefficients = try Self.outputs(head["proto"]["cv3"]["conv"])
    classHidden = try Self.outputs(head["cv3"][0][0][1]["conv"])
    classCount = try Self.outputs(head["cv3"][0][2])
    names = try Self.names(store, count: classCount)
    if let name = store.metadata["variant"], let published = Variant(rawValue: name), variant != published {
      throw YOLOError.unknownArchitecture(
        reason:
          "the metadata says variant \(name), the shapes say \(variant?.rawValue ?? "none of n, s, m, l, x")")
    }
  }

  /// Channels of a layer that has `base` before scaling.
  func channels(_ base: Int) -> Int { Self.channels(base, width: width, atMost: maximumChannels) }

  private static func channels(_ base: Int, width: Double, atMost maximum: Int) -> Int {
    Int((Double(min(base, maximum)) * width / 8).rounded(.up)) * 8
  }

  private static func outputs(_ layer: WeightScope) throws(YOLOError) -> Int {
    let shape = try YOLOError.of(weights: { () throws(WeightError) in try layer.tensor("weight") }).shape
    guard shape.count == 4, shape[0] > 0 else {
      throw YOLOError.unknownArchitecture(reason: "\(layer.fullName("weight")) has shape \(shape)")
    }
    return shape[0]
  }

  private static func unnamed(_ count: Int) -> [String] {
    count == cocoClassNames.count ? cocoClassNames : (0..<count).map { "class \($0)" }
  }

  private static func names(_ store: WeightStore, count: Int) throws(YOLOError) -> [String] {
    guard let text = store.metadata["names"] else { return unnamed(count) }
    let value = try? JSONValue.parse(text)
    let names: [String]?
    if let list = value?.array {
      names = list.compactMap(\.string)
    } else {
      names = value?.object.map { object in (0..<object.count).compactMap { object["\($0)"]?.string } }
    }
    guard let names, names.count == count else {
      throw YOLOError.unknownArchitecture(
        reason: "the metadata's \"names\" are not a JSON list of \(count) class names")
    }
    return names
  }
}

extension YOLO11Architecture {
  /// Trained numbers of every layer that has any, running statistics and counters excluded.
  package static func parameterCounts(_ store: WeightStore) throws(WeightError) -> [(layer: Int, count: Int)]
  {
    let statistics = [".running_mean", ".running_var", ".num_batches_tracked"]
    var counts = [Int](repeating: 0, count: headIndex + 1)
    for layer in counts.indices {
      for name in store.root["model"][layer].names where !statistics.contains(where: name.hasSuffix) {
        counts[layer] += try store.tensor(named: name).count
      }
    }
    return counts.indices.filter { counts[$0] > 0 }.map { ($0, counts[$0]) }
  }
}
