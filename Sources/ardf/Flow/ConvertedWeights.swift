import Digests
import FileFormats
import FoundationEssentials
import Models
import NNRuntime

/// Published checkpoints made into weight files on their first use.
enum ConvertedWeights {
  private static let endings = [".pt", ".pth"]

  static func isCheckpoint(_ path: String) -> Bool { endings.contains { path.hasSuffix($0) } }

  /// The weight file of a checkpoint, kept in the user's cache under the checkpoint's digest and name: of some
  /// networks only the name says what they are.
  static func of(_ checkpoint: String) throws -> String {
    guard let folder = WeightFolders.converted else {
      throw CommandError.noWeights(
        "\(checkpoint) must be converted first, as neither $HOME nor $XDG_CACHE_HOME is set: ardf convert "
          + "\(shellWord(checkpoint)) best.safetensors")
    }
    let bytes = try FileBytes(path: checkpoint)
    let name = checkpoint.split(separator: "/").last ?? ""
    let file = "\(folder)/\(sha256Hex(bytes))-\(name).safetensors"
    if FileManager.default.fileExists(atPath: file) { return file }
    let weights = try CheckpointConverter.read(bytes, at: checkpoint)
    try OutputError.mapping { () throws(FileError) in try Folders.create(folder) }
    try OutputError.mapping { () throws(FileError) in
      try SafetensorsWriter.write(weights.tensors, metadata: weights.metadata, to: file, overwrite: true)
    }
    Console.note("\(checkpoint) converted to \(file)")
    return file
  }
}
