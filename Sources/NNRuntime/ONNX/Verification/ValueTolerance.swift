import FileFormats

/// How far an output may be from the expected one: |a - e| <= absolute + relative |e|.
package struct ValueTolerance: Sendable {
  package var relative = 1e-3
  /// One for all elements, or one for each position of an axis counted from the back.
  package var absolute = [1e-7]
  package var axis = -1

  package init() {}
}

/// The tolerances of a case: `data.json` beside the model, where it has one.
package struct CaseTolerances: Sendable {
  private var common = ValueTolerance()
  private var outputs = NameTable<ValueTolerance>()
  /// Outputs whose rows may come in another order.
  package private(set) var unordered: [String] = []

  /// Without a file ONNX's own: 1e-3 and 1e-7.
  package init(folder: String) throws {
    let path = folder + "/data.json"
    guard fileExists(path) else { return }
    let bytes: [UInt8]
    do throws(FileError) { bytes = try FileBytes.contents(of: path) } catch { throw ONNXError.file(error) }
    guard case .object(let members)? = try? JSONValue.parse(bytes) else {
      throw ONNXError.malformed("\(path): must be a JSON object")
    }
    Self.read(members, into: &common)
    if case .array(let names)? = members["unordered"] { unordered = names.compactMap(\.string) }
    guard case .object(let own)? = members["outputs"] else { return }
    for (name, value) in own {
      guard case .object(let members) = value else { continue }
      var tolerance = common
      Self.read(members, into: &tolerance)
      outputs[name] = tolerance
    }
  }

  package subscript(output: String) -> ValueTolerance { outputs[output] ?? common }

  private static func read(_ members: NameTable<JSONValue>, into tolerance: inout ValueTolerance) {
    if let value = members["rtol"]?.number { tolerance.relative = value }
    if let value = members["atol"]?.number { tolerance.absolute = [value] }
    if case .array(let values)? = members["atol"] { tolerance.absolute = values.compactMap(\.number) }
    if let axis = members["axis"]?.integer(in: -16 ... -1) { tolerance.axis = axis }
  }
}
