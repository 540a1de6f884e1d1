import ArgumentParser
import FileFormats

/// Sizes of axes that an ONNX file leaves open.
struct FreeAxisOptions: ParsableArguments {
  @Option(
    help: ArgumentHelp(
      "Of an ONNX file: the size of a free axis by its name, or input.position without one. Repeatable.",
      valueName: "name=size"))
  var axis: [String] = []

  func validate() throws {
    for text in axis where Self.size(text) == nil {
      throw ValidationError("--axis \(text): give NAME=SIZE, for example batch=1")
    }
    let names = axis.compactMap { Self.size($0)?.name }
    if let twice = names.first(where: { name in names.count(where: { $0.isSameName(as: name) }) > 1 }) {
      throw ValidationError("--axis \(twice)=...: is given twice")
    }
  }

  /// Whether a size was given.
  var isGiven: Bool { !axis.isEmpty }
  /// The sizes by the names of their axes.
  var sizes: NameTable<Int> { NameTable(axis.compactMap(Self.size).map { ($0.name, $0.size) }) }

  /// Throws where a size is given for a file other than ONNX.
  func refuse(of network: String) throws {
    guard isGiven else { return }
    throw CommandError.usage("--axis \(axis[0]): \(network) is not an ONNX file; only those have free axes")
  }

  private static func size(_ text: String) -> (name: String, size: Int)? {
    guard let (name, value) = Self.pair(text), let size = integer(of: value, in: 0...1 << 40) else {
      return nil
    }
    return (name, size)
  }

  /// The texts before and after the last equals sign.
  ///
  /// A name may hold equals signs; its value, a number or a file, does not.
  static func pair(_ text: String) -> (name: String, value: String)? {
    guard let sign = text.lastIndex(of: "="), sign > text.startIndex else { return nil }
    return (String(text[..<sign]), String(text[text.index(after: sign)...]))
  }
}
