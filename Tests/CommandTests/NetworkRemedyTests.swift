import Archives
import Evaluation
import FileFormats
import Geometry
import HTTPServing
import InferenceProtocol
import Models
import NNRuntime
import NNVerification
import Reporting
import Sharding
import TestSupport
import Testing
import ardf

/// Errors of networks, weights, labels, jobs and servers say what to do, once.
///
/// Those of captures are RemedyTests'; tools/check/house-rules holds that no case is left out.
@Suite struct NetworkRemedyTests {
  private static let weights: [WeightError.Kind] = [
    .tooSmall(bytes: 1), .zipArchive, .headerTooLong(bytes: 1), .headerCutOff(fileBytes: 1, promised: 2),
    .headerNotAnObject, .malformedHeader(.tooDeep(limit: 1, offset: 1)), .invalidMetadata, .invalidName,
    .entryNotAnObject, .missingField("a"), .unknownField("a"), .unknownDType("a"), .invalidShape,
    .tooManyDimensions(9), .shapeOverflows([1]), .invalidOffsets, .wrongByteCount(found: 1, needed: 2),
    .overlap(with: "a"), .hole(bytes: 1), .incomplete(fileBytes: 1, promised: 2), .trailingBytes(1),
    .missing(nearest: []), .missing(nearest: ["a"]), .wrongShape(found: [1], expected: [2]), .notFloat(.int8),
    .wrongScales(found: [1], expected: 2), .badScale(channel: 1), .changedScales, .nonFinite(index: 1),
    .unused(["a"]), .invalidActivations("r"),
  ]
  private static let pickles: [PickleError] = [
    .tooLarge(bytes: 2, limit: 1), .unexpectedEnd(offset: 1), .unsupportedProtocol(9),
    .unsupportedInstruction(1, offset: 1), .stackUnderflow(offset: 1), .missingMark(offset: 1),
    .unbalancedEnd,
    .trailingBytes(offset: 1), .unknownMemo(1, offset: 1), .invalidLength(offset: 1), .invalidText(offset: 1),
    .wrongOperand("r", offset: 1), .malformedTensor("r", offset: 1), .unsupportedStorage("a", offset: 1),
    .limitReached("values", limit: 1),
  ]
  private static let checkpoints: [CheckpointError.Kind] =
    [
      .unknownFormat, .weights(.tooSmall(bytes: 1)), .weights(.zipArchive), .zip(.noDirectory), .notTorch,
      .bigEndian, .tooDeep(limit: 1), .tooManyModules(limit: 1), .tooManyAttributes(limit: 1),
      .tooManyTensors(limit: 1), .nameTooLong(limit: 1), .unpacksTooLarge(bytes: 2, limit: 1), .duplicateName,
      .noTensors, .wrongStorageSize(found: 1, needed: 2), .outsideStorage, .invalidShape([1]),
      .unknownArchitecture("r"), .unsupportedNetwork("a"), .fused, .missing, .unexpected,
      .wrongShape(found: [1], expected: [2]), .notFloat("a"), .severalNetworks(["a", "b"]),
      .otherModule("a", reason: "r"), .notBuilt(reason: "r"), .renamedModules,
      .keypointShape(stated: "a", values: 1),
      .convertedBefore("a"), .convertedLater("ardf.weights/3"), .classNames(.badIndex),
      .wrongClassCount(names: 1, classes: 2),
      .classNamesTooLong(limit: 1), .mixedTypes, .config("r"), .unknownGreatestDepth,
      .invalidGreatestDepth(0),
      .needlessGreatestDepth,
    ] + pickles.map { .pickle($0) }
  private static let networks: [any Error & CustomStringConvertible] = [
    DepthError.tooElongated(.init(width: 9, height: 1), bound: 14, largest: 1), DepthError.invalidBound(1),
    DepthError.notWholePatches(.init(width: 9, height: 1)), DepthError.unknownArchitecture(reason: "r"),
    DepthError.nonFiniteOutput, DepthError.noPrompt, DepthError.convertedBefore("a"),
    DepthError.convertedLater("ardf.weights/3"),
    YOLOError.unknownArchitecture(reason: "r"), YOLOError.invalidInputSize(height: 1, width: 1),
    YOLOError.notSquare(height: 1, width: 2), YOLOError.nonFiniteOutput(name: "a"),
    YOLOError.tooManyMaskPixels(limit: 1), YOLOError.noMaskMemory, YOLOError.convertedBefore("a"),
    YOLOError.convertedLater("ardf.weights/3"),
    DETRError.config(file: "config.json", reason: "r"), DETRError.otherPorts, DETRError.severalPictures,
    DETRError.otherSide(64, .init(width: 8, height: 8)), DETRError.otherShape(output: "a", [1]),
    DETRError.nonFiniteOutput,
    NetworkError.unsupported("a"), NetworkError.unknown(first: "a"), NetworkError.unknown(first: nil),
    PortError.noInput("a", known: ["b"]), PortError.noOutput("a", known: ["b"]),
    PlanError.otherKernels(measured: "a", running: "b"), PrecisionError.nativeOnly(.int8),
    PrecisionError.noInstructions(.fp16, instructionSet: "a", available: [.fp32, .bf16]),
    InstructionSetError.unknownName("a"), InstructionSetError.unavailable("a", available: ["b"]),
    OpenBLASError.missing("r"), OpenBLASError.incompatible(function: "f"),
    MeasuredChoicesError.duplicate("a"), MeasuredChoicesError.impossible("a", algorithm: "b"),
    MeasuredChoicesError.otherKernels(measured: "a", running: "b"), MeasuredChoicesError.malformed("p"),
    MixedPrecisionError.malformed("p"), MixedPrecisionError.twice(network: "a"),
    MixedPrecisionError.otherPrecision(.int8, asked: .bf16),
    SensitivityError.nothingToLower(network: "a", .int8),
    SensitivityError.outOfReach(kept: .fp32, error: 0.1),
    SensitivityError.emptyPictures(1, of: 2),
  ]
  private static let verification: [VerificationError] = [
    .shape("a", found: [2, 1], expected: [1, 2]), .shape("a", found: [4, 2], expected: [1, 2]),
    .shape("a", found: [3], expected: [2]), .anotherNetwork("a", layer: "b", found: [1], expected: [2]),
    .objects(found: [1], columns: 6), .thresholds([1]), .noInput("input"), .nothingToCompare, .differentPlans,
    .differentNetworks(found: "a", expected: "b"), .differentInputs("a", "b"), .noCommonLayers,
    .notATrace("f"),
  ]
  private static let labels: [LabelError] = [
    .noFolder(path: "f", needed: "images"), .noPictures(folder: "f"), .noLabels(folder: "f"),
    .noPicture(file: "f", picture: "p"),
    .sharedLabels(file: "f", pictures: ["p", "q"]), .badLine(file: "f", line: 1, expected: "a"),
    .unknownClass(file: "f", line: 1, index: 2, count: 1), .unknownCategory(file: "f", id: 1, name: "a"),
    .sharedName(file: "f", ids: [1, 2], name: "a"),
    .badAnnotation(file: "f", place: "a", expected: "b"),
    .otherSize(file: "f", picture: "p", stated: "1x1", actual: "2x2"), .noClasses(folder: "f"),
    .unknownClassFolder(path: "f", count: 2), .nothingLabeled(path: "f"),
  ]
  private static let jobs: [any Error & CustomStringConvertible] = [
    PartError.otherWriter(path: "f"), PartError.noAppending(path: "f"), MergeError.noParts(folder: "f"),
    MergeError.severalSettings(["a", "b"]), MergeError.otherSettings(chosen: "c", ["a", "b"]),
    MergeError.contradiction(FramePosition(capture: 1, frame: 2), "a", "b"),
    JobFolderError.partExists(path: "f"),
    JobFolderError.foreign(folder: "f"), JobFolderError.resultsExist(path: "f"),
    JobFolderError.holdsOtherResults(folder: "f", ofSeveral: true), ArrayIndexError.none(count: 2),
    ArrayIndexError.several([.slurm, .kubernetes], count: 2), ArrayIndexError.notANumber(.slurm, value: "a"),
    ArrayIndexError.outside(.slurm, value: CheckedInt(2), count: 2),
    ArrayIndexError.outside(.slurm, value: CheckedInt(9), count: 2),
    ArrayIndexError.outside(.slurm, value: CheckedInt(-1), count: 2),
    DownloadError.noCurl, DownloadError.refused(address: "a", message: "m"),
    DownloadError.wrongDigest(address: "a", found: "b"), DownloadError.notInIndex(project: "a", index: "b"),
    ReportError.noPicture(frame: "f"), ResourcesError.stack, ResourcesError.memory,
    ResourcesError.threads(started: 1),
  ]
  private static let serving: [any Error & CustomStringConvertible] = [
    ServingError.portInUse(1), ServingError.portForbidden(1), ServingError.noSuchAddress("a"),
    ServingError.cannotListen(port: 1, reason: "r"), ProtocolError.headerLength("a"),
    ProtocolError.json(.tooDeep(limit: 1, offset: 1)), ProtocolError.member("a", expected: "b"),
    ProtocolError.unknownDatatype("a", tensor: "b"), ProtocolError.shape(tensor: "a"),
    ProtocolError.tooManyElements(tensor: "a", limit: 1), ProtocolError.tooManyTensors(limit: 1),
    ProtocolError.repeated(tensor: "a"), ProtocolError.noElements(tensor: "a"),
    ProtocolError.binaryLength(found: 1, expected: 2),
    ProtocolError.elementCount(tensor: "a", found: 1, expected: 2),
    ProtocolError.element(tensor: "a", index: 1, datatype: .float32),
    ProtocolError.base64(tensor: "a", index: 1), ProtocolError.malformedBytes(tensor: "a"),
    ProtocolError.sharedMemory(tensor: "a"), ProtocolError.classification(output: "a"),
    ProtocolError.unknownInput("a", known: ["b"]), ProtocolError.missingInput("a"),
    ProtocolError.unknownOutput("a", known: ["b"]),
    ProtocolError.wrongDatatype(input: "a", found: .float32, expected: .uint8),
    ProtocolError.wrongShape(input: "a", found: [1], expected: [2]), ProtocolError.bareBody,
    ProtocolError.parameter("a", expected: "b"),
  ]

  static var messages: [String] {
    var errors: [any Error & CustomStringConvertible] = weights.map { WeightError($0, file: "f") }
    errors += checkpoints.map { CheckpointError($0, file: "f") } as [any Error & CustomStringConvertible]
    errors += networks
    errors += verification
    errors += labels
    errors += jobs
    errors += serving
    return errors.map { "\($0)" }
  }

  /// Signs that a message says what is right in place of what was found.
  private static let right = ["needs ", " needed", " takes ", "ask for "]

  @Test(arguments: messages) func isSaid(_ message: String) {
    let count = Remedies.found(in: message).count
    #expect(count <= 1, "\(Remedies.found(in: message))")
    let saysWhatIsRight =
      Remedies.saysWhatIsRight(message) || Self.right.contains(where: message.contains)
    #expect(saysWhatIsRight || count == 1)
  }
}
