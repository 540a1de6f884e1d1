import AppCore
import FileFormats
import Imaging
import Models
import NNRuntime
import Perception

/// A classifier ready to run.
struct PictureClassifier: Sendable {
  /// Classes that are reported for a picture.
  private static let mostClasses = 5

  let network: any ClassNetwork

  init(_ network: any ClassNetwork) { self.network = network }

  /// The same network for another thread pool, to run concurrently with this one.
  func running(on pool: ThreadPool) -> PictureClassifier { PictureClassifier(network.running(on: pool)) }

  /// The weights' path.
  var file: String { network.weights.file }

  /// The network's name.
  var name: String { network.name }

  /// The network's input, for people.
  private var inputText: String { "\(network.side)x\(network.side)" }

  /// The network, for `classes.json`.
  private var description: JSONValue {
    [
      "name": .string(name), "classes": .integer(network.classNames.count), "input": .string(inputText),
      "sourceSHA256": network.weights.checkpointDigest.map(JSONValue.string) ?? .null,
    ]
  }

  /// All classes of an upright picture, the likeliest first.
  func classify(_ upright: RGBImage) throws(PerceptionError) -> Classification {
    do { return try network.classify(upright) } catch { throw .network(file: file, error) }
  }

  /// Classifies a frame's picture.
  func classes(of frame: CapturedFrame, speed: inout SpeedLog) throws -> ClassesFile {
    guard let image = frame.image else { throw CommandError.input("\(frame.name): the frame has no picture") }
    let found = try classify(image.oriented(frame.orientation))
    speed.add(found.timings, network: "\(name), \(inputText)")
    return ClassesFile(
      image: frame.name, imageSize: frame.imageSize, model: description,
      classes: found.classes.prefix(Self.mostClasses).map {
        ClassesFile.Entry(classId: $0.index, className: $0.name, confidence: $0.probability)
      })
  }
}
