import Digests
import FileFormats
import NNRuntime

/// Turns published checkpoints into weight files of the networks here.
///
/// Read: Ultralytics YOLOv8, YOLO11 and YOLO26 `.pt`, Depth Anything V2 `.pth` (relative or metric), Prompt Depth
/// Anything Small `.ckpt`, and safetensors files of any of them in their original names or Hugging Face's. No code of a checkpoint is
/// ever run.
public enum CheckpointConverter {
  /// A checkpoint ready to be written.
  public struct Checkpoint: Sendable {
    /// The network: `yolo11-seg`, `yolov8`, `depth-anything-v2`, `prompt-depth-anything`.
    public let architecture: String
    /// `n`, `s`, `m`, `l` or `x`; `small`.
    public let variant: String
    /// The weights under the names the networks load.
    public let tensors: [String: Tensor]
    /// Architecture, variant, class names, stride, source, license: what a weight file says of itself.
    public let metadata: [String: String]
    /// Remarks on the weights, for people.
    public let remarks: [String]
  }

  /// The first version did not compare modules; see `OutdatedConversion`.
  public static let formatVersion = "ardf.weights/2"

  /// Converts the file at `input` and writes a safetensors file, whole or not at all.
  ///
  /// - Parameters:
  ///   - input: The checkpoint.
  ///   - output: The file to be written.
  ///   - overwrite: Whether an existing file is replaced.
  ///   - maxDepth: As for `read(_:maxDepth:)`.
  /// - Returns: What was read.
  /// - Throws: `CheckpointError`, for an output that cannot be written too.
  @discardableResult
  public static func convert(
    _ input: String, to output: String, overwrite: Bool, maxDepth: Double? = nil
  ) throws(CheckpointError) -> Checkpoint {
    let checkpoint = try read(input, maxDepth: maxDepth)
    do throws(FileError) {
      try SafetensorsWriter.write(
        checkpoint.tensors, metadata: checkpoint.metadata, to: output, overwrite: overwrite)
    } catch {
      throw CheckpointError(.file(error), file: output)
    }
    return checkpoint
  }

  /// Reads and checks the checkpoint at `path`: its names, shapes and types are exactly the network's.
  ///
  /// A metric depth network has the names and shapes of a relative one. It is known by Hugging Face's `config.json`
  /// beside it, by the name that it was published under, or by its greatest depth given here.
  ///
  /// - Parameters:
  ///   - path: The checkpoint.
  ///   - maxDepth: The greatest depth of a metric depth network, meters.
  /// - Returns: Its tensors, and what is known of it.
  /// - Throws: `CheckpointError`.
  public static func read(
    _ path: String, maxDepth: Double? = nil
  ) throws(CheckpointError) -> Checkpoint {
    let bytes: FileBytes
    do {
      bytes = try FileBytes(MappedFile(path: path))
    } catch {
      throw CheckpointError(.file(error), file: path)
    }
    return try read(bytes, file: path, ConversionHints(path: path, maxDepth: maxDepth))
  }

  /// Reads and checks a checkpoint held in memory; see `read(_:maxDepth:)`.
  package static func read(
    _ bytes: FileBytes, file: String, maxDepth: Double? = nil
  ) throws(CheckpointError) -> Checkpoint {
    try read(bytes, file: file, ConversionHints(path: nil, maxDepth: maxDepth))
  }

  /// Reads and checks the checkpoint at `path`, whose bytes are at hand; see `read(_:maxDepth:)`.
  package static func read(_ bytes: FileBytes, at path: String) throws(CheckpointError) -> Checkpoint {
    try read(bytes, file: path, ConversionHints(path: path, maxDepth: nil))
  }

  private static func read(
    _ bytes: FileBytes, file: String, _ hints: ConversionHints
  ) throws(CheckpointError) -> Checkpoint {
    do {
      let source = try CheckpointSource(bytes, file: file)
      let found = try identify(source, hints)
      var metadata = found.metadata
      metadata["format"] = formatVersion
      metadata["architecture"] = found.architecture
      metadata["variant"] = found.variant
      metadata["source_file"] = lastComponent(file)
      metadata["source_sha256"] = sha256Hex(bytes)
      let tensors = try source.loaded()
      let weights = WeightStore(tensors: tensors, metadata: metadata, file: file)
      if let layers = source.exportedLayers {
        try ExportComparison.check(bytes, file: file, layers: layers, against: weights)
        metadata[ModuleFacts.key] = ModuleFacts.compared
      }
      try checkBuilds(weights)
      return Checkpoint(
        architecture: found.architecture, variant: found.variant, tensors: tensors, metadata: metadata,
        remarks: found.remarks.filter {
          $0 != ModuleFacts.remark || metadata[ModuleFacts.key] == ModuleFacts.untold
        })
    } catch {
      throw CheckpointError(error.kind, tensor: error.tensor, file: file)
    }
  }

  /// Refuses what a converted file would be refused for where it is used.
  private static func checkBuilds(_ weights: WeightStore) throws(CheckpointErrorAt) {
    do throws(NetworkError) {
      _ = try InspectedNetwork(weights: weights, pool: ThreadPool(threads: 1))
    } catch {
      throw CheckpointErrorAt(.notBuilt(reason: "\(innermost(error))"))
    }
  }

  static func identify(
    _ source: CheckpointSource, _ hints: ConversionHints
  ) throws(CheckpointErrorAt) -> IdentifiedCheckpoint {
    switch RecognizedNetwork(TensorShapes(source)) {
    case .member(let family): return try family.identify(source, hints)
    case .unsupported(let name): throw CheckpointErrorAt(.unsupportedNetwork(name))
    case .unknown(let first):
      throw CheckpointErrorAt(
        .unknownArchitecture(first.map { "its first tensor is \"\($0)\"" } ?? "it holds no tensors"))
    }
  }
}
