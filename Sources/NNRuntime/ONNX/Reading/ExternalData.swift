import FileFormats

/// The files beneath a model's folder that hold its weights, each mapped once.
package final class ExternalData {
  private let folder: String
  private var files = NameTable<FileBytes>()

  /// - Parameter model: The model's path.
  package init(besideModel model: String) {
    folder = model.contains("/") ? String(model[..<model.lastIndex(of: "/")!]) : "."
  }

  /// The files that were mapped so far.
  var mappedFiles: [FileBytes] { files.values }

  /// The bytes that a tensor's `external_data` names.
  func bytes(_ entries: [(key: String, value: String)], of tensor: String) throws -> FileBytes {
    func value(_ key: String) -> String? { entries.last { $0.key == key }?.value }
    func number(_ key: String) throws -> Int? {
      guard let text = value(key) else { return nil }
      guard let found = integer(of: text, in: 0...Int.max / 2) else {
        throw ONNXError.malformed(
          "tensor \"\(tensor)\": \(key) \"\(text)\" of its external data is not a number")
      }
      return found
    }
    guard let location = value("location") else {
      throw ONNXError.malformed("tensor \"\(tensor)\" is external but names no file")
    }
    let file = try mapped(location)
    let offset = try number("offset") ?? 0
    guard offset <= file.count else { throw outside(tensor, location, file.count) }
    let length = try number("length") ?? file.count - offset
    guard length <= file.count - offset else { throw outside(tensor, location, file.count) }
    return file.slice(offset..<offset + length)
  }

  /// Only plain files beneath the folder: no way up, no absolute path, no link that leads out.
  private func mapped(_ location: String) throws -> FileBytes {
    if let file = files[location] { return file }
    let parts = location.split(separator: "/", omittingEmptySubsequences: false)
    guard !location.hasPrefix("/"), !location.utf8.contains(0), !parts.contains(".."), !location.isEmpty
    else {
      throw ONNXError.malformed("external data \"\(location)\" lies outside of the model's folder")
    }
    let path = "\(folder)/\(location)"
    do throws(FileError) {
      guard let real = POSIX.resolved(path), let root = POSIX.resolved(folder) else {
        throw FileError.missing(path: path)
      }
      guard root == "/" || real.startsWithBytes(of: root + "/") else {
        throw FileError.foreign(path: path, entry: nil)
      }
      let file = try FileBytes(path: path)
      files[location] = file
      return file
    } catch {
      if case .foreign = error {
        throw ONNXError.malformed("external data \"\(location)\" leads out of the model's folder")
      }
      if case .missing = error { throw ONNXError.missingWeights(path: path) }
      throw ONNXError.file(error)
    }
  }

  private func outside(_ tensor: String, _ location: String, _ size: Int) -> ONNXError {
    .malformed(
      "tensor \"\(tensor)\" reaches over the end of \"\(location)\", which has \(counted(size, "byte"))")
  }
}
