import FileFormats
import Geometry
import Imaging

/// Labels in files of lines beside pictures, as Ultralytics has them: `images/NAME.jpg` and `labels/NAME.txt`.
///
/// A line is `CLASS X Y WIDTH HEIGHT` or `CLASS X1 Y1 X2 Y2 X3 Y3 ...`, an outline, and of key points `CLASS X Y WIDTH
/// HEIGHT` and x, y, and whether it is labeled, of each; x and y are over the picture's width and height. A picture
/// without such a file, or with an empty one, has no objects.
package enum LabelFolder {
  /// Reads the labels of all pictures below a folder that holds `images` and `labels`, or that lies in `images`.
  ///
  /// A picture that is bad, or whose labels are, is left out; if nothing is labeled in the others that is why it fails.
  ///
  /// - Throws: `LabelError`, `FileError`, `ImageError`.
  package static func read(
    _ folder: String, classes: EvaluatedClasses, form: LabelForm = .objects, limits: ImageLimits = .default
  ) throws -> LabeledSet {
    let images = try imagesFolder(folder)
    let labels = try labelsFolder(of: images)
    let pictures = try PictureFiles.below(images, where: hasPictureEnding)
    guard !pictures.isEmpty else { throw LabelError.noPictures(folder: images) }
    var remaining = NameSet(
      try PictureFiles.below(labels) { hasEnding($0, ".txt") && $0 != "classes.txt" })
    guard !remaining.isEmpty else { throw LabelError.noLabels(folder: labels) }
    var notes: [String] = []
    var unlabeled = 0
    var leftOut = LeftOutPictures()
    var owners: NameTable<String> = [:]
    var read: [LabeledPicture] = []
    for path in pictures {
      let file = labels + below(images, withoutEnding(path)) + ".txt"
      if let other = owners.updateValue(path, forKey: file), fileExists(file) {
        throw LabelError.sharedLabels(file: file, pictures: [other, path])
      }
      remaining.remove(file)
      let picture = try leftOut.attempt(path) {
        let size = try PictureFiles.uprightSize(path, limits: limits)
        var objects: [LabeledObject] = []
        // Something else than a file is not a sign that there are no objects.
        if fileExists(file) {
          let all = try LabelLines(file: file, size: size, form: form).objects(of: classes)
          for object in all where !objects.contains(object) { objects.append(object) }
          if objects.count < all.count {
            notes.append(
              "\(file): \(counted(all.count - objects.count, "line is", "lines are")) there twice; each counts once"
            )
          }
        } else {
          unlabeled += 1
        }
        return LabeledPicture(
          path: path, id: pictureId(path), width: size.width, height: size.height, objects: objects)
      }
      if let picture { read.append(picture) }
    }
    var passedOver = try PassedOver(below: images)
    for file in remaining.sorted {
      let stem = images + below(labels, withoutEnding(file))
      // A picture of a format that is not read is there, and is recognized by its name.
      guard try otherPicture(stem) == nil else { continue }
      leftOut.add(stem, LabelError.noPicture(file: file, picture: stem + ".jpg"))
    }
    passedOver.add(unnamedLabels: try PassedOver(below: labels).unnamed.map { images + below(labels, $0) })
    if unlabeled > 0 {
      notes.append(
        "no label file for \(unlabeled) of \(counted(pictures.count, "picture")): without objects")
    }
    let paths = read.map { String(below(images, $0.path).dropFirst()) }
    let ids = pictureIds(read.map(\.path), paths: paths)
    let set = LabeledSet(
      layout: .yolo, pictures: zip(read, ids).map { $0.identified($1) },
      categoryIds: COCOCategories.ids(of: classes.names), notes: notes, leftOut: leftOut.entries,
      passedOver: passedOver)
    try leftOut.check(set, path: labels)
    return set
  }

  /// A path without the ending of its last component.
  private static func withoutEnding(_ path: String) -> String {
    let name = lastComponent(path)
    return String(decoding: path.utf8.dropLast(name.utf8.count - fileStem(name).utf8.count), as: UTF8.self)
  }

  /// The rest of a path below a folder above it, given with its slash.
  private static func below(_ folder: String, _ path: String) -> String {
    String(decoding: path.utf8.dropFirst(folder.utf8.count), as: UTF8.self)
  }

  /// The picture at a path without ending that is of a format that is not read; nil where there is none.
  private static func otherPicture(_ stem: String) throws -> String? {
    let (folder, name) = AtomicOutputs.split(stem)
    guard pathKind(folder) == .folder else { return nil }
    return try folderNames(of: folder).first { file in
      hasUnreadPictureEnding(file) && fileStem(file).isSameName(as: name)
    }.map { "\(folder)/\($0)" }
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
      let above = last == 0 ? "." : components[..<last].joined(separator: "/")
      throw .noFolder(path: above.isEmpty ? "/" : above, needed: "labels")
    }
    return path
  }
}

extension LabeledPicture {
  /// The same called by an id.
  fileprivate func identified(_ id: JSONValue) -> LabeledPicture {
    LabeledPicture(path: path, id: id, width: width, height: height, objects: objects)
  }
}
