import Archives
import FileFormats
import NNRuntime
import ONNX

/// A defect of a checkpoint, or a checkpoint of something else than the networks known here.
public struct CheckpointError: Error, Equatable, CustomStringConvertible {
  /// The defect.
  public enum Kind: Error, Equatable {
    /// An ONNX file cannot be read.
    case export(ONNXError)
    /// The file cannot be opened.
    case file(FileError)
    /// Neither a zip archive nor a safetensors file.
    case unknownFormat
    /// The safetensors file is damaged.
    case weights(WeightError.Kind)
    /// The archive is damaged.
    case zip(ZipError)
    /// The archive is not one that PyTorch writes.
    case notTorch
    /// The checkpoint was written on a big-endian machine.
    case bigEndian
    /// The pickled part is damaged.
    case pickle(PickleError)
    /// Modules nested deeper than any network's.
    case tooDeep(limit: Int)
    /// More modules than any network has.
    case tooManyModules(limit: Int)
    /// More attributes of modules than any network has, counted as often as they are shared.
    case tooManyAttributes(limit: Int)
    /// More tensors than any network has.
    case tooManyTensors(limit: Int)
    /// A tensor's name, put together from its modules', is longer than any network's.
    case nameTooLong(limit: Int)
    /// The network's tensors, or the storages they lie in, unpack to far more bytes than the file has.
    case unpacksTooLarge(bytes: Int, limit: Int)
    /// The same tensor name twice.
    case duplicateName
    /// No table of tensors and no module was found.
    case noTensors
    /// A storage holds another number of bytes than declared.
    case wrongStorageSize(found: Int, needed: Int)
    /// A tensor's view reaches over its storage.
    case outsideStorage
    /// More dimensions or elements than a tensor can have.
    case invalidShape([Int])
    /// The tensors are those of no network known here.
    case unknownArchitecture(String)
    /// The tensors are those of a published network that cannot be converted, by its name.
    case unsupportedNetwork(String)
    /// Batch normalization was folded away before saving.
    case fused
    /// The network needs a tensor that is not there.
    case missing
    /// A tensor that the network does not have.
    case unexpected
    /// A tensor with another shape than the network's.
    case wrongShape(found: [Int], expected: [Int])
    /// A tensor of something else than floating-point numbers.
    case notFloat(String)
    /// The tensors of several networks, under these names.
    case severalNetworks([String])
    /// A module of this name computes something else than what is built for its tensors.
    case otherModule(String, reason: String)
    /// Its shapes are a network's, but its values or sizes are not one's that can be built.
    case notBuilt(reason: String)
    /// Modules in other names than the original's.
    case renamedModules
    /// The key-point shape stated by the checkpoint does not fit the number of values.
    case keypointShape(stated: String, values: Int)
    /// A weight file of an older converter, which did not compare modules; the checkpoint's name.
    case convertedBefore(String)
    /// A weight file of a later format than this program reads.
    case convertedLater(String)
    /// The class names cannot be read.
    case classNames(ClassNames.Defect)
    /// The class names do not fit the number of classes.
    case wrongClassCount(names: Int, classes: Int)
    /// The class names take more bytes than any network's.
    case classNamesTooLong(limit: Int)
    /// The three parts of an attention's projection differ in type.
    case mixedTypes
    /// `config.json` next to the checkpoint has values that cannot be used.
    case config(String)
    /// A metric depth network by its name, whose greatest depth is unknown.
    case unknownGreatestDepth
    /// A greatest depth that no network has.
    case invalidGreatestDepth(Double)
    /// A greatest depth was given for a network that has none.
    case needlessGreatestDepth
  }

  /// The defect.
  public let kind: Kind
  /// The tensor it is about, where it is about one.
  public let tensor: String?
  /// The file's path.
  public let file: String

  /// Builds an error.
  public init(_ kind: Kind, tensor: String? = nil, file: String) {
    self.kind = kind
    self.tensor = tensor
    self.file = file
  }

  /// One line: the file, the tensor, the defect and the remedy.
  public var description: String {
    if case .file(let error) = kind { return error.description }
    let defect = tensor.map { "\(file): tensor \"\(printableName($0))\": \(kind)" } ?? "\(file): \(kind)"
    let remedy = hasEnding(file, ".onnx") ? kind.remedyOfExports ?? kind.remedy : kind.remedy
    return remedy.map { "\(defect); \($0)" } ?? defect
  }
}

extension CheckpointError.Kind {
  /// The remedy for an ONNX file, where it is another one than a checkpoint's.
  fileprivate var remedyOfExports: String? {
    let asItIs = "run the file as it is with ardf infer"
    return switch self {
    case .missing:
      "the exporter has folded or renamed it: bring the checkpoint that was exported, or \(asItIs)"
    case .unexpected, .otherModule, .notBuilt, .keypointShape, .wrongClassCount, .mixedTypes:
      "bring the checkpoint that was exported, or \(asItIs)"
    case .unknownArchitecture, .unsupportedNetwork: "\(asItIs), or give an export of one of these"
    default: nil
    }
  }

  /// The remedy, where the defect itself does not say it.
  fileprivate var remedy: String? {
    switch self {
    case .file, .export, .unknownFormat, .unpacksTooLarge, .fused, .wrongShape, .notFloat, .severalNetworks,
      .renamedModules, .convertedBefore, .convertedLater, .unknownGreatestDepth, .invalidGreatestDepth,
      .needlessGreatestDepth:
      nil
    case .weights(let kind): kind.remedy
    case .zip, .notTorch, .pickle, .duplicateName, .wrongStorageSize, .outsideStorage, .invalidShape:
      "download it again, or save it again with torch.save"
    case .bigEndian: "save it on a little-endian machine"
    case .tooDeep, .tooManyModules, .tooManyAttributes, .tooManyTensors, .nameTooLong, .noTensors,
      .mixedTypes:
      "save the model's state_dict alone"
    case .unknownArchitecture, .unsupportedNetwork: "give a checkpoint of one of these"
    case .missing, .unexpected: "give the checkpoint as its trainer saved it"
    case .otherModule, .notBuilt: "export it to ONNX, which ardf infer runs"
    case .keypointShape, .classNames, .wrongClassCount, .classNamesTooLong:
      "correct that in the model, and save it again"
    case .config: "correct that file, or remove it"
    }
  }
}

extension CheckpointError.Kind: CustomStringConvertible {
  /// The defect and the remedy.
  public var description: String {
    switch self {
    case .file(let error): "\(error)"
    case .unknownFormat:
      "neither a PyTorch zip checkpoint nor a safetensors file; a checkpoint from before PyTorch 1.6 must be "
        + "saved again"
    case .weights(let error): "\(error)"
    case .export(let error): "\(error)"
    case .zip(let error): "\(error)"
    case .notTorch: "a zip archive without PyTorch's data.pkl"
    case .bigEndian: "written on a big-endian machine, which is not supported"
    case .pickle(let error): "\(error)"
    case .tooDeep(let limit): "modules are nested deeper than \(limit) levels"
    case .tooManyModules(let limit): "holds more than \(limit) modules"
    case .tooManyAttributes(let limit): "its modules hold more than \(limit) attributes"
    case .tooManyTensors(let limit): "holds more than \(limit) tensors"
    case .nameTooLong(let limit): "the name has more than \(limit) bytes"
    case .unpacksTooLarge(let bytes, let limit):
      "its tensors unpack to \(bytes) bytes, more than the \(limit) that a file of this size may hold; save it again "
        + "with torch.save"
    case .duplicateName: "the name appears twice"
    case .noTensors: "holds no table of tensors and no module under \"ema\", \"model\" or \"state_dict\""
    case .wrongStorageSize(let found, let needed):
      "its storage has \(counted(found, "byte")) where \(needed) are declared: the file is damaged"
    case .outsideStorage: "its elements lie outside its storage"
    case .invalidShape(let shape): "shape \(shape) is impossible"
    case .unknownArchitecture(let reason):
      "not a network that can be converted (\(RecognizedNetwork.convertible)): \(printableName(reason))"
    case .unsupportedNetwork(let name):
      "not a network that can be converted (\(RecognizedNetwork.convertible)): it is \(name)"
    case .fused: "batch normalization was folded before saving: convert the original checkpoint"
    case .missing: "is missing"
    case .unexpected: "is not part of the network"
    case .wrongShape(let found, let expected): "shape \(found), the network needs \(expected)"
    case .notFloat(let type): "element type \(type), floating-point numbers are needed"
    case .notBuilt(let reason):
      "not a network that can be converted (\(RecognizedNetwork.convertible)): \(printableName(reason))"
    case .severalNetworks(let names):
      "holds several networks, under \(names.prefix(4).map { "\"\(printableName($0))\"" }.joined(separator: ", ")): "
        + "save one of them"
    case .otherModule(let name, let reason):
      "module \"\(printableName(name))\" computes something else than what is built here: \(printableName(reason))"
    case .renamedModules:
      "a pickled network of Hugging Face's transformers: save it with save_pretrained, or its state_dict"
    case .keypointShape(let stated, let values):
      "says that its key points are \(printableName(stated)), it has \(counted(values, "number")) of them"
    case .convertedBefore(let source): OutdatedConversion.message(source)
    case .convertedLater(let format): OutdatedConversion.laterMessage(format)
    case .classNames(let defect): "its class names \(defect)"
    case .wrongClassCount(let names, let classes):
      "\(counted(names, "class name")) for \(counted(classes, "class", "classes"))"
    case .classNamesTooLong(let limit): "its class names have more than \(limit) bytes"
    case .mixedTypes: "query, key and value differ in element type"
    case .config(let reason): "config.json beside it: \(printableName(reason))"
    case .unknownGreatestDepth:
      "its name says that it is a metric network, but nothing says what its greatest depth is: give --max-depth 20 "
        + "(indoor, trained on Hypersim) or 80 (outdoor, trained on VKITTI)"
    case .invalidGreatestDepth(let depth):
      "a greatest depth of \(depth): give meters from 0.1 to 10000, such as 20 or 80"
    case .needlessGreatestDepth:
      "--max-depth belongs to a metric checkpoint of Depth Anything V2, this is another network: leave it out"
    }
  }
}

extension CheckpointError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch kind {
    case .file(let file): file.fault
    case .export(let export): export.fault
    case .unknownFormat, .weights, .zip, .notTorch, .bigEndian, .pickle, .tooDeep, .tooManyModules,
      .tooManyAttributes, .tooManyTensors, .nameTooLong, .unpacksTooLarge, .duplicateName, .noTensors,
      .wrongStorageSize, .outsideStorage, .invalidShape, .unknownArchitecture, .unsupportedNetwork, .fused,
      .missing, .unexpected, .wrongShape, .notFloat, .severalNetworks, .otherModule, .notBuilt,
      .renamedModules, .keypointShape, .convertedBefore, .convertedLater, .classNames, .wrongClassCount,
      .classNamesTooLong, .mixedTypes, .config, .unknownGreatestDepth, .invalidGreatestDepth,
      .needlessGreatestDepth:
      .malformedInput
    }
  }
}
