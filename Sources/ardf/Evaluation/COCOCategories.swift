import Models

/// The numbers that COCO's annotations have for classes.
enum COCOCategories {
  /// Numbers for classes where no annotation file says any: COCO's for its 80, their place where there is a class for each of
  /// COCO's 91 numbers, else 1 and so on.
  static func ids(of names: [String]) -> [Int] {
    let published = COCONumbers.published
    if names.count == COCONumbers.names.count, names[1] == "person", names[90] == "toothbrush" {
      return Array(names.indices)
    }
    let isPublished = names.count == published.count && names.first == "person" && names.last == "toothbrush"
    return isPublished ? published : Array(1...max(1, names.count))
  }
}
