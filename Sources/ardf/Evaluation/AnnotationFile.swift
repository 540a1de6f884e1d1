import FileFormats
import Geometry
import Imaging

/// COCO's `instances_*.json`: pictures, categories and annotations in one file.
package enum AnnotationFile {
  /// Bytes of the file, at most: those of COCO's training set are 448 MB.
  package static let largest = 1 << 30

  /// Limits of an annotation file's JSON: mostly numbers, which take few bytes each.
  private static func limits(bytes: Int) -> JSONLimits {
    JSONLimits(bytes: bytes, depth: 16, values: bytes / 2, containers: max(200_000, bytes / 16))
  }

  /// Reads annotations and finds their pictures in `folder`.
  ///
  /// Categories are the network's classes by name. Pictures are in the order of their numbers, annotations in that of the
  /// file.
  ///
  /// A picture that cannot be read is left out; if nothing is labeled in the others that is why it fails.
  ///
  /// - `keypoints`: how many each annotation must have, as those of `person_keypoints_*.json` do; nil for any.
  /// - Throws: `LabelError`, `FileError`, `JSONError`, `ImageError`.
  package static func read(
    _ file: String, pictures folder: String, classes: EvaluatedClasses, keypoints: Int? = nil,
    imageLimits: ImageLimits = .default, bytes: Int = largest
  ) throws -> LabeledSet {
    guard pathKind(folder) == .folder else {
      throw pathKind(folder) == nil ? FileError.missing(path: folder) : FileError.notADirectory(path: folder)
    }
    let document = try JSONValue.read(path: file, limits: limits(bytes: bytes), python: true)
    func list(_ key: String) throws(LabelError) -> [JSONValue] {
      guard let list = document[key]?.array else {
        throw .badAnnotation(
          file: file, place: "\"\(key)\"", expected: "a list, as in COCO's instances_*.json")
      }
      return list
    }
    var categories = try Categories(list("categories"), classes: classes, file: file)
    var objects: [Int: [LabeledObject]] = [:]
    var sizes: [Int: (width: Int, height: Int)] = [:]
    var names: [(id: Int, name: String)] = []
    for (index, entry) in try list("images").enumerated() {
      let image = Entry(entry, file: file, place: "images[\(index)]")
      let id = try image.integer("id")
      let size = (width: try image.side("width"), height: try image.side("height"))
      guard sizes.updateValue(size, forKey: id) == nil else { throw image.bad("id", "a number of its own") }
      names.append((id, try image.relativeName("file_name")))
    }
    for (index, entry) in try list("annotations").enumerated() {
      let annotation = Entry(entry, file: file, place: "annotations[\(index)]")
      let image = try annotation.integer("image_id")
      guard let size = sizes[image] else { throw annotation.bad("image_id", "the id of one of the images") }
      guard let classIndex = try categories.classIndex(annotation) else { continue }
      objects[image, default: []].append(try annotation.object(classIndex, size, keypoints: keypoints))
    }
    guard !names.isEmpty else { throw LabelError.noPictures(folder: file) }
    var leftOut = LeftOutPictures()
    let pictures = try names.sorted { $0.id < $1.id }.compactMap { id, name in
      let path = "\(folder)/\(name)"
      return try leftOut.attempt(path) {
        guard pathKind(path) != nil else { throw LabelError.noPicture(file: file, picture: path) }
        let size = sizes[id] ?? (0, 0)
        let actual = try PictureFiles.uprightSize(path, limits: imageLimits)
        guard actual == size else {
          throw LabelError.otherSize(
            file: file, picture: path, stated: "\(size.width)x\(size.height)",
            actual: "\(actual.width)x\(actual.height)")
        }
        return LabeledPicture(
          path: path, id: .integer(id), width: size.width, height: size.height, objects: objects[id] ?? [])
      }
    }
    let set = LabeledSet(
      layout: .coco, pictures: pictures, categoryIds: categories.ids, notes: categories.notes,
      leftOut: leftOut.entries)
    try leftOut.check(set, path: file)
    return set
  }

  /// The categories of a file as classes of the network.
  private struct Categories {
    /// By class.
    private(set) var ids: [Int?]
    private(set) var notes: [String] = []
    private var classIndices: [Int: Int] = [:]
    /// The category that annotations are of, by class.
    private var annotated: [Int: Int] = [:]
    /// Categories that are not classes of the network, by their number.
    private var unknown: [Int: String] = [:]
    private let classes: EvaluatedClasses

    init(_ list: [JSONValue], classes: EvaluatedClasses, file: String) throws(LabelError) {
      self.classes = classes
      ids = Array(repeating: nil, count: classes.names.count)
      for (index, entry) in list.enumerated() {
        let category = Entry(entry, file: file, place: "categories[\(index)]")
        let id = try category.integer("id")
        let name = try category.string("name")
        guard classIndices[id] == nil, unknown[id] == nil else {
          throw category.bad("id", "a number of its own")
        }
        if let found = classes.names.firstIndex(where: { $0.isSameName(as: name) }) {
          classIndices[id] = found
          ids[found] = ids[found] ?? id
        } else {
          unknown[id] = name
        }
      }
      let lacking = classes.names.indices.count { ids[$0] == nil && classes.contains($0) }
      if lacking > 0, lacking < classes.names.count {
        notes.append(
          "\(file): has no category for \(lacking) of the network's classes; what is found of them is left out"
        )
      }
    }

    /// The class of an annotation; nil for one that is not evaluated.
    ///
    /// Of categories of one name, which exporters write for groups of classes too, one may have annotations.
    mutating func classIndex(_ annotation: Entry) throws(LabelError) -> Int? {
      let id = try annotation.integer("category_id")
      if let index = classIndices[id] {
        if let other = annotated.updateValue(id, forKey: index), other != id {
          throw .sharedName(file: annotation.file, ids: [other, id], name: classes.names[index])
        }
        ids[index] = id
        return classes.contains(index) ? index : nil
      }
      guard let name = unknown[id] else {
        throw annotation.bad("category_id", "the id of one of the categories")
      }
      guard classes.only != nil else { throw .unknownCategory(file: annotation.file, id: id, name: name) }
      return nil
    }
  }
}
