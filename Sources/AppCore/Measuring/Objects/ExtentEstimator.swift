import FileFormats
import Geometry

/// How boxes are put around objects.
public struct ExtentOptions: Sendable {
  /// How a box is put around enough points: `surfaces`, `minimumArea` or `principalAxes`.
  ///
  /// `surfaces` needs a mask; without one the rectangle of least area is taken.
  public var method: Box3D.Method
  /// Whether readings on other surfaces than the largest are left out before the 5 to 95 % depth band of the methods
  /// other than `surfaces`.
  public var keepsLargestSurface: Bool

  /// Options; by default the box at which the object's surfaces end.
  public init(method: Box3D.Method = .surfaces, keepsLargestSurface: Bool = true) {
    self.method = method
    self.keepsLargestSurface = keepsLargestSurface
  }
}

/// Measures detected objects in a scene.
public struct ExtentEstimator: Sendable {
  /// Readings needed for a distance from the sensor.
  static let minimumSamples = 3
  /// Points needed for a box around them.
  static let minimumPoints = 10
  /// Fused depths that are believed, meters, both ends excluded: at the upper one maps are clamped.
  static let fusedRange = (above: 0.05, below: DepthAlignment.reportedRange.upperBound)
  /// The fused reading is taken this share of the box's height above its lower edge: the edge itself usually
  /// shows the floor.
  static let fusedInset = 0.1
  /// A larger share of readings on other surfaces is worth a warning.
  static let notableDiscard = 0.05
  /// A larger share of the mask without a reading is.
  static let notableUnread = 0.15

  /// The scene.
  public let scene: DepthScene
  /// How boxes are put around objects.
  public let options: ExtentOptions
  /// Where the scene shows them.
  private let room: RoomDirections?

  /// An estimator for one scene.
  public init(scene: DepthScene, options: ExtentOptions = ExtentOptions()) {
    self.scene = scene
    self.options = options
    room = options.method == .surfaces ? RoomDirections(scene) : nil
  }

  /// Measures every detection, in order; their boxes are in the stored picture's pixels.
  ///
  /// - Parameters:
  ///   - detections: What was found.
  ///   - threads: The number of threads that share the work, the caller's included.
  /// - Returns: An extent each, the same for any number of threads.
  public func extents(of detections: [Detection], threads: Int = 1) -> [ObjectExtent] {
    Parallel.team(of: threads) {
      Parallel.map(detections.count) { extent(of: detections[$0]) }
    }
  }

  /// Measures one detection, whose box is in the stored picture's pixels.
  public func extent(of detection: Detection) -> ObjectExtent {
    let box = detection.box.clipped(to: scene.imageSize.bounds())
    guard detection.box.isFinite, !box.isEmpty else {
      return ObjectExtent(detection: detection, distance: .unknown, warnings: [.unusableBox])
    }
    var warnings: [ExtentWarning] = detection.mask == nil ? [.noMask] : []
    let window = scene.completed.map {
      SensorWindow(
        $0, box: box, mask: detection.mask, orientedBox: detection.orientedBox, imageSize: scene.imageSize)
    }
    var distance = distance(window, box, &warnings)
    if distance.source == .none {
      distance = scene.distanceFromNetwork(box, of: detection, &warnings)
    }
    guard let meters = distance.meters, let range = distance.range else {
      return ObjectExtent(detection: detection, distance: distance, warnings: warnings)
    }
    guard let intrinsics = scene.intrinsics else {
      return ObjectExtent(detection: detection, distance: distance, warnings: warnings + [.noIntrinsics])
    }

    let measured = surfaces(of: detection) ?? points(window?.masked ?? [], box, intrinsics, meters, range)
    let alongRows = box.width * meters / intrinsics.fx
    let alongColumns = box.height * meters / intrinsics.fy
    let turned = scene.orientation.transposes
    return ObjectExtent(
      detection: detection, distance: distance, worldWidth: turned ? alongColumns : alongRows,
      worldHeight: turned ? alongRows : alongColumns, box3D: measured.box,
      sides: measured.sides, errors: measured.errors,
      distanceError: distance.error(of: scene.sensor), cloud: measured.cloud,
      discardedShare: measured.discardedShare,
      keypoints: scene.placed(detection.keypoints, near: meters),
      orientedCorners: detection.orientedBox?.corners.compactMap { scene.world($0, meters: meters) } ?? [],
      warnings: warnings + measured.warnings)
  }

  /// A box and what it rests on.
  private struct Measured {
    var box: Box3D?
    var sides: BoxSides?
    var errors: BoxErrors?
    var cloud: [Point3<World>]
    var discardedShare: Double
    var warnings: [ExtentWarning]
  }

  /// The box at which the object's surfaces end; nil without a mask or with too few readings.
  private func surfaces(of detection: Detection) -> Measured? {
    guard options.method == .surfaces, let mask = detection.mask, let grid = SurfaceGrid(scene, mask: mask)
    else { return nil }
    let links = SurfaceLinks(grid)
    guard let object = ObjectCells(grid, links) else { return nil }
    let outline = Outline(grid, object, links)
    let found = SurfaceBox(grid, object, outline, links, room: room)
    let ends = outline.samples.filter { $0.beyond != .occluder }.map(\.point)
    return Measured(
      box: found.box, sides: found.sides, errors: found.errors,
      cloud: object.cells.members.map { grid.points[$0] } + ends,
      discardedShare: object.discardedShare, warnings: warnings(of: found, object, grid))
  }

  /// The reasons to trust a box less; some count only where an interval is wide.
  private func warnings(of found: SurfaceBox, _ object: ObjectCells, _ grid: SurfaceGrid) -> [ExtentWarning] {
    let (box, sides) = (found.box, found.sides)
    let wide = [
      (found.errors.isWide(\.x, of: box), [sides.minX, sides.maxX]),
      (found.errors.isWide(\.y, of: box), [sides.minY, sides.maxY]),
      (found.errors.isWide(\.z, of: box), [sides.minZ, sides.maxZ]),
    ].filter(\.0)
    let isTurnWide = found.errors.isYawWide
    var warnings: [ExtentWarning] = []
    let isWide = !wide.isEmpty || isTurnWide
    if isWide {
      if object.discardedShare > Self.notableDiscard { warnings.append(.splitSurface) }
      if object.support == nil { warnings.append(.noSupport) }
      if object.isThin { warnings.append(.thin) }
    }
    if grid.unreadShare > Self.notableUnread { warnings.append(.unread) }
    if found.isRound { warnings.append(.round) }
    if found.isIrregular || found.isIncomplete && isWide { warnings.append(.irregular) }
    if found.isCut { warnings.append(.cutOff) }
    if found.isOccluded { warnings.append(.occluded) }
    if wide.contains(where: { $0.1.contains(.inferred) }) { warnings.append(.unseenSide) }
    if !wide.isEmpty { warnings.append(.uncertainSize) }
    if isTurnWide { warnings.append(.uncertainYaw) }
    return warnings
  }

  /// The box around the readings' largest surface, or one from the picture where they are too few.
  private func points(
    _ cells: [SensorWindow.Cell], _ box: Rect<ImagePixels>, _ intrinsics: Intrinsics, _ meters: Double,
    _ range: ClosedRange<Double>
  ) -> Measured {
    let surface = surface(cells, intrinsics)
    var measured = Measured(cloud: surface.cloud, discardedShare: surface.discardedShare, warnings: [])
    if surface.discardedShare > Self.notableDiscard { measured.warnings.append(.splitSurface) }
    if surface.cloud.count >= Self.minimumPoints {
      let method = options.method == .principalAxes ? Box3D.Method.principalAxes : .minimumArea
      measured.box = Box3D(around: surface.cloud, method: method)
    } else {
      measured.warnings.append(.fewPoints)
      if scene.looksVertically { measured.warnings.append(.verticalView) }
      measured.box = Box3D(sixPoints: box, meters: meters, range: range, in: scene)
    }
    return measured
  }

  /// Masked sensor readings, else all in the window, else one fused reading, else nothing.
  private func distance(
    _ window: SensorWindow?, _ box: Rect<ImagePixels>, _ warnings: inout [ExtentWarning]
  ) -> ObjectDistance {
    if let window, window.masked.count >= Self.minimumSamples {
      return ObjectDistance(cells: window.masked)
    }
    if let window, window.all.count >= Self.minimumSamples {
      warnings.append(.wholeWindow)
      return ObjectDistance(cells: window.all)
    }
    let point = fusedPoint(box)
    guard let fused = scene.fused, let meters = fused.meters(at: point, imageSize: scene.imageSize),
      meters > Self.fusedRange.above, meters < Self.fusedRange.below
    else { return .unknown }
    if fused.isExtrapolated(at: point, imageSize: scene.imageSize) { warnings.append(.extrapolated) }
    return ObjectDistance(fused: meters)
  }

  /// Above the middle of the lower edge, as the upright picture shows the box.
  private func fusedPoint(_ box: Rect<ImagePixels>) -> Point2<ImagePixels> {
    let upright = scene.orientation.upright(box, stored: scene.imageSize)
    return scene.orientation.stored(
      Point2(upright.center.x, upright.maxY - Self.fusedInset * upright.height), stored: scene.imageSize)
  }

  /// The world points of the readings' largest surface within its 5 to 95 % depth band.
  private func surface(
    _ cells: [SensorWindow.Cell], _ intrinsics: Intrinsics
  ) -> (cloud: [Point3<World>], discardedShare: Double) {
    guard let depth = scene.completed, !cells.isEmpty else { return ([], 0) }
    let kept =
      options.keepsLargestSurface
      ? SurfaceComponent.largest(
        cells, intrinsics: intrinsics, over: depth.grid(over: intrinsics.imageSize)) : cells
    let band = depthBand(kept.map(\.meters).sorted())
    let cloud = kept.filter { band.contains($0.meters) }.map {
      scene.cameraToWorld.apply(intrinsics.unproject($0.point, depth: $0.meters))
    }
    return (cloud, Double(cells.count - kept.count) / Double(cells.count))
  }
}
