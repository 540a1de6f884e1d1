import AppCore
import Geometry
import Models

/// Puts together what several parts of a picture show of the same objects, as `sahi` does by default: greedy non-maximum
/// merging of boxes of a class, by their intersection over the smaller one (Akyon et al., 2022).
///
/// The surest box takes in, one after the other, those of which it shares half, or which share half of it: boxes and masks
/// become what both cover, the score is the surest's. A box that shared half of the surest alone, and not of what that has
/// grown to, goes.
///
/// Where scores below 0.1 count, boxes would grow over all that is doubtful: there the surest box is kept as it is, and
/// those go whose intersection over union with it is a half. Oriented boxes are kept as they are too: two have no common
/// one.
struct TileMerging {
  /// The objects; boxes of masks are those of their pixels.
  let form: ObjectForm
  /// The score that objects exceed.
  let confidence: Float

  /// The least overlap of boxes of one object.
  private static let leastOverlap = 0.5
  /// Below this confidence boxes do not grow.
  private static let lowConfidence: Float = 0.1

  private var keepsBoxes: Bool { isUnsure || form == .orientedBoxes }
  private var isUnsure: Bool { confidence < Self.lowConfidence }

  /// One detection, and the rectangle by which it is compared.
  private struct Piece {
    let detection: UprightDetection
    /// Its box; of a mask from its first pixels to its last, which is where its outline runs.
    let rect: Rect<UprightPixels>

    init?(_ detection: UprightDetection) {
      self.detection = detection
      guard let mask = detection.mask else {
        guard !detection.box.isEmpty else { return nil }
        rect = detection.box
        return
      }
      guard var bounds = mask.pixelBounds else { return nil }
      bounds.maxX -= 1
      bounds.maxY -= 1
      rect = bounds
    }

    private init(_ detection: UprightDetection, rect: Rect<UprightPixels>) {
      (self.detection, self.rect) = (detection, rect)
    }

    /// The same object with what others show of it.
    ///
    /// - `rect`: around all.
    func with(_ members: [Piece], rect: Rect<UprightPixels>) -> Piece {
      let detection = detection
      return Piece(
        UprightDetection(
          id: detection.id, classId: detection.classId, className: detection.className,
          confidence: detection.confidence, box: rect,
          mask: UprightMask.union(members.compactMap(\.detection.mask)), keypoints: detection.keypoints,
          orientedBox: detection.orientedBox), rect: rect)
    }

    /// The object with its number, and the box of its mask.
    func object(id: Int) -> UprightDetection {
      UprightDetection(
        id: id, classId: detection.classId, className: detection.className,
        confidence: detection.confidence, box: detection.mask?.pixelBounds ?? detection.box,
        mask: detection.mask, keypoints: detection.keypoints, orientedBox: detection.orientedBox)
    }

    /// Surest first; of equal ones the leftmost, then the topmost.
    static func precede(_ one: Piece, _ other: Piece) -> Bool {
      let (a, b) = (one.rect, other.rect)
      return (-one.detection.confidence, a.minX, a.minY, a.maxX, a.maxY)
        < (-other.detection.confidence, b.minX, b.minY, b.maxX, b.maxY)
    }
  }

  /// The objects of all parts, each once, best first.
  func merged(_ found: [UprightDetection]) -> [UprightDetection] {
    let pieces = Dictionary(grouping: found.compactMap(Piece.init), by: \.detection.classId)
    let objects = pieces.values.flatMap { merged(ofOneClass: $0.sorted(by: Piece.precede)) }
    return objects.sorted(by: Piece.precede).enumerated().map { $1.object(id: $0) }
  }

  /// - `pieces`: of one class, surest first.
  private func merged(ofOneClass pieces: [Piece]) -> [Piece] {
    var isTaken = [Bool](repeating: false, count: pieces.count)
    var objects: [Piece] = []
    for (index, surest) in pieces.enumerated() where !isTaken[index] {
      var members = [surest]
      var grown = surest.rect
      for other in pieces.indices.dropFirst(index + 1) where !isTaken[other] {
        let rect = pieces[other].rect
        guard Double(overlap(surest.rect, rect)) >= Self.leastOverlap else { continue }
        isTaken[other] = true
        let smaller = min(grown.area, rect.area)
        guard !keepsBoxes, smaller > 0, grown.intersection(rect).area / smaller >= Self.leastOverlap
        else { continue }
        members.append(pieces[other])
        grown = grown.union(rect)
      }
      objects.append(members.count == 1 ? surest : surest.with(members, rect: grown))
    }
    return objects
  }

  /// Overlap of two boxes, in single precision as the reference computes it.
  private func overlap(_ one: Rect<UprightPixels>, _ other: Rect<UprightPixels>) -> Float {
    func area(_ minX: Double, _ minY: Double, _ maxX: Double, _ maxY: Double) -> Float {
      max(0, Float(maxX) - Float(minX)) * max(0, Float(maxY) - Float(minY))
    }
    let first = area(one.minX, one.minY, one.maxX, one.maxY)
    let second = area(other.minX, other.minY, other.maxX, other.maxY)
    let common = area(
      max(one.minX, other.minX), max(one.minY, other.minY), min(one.maxX, other.maxX),
      min(one.maxY, other.maxY))
    let whole = isUnsure ? first + second - common : min(first, second)
    return whole > 0 ? common / whole : 0
  }
}

extension Rect {
  /// Around both.
  fileprivate func union(_ other: Self) -> Self {
    Rect(
      minX: min(minX, other.minX), minY: min(minY, other.minY), maxX: max(maxX, other.maxX),
      maxY: max(maxY, other.maxY))
  }
}
