import FileFormats
import NNRuntime

/// The side of the pictures that a checkpoint was trained on, as it states it (`imgsz`).
package struct TrainingSide: Sendable {
  /// The field's name, in checkpoints and in converted files.
  package static let key = "imgsz"
  private static let range = 1...1 << 20

  /// The longer side, in pixels; nil where none is stated, or the statement is not a side.
  package let side: Int?
  /// Whether anything is stated.
  let isStated: Bool
  private let text: String

  /// A value of a checkpoint: a whole number, one as text, or a list, of whose sides Ultralytics trains with the larger.
  init(_ value: PlainValue?) {
    if case .none? = value {
      (side, isStated, text) = (nil, false, "")
    } else {
      side = value.flatMap(Self.side)
      isStated = value != nil
      text = value?.text ?? ""
    }
  }

  /// A field of a weight file, as JSON or Python writes it.
  init(written text: String?) {
    side = text.map(PlainValue.init(written:)).flatMap(Self.side)
    isStated = text != nil
    self.text = text ?? ""
  }

  private static func side(_ value: PlainValue) -> Int? {
    switch value {
    case .list(let elements):
      let sides = elements.compactMap(side)
      return (1...2).contains(elements.count) && sides.count == elements.count ? sides.max() : nil
    case .integer, .number: return value.index.flatMap { range.contains($0) ? $0 : nil }
    case .text(let text):
      let value = PlainValue(written: text)
      if case .text = value { return nil }
      return side(value)
    case .none, .flag, .dictionary, .other: return nil
    }
  }

  /// A remark on a statement that no input can follow; nil for one that is used, and where there is none.
  var remark: String? {
    guard isStated, !(side.map(ObjectInput.isSide) ?? false) else { return nil }
    return "it says that it was trained at \(printableName(text)) (imgsz), which is not used: a side is "
      + ObjectInput.sideRule
  }

  /// The remark on a weight file's statement; nil for one that is used, and where there is none.
  package static func remark(of weights: WeightStore) -> String? {
    TrainingSide(written: weights.metadata[key]).remark
  }
}
