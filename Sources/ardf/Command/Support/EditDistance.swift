/// How many letters are to be added, taken away, replaced or swapped with their neighbor to make one word another
/// (Damerau, 1964; no letter is changed twice).
enum EditDistance {
  static func between(_ a: String, _ b: String) -> Int {
    let (a, b) = (Array(a), Array(b))
    var (before, above) = ([Int](), Array(0...b.count))
    for i in a.indices {
      var row = [i + 1]
      for j in b.indices {
        var least = min(above[j] + (a[i] == b[j] ? 0 : 1), above[j + 1] + 1, row[j] + 1)
        if i > 0, j > 0, a[i] == b[j - 1], a[i - 1] == b[j] { least = min(least, before[j - 1] + 1) }
        row.append(least)
      }
      (before, above) = (above, row)
    }
    return above[b.count]
  }

  /// The nearest of some words, all of them if several are equally near; none that differ in more than `most` letters.
  static func nearest(to word: String, among words: [String], most: Int) -> [String] {
    let near = words.map { ($0, between($0, word)) }.filter { $0.1 <= most }
    let least = near.map(\.1).min()
    return near.filter { $0.1 == least }.map(\.0)
  }
}
