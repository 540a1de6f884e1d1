import FileFormats
import Geometry
import Imaging

/// Labels in files of lines beside pictures, as Ultralytics has them: `images/NAME.jpg` and `labels/NAME.txt`.
///
/// A line is `CLASS X Y WIDTH HEIGHT` or `CLASS X1 Y1 X2 Y2 X3 Y3 ...`, an outline; x and y are over the picture's width
/// and height. A picture without such a file, or with an empty one, has no objects.
package enum LabelFolder {
  /// How far coordinates may lie outside of the picture, in its sides.
  private static let slack: Float = 0.01

  /// Reads the labels of all pictures below a folder that holds `images` and `labels`, or that lies in `images`.
  ///
  /// - Throws: `LabelError`, `FileError`, `ImageError`.
  package static func read(
    _ folder: String, classes: EvaluatedClasses, limits: ImageLimits = .default
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
        let all = try LabelLines.objects(of: file, size: size, classes: classes)
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

  /// The lines of one file.
  private enum LabelLines {
    static func objects(
      of file: String, size: (width: Int, height: Int), classes: EvaluatedClasses
    ) throws -> [LabelledObject] {
      let bytes = try FileBytes.contents(of: file)
      guard let text = String(validating: bytes, as: UTF8.self) else {
        throw LabelError.badLine(file: file, line: 1, expected: "UTF-8 text")
      }
      var objects: [LabelledObject] = []
      var hasOutlines: Bool?
      let lines = text.split(omittingEmptySubsequences: false) { $0.isNewline }
      for (index, line) in lines.enumerated() {
        // A byte-order mark may lead.
        let fields = line.split { $0.isWhitespace || $0 == "\u{FEFF}" }
        guard !fields.isEmpty else { continue }
        func bad(_ expected: String) -> LabelError {
          .badLine(file: file, line: index + 1, expected: expected)
        }
        let isOutline = fields.count > 6
        guard fields.count == 5 || (isOutline && fields.count % 2 == 1) else {
          throw bad(
            "a class and a box (x y width height), or a class and three corners or more (x y x y x y ...)")
        }
        guard hasOutlines ?? isOutline == isOutline else {
          throw bad("like the lines above: boxes and outlines do not go together in one file")
        }
        hasOutlines = isOutline
        guard let number = Double(fields[0]), let classIndex = Int(exactly: number), classIndex >= 0 else {
          throw bad("a class as a whole number from 0 on, then coordinates")
        }
        let values = fields.dropFirst().compactMap { Double($0).map(Float.init) }
        guard values.count == fields.count - 1,
          values.allSatisfy({ (-slack...1 + slack).contains($0) })
        else { throw bad("coordinates over the picture's sides, from 0 to 1") }
        guard classes.contains(classIndex) else { continue }
        guard classIndex < classes.names.count else {
          throw LabelError.unknownClass(
            file: file, line: index + 1, index: classIndex, count: classes.names.count)
        }
        guard isOutline || (values[2] >= 0 && values[3] >= 0) else {
          throw bad("a box whose width and height are not negative")
        }
        objects.append(
          isOutline
            ? outlined(classIndex, values, size) : boxed(classIndex, values.map(Double.init), size))
      }
      return objects
    }

    private static func outlined(
      _ classIndex: Int, _ values: [Float], _ size: (width: Int, height: Int)
    ) -> LabelledObject {
      let sides = [Double(size.width), Double(size.height)]
      let corners = values.enumerated().map { Double($1) * sides[$0 % 2] }
      let xs = stride(from: 0, to: corners.count, by: 2).map { corners[$0] }
      let ys = stride(from: 1, to: corners.count, by: 2).map { corners[$0] }
      let (left, top) = (xs.min() ?? 0, ys.min() ?? 0)
      return LabelledObject(
        classIndex: classIndex,
        box: PixelBox(x: left, y: top, width: (xs.max() ?? 0) - left, height: (ys.max() ?? 0) - top),
        region: .polygons([corners]), outline: values)
    }

    private static func boxed(
      _ classIndex: Int, _ values: [Double], _ size: (width: Int, height: Int)
    ) -> LabelledObject {
      let (width, height) = (Double(size.width), Double(size.height))
      return LabelledObject(
        classIndex: classIndex,
        box: PixelBox(
          x: (values[0] - values[2] / 2) * width, y: (values[1] - values[3] / 2) * height,
          width: values[2] * width, height: values[3] * height),
        region: nil)
    }
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
