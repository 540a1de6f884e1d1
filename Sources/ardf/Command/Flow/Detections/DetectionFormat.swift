import AppCore
import FileFormats
import Models
import Perception

/// How detections are written.
enum DetectionFormat: String, CaseIterable, Sendable {
  case ardf, coco, csv, dota
}

extension DetectionFormat {
  /// Refuses formats that cannot hold the network's objects: COCO results need COCO's classes, or persons with key
  /// points.
  func check(_ network: any ObjectNetwork) throws {
    let isPerson =
      network.classNames.count == 1 && network.form.keypointCount == COCOResults.keypointCount
    if self == .coco, network.classNames.count != COCOResults.classCount, !isPerson {
      throw CommandError.input(
        "\(network.weights.file): has \(counted(network.classNames.count, "class", "classes")); --format coco needs COCO's \(COCOResults.classCount), or "
          + "persons with \(COCOResults.keypointCount) key points")
    }
    if self == .dota, network.form != .orientedBoxes {
      throw CommandError.input(
        "\(network.weights.file): finds \(network.form.finds); --format dota needs oriented boxes")
    }
  }

  /// Refuses formats of objects with a place, since a classifier finds none.
  func check(_ network: PictureClassifier) throws {
    if self == .coco || self == .dota {
      throw CommandError.input(
        "\(network.file): holds a classifier; --format \(rawValue) needs a detector")
    }
  }
}
