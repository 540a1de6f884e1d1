import ArgumentParser
import FileFormats
import ONNX

/// Values for the inputs of a network of an ONNX file, given as NAME=FILE.
struct GivenValues {
  private let pairs: [(name: String, file: String)]

  /// - Throws: `ValidationError` of a text of another form, or of a name that is given twice.
  init(_ texts: [String]) throws {
    pairs = try texts.map { text in
      guard let (name, file) = FreeAxisOptions.pair(text), !file.isEmpty else {
        throw ValidationError("--input \(text): give NAME=FILE, for example images=picture.npy")
      }
      return (name, file)
    }
    let names = pairs.map(\.name)
    if let twice = names.first(where: { name in names.count(where: { $0.isSameName(as: name) }) > 1 }) {
      throw ValidationError("--input \(twice)=...: is given twice")
    }
  }

  var files: [String] { pairs.map(\.file) }

  /// Throws where options prepare pictures and no file is a picture.
  func check(_ preparation: PreparationOptions) throws {
    guard preparation.isGiven, !files.isEmpty, files.allSatisfy(Self.isPrepared) else { return }
    throw ValidationError(
      "--resize, --scale, --mean, --std and --bgr prepare pictures; no input is a picture")
  }

  private static let noNumPyTypes: Set<ElementType> = [.string, .bfloat16]

  private static func isPrepared(_ file: String) -> Bool { hasEnding(file, ".npy") || hasEnding(file, ".pb") }

  /// The values by the names of the inputs.
  ///
  /// - `sizes`: of free axes by their names, which the values must have.
  func read(
    for network: ONNXModel, _ sizes: NameTable<Int>, _ preparation: PreparationOptions
  ) throws -> NameTable<Value> {
    var values = NameTable<Value>()
    for (name, file) in pairs {
      // One with a default may be given too.
      guard let declared = network.program.inputs.first(where: { $0.name.isSameName(as: name) }) else {
        let names = network.inputs.map { "\"\($0.name)\"" }.joined(separator: ", ")
        throw CommandError.input("\(network.path): has no input \"\(name)\"; its inputs are \(names)")
      }
      values[name] = try Self.read(file, declared, sizes, preparation)
    }
    if network.defect == nil,
      let missing = network.inputs.first(where: { !$0.hasDefault && values[$0.name] == nil })
    {
      throw CommandError.input(
        "\(network.path): the input \"\(printableName(missing.name))\" is missing; add --input \(shellWord(missing.name + "=FILE"))"
      )
    }
    try checkAxes(sizes, of: network, values)
    return values
  }

  /// A file of one value, by its ending.
  private static func read(
    _ file: String, _ input: ONNX.Program.Input, _ sizes: NameTable<Int>, _ preparation: PreparationOptions
  ) throws -> Value {
    if hasEnding(file, ".pb") {
      let bytes = try FileBytes(path: file)
      return try InFile.naming(file) { try Value.read(bytes, type: input.type) }
    }
    if hasEnding(file, ".npy") {
      if case .tensor(let number, _)? = input.type, let type = ElementType(rawValue: number),
        Self.noNumPyTypes.contains(type)
      {
        throw CommandError.input(
          "\(file): the input \"\(input.name)\" is of type \(type.name), which no .npy file holds; give a .pb file, as "
            + "ONNX's test data are")
      }
      return .tensor(Tensor(try InFile.naming(file) { try NPYArray.read(path: file) }))
    }
    return .tensor(try preparation.tensor(of: file, for: input, sizes))
  }

  private func checkAxes(
    _ sizes: NameTable<Int>, of network: ONNXModel, _ values: NameTable<Value>
  ) throws {
    for (name, size) in sizes {
      var isKnown = false
      for declared in network.inputs {
        guard case .tensor(_, let axes?)? = declared.type, case .tensor(let tensor)? = values[declared.name],
          axes.count == tensor.shape.count
        else { continue }
        for (index, (stated, found)) in zip(axes, tensor.shape).enumerated() {
          guard let other = stated.freeName(index, of: declared.name), other.isSameName(as: name) else {
            continue
          }
          isKnown = true
          guard found == size else {
            throw CommandError.input(
              "\(network.path): the input \"\(declared.name)\" has \(found) along \"\(name)\", not \(size)")
          }
        }
      }
      guard isKnown else {
        throw CommandError.input(
          "\(network.path): no input has an axis \"\(name)\"; ardf inspect \(shellWord(network.path)) lists them"
        )
      }
    }
  }
}
