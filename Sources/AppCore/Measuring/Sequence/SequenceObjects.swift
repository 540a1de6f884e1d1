import FileFormats
import Geometry

/// One object of a sequence, put together from all frames that saw it.
package struct SequenceObject: Sendable, Identifiable {
  /// One frame's view of the object.
  package struct Sighting: Sendable, Equatable {
    /// The frame's name.
    package let frame: String
    /// The detection's `id` in that frame.
    package let detectionId: Int
    /// The detection's score.
    package let confidence: Float
    /// The middle of the box that this frame alone gave.
    package let center: Point3<World>
    /// Its sides.
    package let dimensions: BoxDimensions
    /// Its identity from frame to frame; nil where none was given.
    package let track: Int?
  }

  /// Position in the list, from 0: in the order in which the objects were first seen.
  package let id: Int
  /// The class.
  package let className: String
  /// The box around everything that was seen of it.
  package let box: Box3D
  /// How each of its sides is known: seen to end there in one frame at least; nil where no frame measured surfaces.
  package let sides: BoxSides?
  /// How far the box's numbers may be from the truth; nil where frames do not state it.
  package let errors: BoxErrors?
  /// The points that the box was put around; empty where no frame gave enough.
  package let cloud: [Point3<World>]
  /// The frames that saw it, in order.
  package let sightings: [Sighting]

  /// The identities that frames gave it, in the order of the frames that gave each first: one, unless it was lost.
  package var tracks: [Int] {
    sightings.compactMap(\.track).reduce(into: []) { tracks, track in
      if !tracks.contains(track) { tracks.append(track) }
    }
  }

  /// The greatest score.
  package var confidence: Float { sightings.map(\.confidence).max() ?? 0 }

  /// Root mean square distance of the single frames' box middles from their mean, meters.
  package var positionSpread: Double {
    let n = Double(sightings.count)
    let sum = sightings.reduce(Vector3<World>(0, 0, 0)) { $0 + ($1.center - .origin) }
    let mean = Point3<World>.origin + sum * (1 / n)
    let squares = sightings.reduce(0) { $0 + ($1.center - mean).dot($1.center - mean) }
    return (squares / n).squareRoot()
  }
}

/// An object as one frame measured it.
package struct SeenObject: Sendable {
  /// The detection's `id` in its frame.
  package let id: Int
  /// The class.
  package let className: String
  /// The detection's score.
  package let confidence: Float
  /// The box that this frame alone gave.
  package let box: Box3D
  /// How each of its sides is known; nil where that was not written.
  package let sides: BoxSides?
  /// How far the box's numbers may be from the truth; nil where that was not written.
  package let errors: BoxErrors?
  /// Whether it has no turn of its own.
  package let isRound: Bool
  /// Whether its distance was not measured: fused depth lies beyond the depths that the fit has seen.
  package let isExtrapolated: Bool
  /// The points that the box was put around; empty for one made from the picture.
  package let cloud: [Point3<World>]
  /// Its identity from frame to frame; nil where none was given.
  package let track: Int?

  /// An object from its parts.
  package init(
    id: Int, className: String, confidence: Float, box: Box3D, sides: BoxSides?,
    errors: BoxErrors? = nil, isRound: Bool, isExtrapolated: Bool = false, cloud: [Point3<World>],
    track: Int? = nil
  ) {
    self.id = id
    self.track = track
    self.className = className
    self.confidence = confidence
    self.box = box
    self.sides = sides
    self.errors = errors
    self.isRound = isRound
    self.isExtrapolated = isExtrapolated
    self.cloud = cloud
  }

  /// A measured object; nil if it has no box.
  package init?(_ extent: ObjectExtent) {
    guard let box = extent.box3D else { return nil }
    self.init(
      id: extent.id, className: extent.className, confidence: extent.confidence, box: box,
      sides: extent.sides, errors: extent.errors, isRound: extent.warnings.contains(.round),
      isExtrapolated: extent.warnings.contains(.extrapolated), cloud: extent.cloud, track: extent.track)
  }
}

/// Joins the objects of single frames to objects of the whole sequence.
///
/// A sighting belongs to the object of its class with which it shares most points: points count as shared where they
/// lie in the other's box, a little enlarged. When all frames are in, objects of a class whose points lie mostly in
/// each other's boxes are joined as well, so that an object seen in halves becomes one.
///
/// A sighting whose distance is extrapolated may belong to an object, but makes none by itself: from every place its distance
/// is another, and one thing would become many.
package struct SequenceObjects: Sendable {
  /// Side of the cells in which points are gathered, meters.
  static let cell = 0.02
  /// Boxes are enlarged by this to each side before points are counted, meters.
  static let margin = 0.05
  /// Least share of points in the other's box for a sighting to belong to an object.
  static let association = 0.3
  /// Least share of points in the other's box for two objects to be one.
  static let merging = 0.5
  /// Number of sightings from which points that only one of them saw are left out as noise.
  static let sightingsForNoise = 4

  private var tracks: [GatheredObject] = []

  /// No objects.
  package init() {}

  /// Takes in the objects of one frame; those without a box are left out.
  package mutating func add(_ extents: [ObjectExtent], frame: String) {
    add(extents.compactMap(SeenObject.init), frame: frame)
  }

  /// Takes in the objects of one frame.
  package mutating func add(_ seen: [SeenObject], frame: String) {
    let views = seen.map { View($0, frame: frame) }
    var isFree = views.map { _ in true }
    var isOpen = tracks.map { _ in true }
    for pair in pairs(views) where isFree[pair.view] && isOpen[pair.track] {
      isFree[pair.view] = false
      isOpen[pair.track] = false
      tracks[pair.track].add(views[pair.view])
    }
    for (view, _) in zip(views, isFree).filter({ $1 && !$0.isExtrapolated }) {
      tracks.append(GatheredObject(view, order: tracks.count))
    }
  }

  /// Bytes of the cells in which points are gathered.
  var heldBytes: Int { tracks.reduce(0) { $0 + $1.heldBytes } }

  /// The objects so far.
  package var objects: [SequenceObject] {
    var joined: [GatheredObject] = []
    for track in tracks {
      var track = track
      // Joining enlarges a track, so that it may reach one that it did not reach before.
      while let index = joined.firstIndex(where: { $0.isSame(as: track) }) {
        track = joined.remove(at: index).joined(with: track)
      }
      joined.append(track)
    }
    return joined.sorted { $0.order < $1.order }.enumerated().map { $1.object(id: $0) }
  }

  private struct Pair {
    let share: Double
    let track: Int
    let view: Int
  }

  private func pairs(_ views: [View]) -> [Pair] {
    var pairs: [Pair] = []
    for (number, track) in tracks.enumerated() {
      for (index, view) in views.enumerated() where view.className == track.className {
        let share = track.sharedShare(with: view)
        if share >= Self.association { pairs.append(Pair(share: share, track: number, view: index)) }
      }
    }
    return pairs.sorted { ($1.share, $0.track, $0.view) < ($0.share, $1.track, $1.view) }
  }
}

/// One object as one frame saw it.
private struct View {
  let className: String
  let box: Box3D
  let measured: ViewedBox?
  let isExtrapolated: Bool
  let points: [Point3<World>]
  let sighting: SequenceObject.Sighting

  init(_ seen: SeenObject, frame: String) {
    className = seen.className
    box = seen.box
    measured = seen.sides.map {
      ViewedBox(box: seen.box, sides: $0, errors: seen.errors, isRound: seen.isRound)
    }
    isExtrapolated = seen.isExtrapolated
    // A box that was not put around points stands for itself.
    points = box.method == .sixPoint ? [box.center] : seen.cloud
    sighting = SequenceObject.Sighting(
      frame: frame, detectionId: seen.id, confidence: seen.confidence, center: box.center,
      dimensions: box.dimensions, track: seen.track)
  }
}

/// An object while its sightings are gathered.
private struct GatheredObject {
  private struct Cell {
    var sum: Vector3<World>
    var count: Int
    var sightings: Int
    var latest: Int
  }

  let className: String
  /// Position among the tracks: that of the first sighting.
  private(set) var order: Int
  private var sightings: [SequenceObject.Sighting] = []
  private var boxes: [Box3D] = []
  private var measuredBoxes: [ViewedBox] = []
  private var cells: [SIMD3<Int64>: Cell] = [:]
  private var box: Box3D

  var heldBytes: Int { cells.count * (MemoryLayout<SIMD3<Int64>>.stride + MemoryLayout<Cell>.stride) }

  init(_ view: View, order: Int) {
    className = view.className
    box = view.box
    self.order = order
    add(view)
  }

  mutating func add(_ view: View) {
    sightings.append(view.sighting)
    boxes.append(view.box)
    if let measured = view.measured { measuredBoxes.append(measured) }
    for point in view.points { gather(point, count: 1, sighting: sightings.count) }
    box = fitted()
  }

  private mutating func gather(_ point: Point3<World>, count: Int, sighting: Int) {
    func index(_ value: Double) -> Int64? { Int64(exactly: (value / SequenceObjects.cell).rounded(.down)) }
    // Points that are not finite, or too far off to be counted in cells, are dropped.
    guard let x = index(point.x), let y = index(point.y), let z = index(point.z) else { return }
    let key = SIMD3(x, y, z)
    var cell = cells[key] ?? Cell(sum: Vector3(0, 0, 0), count: 0, sightings: 0, latest: 0)
    cell.sum = cell.sum + (point - .origin) * Double(count)
    cell.count += count
    if cell.latest != sighting {
      cell.sightings += 1
      cell.latest = sighting
    }
    cells[key] = cell
  }

  /// The larger of both shares of points that lie in the other's box.
  func sharedShare(with view: View) -> Double {
    max(Self.share(view.points, in: box), Self.share(points, in: view.box))
  }

  func isSame(as other: GatheredObject) -> Bool {
    className == other.className
      && max(Self.share(points, in: other.box), Self.share(other.points, in: box)) >= SequenceObjects.merging
      && Set(sightings.map(\.frame)).isDisjoint(with: other.sightings.map(\.frame))
  }

  func joined(with other: GatheredObject) -> GatheredObject {
    var joined = self
    joined.sightings += other.sightings
    joined.boxes += other.boxes
    joined.measuredBoxes += other.measuredBoxes
    let offset = sightings.count
    for key in other.cells.keys {
      guard let theirs = other.cells[key] else { continue }
      var cell = joined.cells[key] ?? Cell(sum: Vector3(0, 0, 0), count: 0, sightings: 0, latest: 0)
      cell.sum = cell.sum + theirs.sum
      cell.count += theirs.count
      cell.sightings += theirs.sightings
      cell.latest = max(cell.latest, theirs.latest + offset)
      joined.cells[key] = cell
    }
    joined.order = min(order, other.order)
    joined.box = joined.fitted()
    return joined
  }

  func object(id: Int) -> SequenceObject {
    let (box, sides, errors) = measured()
    return SequenceObject(
      id: id, className: className, box: box, sides: sides, errors: errors, cloud: points,
      sightings: sightings)
  }

  /// The box of the sides that frames saw, else around all points, where frames saw on what the object stands; otherwise as
  /// gathered.
  private func measured() -> (box: Box3D, sides: BoxSides?, errors: BoxErrors?) {
    let points = points
    let bottoms = boxes.filter { $0.method == .surfaces }.map(\.bottomCenter.y).sorted()
    guard points.count >= ExtentEstimator.minimumPoints, !bottoms.isEmpty else { return (box, nil, nil) }
    let whole = SurfaceBox.around(points, cell: SequenceObjects.cell, bottom: bottoms[bottoms.count / 2])
    return ViewedBoxes(measuredBoxes)?.box(around: whole).map {
      ($0.box, $0.sides, $0.errors)
    } ?? (whole, nil, nil)
  }

  /// One point a cell, in the order of the cells, without what looks like noise.
  private var points: [Point3<World>] {
    let least = sightings.count >= SequenceObjects.sightingsForNoise ? 2 : 1
    return cells.filter { $0.value.sightings >= least }.sorted { a, b in
      (a.key.x, a.key.y, a.key.z) < (b.key.x, b.key.y, b.key.z)
    }.map { Point3.origin + $0.value.sum * (1 / Double($0.value.count)) }
  }

  /// The box around the points; without enough of them the single boxes' median.
  private func fitted() -> Box3D {
    let points = points
    if points.count >= ExtentEstimator.minimumPoints, boxes.contains(where: { $0.method != .sixPoint }) {
      return Box3D(around: points, method: .minimumArea)
    }
    func median(_ value: (Box3D) -> Double) -> Double { boxes.map(value).sorted()[boxes.count / 2] }
    return Box3D(
      center: Point3(median(\.center.x), median(\.center.y), median(\.center.z)),
      dimensions: BoxDimensions(
        x: median(\.dimensions.x), y: median(\.dimensions.y), z: median(\.dimensions.z)),
      yaw: median(\.yaw), method: .sixPoint)
  }

  private static func share(_ points: [Point3<World>], in box: Box3D) -> Double {
    guard !points.isEmpty else { return 0 }
    let inside = points.count { box.contains($0, margin: SequenceObjects.margin) }
    return Double(inside) / Double(points.count)
  }
}
