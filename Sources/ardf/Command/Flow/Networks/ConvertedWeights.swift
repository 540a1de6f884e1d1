import Digests
import FileFormats
import Models
import NNRuntime
import OutputFolders

#if canImport(FoundationEssentials)
  import FoundationEssentials
#else
  import Foundation
#endif

/// Published checkpoints, converted to weight files on their first use.
enum ConvertedWeights {
  private static let endings = [".pt", ".pth", ".onnx"]

  static func isCheckpoint(_ path: String) -> Bool { endings.contains { path.hasSuffix($0) } }

  /// The weight file of a checkpoint, kept in the user's cache under the checkpoint's digest and name.
  ///
  /// The name counts because some networks are recognized by it alone.
  /// An ONNX file that is run as it is, is its own.
  static func of(_ checkpoint: String) throws -> GivenPath {
    if try NetworkWeights.asItIs(checkpoint) != nil { return GivenPath(checkpoint) }
    return GivenPath(try file(of: checkpoint), madeFrom: checkpoint)
  }

  private static func file(of checkpoint: String) throws -> String {
    guard let folder = WeightFolders.converted else {
      throw CommandError.noWeights(
        "\(checkpoint) must be converted first, as neither $HOME nor $XDG_CACHE_HOME is set: ardf convert "
          + "\(shellWord(checkpoint)) best.safetensors")
    }
    try ForeignModel.refuse(checkpoint)
    let bytes = try FileBytes(path: checkpoint)
    let name = lastComponent(checkpoint)
    let file = "\(folder)/\(sha256Hex(bytes))-\(name).safetensors"
    // Weights that lie beside an ONNX file are not in its digest.
    let isWhole = !hasEnding(checkpoint, ".onnx") || bytes.count > 1 << 20
    if isWhole, isCurrent(file, ofExport: hasEnding(checkpoint, ".onnx")) { return file }
    let weights = try naming(checkpoint) { () throws(CheckpointError) in
      try CheckpointConverter.read(bytes, at: checkpoint)
    }
    try OutputError.mapping { () throws(FileError) in try Folders.create(folder) }
    try OutputError.mapping { () throws(FileError) in
      try SafetensorsWriter.write(weights.tensors, metadata: weights.metadata, to: file, overwrite: true)
    }
    Console.note("\(checkpoint) converted to \(file)")
    for remark in weights.remarks { Console.note(remark) }
    return file
  }

  /// Runs a step that reads a checkpoint; of an ONNX file of another network it says what runs it.
  static func naming<Result>(_ checkpoint: String, _ read: () throws(CheckpointError) -> Result) throws
    -> Result
  {
    do throws(CheckpointError) {
      return try read()
    } catch {
      guard hasEnding(checkpoint, ".onnx") else { throw error }
      switch error.kind {
      case .unknownArchitecture, .unsupportedNetwork, .notBuilt:
        // The remedy names the command; of this file it is a whole line.
        let line = "\(error)".replacing(
          "with ardf infer", with: "with ardf infer \(shellWord(checkpoint))", maxReplacements: 1)
        throw CommandError.input(line)
      default: throw error
      }
    }
  }

  /// Whether there is a file made by this version of the converter; files of older versions are made again.
  ///
  /// - `isExport`: whether the checkpoint is an exported graph; its file is current only if it was compared with the
  ///   network built here.
  private static func isCurrent(_ file: String, ofExport isExport: Bool) -> Bool {
    guard FileManager.default.fileExists(atPath: file), let weights = try? WeightStore(path: file) else {
      return false
    }
    return weights.metadata["format"] == CheckpointConverter.formatVersion
      && (!isExport || weights.metadata[ModuleFacts.key] == ModuleFacts.compared)
  }
}
