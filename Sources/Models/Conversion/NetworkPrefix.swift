import FileFormats

/// Prefixes that wrappers put before the names of tensors and modules, in any order and depth.
struct NetworkPrefix {
  /// Names that tell YOLO's first layer, without the name of the list of layers.
  private static let stems = ["0.conv.weight", "0.stem1.conv.weight"]
  /// Names that tell a depth network's encoder: the original's, and Hugging Face's.
  private static let encoders = ["pretrained", "backbone"]
  private static let layers = "model."
  /// Last parts of names that training leaves: counters of normalizations, and of operations as thop counts them.
  private static let leftovers: Set<Substring> = ["num_batches_tracked", "total_ops", "total_params"]

  /// The prefix to remove from a name, and its replacement.
  private let taken, put: String

  /// The one network among the tensors of these names; a network that is not known has no prefix.
  init(_ names: some Collection<String>) throws(CheckpointErrorAt) {
    var bases: Set<String> = []
    for name in names {
      for stem in Self.stems where name.hasSuffix(stem) {
        let base = name.dropLast(stem.count)
        let isWhole = base.isEmpty || base.hasSuffix(".")
        if isWhole, !base.split(separator: ".").contains(where: Self.isIndex) {
          bases.insert(String(base))
        }
      }
    }
    if bases.isEmpty {
      taken = Self.wrapperOfEncoder(names)
      put = ""
      return
    }
    guard bases.count == 1, let base = bases.first else {
      throw CheckpointErrorAt(.severalNetworks(bases.sorted()))
    }
    (taken, put) = (base, Self.layers)
  }

  private static func wrapperOfEncoder(_ names: some Collection<String>) -> String {
    for encoder in encoders {
      for name in names {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        guard let place = parts.firstIndex(of: Substring(encoder)), place > 0,
          !parts[..<place].contains(where: { Self.isIndex($0) || encoders.contains(String($0)) })
        else { continue }
        return parts[..<place].joined(separator: ".") + "."
      }
    }
    return ""
  }

  /// The highest index of a module in a list of modules.
  static let lastIndex = 1 << 20

  private static func isIndex(_ part: Substring) -> Bool { integer(of: part, in: 0...lastIndex) != nil }

  /// Whether a tensor is not one of a network's weights.
  static func isLeftover(_ name: String) -> Bool {
    leftovers.contains(name.split(separator: ".").last ?? "")
  }

  /// Whether what is taken ends with the name of the list of layers, whose place the network itself has.
  private var namesList: Bool { taken == Self.layers || taken.hasSuffix(".\(Self.layers)") }

  /// Whether there is something around the network.
  private var isWrapped: Bool { taken != put && !taken.isEmpty }

  /// Where the network's module is among those of a pickle, or its list of layers where that was saved by itself; with
  /// a final dot, or empty.
  private var place: Substring { namesList && !put.isEmpty ? taken.dropLast(Self.layers.count) : taken[...] }

  /// The network's module, by whose name what it says is found.
  var network: String { String(place.hasSuffix(".") ? place.dropLast() : place) }

  /// The name that a tensor has in the network by itself; nil of what is not part of it.
  func tensor(_ name: String) -> String? {
    guard name.hasPrefix(taken) else {
      // Without a wrapper what does not belong there is recognized by the network.
      return isWrapped ? nil : name
    }
    return put + name.dropFirst(taken.count)
  }

  /// The name that a module has in the network by itself, whose own is empty; nil of what is not part of it.
  func module(_ name: String) -> String? {
    let dotted = name.isEmpty ? "" : "\(name)."
    if namesList, dotted == place { return "" }
    guard dotted.hasPrefix(taken) else { return nil }
    return String((put + dotted.dropFirst(taken.count)).dropLast())
  }
}
