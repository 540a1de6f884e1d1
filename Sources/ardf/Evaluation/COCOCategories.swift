/// The numbers that COCO's annotations have for classes.
enum COCOCategories {
  /// Categories of the 80 classes in the order of detectors trained on them: 1 to 90 with gaps.
  private static let published: [Int] = {
    let unused: Set<Int> = [12, 26, 29, 30, 45, 66, 68, 69, 71, 83]
    return (1...90).filter { !unused.contains($0) }
  }()

  /// Numbers for classes where no annotation file says any: COCO's for its 80, else 1 and so on.
  static func ids(of names: [String]) -> [Int] {
    let isPublished = names.count == published.count && names.first == "person" && names.last == "toothbrush"
    return isPublished ? published : Array(1...max(1, names.count))
  }
}
