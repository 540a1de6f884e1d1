import FileFormats
import NNRuntime

/// The objects that a network finds, compared with the reference's after suppression.
public struct ComparedObjects: Sendable {
  /// The tensor's name in the reference.
  public let name: String
  /// The objects found here and in the reference, and how many of them agree.
  public let found, expected, matched: Int
  /// Objects that only one side has, and only since a score or an overlap is at a threshold.
  public let atThreshold: Int
  /// Objects that only one side has, and numbers of objects of both that are too far apart: one sentence each.
  public let defects: [String]
  /// Whether they were decoded from the reference's raw outputs.
  public let isOwn: Bool
  /// The largest difference of each part of the objects that are the same.
  public let differences: [(part: String, largest: Double)]
  /// Masks compared; 0 where the reference has none.
  public let masks: Int

  /// Whether all objects and their numbers are the same, within the tolerances.
  public var passed: Bool { defects.isEmpty }

  /// The most defects that a sentence lists.
  private static let listed = 3

  /// The divergence, in a sentence.
  package var text: String {
    "\(name) (the objects after suppression" + (isOwn ? ", of the reference's own raw outputs" : "")
      + "): \(found) found, \(expected) expected: " + defects.prefix(Self.listed).joined(separator: "; ")
      + (defects.count > Self.listed ? "; and \(defects.count - Self.listed) more" : "")
  }

  var json: JSONValue {
    [
      "name": .string(name), "found": .integer(found), "expected": .integer(expected),
      "matched": .integer(matched), "atThreshold": .integer(atThreshold), "masks": .integer(masks),
      "ofReference": .bool(isOwn), "passed": .bool(passed),
      "defects": .array(defects.map(JSONValue.string)),
      "differences": .object(
        Dictionary(
          differences.map { ($0.part, JSONValue.figure($0.largest)) }, uniquingKeysWith: { first, _ in first }
        )),
    ]
  }
}

/// Compares objects with a reference's.
struct ObjectComparison {
  let decoding: any DecodedNetwork
  let kind: ObjectKind
  let thresholds: ObjectThresholds
  let isOwn: Bool
  let precision: Precision

  private var margin: (score: Float, overlap: Float) {
    isOwn ? ObjectTolerance.ownMargin : ObjectTolerance.finalMargin
  }

  private func tolerance(_ quantity: OutputQuantity) -> LayerTolerance {
    .output(quantity, isOwn: isOwn, precision)
  }

  /// The parts of an object's row.
  private var parts: [DecodedPart] {
    [
      DecodedPart("boxes", .pixels, rows: [0, 1, 2, 3]), DecodedPart("scores", .probabilities, rows: [4]),
    ] + kind.extras.map { DecodedPart($0.name, $0.quantity, rows: $0.rows.map { $0 + 6 }) }
  }

  private func row(_ object: DecodedObject) -> [Float] {
    object.box + [object.score, Float(object.classIndex)] + object.extras
  }

  /// Compares `found` with the rows of a reference, and their masks with its, row-major on the grid of `masks`.
  func compare(
    _ found: [DecodedObject], with rows: [[Float]], masks: (width: Int, height: Int, elements: [Float])?,
    name: String
  ) -> ComparedObjects {
    var defects: [String] = []
    var expected: [DecodedObject] = []
    for (index, row) in rows.enumerated() {
      guard row.allSatisfy(\.isFinite) else {
        defects.append("object \(index) of the reference has numbers that are not finite")
        continue
      }
      guard let kind = Int(exactly: row[5]) else {
        defects.append("object \(index) of the reference is of class \(row[5]), which is not an index")
        continue
      }
      expected.append(
        DecodedObject(
          box: Array(row[..<4]), score: row[4], classIndex: kind, extras: Array(row[6...])))
    }
    let pairs = paired(found, expected)
    var differences: [(part: String, largest: Double)] = []
    for part in parts {
      let scale = expected.flatMap { object in part.rows.map { abs(row(object)[$0]) } }.max() ?? 0
      let allowed = tolerance(part.quantity)
      var largest = 0.0
      for (ours, theirs) in pairs {
        let (one, other) = (row(found[ours]), row(expected[theirs]))
        let off = part.rows.map { Double(TensorDifference.difference(one[$0], other[$0])) }.max() ?? 0
        largest = max(largest, off)
        if off > allowed.absolute + allowed.relative * Double(scale) {
          defects.append(
            "\(part.name) of \(described(expected[theirs])) are off by \(scientific(off)) at most")
        }
      }
      differences.append((part.name, largest))
    }
    let alone = unpaired(found, expected, pairs)
    defects += alone.defects
    if let masks, defects.isEmpty {
      defects += pairs.compactMap { pair in
        maskDefect(found[pair.0], masks, at: pair.1).map {
          "objects.masks of \(described(expected[pair.1])): \($0)"
        }
      }
    }
    return ComparedObjects(
      name: name, found: found.count, expected: rows.count, matched: pairs.count,
      atThreshold: alone.excused, defects: defects, isOwn: isOwn, differences: differences,
      masks: masks == nil ? 0 : pairs.count)
  }

  private func described(_ object: DecodedObject) -> String {
    "the object of class \(object.classIndex), score \(object.score), \(kind.box) "
      + "\(object.box.map { ($0 * 100).rounded() / 100 })"
  }

  // MARK: - Pairs

  /// Pixels by which the four numbers of a box may differ in all, a thousandth of score counted as one: what is farther
  /// is another object.
  private static let sameObject: Float = 16

  /// Indices of the objects that are the same: of a class, the nearest.
  private func paired(_ found: [DecodedObject], _ expected: [DecodedObject]) -> [(Int, Int)] {
    /// Pixels, and scores as if a thousandth was one.
    func distance(_ one: DecodedObject, _ other: DecodedObject) -> Float {
      zip(one.box, other.box).map { abs($0 - $1) }.reduce(0, +) + 1000 * abs(one.score - other.score)
    }
    var near: [(distance: Float, ours: Int, theirs: Int)] = []
    for (theirs, object) in expected.enumerated() {
      for (ours, own) in found.enumerated() where own.classIndex == object.classIndex {
        let distance = distance(own, object)
        if distance.isFinite, distance < Self.sameObject { near.append((distance, ours, theirs)) }
      }
    }
    near.sort { ($0.distance, $0.theirs, $0.ours) < ($1.distance, $1.theirs, $1.ours) }
    var (usedOurs, usedTheirs): (Set<Int>, Set<Int>) = ([], [])
    var pairs: [(Int, Int)] = []
    for entry in near where !usedOurs.contains(entry.ours) && !usedTheirs.contains(entry.theirs) {
      usedOurs.insert(entry.ours)
      usedTheirs.insert(entry.theirs)
      pairs.append((entry.ours, entry.theirs))
    }
    return pairs.sorted { $0.1 < $1.1 }
  }

  /// Objects that only one side has: those at a threshold, and the others.
  private func unpaired(
    _ found: [DecodedObject], _ expected: [DecodedObject], _ pairs: [(Int, Int)]
  ) -> (excused: Int, defects: [String]) {
    let (ours, theirs) = (Set(pairs.map(\.0)), Set(pairs.map(\.1)))
    var left: [(object: DecodedObject, isOurs: Bool)] =
      found.indices.filter { !ours.contains($0) }.map { (found[$0], true) }
      + expected.indices.filter { !theirs.contains($0) }.map { (expected[$0], false) }
    let least = [found, expected].compactMap { list in
      list.count >= thresholds.limit ? list.map(\.score).min() : nil
    }.max()
    var excused: [DecodedObject] = []
    var isSettled = false
    while !isSettled {
      isSettled = true
      for index in left.indices.reversed() {
        let (object, isOurs) = left[index]
        guard isExcused(object, among: isOurs ? expected : found, cut: least, after: excused) else {
          continue
        }
        excused.append(object)
        left.remove(at: index)
        isSettled = false
      }
    }
    return (
      excused.count,
      left.map { "\(described($0.object)) is \($0.isOurs ? "not in the reference" : "not found")" }
    )
  }

  private func isExcused(
    _ object: DecodedObject, among others: [DecodedObject], cut: Float?, after excused: [DecodedObject]
  ) -> Bool {
    if abs(object.score - thresholds.confidence) <= margin.score { return true }
    if let cut, object.score <= cut + margin.score { return true }
    guard !kind.isEndToEnd else { return false }
    let same = others.filter { $0.classIndex == object.classIndex }
    if same.contains(where: { abs(decoding.overlap($0, object) - thresholds.overlap) <= margin.overlap }) {
      return true
    }
    return excused.contains {
      $0.classIndex == object.classIndex
        && decoding.overlap($0, object) > thresholds.overlap - margin.overlap
    }
  }

  // MARK: - Masks

  /// Difference between a mask and that of the reference's object `index`; nil for none.
  private func maskDefect(
    _ object: DecodedObject, _ masks: (width: Int, height: Int, elements: [Float]), at index: Int
  ) -> String? {
    guard let mask = object.mask else { return nil }
    guard mask.width == masks.width, mask.height == masks.height else {
      return "\(masks.width)x\(masks.height) cells, not \(mask.width)x\(mask.height)"
    }
    let margin = isOwn ? ObjectTolerance.ownMask : ObjectTolerance.finalMask
    // Four pixels a cell.
    let edges = object.box.map { $0 / 4 }
    var wrong = 0
    let first = index * mask.probabilities.count
    for cell in mask.probabilities.indices {
      let probability = mask.probabilities[cell]
      guard (probability > 0.5) != (masks.elements[first + cell] > 0.5), abs(probability - 0.5) > margin
      else {
        continue
      }
      let (row, column) = (Float(cell / mask.width), Float(cell % mask.width))
      let isAtEdge =
        abs(column - edges[0]) <= margin || abs(column - edges[2]) <= margin
        || abs(row - edges[1]) <= margin || abs(row - edges[3]) <= margin
      if !isAtEdge { wrong += 1 }
    }
    return wrong == 0 ? nil : counted(wrong, "cell differs", "cells differ")
  }
}
