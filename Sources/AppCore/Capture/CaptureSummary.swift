import FileFormats
import Geometry
import Imaging

/// Sanity figures of a capture: whether it holds what it claims, in the units and axes it claims.
package struct CaptureSummary: Sendable, Equatable {
  /// The spread of a frame's depth, meters.
  package struct DepthFigures: Sendable, Equatable {
    /// The nearest.
    package let least: Double
    /// The middle one.
    package let median: Double
    /// The farthest.
    package let greatest: Double
  }

  /// Figures of one frame.
  package struct Frame: Sendable, Equatable {
    /// Name within the capture.
    package let name: String
    /// Seconds on the recording's own clock.
    package let timestamp: Double
    /// Size of the stored picture.
    package let imageSize: PixelSize
    /// Pinhole camera of the stored picture; nil where none is known.
    package let camera: Intrinsics?
    /// Where that is known from.
    package let cameraOrigin: CameraOrigin
    /// Size of the depth grid; nil without depth.
    package let depthSize: PixelSize?
    /// Share of cells with a depth, 0...1.
    package let validShare: Double
    /// Least, median and greatest depth in meters; nil without any.
    package let depthMeters: DepthFigures?
    /// Cells of confidence 0, 1 and 2; nil where the capture has no confidence.
    package let confidenceCounts: [Int]?
    /// The model of the depth sensor.
    package let sensor: SensorModel
    /// Readings of the highest confidence that do not count, since they lie beyond the sensor's range.
    package let beyondRange: Int
    /// How the picture is turned upright, as stated.
    package let orientation: Orientation
    /// Parts of the picture's file other than the picture, which are left out.
    package let companions: [String]
    /// How gravity would have it turned; nil without camera.
    package let orientationByGravity: Orientation?

    /// Measures a frame.
    package init(_ frame: CapturedFrame) {
      name = frame.name
      timestamp = frame.timestamp
      imageSize = frame.imageSize
      camera = frame.intrinsics
      cameraOrigin = frame.cameraOrigin
      depthSize = frame.depth?.size
      let valid = (frame.depth?.elements ?? []).filter { $0 > 0 }.sorted()
      validShare = frame.depth.map { Double(valid.count) / Double($0.elements.count) } ?? 0
      depthMeters =
        valid.isEmpty
        ? nil
        : DepthFigures(
          least: Double(valid[0]), median: Double(valid[valid.count / 2]),
          greatest: Double(valid[valid.count - 1]))
      confidenceCounts = frame.confidence.map { plane in
        plane.elements.reduce(into: [0, 0, 0]) { counts, value in counts[Int(min(value, 2))] += 1 }
      }
      sensor = frame.sensor
      beyondRange = frame.readingsBeyondRange
      orientation = frame.orientation
      companions = frame.companions
      orientationByGravity = frame.intrinsics.map { _ in Orientation(gravityIn: frame.cameraToWorld) }
    }
  }

  /// The layout it was recognized as.
  package let layout: CaptureLayout
  /// Figures of each usable frame.
  package let frames: [Frame]
  /// Frames that cannot be read: something of them is damaged, or named and not there.
  package let unreadable: [SkippedFrame]
  /// Frames left out.
  package let skipped: [SkippedFrame]
  /// Choices and assumptions made in reading the capture, a line each.
  package let notes: [String]
  /// Greatest distance of a camera from the first, meters.
  package let baseline: Double
  /// Whether a frame says where its camera was; else there is no baseline, and nothing to reproject.
  package let isPosed: Bool
  /// Reprojection of every frame onto the next, of which that of the middle error; nil for a single frame or without
  /// depth.
  package let reprojection: Reprojection?
  /// Frames that have another before them whose depth they share.
  package let comparedFrames: Int
  /// Those of them whose error is implausible, the worst first.
  package let disagreeing: [Disagreement]

  /// A frame whose depth is elsewhere than that of the frame before it.
  package struct Disagreement: Sendable, Equatable {
    /// The frame.
    package let name: String
    /// The median of the differences, meters.
    package let error: Double
  }

  /// Depth beyond what a phone's sensor measures, meters.
  package static let plausibleDepth = 0.05...20.0
  /// Reprojection errors above this, in meters, point to wrong axes or units.
  package static let plausibleReprojectionError = 0.05

  /// Reads every frame of a capture and decodes its picture.
  ///
  /// - Throws: `CaptureError` of the first frame where none can be read.
  package init(of source: any CaptureSource) throws(CaptureError) {
    layout = source.layout
    skipped = source.skipped
    notes = source.notes
    var frames: [Frame] = []
    var unreadable: [SkippedFrame] = []
    var failure: CaptureError?
    var (first, last): (CapturedFrame?, CapturedFrame?)
    var (baseline, isPosed) = (0.0, false)
    var compared: [(name: String, reprojection: Reprojection)] = []
    for index in source.frames.indices {
      let frame: CapturedFrame
      do throws(CaptureError) {
        _ = try source.frame(at: index)
        frame = try source.frame(at: index, decodingImage: false)
      } catch {
        guard source.frames.count > 1 else { throw error }
        failure = failure ?? error
        unreadable.append(SkippedFrame(name: source.frames[index].name, reason: "\(error)"))
        continue
      }
      frames.append(Frame(frame))
      isPosed = isPosed || frame.isPosed
      if let first {
        baseline = max(baseline, first.cameraToWorld.origin.distance(to: frame.cameraToWorld.origin))
        if let last, let found = Reprojection(from: last, to: frame) { compared.append((frame.name, found)) }
      } else {
        first = frame
      }
      last = frame
    }
    if let failure, frames.isEmpty { throw failure }
    self.unreadable = unreadable
    self.frames = frames
    self.baseline = baseline
    self.isPosed = isPosed
    let sorted = compared.map(\.reprojection).sorted { $0.medianError < $1.medianError }
    reprojection = sorted.isEmpty ? nil : sorted[sorted.count / 2]
    comparedFrames = compared.count
    // Without poses, frames do not say how they lie to each other.
    disagreeing = (isPosed ? compared : []).map {
      Disagreement(name: $0.name, error: $0.reprojection.medianError)
    }
    .filter { $0.error > Self.plausibleReprojectionError }
    .sorted { $1.error < $0.error }
  }

  /// Implausible values, one line each; empty for a sane capture.
  package var warnings: [String] {
    var warnings: [String] = []
    for frame in frames {
      if let depth = frame.depthMeters, !Self.plausibleDepth.contains(depth.median) {
        warnings.append(
          "\(frame.name): median depth \(Self.shown(depth.median)) m; are the units meters (or u16 millimeters)?"
        )
      }
      if let gravity = frame.orientationByGravity, gravity != frame.orientation {
        warnings.append(
          "\(frame.name): orientation \(frame.orientation) but gravity says \(gravity); check pose and orientation"
        )
      }
    }
    if let worst = disagreeing.first {
      warnings.append(
        "depth of \(disagreeing.count) of \(counted(comparedFrames, "frame")) disagrees with that of the frame before, of "
          + "\(worst.name) by \(Self.shown(worst.error)) m; check the pose's axes and order, and which pose is whose"
      )
    }
    return warnings
  }

  /// Meters in whole millimeters.
  private static func shown(_ meters: Double) -> String {
    JSONValue.rounded(meters, decimals: 3).serialized()
  }

  /// The sensors of the frames with depth, one line each, and how far their readings count.
  package var sensorLines: [String] {
    let seen = frames.filter { $0.depthSize != nil }
    var models: [SensorModel] = []
    for frame in seen where !models.contains(frame.sensor) { models.append(frame.sensor) }
    return models.map { model in
      let line = "sensor \(model.words); "
      guard let range = model.maximumRange else {
        return line + "range: all of it counts, none is stated (--sensor-range METERS states one)"
      }
      let beyond = seen.filter { $0.sensor == model }.reduce(0) { $0 + $1.beyondRange }
      return line
        + "range \(range) m: \(counted(beyond, "reading beyond it does", "readings beyond it do")) not count"
    }
  }

  /// The cameras, a line for all that are known from the same, and one for the frames without.
  package var cameraLines: [String] {
    var lines = CameraOrigin.allCases.compactMap { origin -> String? in
      let cameras = frames.filter { $0.cameraOrigin == origin }.compactMap(\.camera)
      guard !cameras.isEmpty else { return nil }
      return "camera of \(counted(cameras.count, "frame")): fx \(Self.range(cameras.map(\.fx))), "
        + "fy \(Self.range(cameras.map(\.fy))) pixels, \(origin.words)"
    }
    let unknown = frames.count { $0.camera == nil }
    if unknown > 0 {
      let remedy = layout == .images ? "; --fov DEGREES or --intrinsics FX,FY,CX,CY states one" : ""
      lines.append("camera of \(counted(unknown, "frame")): not known" + remedy)
    }
    return lines
  }

  /// The least and the greatest of some numbers, to a tenth.
  private static func range(_ numbers: [Double]) -> String {
    let ends = [numbers.min() ?? 0, numbers.max() ?? 0].map {
      JSONValue.rounded($0, decimals: 1).serialized()
    }
    return ends[0] == ends[1] ? ends[0] : "\(ends[0]) to \(ends[1])"
  }

  /// Parts of pictures' files other than the pictures, a line for all files that hold the same.
  package var companionLines: [String] {
    var kinds: [[String]] = []
    for frame in frames where !frame.companions.isEmpty && !kinds.contains(frame.companions) {
      kinds.append(frame.companions)
    }
    return kinds.map { kind in
      let alike = frames.filter { $0.companions == kind }
      return alike[0].name + (alike.count > 1 ? " and \(alike.count - 1) more" : "")
        + ": the file holds \(kind.joined(separator: ", ")) besides the picture; left out"
    }
  }

  /// The figures as a document of schema `ardf.capture-check/1`.
  package var json: JSONValue {
    [
      "schema": "ardf.capture-check/1", "layout": .string(layout.rawValue),
      "conventions": .string(layout.conventions), "baselineMeters": .rounded(baseline, decimals: 4),
      "reprojection": reprojection.map {
        ["medianErrorMeters": .rounded($0.medianError, decimals: 4), "pairs": .integer($0.pairs)]
      } ?? .null,
      "notes": .array(notes.map(JSONValue.string)),
      "warnings": .array(warnings.map(JSONValue.string)),
      "unreadable": .array(unreadable.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
      "skipped": .array(skipped.map { ["name": .string($0.name), "reason": .string($0.reason)] }),
      "frames": .array(frames.map(\.json)),
    ]
  }
}

extension CaptureSummary.Frame {
  fileprivate var json: JSONValue {
    [
      "name": .string(name), "timestamp": .number(timestamp), "imageSize": Self.sides(imageSize),
      "depthSize": depthSize.map(Self.sides) ?? .null, "validShare": .rounded(validShare, decimals: 4),
      "depthMeters": depthMeters.map {
        .array([$0.least, $0.median, $0.greatest].map { .rounded($0, decimals: 3) })
      } ?? .null,
      "sensor": depthSize.map { _ in
        [
          "kind": .string(sensor.kind.rawValue),
          "maximumRangeMeters": sensor.maximumRange.map(JSONValue.number) ?? .null,
          "readingsBeyondRange": .integer(beyondRange),
        ]
      } ?? .null,
      "confidence": confidenceCounts.map { .array($0.map(JSONValue.integer)) } ?? .null,
      "companions": .array(companions.map(JSONValue.string)),
      "camera": camera.map { camera in
        [
          "fx": .rounded(camera.fx, decimals: 3), "fy": .rounded(camera.fy, decimals: 3),
          "cx": .rounded(camera.cx, decimals: 3), "cy": .rounded(camera.cy, decimals: 3),
          "source": .string(cameraOrigin.rawValue),
        ]
      } ?? .null,
      "orientation": .string("\(orientation)"),
      "orientationByGravity": orientationByGravity.map { .string("\($0)") } ?? .null,
    ]
  }

  private static func sides(_ size: PixelSize) -> JSONValue { [.integer(size.width), .integer(size.height)] }
}
