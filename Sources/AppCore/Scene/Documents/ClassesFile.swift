import FileFormats
import Geometry

/// The content of `classes.json`: what a classifier takes a picture for.
package struct ClassesFile: Sendable {
  /// Schema of `classes.json`.
  package static let schema = "ardf.classes/1"

  /// A class and how likely it is.
  package struct Entry: Sendable, Equatable {
    /// Its index in the network's own list.
    package let classId: Int
    /// Its name.
    package let className: String
    /// In [0, 1].
    package let confidence: Float

    /// A class from its parts.
    package init(classId: Int, className: String, confidence: Float) {
      self.classId = classId
      self.className = className
      self.confidence = confidence
    }
  }

  /// The picture's name.
  package let image: String
  /// The stored picture's size.
  package let imageSize: PixelSize
  /// Description of the classifier.
  package let model: JSONValue
  /// The likeliest classes, best first.
  package let classes: [Entry]

  /// A document from its parts.
  package init(image: String, imageSize: PixelSize, model: JSONValue, classes: [Entry]) {
    self.image = image
    self.imageSize = imageSize
    self.model = model
    self.classes = classes
  }

  /// The document.
  package var json: JSONValue {
    [
      "schema": .string(Self.schema), "image": .string(image),
      "imageSize": [.integer(imageSize.width), .integer(imageSize.height)], "model": model,
      "classes": .array(
        classes.map { entry in
          [
            "classId": .integer(entry.classId), "className": .string(entry.className),
            "confidence": .rounded(Double(entry.confidence), decimals: DetectionsFile.confidenceDecimals),
          ]
        }),
    ]
  }
}
