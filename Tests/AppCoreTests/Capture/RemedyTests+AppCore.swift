import AppCore
import Archives
import FileFormats
import Geometry

extension RemedyTests {
  private static let size = PixelSize(width: 2, height: 1)

  /// Every defect of a capture that `messages` does not have; tools/check/house-rules holds that none is left out.
  private static let captures: [CaptureError] =
    [
      .noUsableFrame(path: "f", firstReason: "the depth must be there"),
      .missingLibrary(file: "f", reason: "HEIC needs l: install the Debian package p"),
      .nameEscapesCapture(file: "f", name: "n"), .notARegularFile(file: "f", name: "n"),
      .imageSizeMismatch(file: "f", stated: size, actual: size),
      .confidenceSizeMismatch(file: "f", depth: size, confidence: size),
      .depthSizeMismatch(file: "f", stated: size, actual: size),
      .depthAspectMismatch(file: "f", depth: size, image: size), .badDepthFormat(file: "f", found: "a"),
      .badConfidenceFormat(file: "f", found: "a"), .badDepthValue(file: "f", x: 1, y: 1),
      .badConfidenceValue(file: "f", x: 1, y: 1, value: 7), .unknownOrientation(file: "f", found: "a"),
      .badMessage(file: "f", message: 1, reason: "ends early"), .badLine(file: "f", line: 1, expected: "a"),
      .picturesInVideo(video: "v", folder: "f"), .nothingNear(file: "f", frame: "g", seconds: 1),
      .noGroundTruth(path: "f", wanted: "w"),
      .untimedName(file: "f"), .noDepthOfPicture(file: "f", folder: "g"), .sameStem(files: ["a", "b"]),
      .noTrajectory(path: "f", pictures: "p", depths: "d"), .noPoseOfFrame(file: "f", frame: 1),
      .notRecorded(file: "f", name: "g"),
      .unpairedFiles(pictures: 1, folder: "f", depths: 2, depthFolder: "g"),
      .unsupportedLens(file: "f", reason: "k1 is not 0"),
      .noTopic(path: "f", wanted: ["a"], found: ["b"]), .noTopic(path: "f", wanted: [], found: []),
      .severalTopics(path: "f", what: "color", names: ["a", "b"]), .noCameraInfo(path: "f", topic: "t"),
      .unregisteredDepth(path: "f", depth: "d", lacks: "its camera is not known"),
      .unwritable(reason: "it has no camera; give one"),
    ]
    + ([
      .record3DWithoutMetadata, .record3D, .bagCompression("c"), .compressedBag, .otherDatabase,
      .unclosedBag, .ros1Bag, .rtabMapDatabase, .spectacularAI,
    ] as [CaptureError.ForeignLayout]).map { .foreignLayout(path: "f", layout: $0) }
    + ([
      .nothing, .unpackFirst(reason: "r"), .unusableName("n"), .namedTwice("n"), .tooManyFiles(limit: 1),
      .fileTooLarge(name: "n", bytes: 2), .tooLarge(limit: 1), .tooManyOpen(limit: 1),
      .unsupported(reason: "r"), .notUnpacked(reason: "r"),
    ] as [ArchiveDefect]).map { .archive(path: "f", $0) }

  private static let documents: [any Error & CustomStringConvertible] =
    [
      DocumentError.schema(found: nil, expected: "e"), DocumentError.field("a", expected: "e"),
      DocumentError.image(found: "0", expected: "1"),
      DocumentError.imageSize(found: "2x1", expected: "1x1"), ObjectsFileError.schema(found: nil),
      ObjectsFileError.field("a"), ObjectsFileError.duplicateId(1), SceneFileError.schema(found: nil),
      SceneFileError.field("a"),
      SceneFileError.transform(index: 0, .notRigid(deviation: 1)), SimulationScriptError.schema(found: nil),
      SimulationScriptError.field("a", expected: "e"), SimulationScriptError.unknownField("a"),
      SimulationScriptError.tooMany(field: "a", limit: 1), ThresholdError.schema(found: nil),
      ThresholdError.missing("a"), ThresholdError.outOfRange(name: "a", value: 2),
      PlacementError.noExtent(objectId: 0, .smoke), PlacementError.noPoints(objectId: 0),
      PlacementError.unavailable(.smoke), FlowError.noSuchObject(1),
      FlowError.placement(.noPoints(objectId: 0)), DetectionLoopError.noPicture(frame: "f"),
      YCbCrError.size(width: 0, height: 1), YCbCrError.plane(name: "a", bytes: 1, expected: 2),
    ]

  /// Damage that formats find, in what names the file: there it has a remedy, its own or the usual one.
  private static let damage: [any Error & CustomStringConvertible] = [
    JSONError.tooLarge(bytes: 2, limit: 1), JSONError.tooDeep(limit: 1, offset: 1),
    JSONError.unexpectedEnd(offset: 1), JSONError.duplicateKey("a", offset: 1), NPYError.notNPY,
    NPYError.pickledObjects, NPYError.unsupportedType("a"), NPYError.headerTooLong(bytes: 20_000),
    NPYError.wrongDataSize(bytes: 1, needed: 2), NPYError.noSuchArray("a", available: []),
    NPYError.unpacksTooLarge("a", bytes: 2, limit: 1), RunLengthError.wrongTotal(found: 1, expected: 2),
    CompressionError.damaged(.zstandard), CompressionError.missingLibrary(.zstandard, reason: "r"),
  ]

  /// Whole messages, as they are printed.
  static var wholeMessages: [String] {
    captures.map { "\($0)" } + documents.map { "\($0)" }
      + damage.map { "\(CaptureError.malformed(file: "f", reason: "\($0)"))" }
  }
}
