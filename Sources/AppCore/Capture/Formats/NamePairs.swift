import FileFormats

/// Which of some files goes with each of some pictures, recognized by their names.
///
/// They go together by equal names without endings; by a whole number in them, such as a frame's; by the time in them, the
/// nearest within half the pictures' interval, each file once; or, where names have nothing in common, by their order. A
/// rule must fit all that there is to pair; the one that fits most counts where none does, and what it leaves is for the
/// caller to name. Numbers never part what has equal names.
package struct NamePairs {
  /// The position of each picture's file; nil where it has none.
  package let partners: [Int?]

  /// How many pictures have a file.
  var count: Int { partners.count { $0 != nil } }

  /// Pairs of names in their natural order; nil where the names do not pair, or a number fits less than half.
  package init?(_ pictures: [String], _ files: [String]) {
    let (a, b) = (pictures.map(NameNumbers.init), files.map(NameNumbers.init))
    let most = min(a.count, b.count)
    guard most > 0 else { return nil }
    let byName = Self.equal(a.map(\.stem), b.map(\.stem))
    func agrees(_ partners: [Int?]) -> Bool {
      zip(byName, partners).allSatisfy { $0 == nil || $0 == $1 }
    }
    var candidates = [byName]
    for place in 0..<4 {
      candidates.append(
        Self.equal(a.map { $0.number(fromLast: place) }, b.map { $0.number(fromLast: place) }))
      candidates.append(
        Self.equal(a.map { $0.number(fromFirst: place) }, b.map { $0.number(fromFirst: place) }))
    }
    let byTime = Self.nearest(a.map(\.time), b.map(\.time))
    candidates = candidates.filter(agrees) + (byTime.map { [$0] } ?? []).filter(agrees)
    func pairs(_ partners: [Int?]) -> Int { partners.count { $0 != nil } }
    if let best = candidates.max(by: { pairs($0) < pairs($1) }), pairs(best) > 0 {
      // The first of those that fit as much.
      let first = candidates.first { pairs($0) == pairs(best) } ?? best
      guard pairs(first) * 2 >= most || first == byName || first == byTime else { return nil }
      partners = first
    } else {
      guard a.count == b.count, byTime == nil else { return nil }
      partners = a.indices.map { $0 }
    }
  }

  /// Those that share a key that is the only one of its kind on both sides.
  private static func equal(_ pictures: [String?], _ files: [String?]) -> [Int?] {
    func places(_ keys: [String?]) -> NameTable<[Int]> {
      var places: NameTable<[Int]> = [:]
      for (place, key) in keys.enumerated() {
        if let key { places[key, default: []].append(place) }
      }
      return places
    }
    let (own, others) = (places(pictures), places(files))
    return pictures.map { key in
      guard let key, own[key]?.count == 1, let found = others[key], found.count == 1 else { return nil }
      return found[0]
    }
  }

  /// Where recordings are of a single picture, nanoseconds between it and its file at most.
  private static let leastTolerance = 20_000_000

  /// The nearest in time; nil where a name has none.
  ///
  /// The nearest of all goes first, the earlier among equals.
  private static func nearest(_ pictures: [Int?], _ files: [Int?]) -> [Int?]? {
    let (own, others) = (pictures.compactMap(\.self), files.compactMap(\.self))
    guard own.count == pictures.count, others.count == files.count else { return nil }
    let sorted = own.sorted()
    let intervals = zip(sorted, sorted.dropFirst()).map { $1 - $0 }.sorted()
    let tolerance = max(leastTolerance, intervals.isEmpty ? 0 : intervals[intervals.count / 2] / 2)
    let order = others.indices.sorted { (others[$0], $0) < (others[$1], $1) }
    var near: [(distance: Int, picture: Int, file: Int)] = []
    for (picture, time) in own.enumerated() {
      var (low, high) = (0, order.count)
      while low < high {
        let middle = (low + high) / 2
        if others[order[middle]] < time - tolerance { low = middle + 1 } else { high = middle }
      }
      // A few of the nearest are enough, however dense the files are.
      let within = order[low...].prefix { others[$0] <= time + tolerance }
      let closest = within.sorted { (abs(others[$0] - time), $0) < (abs(others[$1] - time), $1) }
      near += closest.prefix(4).map { (abs(others[$0] - time), picture, $0) }
    }
    near.sort { $0 < $1 }
    var partners = [Int?](repeating: nil, count: own.count)
    var isTaken = [Bool](repeating: false, count: others.count)
    for pair in near where partners[pair.picture] == nil && !isTaken[pair.file] {
      partners[pair.picture] = pair.file
      isTaken[pair.file] = true
    }
    return partners
  }
}

/// The numbers in a file's name.
struct NameNumbers {
  /// The name without its ending.
  let stem: String
  /// Whole numbers without leading zeros, in order; parts of a decimal number do not count.
  private let whole: [String]
  /// Nanoseconds: the last number with a point, in seconds, or else a whole number that can only be the time of a clock.
  let time: Int?

  private static let nanoseconds = 1_000_000_000

  init(_ name: String) {
    stem = fileStem(name)
    func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
    var (whole, times): ([String], [Int]) = ([], [])
    var rest = stem.utf8[...]
    while let start = rest.firstIndex(where: isDigit) {
      let digits = rest[start...].prefix(while: isDigit)
      let after = rest[digits.endIndex...]
      let fraction =
        after.first == UInt8(ascii: ".") ? after.dropFirst().prefix(while: isDigit) : after.prefix(0)
      let number = String(Substring(digits))
      if fraction.isEmpty {
        whole.append(String(number.drop { $0 == "0" }))
        rest = after
      } else {
        if let time = Self.time(number, String(Substring(fraction))) { times.append(time) }
        rest = rest[fraction.endIndex...]
      }
    }
    self.whole = whole
    time = times.last ?? whole.compactMap(Self.clockTime).last
  }

  func number(fromLast place: Int) -> String? { place < whole.count ? whole[whole.count - 1 - place] : nil }

  func number(fromFirst place: Int) -> String? { place < whole.count ? whole[place] : nil }

  private static func time(_ seconds: String, _ fraction: String) -> Int? {
    let digits = fraction.prefix(9)
    guard let seconds = CheckedInt(seconds)?.within(0...4_000_000_000),
      let part = CheckedInt(digits + String(repeating: "0", count: 9 - digits.count))?.within(0...999_999_999)
    else { return nil }
    return seconds * nanoseconds + part
  }

  /// Milli-, micro- or nanoseconds since 1970, of this century's first decades.
  private static func clockTime(_ digits: String) -> Int? {
    guard let scale = [13: 1_000_000, 16: 1000, 19: 1][digits.utf8.count],
      let time = CheckedInt(digits)?.within(0...4_000_000_000 * (nanoseconds / scale))
    else { return nil }
    return time * scale
  }
}
