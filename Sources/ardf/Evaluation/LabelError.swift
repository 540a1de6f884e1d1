import FileFormats

/// Why labels cannot be evaluated against.
package enum LabelError: Error, Equatable, CustomStringConvertible {
  /// A folder that must be there is not.
  case noFolder(path: String, needed: String)
  /// A folder of pictures without any that is read.
  case noPictures(folder: String)
  /// Pictures without a single label file.
  case noLabels(folder: String)
  /// Labels of a picture that is not there.
  case noPicture(file: String, picture: String)
  /// Labels of two pictures in one file.
  case sharedLabels(file: String, pictures: [String])
  /// A line of a label file holds something else.
  case badLine(file: String, line: Int, expected: String)
  /// A class that the network does not have.
  case unknownClass(file: String, line: Int, index: Int, count: Int)
  /// A category of an annotation file that the network does not have.
  case unknownCategory(file: String, id: Int, name: String)
  /// Categories of an annotation file that have one name, and annotations each.
  case sharedName(file: String, ids: [Int], name: String)
  /// An annotation file lacks something or holds something else there.
  case badAnnotation(file: String, place: String, expected: String)
  /// A picture of another size than its annotations say.
  case otherSize(file: String, picture: String, stated: String, actual: String)
  /// A folder that should hold a folder of pictures for each class has none.
  case noClasses(folder: String)
  /// A folder of pictures that is not a class of the network.
  case unknownClassFolder(path: String, count: Int)
  /// There is no label of what is to be evaluated.
  case nothingLabeled(path: String)

  /// One line that names the file and the defect and says what to do.
  package var description: String {
    printableMessage(sentence)
  }

  private var sentence: String {
    switch self {
    case .noFolder(let path, let needed):
      "\(path): there is no \(needed) folder in it; give a folder with images/ and labels/, or pictures and "
        + "--annotations instances.json"
    case .noPictures(let folder):
      "\(folder): holds no pictures (\(pictureFormats)); give the folder that has them"
    case .noLabels(let folder):
      "\(folder): holds no label file (.txt) of any picture; name them as the pictures: labels/NAME.txt of images/NAME.jpg"
    case .noPicture(let file, let picture):
      "\(file): belongs to \(picture), which is not there; add the picture or take its labels away"
    case .sharedLabels(let file, let pictures):
      "\(file): belongs to \(pictures.joined(separator: " and to ")); give one of them another name, with its labels"
    case .badLine(let file, let line, let expected): "\(file): line \(line) must be \(expected)"
    case .unknownClass(let file, let line, let index, let count):
      "\(file): line \(line) is of class \(index); the network has \(count), counted from 0: give the weights that "
        + "these labels are of, or --classes to evaluate some of its classes only"
    case .unknownCategory(let file, let id, let name):
      "\(file): category \(id), \"\(name)\", is not a class of the network: give the weights that these annotations are "
        + "of, or --classes to evaluate some of its classes only"
    case .sharedName(let file, let ids, let name):
      "\(file): categories \(ids.map(String.init).joined(separator: " and ")) are both \"\(name)\", of which the network "
        + "has one class: rename one of them, or give its annotations the other's id"
    case .badAnnotation(let file, let place, let expected): "\(file): \(place) must be \(expected)"
    case .otherSize(let file, let picture, let stated, let actual):
      "\(file): says that \(picture) has \(stated) pixels; it has \(actual), and is another picture; give those that were labeled"
    case .noClasses(let folder):
      "\(folder): holds no folder; give one that has a folder of pictures for each class, CLASS/NAME.jpg"
    case .unknownClassFolder(let path, let count):
      "\(path): is not a class of the network; name folders as its \(counted(count, "class", "classes")), which ardf inspect weights lists"
    case .nothingLabeled(let path):
      "\(path): no object of the classes to be evaluated is labeled in it; give pictures that show some, or other --classes"
    }
  }
}

extension LabelError: ClassifiedError {
  /// The kind of fault.
  package var fault: Fault {
    switch self {
    case .noFolder, .noPictures, .noLabels, .noPicture, .noClasses: .missingInput
    case .sharedLabels, .badLine, .unknownClass, .unknownCategory, .sharedName, .badAnnotation, .otherSize,
      .unknownClassFolder, .nothingLabeled:
      .malformedInput
    }
  }
}
