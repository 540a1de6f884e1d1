import FileFormats
import Geometry
import Imaging

/// Labels in files of lines beside pictures, as Ultralytics has them: `images/NAME.jpg` and `labels/NAME.txt`.
///
/// A line is `CLASS X Y WIDTH HEIGHT` or `CLASS X1 Y1 X2 Y2 X3 Y3 ...`, an outline, and of key points `CLASS X Y WIDTH
/// HEIGHT` and x, y, and whether it is labeled, of each; x and y are over the picture's width and height. A picture without such a file, or with an empty one, has no objects.
package enum LabelFolder {
  /// Reads the labels of all pictures below a folder that holds `images` and `labels`, or that lies in `images`.
  ///
  /// - Throws: `LabelError`, `FileError`, `ImageError`.
  package static func read(
    _ folder: String, classes: EvaluatedClasses, form: LabelForm = .objects, limits: ImageLimits = .default
  ) throws -> LabelledSet {
    let images = try imagesFolder(folder)
    let labels = try labelsFolder(of: images)
    let pictures = try PictureFiles.below(images, where: PictureFiles.isPicture)
    guard !pictures.isEmpty else { throw LabelError.noPictures(folder: images) }
    var remaining = Set(
      try PictureFiles.below(labels) { $0.lowercased().hasSuffix(".txt") && $0 != "classes.txt" })
    guard !remaining.isEmpty else { throw LabelError.noLabels(folder: labels) }
    var notes: [String] = []
    var labelled = 0
    var read: [LabelledPicture] = []
    for path in pictures {
      let size = try PictureFiles.uprightSize(path, limits: limits)
      let ending = path.lastIndex(of: ".") ?? path.endIndex
      let file = labels + path[..<ending].dropFirst(images.count) + ".txt"
      var objects: [LabelledObject] = []
      if remaining.remove(file) != nil {
        labelled += 1
        let all = try LabelLines(file: file, size: size, form: form).objects(of: classes)
        for object in all where !objects.contains(object) { objects.append(object) }
        if objects.count < all.count {
          notes.append("\(file): \(all.count - objects.count) lines are there twice; each counts once")
        }
      }
      read.append(
        LabelledPicture(
          path: path, id: PictureFiles.id(path), width: size.width, height: size.height, objects: objects))
    }
    if let file = remaining.min() {
      let picture = images + file.dropFirst(labels.count).dropLast(".txt".count) + ".jpg"
      throw LabelError.noPicture(file: file, picture: picture)
    }
    if labelled < pictures.count {
      notes.append(
        "\(pictures.count - labelled) of \(pictures.count) pictures have no label file: without objects")
    }
    // A file name's number is the id of one picture at most.
    let hasIds = Set(read.map { $0.id.serialized() }).count == read.count
    let set = LabelledSet(
      layout: .yolo, pictures: hasIds ? read : read.map { $0.identified(below: images) },
      categoryIds: COCOCategories.ids(of: classes.names), notes: notes)
    guard set.objectCount > 0 else { throw LabelError.nothingLabelled(path: labels) }
    return set
  }

  private static func imagesFolder(_ folder: String) throws -> String {
    let plain = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    guard let kind = pathKind(plain) else { throw FileError.missing(path: plain) }
    guard kind == .folder else { throw FileError.notADirectory(path: plain) }
    if pathKind("\(plain)/images") == .folder { return "\(plain)/images" }
    guard plain.split(separator: "/").contains("images") else {
      throw LabelError.noFolder(path: plain, needed: "images")
    }
    return plain
  }

  /// The folder whose path has `labels` where that of the pictures last has `images`.
  private static func labelsFolder(of images: String) throws(LabelError) -> String {
    var components = images.split(separator: "/", omittingEmptySubsequences: false).map(String.init)
    guard let last = components.lastIndex(of: "images") else {
      throw .noFolder(path: images, needed: "images")
    }
    components[last] = "labels"
    let path = components.joined(separator: "/")
    guard pathKind(path) == .folder else {
      throw .noFolder(path: components[..<last].joined(separator: "/"), needed: "labels")
    }
    return path
  }
}

extension LabelledPicture {
  /// The same called by its path below a folder.
  fileprivate func identified(below folder: String) -> LabelledPicture {
    LabelledPicture(
      path: path, id: .string(String(path.dropFirst(folder.count + 1))), width: width, height: height,
      objects: objects)
  }
}
