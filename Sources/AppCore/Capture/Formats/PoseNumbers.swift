import FileFormats

/// Which numbered pose belongs to each of some pictures that no list pairs with poses.
///
/// Poses are numbered by frame, from 0. Where a picture is gone, the places of those after it are no longer their
/// numbers; the numbers in their names still are.
package struct PoseNumbers {
  /// The number of each picture's pose.
  package let numbers: [Int]

  /// The poses of pictures in their order; nil where their names and their count leave more than one answer.
  ///
  /// - `pictures`: Names of files, in natural order.
  /// - `poses`: The poses' numbers; there may be fewer than pictures.
  package init?(_ pictures: [String], poses: Set<Int>) {
    let places = Array(pictures.indices)
    let named = pictures.compactMap {
      integer(of: NameNumbers($0).number(fromLast: 0).map { "0" + $0 } ?? "", in: 0...1 << 40)
    }
    let isNumbered = named.count == pictures.count && zip(named, named.dropFirst()).allSatisfy(<)
    let end = (poses.max() ?? -1) + 1
    // Names count from 0 or from 1.
    let fitting =
      isNumbered ? [0, 1].map { first in named.map { $0 - first } }.filter { $0.allSatisfy { $0 >= 0 } } : []
    if let exact = fitting.first(where: { Set($0) == poses }) {
      numbers = exact
    } else if isNumbered, let first = named.first, let last = named.last, last - first == places.count - 1,
      places.count >= end
    {
      numbers = places
    } else if poses == Set(places) || !isNumbered && places.count >= end {
      numbers = places
    } else {
      let within = fitting.filter { $0.allSatisfy { $0 < end } }
      guard within.count == 1 else { return nil }
      numbers = within[0]
    }
  }
}
