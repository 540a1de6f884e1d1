/// Where at least `least` of some sorted values lie within a band, the most first: the mean of each and how many they are.
func gatherings(of sorted: [Double], band: Double, most: Int, least: Int) -> [(mean: Double, count: Int)] {
  var rest = sorted
  var found: [(mean: Double, count: Int)] = []
  while found.count < most {
    var best = 0..<0
    var end = 0
    for start in rest.indices {
      while end < rest.count, rest[end] <= rest[start] + band { end += 1 }
      if end - start > best.count { best = start..<end }
    }
    guard best.count >= max(least, 1) else { break }
    found.append((rest[best].reduce(0, +) / Double(best.count), best.count))
    rest.removeSubrange(best)
  }
  return found
}
