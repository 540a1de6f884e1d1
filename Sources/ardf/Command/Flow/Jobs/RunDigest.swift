import AppCore
import Digests
import FileFormats
import Geometry
import Imaging
import Models
import Perception
import Reporting

/// A digest of all inputs of a frame's results: options, weights, and everything read of the frame.
struct RunDigest: Sendable {
  /// The files of a perceiver's networks.
  typealias Weights = (detector: GivenPath, depth: GivenPath?)

  private let settings: JSONValue
  /// SHA-256 of options and weights alone, which all frames of a run share.
  let settingsDigest: String
  /// The camera poses of each source, by its path: every frame's page shows them all.
  private let paths: NameTable<JSONValue>

  /// - `options`: all options that change results; the weights' content is added.
  /// - `weights`: the files of the perceiver's networks.
  /// - `paths`: the camera poses of each source, by its path.
  init(
    options: JSONValue, perceiver: Perceiver, weights: Weights, paths: NameTable<[FrameReport.Pose]>
  ) throws {
    self.paths = paths.mapValues { poses in
      let poses = poses.map { pose -> JSONValue in
        [.string(pose.name), .array(pose.cameraToWorld.columnMajor.map(JSONValue.number))]
      }
      return .string(sha256Hex(Array(JSONValue.array(poses).serialized().utf8)))
    }
    settings = [
      "version": .string(ARDF.version), "options": options,
      "detector": [
        perceiver.detector.description, .string(try sha256Hex(path: weights.detector.path)),
      ],
      "depth": try weights.depth.flatMap { file in
        try perceiver.depth.map { [.string($0.name), .string(try sha256Hex(path: file.path))] }
      } ?? .null,
    ]
    settingsDigest = sha256Hex(Array(settings.serialized().utf8))
  }

  /// The digest of a frame that cannot be read.
  func digest(of defect: FrameDefect, name: String) -> String {
    let document: JSONValue = [
      "settings": settings, "name": .string(name), "kind": .string(defect.kind.rawValue),
      "reason": .string(defect.reason),
    ]
    return sha256Hex(Array(document.serialized().utf8))
  }

  /// The digest of a frame whose picture need not be decoded.
  ///
  /// - `picture`: The picture's bytes as they are stored.
  /// - `source`: The path of its source.
  func digest(of frame: CapturedFrame, picture: [UInt8]?, source: String) -> String {
    let document: JSONValue = [
      "settings": settings, "cameras": paths[source] ?? .null, "name": .string(frame.name),
      "timestamp": .number(frame.timestamp),
      "imageSize": [.integer(frame.imageSize.width), .integer(frame.imageSize.height)],
      "orientation": .string("\(frame.orientation)"),
      "picture": picture.map { .string(sha256Hex($0)) } ?? .null,
      "depth": frame.depth.map { .string(sha256Hex(FrameWriter.array($0))) } ?? .null,
      "confidence": frame.confidence.map { plane in
        [.integer(plane.width), .integer(plane.height), .string(sha256Hex(plane.elements))]
      } ?? .null,
      "sensor": [
        .string(frame.sensor.kind.rawValue), frame.sensor.maximumRange.map(JSONValue.number) ?? .null,
      ],
      "intrinsics": frame.intrinsics.map { camera in
        [.number(camera.fx), .number(camera.fy), .number(camera.cx), .number(camera.cy)]
      } ?? .null,
      "cameraToWorld": .array(frame.cameraToWorld.columnMajor.map(JSONValue.number)),
    ]
    return sha256Hex(Array(document.serialized().utf8))
  }
}
