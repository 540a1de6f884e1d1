import FileFormats
import Geometry
import Imaging

/// Why a capture, or one frame of it, cannot be read or written.
///
/// Every case names the file (relative to the capture's root where there is one) and the defect; the
/// description also says what to do about it.
public enum CaptureError: Error, Equatable, CustomStringConvertible, Sendable {
  /// The reason of a file that is called as a picture is and holds something else, which is not damaged.
  static let noPicture = ImageDefect.unknownFormat.description

  /// Nothing is at the path.
  case notFound(path: String)
  /// The path, or a file of the capture, exists but the system refuses to hand it over.
  case unreadable(file: String, reason: String)
  /// A folder is needed and the path is something else.
  case notADirectory(path: String)
  /// The folder holds none of the known layouts.
  case unrecognizedLayout(path: String)
  /// An archive from which no capture can be read, though it may be sound.
  case archive(path: String, ArchiveDefect)
  /// The folder holds captures that are not frames of one sequence.
  case severalCaptures(path: String, names: [String])
  /// The folder is of a known layout but no frame in it can be used.
  case noUsableFrame(path: String, firstReason: String)
  /// More frames than the limit.
  case tooManyFrames(path: String, limit: Int)
  /// No frame has that index.
  case noSuchFrame(index: Int, count: Int)
  /// A file of the capture is larger than its kind may be.
  case fileTooLarge(file: String, bytes: Int, limit: Int)
  /// A picture or grid has more pixels than the limit.
  case tooManyPixels(file: String, width: Int, height: Int, limit: Int)
  /// A file is not what its name promises.
  case malformed(file: String, reason: String)
  /// A recording that unpacks to much more than its own bytes.
  case tooMuchUnpacking(file: String)
  /// A picture of a format that is not read, such as "a WebP picture".
  case foreignPicture(file: String, format: String)
  /// A film where a capture is asked for.
  case film(file: String)
  /// A picture of a format whose library is not there.
  case missingLibrary(file: String, reason: String)
  /// The `schema` field names another format or version.
  case unsupportedSchema(file: String, found: String, expected: String)
  /// A required field is absent.
  case missingField(file: String, field: String)
  /// A field holds something of another kind.
  case badField(file: String, field: String, expected: String)
  /// A name inside the capture leads out of its folder.
  case nameEscapesCapture(file: String, name: String)
  /// A name inside the capture leads to nothing.
  case missingFile(file: String, name: String)
  /// A name inside the capture leads to a folder, device or pipe.
  case notARegularFile(file: String, name: String)
  /// The picture is not of the size the frame states.
  case imageSizeMismatch(file: String, stated: PixelSize, actual: PixelSize)
  /// Depth and confidence differ in size.
  case confidenceSizeMismatch(file: String, depth: PixelSize, confidence: PixelSize)
  /// The depth grid is not of the size the frame states.
  case depthSizeMismatch(file: String, stated: PixelSize, actual: PixelSize)
  /// Depth and image are not of the same shape.
  case depthAspectMismatch(file: String, depth: PixelSize, image: PixelSize)
  /// The depth file has another element type or rank.
  case badDepthFormat(file: String, found: String)
  /// The confidence file has another element type or rank.
  case badConfidenceFormat(file: String, found: String)
  /// A depth sample is negative, infinite or beyond what depth may be.
  case badDepthValue(file: String, x: Int, y: Int)
  /// A confidence value is not 0, 1 or 2.
  case badConfidenceValue(file: String, x: Int, y: Int, value: Int)
  /// A frame states a confidence file but no depth.
  case confidenceWithoutDepth(file: String)
  /// Focal lengths or principal point make no camera.
  case badIntrinsics(file: String, reason: String)
  /// The camera-to-world matrix is not a rigid transform.
  case badPose(file: String, reason: String)
  /// The orientation's name is not a known one.
  case unknownOrientation(file: String, found: String)
  /// A recorded clip's index points outside its data, or a message's parts do not add up.
  case badMessage(file: String, message: Int, reason: String)
  /// A line of a text file holds something else.
  case badLine(file: String, line: Int, expected: String)
  /// The pictures still have to be taken out of a video.
  case picturesInVideo(video: String, folder: String)
  /// Nothing that belongs to a frame was recorded near its time.
  case nothingNear(file: String, frame: String, seconds: Double)
  /// The capture has nothing to compare with.
  case noGroundTruth(path: String, wanted: String)
  /// A file's name does not hold the time of its frame.
  case untimedName(file: String)
  /// No depth goes with a picture.
  case noDepthOfPicture(file: String, folder: String)
  /// Two files of one frame.
  case sameStem(files: [String])
  /// Pictures and depth without poses.
  case noTrajectory(path: String, pictures: String, depths: String)
  /// A layout that is known and not read.
  case foreignLayout(path: String, layout: ForeignLayout)
  /// A Git LFS pointer in place of a file's content.
  case pointer(file: String)
  /// An app stores a part with some frames only.
  case notRecorded(file: String, name: String)
  /// A trajectory leaves a frame out.
  case noPoseOfFrame(file: String, frame: Int)
  /// Pictures and depth files that belong together in their order differ in number.
  case unpairedFiles(pictures: Int, folder: String, depths: Int, depthFolder: String)
  /// The camera is not a pinhole.
  case unsupportedLens(file: String, reason: String)
  /// A recording without a topic that is needed: what was asked for, and what there is.
  case noTopic(path: String, wanted: [String], found: [String])
  /// A recording with several topics of which one is needed.
  case severalTopics(path: String, what: String, names: [String])
  /// A recording with depth and without a camera.
  case noCameraInfo(path: String, topic: String)
  /// Depth of another camera than color's, of which something is not known.
  case unregisteredDepth(path: String, depth: String, lacks: String)
  /// A frame cannot be written in the native layout.
  case unwritable(reason: String)

  /// A layout that is known and not read.
  public enum ForeignLayout: Sendable, Equatable {
    /// A recording of Record3D without its file `metadata`.
    case record3DWithoutMetadata
    /// The app's export of `rgb/` and `depth/*.exr` without its metadata.
    case record3D
    /// MCAP whose chunks are compressed in a way that the format does not know.
    case bagCompression(String)
    /// A recording of rosbag2 whose files were compressed as a whole.
    case compressedBag
    /// A `.db3` that is not a recording of rosbag2.
    case otherDatabase
    /// A `.db3` whose tables are still in its write-ahead log.
    case unclosedBag
    /// A recording of ROS 1.
    case ros1Bag
    /// RTAB-Map's database, or another one of SQLite.
    case rtabMapDatabase
    /// A recording of Spectacular AI, which holds no poses.
    case spectacularAI
  }

  /// Wraps the system's error of reading a file.
  init(_ error: FileError, of name: String) {
    switch error {
    case .pointer: self = .pointer(file: name)
    case .notARegularFile:
      self = .malformed(file: name, reason: "not a regular file; give the file itself, or a copy of it")
    case .missing, .isDirectory, .notADirectory, .empty, .alreadyExists, .foreign, .edited, .permissionDenied,
      .changed, .noSpace, .io:
      self = .unreadable(file: name, reason: error.description)
    }
  }

  /// One line that names the file and the defect and says what to do.
  public var description: String { printableMessage(sentence) }

  private var sentence: String {
    switch self {
    case .notFound(let path):
      "\(path): no such file or folder; check the path"
    case .notADirectory(let path):
      "\(path): is not a folder; give the folder of a capture"
    case .unreadable(let file, let reason):
      "\(file): cannot be read (\(reason)); check its permissions"
    case .unrecognizedLayout(let path):
      "\(path): holds neither pictures (\(pictureFormats)) nor a capture; give a folder that does (ardf capture check --help "
        + "lists the files by which captures are recognized)"
    case .archive(let path, let defect):
      "\(path): \(defect)"
    case .severalCaptures(let path, let names):
      "\(path): holds several captures (\(names.prefix(3).joined(separator: ", "))\(names.count > 3 ? ", ..." : "")), "
        + "which are not frames of one sequence; give one of them, or all to ardf run"
    case .noUsableFrame(let path, let firstReason):
      "\(path): no usable frame; the first was skipped because: \(firstReason)"
    case .tooManyFrames(let path, let limit):
      "\(path): more than \(limit) frames; split the sequence"
    case .noSuchFrame(let index, let count):
      "frame \(index) does not exist; choose one of the capture's \(count), counted from 0"
    case .fileTooLarge(let file, let bytes, let limit):
      "\(file): \(bytes) bytes, more than the \(limit) this kind of file may have; check that it is the right one"
    case .tooManyPixels(let file, let width, let height, let limit):
      "\(file): \(width)x\(height) pixels, more than the limit of \(limit); make it smaller"
    case .malformed(let file, let reason):
      if reason != Self.noPicture {
        // A reason that says what to do says it in place of the usual.
        "\(file): \(reason)\(Self.saysWhatToDo(reason) ? "" : "; replace it by a sound file")"
      } else if hasPictureEnding(file) {
        "\(file): \(reason), whatever its name says; give it a name of another kind, or leave it out"
      } else {
        "\(file): \(reason), nor a film; give a picture, a film, or a capture's folder or .zip"
      }
    case .tooMuchUnpacking(let file):
      "\(file): opening it unpacks more than \(BagLimits.unpackedBytes >> 20) MiB and \(BagLimits.ratio) times its bytes; "
        + "write it again with mcap compress"
    case .foreignPicture(let file, let format):
      "\(file): is \(format), which is not read; convert it to JPEG or PNG"
    case .film(let file):
      "\(file): is a film, and pictures or a capture are read here; give the film to ardf detect, depth or run, or "
        + "take its pictures out with: mkdir pictures && ffmpeg -i \(shellWord(file)) pictures/%06d.jpg"
    case .missingLibrary(let file, let reason): "\(file): \(reason)"
    case .unsupportedSchema(let file, let found, let expected):
      "\(file): schema is \"\(found)\", this version reads \"\(expected)\"; convert it with a matching version"
    case .missingField(let file, let field):
      "\(file): field \"\(field)\" is missing; add it"
    case .badField(let file, let field, let expected):
      "\(file): field \"\(field)\" must be \(expected)"
    case .nameEscapesCapture(let file, let name):
      "\(file): \"\(name)\" leads out of the capture's folder; files must lie beneath it"
    case .missingFile(let file, let name):
      "\(file): names \"\(name)\", which does not exist; copy it beside the frame"
    case .notARegularFile(let file, let name):
      "\(file): \"\(name)\" is not a regular file; replace it by one"
    case .imageSizeMismatch(let file, let stated, let actual):
      "\(file): states a picture of \(sides(stated)), the picture has \(sides(actual)); correct one of them"
    case .confidenceSizeMismatch(let file, let depth, let confidence):
      "\(file): depth is \(sides(depth)) but confidence is \(sides(confidence)); both must cover the same cells"
    case .depthSizeMismatch(let file, let stated, let actual):
      "\(file): states a depth grid of \(sides(stated)), the depth file has \(sides(actual)); correct one of them"
    case .depthAspectMismatch(let file, let depth, let image):
      "\(file): depth \(sides(depth)) and image \(sides(image)) are not of the same shape; both must see the same field"
    case .badDepthFormat(let file, let found):
      "\(file): depth must be float32 meters (height, width) or a 16-bit gray PNG in millimeters, found \(found)"
    case .badConfidenceFormat(let file, let found):
      "\(file): confidence must be uint8 (height, width), found \(found)"
    case .badDepthValue(let file, let x, let y):
      "\(file): depth at column \(x), row \(y) is not one of \(DepthMeters.expected); use 0 or "
        + "NaN where there is none, and check the unit"
    case .badConfidenceValue(let file, let x, let y, let value):
      "\(file): confidence at column \(x), row \(y) is \(value); it must be 0, 1 or 2"
    case .confidenceWithoutDepth(let file):
      "\(file): names a confidence file but no depth; remove it or add the depth"
    case .badIntrinsics(let file, let reason):
      "\(file): intrinsics \(reason); check the order of the matrix and the image size they belong to"
    case .badPose(let file, let reason):
      "\(file): camera-to-world \(reason); check the order of the matrix (rows or columns first)"
    case .unknownOrientation(let file, let found):
      "\(file): orientation \"\(found)\" is unknown; use portrait, portraitUpsideDown, landscapeLeft or "
        + "landscapeRight"
    case .badMessage(let file, let message, let reason):
      "\(file): message \(message) \(reason); copy or download the clip again"
    case .badLine(let file, let line, let expected):
      "\(file): line \(line) must be \(expected); correct it or export the capture again"
    case .picturesInVideo(let video, let folder):
      "\(video): the pictures are still inside the video; take them out with ardf capture frames, or in the capture's folder with: "
        + "mkdir \(shellWord(folder)) && ffmpeg -noautorotate -i \(shellWord(video)) -fps_mode passthrough "
        + "-start_number 0 -q:v 2 \(shellWord("\(folder)/%06d.jpg"))"
    case .nothingNear(let file, let frame, let seconds):
      "\(file): holds nothing within \(seconds) s of \(frame); add it or leave the frame out"
    case .noGroundTruth(let path, let wanted):
      "\(path): has no ground truth (\(wanted)): give a video of ARKitScenes or CA-1M, unpacked, with it"
    case .untimedName(let file):
      "\(file): its name holds no time; leave names as they were exported"
    case .noDepthOfPicture(let file, let folder):
      "\(file): \(folder) has no depth of that name, number or time; add it or leave the picture out"
    case .sameStem(let files):
      "\(files.joined(separator: " and ")): are both of one frame; remove one of them"
    case .noTrajectory(let path, let pictures, let depths):
      "\(path): holds \(pictures)/ and \(depths)/ but no poses (trajectory.log); give, without them, "
        + "\(shellWord("\(path)/\(pictures)")) --depth-map \(shellWord("\(path)/\(depths)")) "
        + "--intrinsics FX,FY,CX,CY"
    case .foreignLayout(let path, .record3D):
      "\(path): holds depth as .exr without Record3D's metadata.json; add it, give the recording itself (.r3d), or "
        + "convert the depths to .npy (float32, meters) or 16-bit .png (millimeters) and give its pictures with --depth-map FOLDER --intrinsics FX,FY,CX,CY"
    case .foreignLayout(let path, .record3DWithoutMetadata):
      "\(path): a recording of Record3D (rgbd/N.jpg, rgbd/N.depth) without its file metadata, which has the camera; "
        + "add it beside rgbd, or export the recording again"
    case .foreignLayout(let path, .bagCompression(let name)):
      "\(path): its chunks are compressed by \(name), lz4 and zstd are read; write it again with mcap compress"
    case .foreignLayout(let path, .compressedBag):
      "\(path): a recording whose files are compressed as a whole; decompress it with: zstd -d \(shellWord(path))"
    case .foreignLayout(let path, .otherDatabase):
      "\(path): an SQLite file that is not a recording of ROS 2 (it lacks tables topics and messages); give one that is"
    case .foreignLayout(let path, .unclosedBag):
      "\(path): was not closed: what it holds is still in \(printableName(lastComponent(path)))-wal beside it; gather both with: "
        + "sqlite3 \(shellWord(path)) \"PRAGMA wal_checkpoint(TRUNCATE)\""
    case .foreignLayout(let path, .ros1Bag):
      "\(path): a recording of ROS 1, which is not read; convert it with: rosbags-convert --src "
        + "\(shellWord(path)) --dst \(shellWord(fileStem(path))) (pip install rosbags)"
    case .foreignLayout(let path, .rtabMapDatabase):
      "\(path): an SQLite database, such as RTAB-Map's, which is not read; export it with: rtabmap-export --images "
        + "--poses_camera --poses_format 11 \(shellWord(path)), and give the folder"
    case .foreignLayout(let path, .spectacularAI):
      "\(path): a recording of Spectacular AI, which holds no poses yet; compute them with: sai-cli process "
        + "--format nerfstudio \(shellWord(path)) OUT, and give OUT"
    case .noTopic(let path, let wanted, let found):
      "\(path): holds no pictures that are read\(wanted.isEmpty ? "" : " under \(wanted.joined(separator: ", "))"); "
        + "record Image or CompressedImage in CDR; it has \(Self.few(found))"
    case .severalTopics(let path, let what, let names):
      "\(path): several \(what) topics (\(Self.few(names))); name one, or what lies above it: "
        + shellWord("\(path.split(separator: ":/").first ?? ""):\(names[0])")
    case .noCameraInfo(let path, let topic):
      "\(path): no camera_info goes with \(topic); record the topic beside it, too"
    case .unregisteredDepth(let path, let depth, let lacks):
      "\(path): \(depth) is not on the color camera's field, and \(lacks); record camera_info and /tf_static, or "
        + "registered depth (RealSense: align_depth.enable:=true)"
    case .pointer(let file):
      "\(file): is a Git LFS pointer in place of the file; fetch the file itself with git lfs pull"
    case .notRecorded(let file, let name):
      "\(file): has no \(name), which not every frame is recorded with; leave the frame out"
    case .noPoseOfFrame(let file, let frame):
      "\(file): holds no pose of frame \(frame), counted from 0; add it or leave the frame out"
    case .unpairedFiles(let pictures, let folder, let depths, let depthFolder):
      "\(folder): holds \(counted(pictures, "picture")), \(depthFolder) \(counted(depths, "depth file")); pair them in rgbd.match, "
        + "a line \"DEPTH PICTURE\" each"
    case .unsupportedLens(let file, let reason):
      "\(file): the lens is not a pinhole's (\(reason)); undistort the pictures"
    case .unwritable(let reason):
      "cannot be written as a native capture: \(reason)"
    }
  }

  /// Whether a reason says itself what to do: after a semicolon, or a colon where others read it too.
  private static func saysWhatToDo(_ reason: String) -> Bool {
    ["; ", ": check ", ": convert ", ": install ", ": save ", ": store "].contains(where: reason.contains)
  }

  /// The first of many names.
  private static func few(_ names: [String]) -> String {
    names.isEmpty ? "nothing" : names.prefix(8).joined(separator: ", ") + (names.count > 8 ? ", ..." : "")
  }

  private func sides(_ size: PixelSize) -> String { "\(size.width)x\(size.height)" }
}

extension CaptureError {
  /// Kinds of errors, for callers that handle some of them.
  package enum Kind: Sendable {
    /// A path that leads to nothing.
    case missing
    /// A file that the system refuses to read; a later attempt may succeed.
    case unreadable
    /// More frames, bytes or pixels than the limits.
    case tooLarge
    /// A picture of a format that is not read.
    case foreignPicture
    /// A picture whose library is not there.
    case missingLibrary
    /// A folder, archive or camera of a kind that is not read.
    case unknownLayout
    /// A number of a frame that the capture does not have.
    case noSuchFrame
    /// A frame that was recorded without a part, as whole captures have them.
    case gap
    /// A file that is damaged, or contradicts another.
    case malformed
  }

  /// The kind of each error: all that depends on kinds asks here.
  package var kind: Kind {
    switch self {
    case .notFound, .missingFile: .missing
    case .unreadable: .unreadable
    case .tooManyFrames, .fileTooLarge, .tooManyPixels: .tooLarge
    case .foreignPicture: .foreignPicture
    case .missingLibrary: .missingLibrary
    case .notADirectory, .unrecognizedLayout, .archive, .severalCaptures, .unsupportedSchema,
      .picturesInVideo, .unsupportedLens:
      .unknownLayout
    case .noSuchFrame: .noSuchFrame
    case .nothingNear, .noDepthOfPicture, .noPoseOfFrame, .notRecorded: .gap
    case .noUsableFrame, .malformed, .tooMuchUnpacking, .film, .missingField, .badField, .nameEscapesCapture,
      .notARegularFile, .imageSizeMismatch, .confidenceSizeMismatch, .depthSizeMismatch, .depthAspectMismatch,
      .badDepthFormat, .badConfidenceFormat, .badDepthValue, .badConfidenceValue, .confidenceWithoutDepth,
      .badIntrinsics, .badPose, .unknownOrientation, .badMessage, .badLine, .noGroundTruth, .untimedName,
      .sameStem, .noTrajectory, .foreignLayout, .pointer, .unpairedFiles, .noTopic, .severalTopics,
      .noCameraInfo, .unregisteredDepth, .unwritable:
      .malformed
    }
  }
}

extension CaptureError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    if case .archive(_, .notUnpacked) = self { return .cannotCreate }
    return switch kind {
    case .missing, .unreadable: .missingInput
    case .noSuchFrame: .usage
    case .missingLibrary: .unavailable
    case .tooLarge, .foreignPicture, .unknownLayout, .gap, .malformed: .malformedInput
    }
  }
}
