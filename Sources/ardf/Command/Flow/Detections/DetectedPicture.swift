import AppCore
import Models
import NNRuntime
import OutputFolders
import Perception

/// A network's results for one picture, with their times.
struct DetectedPicture: Sendable {
  enum Content: Sendable {
    /// - `surest`: the best object below the threshold, where none was found.
    case objects(DetectionsFile, surest: SurestCandidate?)
    case classes(ClassesFile)
  }

  var content: Content
  /// The frame's name and time.
  let name: String
  let timestamp: Double
  /// The time of day at which it was taken, if known.
  var wallClock: String?
  let speed: SpeedLog

  /// The same picture with its objects' identities, which `following` gives those that are followed.
  func followed(by following: ([Detection]) -> [Detection]) -> DetectedPicture {
    guard case .objects(var file, let surest) = content else { return self }
    file.detections = following(file.detections)
    var picture = self
    picture.content = .objects(file, surest: surest)
    return picture
  }
}

/// The network of weights: a detector or a classifier.
enum PictureNetwork: Sendable {
  case objects(ObjectDetector)
  case classes(PictureClassifier)

  /// The same network for another thread pool, to run concurrently with this one.
  func running(on pool: ThreadPool) -> PictureNetwork {
    switch self {
    case .objects(let network): .objects(network.running(on: pool))
    case .classes(let network): .classes(network.running(on: pool))
    }
  }

  /// Runs the network on a frame's picture.
  func detected(in frame: CapturedFrame) throws -> DetectedPicture {
    var speed = SpeedLog()
    let content: DetectedPicture.Content
    switch self {
    case .objects(let network):
      let found = try network.objects(of: frame)
      speed.add(found.timings, network: "\(network.network.name), \(network.network.inputText)")
      let file = DetectionsFile(
        image: frame.name, imageSize: frame.imageSize, model: network.description,
        detections: found.detections)
      content = .objects(file, surest: found.surest)
    case .classes(let network):
      content = .classes(try network.classes(of: frame, speed: &speed))
    }
    return DetectedPicture(content: content, name: frame.name, timestamp: frame.timestamp, speed: speed)
  }
}

/// Draws and writes the files of a picture; calls for several pictures may run concurrently.
struct DetectionFiles: Sendable {
  /// nil writes nothing.
  let folder: OutputFolder?
  let format: DetectionFormat
  let pictures: PictureFormat

  /// Writes the results of a frame.
  ///
  /// `name`: of its folder among those of others; empty for the only one.
  func write(_ picture: DetectedPicture, of frame: CapturedFrame, name: String) throws {
    guard let folder else { return }
    var writer = FrameWriter(folder: name.isEmpty ? folder : folder.subfolder(name))
    writer.files.pictures = pictures
    switch picture.content {
    case .objects(let file, _):
      try writer.write(
        file, image: frame.image, orientation: frame.orientation,
        document: format != .coco && format != .dota)
    case .classes(let file): try writer.write(file, image: frame.image, orientation: frame.orientation)
    }
  }
}
