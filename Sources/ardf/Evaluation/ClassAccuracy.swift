/// How often a classifier names the class of a picture first, or among its first five.
package struct ClassAccuracy: Sendable, Equatable {
  /// Classes of a picture that count.
  private static let most = 5

  private var counts: [Int: (first: Int, among: Int, all: Int)] = [:]

  /// Nothing yet.
  package init() {}

  /// Adds a picture.
  ///
  /// - `found`: classes, the likeliest first.
  package mutating func add(_ found: [Int], of classIndex: Int) {
    var count = counts[classIndex] ?? (0, 0, 0)
    count.all += 1
    if found.first == classIndex { count.first += 1 }
    if found.prefix(Self.most).contains(classIndex) { count.among += 1 }
    counts[classIndex] = count
  }

  /// Classes with pictures, by index.
  package var labeled: [Int] { counts.keys.sorted() }

  /// Pictures of a class named first, named among five, and all.
  package func counts(of classIndex: Int) -> (top1: Int, top5: Int, all: Int) {
    let count = counts[classIndex] ?? (0, 0, 0)
    return (count.first, count.among, count.all)
  }

  private var all: Int { counts.values.reduce(0) { $0 + $1.all } }

  /// The share of pictures whose class is named first, 0 to 1.
  package var top1: Double { Double(counts.values.reduce(0) { $0 + $1.first }) / Double(max(1, all)) }

  /// The share of pictures whose class is among the first five, 0 to 1.
  package var top5: Double { Double(counts.values.reduce(0) { $0 + $1.among }) / Double(max(1, all)) }

  /// Equal counts of all classes.
  package static func == (a: ClassAccuracy, b: ClassAccuracy) -> Bool {
    a.labeled == b.labeled && a.labeled.allSatisfy { a.counts(of: $0) == b.counts(of: $0) }
  }
}
