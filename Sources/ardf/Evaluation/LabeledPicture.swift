import FileFormats

/// A rectangle in pixels of the upright picture, by corner and extent, as COCO's files have it.
///
/// Its overlaps agree with those of pycocotools to the last bit. A `Rect` keeps edges, and differences of them round differently.
package struct COCOBox: Sendable, Equatable {
  /// The left and top edge, and the extent.
  package let x, y, width, height: Double

  /// A rectangle from its edges and extent.
  package init(x: Double, y: Double, width: Double, height: Double) {
    (self.x, self.y, self.width, self.height) = (x, y, width, height)
  }

  /// Square pixels.
  var area: Double { width * height }

  /// The pixels that both rectangles cover.
  func intersection(_ other: COCOBox) -> Double {
    let across = min(x + width, other.x + other.width) - max(x, other.x)
    let down = min(y + height, other.y + other.height) - max(y, other.y)
    return across > 0 && down > 0 ? across * down : 0
  }
}

/// The pixels of a labeled object.
package enum LabeledRegion: Sendable, Equatable {
  /// Outlines in pixels: x and y of each corner in turn, an outline each; what any of them holds belongs to the object.
  case polygons([[Double]])
  /// A binary mask of the whole picture.
  case mask(RunLengthMask)
}

/// A key point as people have marked it.
package struct LabeledKeypoint: Sendable, Equatable {
  /// In pixels of the upright picture.
  package let x, y: Double
  /// Whether its place is known; others don't count.
  package let isLabeled: Bool

  /// A key point from its parts.
  package init(x: Double, y: Double, isLabeled: Bool) {
    (self.x, self.y, self.isLabeled) = (x, y, isLabeled)
  }
}

/// An object as people, or a better network, have marked it.
package struct LabeledObject: Sendable, Equatable {
  /// Index among the network's classes.
  package let classIndex: Int
  /// In pixels of the upright picture.
  package let box: COCOBox
  /// Its pixels; nil where only the box is known.
  package let region: LabeledRegion?
  /// A crowd or another area of objects without separate labels: it does not count as missed, and detections
  /// in it do not count as wrong.
  package let isCrowd: Bool
  /// x and y of each corner over the picture's width and height, as a line of a YOLO label has them; empty for others.
  package let outline: [Float]
  /// In the network's order; empty where there are none.
  package let keypoints: [LabeledKeypoint]
  /// Square pixels, which distances of key points are compared with; nil where there are none.
  package let area: Double?

  /// A label from its parts.
  package init(
    classIndex: Int, box: COCOBox, region: LabeledRegion?, isCrowd: Bool = false, outline: [Float] = [],
    keypoints: [LabeledKeypoint] = [], area: Double? = nil
  ) {
    self.classIndex = classIndex
    self.box = box
    self.region = region
    self.isCrowd = isCrowd
    self.outline = outline
    self.keypoints = keypoints
    self.area = area
  }
}

/// A picture and what is known to be in it.
package struct LabeledPicture: Sendable {
  /// The file.
  package let path: String
  /// The picture's id in predictions: the number in an annotation file, else the number or name in the file's name.
  package let id: JSONValue
  /// The upright picture's sides in pixels.
  package let width, height: Int
  /// In the order of the file.
  package let objects: [LabeledObject]

  /// A picture from its parts.
  package init(path: String, id: JSONValue, width: Int, height: Int, objects: [LabeledObject]) {
    self.path = path
    self.id = id
    self.width = width
    self.height = height
    self.objects = objects
  }
}

/// Labeled pictures and the classes that are evaluated.
package struct LabeledSet: Sendable {
  /// Where annotations are kept.
  package enum Layout: String, Sendable {
    /// An annotation file of COCO (`instances_*.json`) beside pictures.
    case coco
    /// A label file of lines a picture, as Ultralytics has them.
    case yolo
  }

  /// How annotations are kept.
  package let layout: Layout
  /// In the order in which they are evaluated.
  package let pictures: [LabeledPicture]
  /// Category ids of the network's classes; nil for a class that the annotations do not know.
  package let categoryIds: [Int?]
  /// Notes on what was left out, for people.
  package let notes: [String]
  /// Pictures that are not evaluated, since they or their labels cannot be read.
  package var leftOut: [LeftOutPicture] = []
  /// Entries beside the pictures that are not evaluated.
  package var passedOver = PassedOver()

  /// Pictures that are evaluated and that cannot be read.
  package var total: Int { pictures.count + leftOut.count + passedOver.unnamed.count }

  /// Labels of all pictures.
  package var objectCount: Int { pictures.reduce(0) { $0 + $1.objects.count } }
  /// Whether all labeled objects have their pixels.
  package var hasRegions: Bool { pictures.allSatisfy { $0.objects.allSatisfy { $0.region != nil } } }
}
