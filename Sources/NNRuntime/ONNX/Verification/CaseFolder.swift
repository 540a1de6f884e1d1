package import FileFormats

/// A folder of inputs and expected outputs beside a model, as ONNX's own tests and its model zoo have them.
package struct CaseFolder: Sendable {
  /// One folder of inputs and outputs.
  package struct DataSet: Sendable {
    package let name: String
    package let inputs: NameTable<Value>
    package let outputs: [(name: String, value: Value)]
  }

  package let path: String

  package init(path: String) { self.path = path }

  /// The names of `test_data_set_0` and so on, in order; the folder itself where it holds an input or output.
  package func dataSets() throws -> [String] {
    let names: [String]
    do throws(FileError) { names = try folderNames(of: path) } catch { throw ONNXError.file(error) }
    let sets = names.filter { $0.hasPrefix("test_data_set_") }.sortedNaturally()
    if !sets.isEmpty { return sets }
    guard names.contains(where: { $0.hasPrefix("output_") && $0.hasSuffix(".pb") }) else {
      throw ONNXError.input(
        "\(path): holds neither test_data_set_0 nor output_0.pb; give a folder of ONNX's test data, or a file of recorded tensors"
      )
    }
    return ["."]
  }

  /// Reads the values of one data set by the names and types of a model.
  package func dataSet(_ name: String, of model: ONNXModel) throws -> DataSet {
    let inputs = try values(name, "input", model.inputs.map { ($0.name, $0.type) })
    let outputs = try values(name, "output", model.outputs.map { ($0.name, $0.type) })
    return DataSet(name: name, inputs: NameTable(inputs.map { ($0.name, $0.value) }), outputs: outputs)
  }

  /// A value without a file is left out; a tensor whose own name fits another value is that one's.
  private func values(
    _ folder: String, _ stem: String, _ declared: [(name: String, type: TypeMessage?)]
  ) throws -> [(name: String, value: Value)] {
    var found: [(name: String, value: Value)] = []
    for (index, value) in declared.enumerated() {
      let file = "\(path)/\(folder)/\(stem)_\(index).pb"
      guard fileExists(file) else { continue }
      let bytes: FileBytes
      do throws(FileError) { bytes = try FileBytes(path: file) } catch { throw ONNXError.file(error) }
      do {
        var (name, type) = value
        if case .tensor = type {
          let own = try TensorMessage(bytes).name
          if let other = declared.first(where: { $0.name.isSameName(as: own) }) { (name, type) = other }
        }
        found.append((name, try Value.read(bytes, type: type)))
      } catch let error as ONNXError {
        if case .malformed(let text) = error { throw ONNXError.malformed("\(file): \(text)") }
        throw error
      }
    }
    return found
  }
}
