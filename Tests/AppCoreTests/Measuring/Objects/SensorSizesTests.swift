import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// How a sensor's model judges what its readings show.
@Suite struct SensorSizesTests {
  /// A phone's map of a box on a table: hardly any noise from cell to cell, .6 % of warp over 15 cells.
  static func warped(_ scene: TableScene, seed: UInt64) -> Plane<Float> {
    let depth = scene.sensor(width: 256, 192).depth
    var random = SplitMix64(seed: seed)
    let (columns, rows) = (256 / 15 + 3, 192 / 15 + 3)
    let field = (0..<columns * rows).map { _ in random.gaussian() }
    var values = depth.elements
    for y in 0..<192 {
      for x in 0..<256 {
        let (column, row) = (Double(x) / 15, Double(y) / 15)
        let (left, top) = (Int(column), Int(row))
        let (fx, fy) = (column - Double(left), row - Double(top))
        func node(_ dx: Int, _ dy: Int) -> Double { field[(top + dy) * columns + left + dx] }
        let upper = node(0, 0) * (1 - fx) + node(1, 0) * fx
        let lower = node(0, 1) * (1 - fx) + node(1, 1) * fx
        let share = 0.009 * (upper * (1 - fy) + lower * fy) + 0.0004 * random.gaussian()
        values[y * 256 + x] = Float((Double(values[y * 256 + x]) * (1 + share) * 1000).rounded() / 1000)
      }
    }
    return Plane(width: 256, height: 192, elements: values)
  }

  static func measured(
    _ scene: TableScene, _ depth: Plane<Float>, _ kind: SensorModel.Kind
  ) -> ObjectExtent {
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: depth, sensor: SensorModel(kind),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return ExtentEstimator(scene: DepthScene(frame: frame)).extent(of: scene.exactDetection())
  }

  private static let scenes = [20.0, 35, 50].map {
    SurfaceBoxTests.scene((0.6, 0.3, 0.4), distance: 1.8, pitch: $0)
  }

  /// Sides of a box in true order of its own axes, each over the truth.
  private static func errors(_ extent: ObjectExtent, _ scene: TableScene) throws -> [Double] {
    SurfaceBoxTests.errors(try #require(extent.box3D), scene)
  }

  /// Told what made a map that is warped and whose steps are ramps, boxes are nearer to the truth.
  @Test func aSensorsModelMakesSidesTruer() throws {
    var (told, untold) = ([Double](), [Double]())
    for scene in Self.scenes {
      for seed in 1...4 {
        let depth = Self.blurred(Self.warped(scene, seed: UInt64(seed)), cells: 0.8)
        told += try Self.errors(Self.measured(scene, depth, .lidar), scene)
        untold += try Self.errors(Self.measured(scene, depth, .unknown), scene)
      }
    }
    let (mean, other) = (told.reduce(0, +) / Double(told.count), untold.reduce(0, +) / Double(untold.count))
    #expect(mean < 0.05, "\(mean)")
    #expect(mean < 0.7 * other, "\(mean) of \(other)")
  }

  /// A map of a sensor that errs by what the model says lies within the intervals nearly always.
  @Test func intervalsHoldTheTruth() throws {
    var (held, count) = (0, 0)
    for scene in Self.scenes {
      for seed in 1...4 {
        let depth = Self.blurred(Self.warped(scene, seed: UInt64(seed)), cells: 0.8)
        let extent = Self.measured(scene, depth, .lidar)
        let (box, errors) = (try #require(extent.box3D), try #require(extent.errors))
        let (found, truth) = (box.dimensions, scene.size)
        let isTurned = abs(found.x - truth.x) > abs(found.x - truth.z)
        for (side, real, error) in [
          (found.x, isTurned ? truth.z : truth.x, errors.dimensions.x),
          (found.y, truth.y, errors.dimensions.y),
          (found.z, isTurned ? truth.x : truth.z, errors.dimensions.z),
        ] {
          count += 1
          if abs(side - real) <= BoxErrors.deviations * error { held += 1 }
        }
        #expect(errors.dimensions.x > 0.01 * found.x, "no side is surer than the frame's lengths")
      }
    }
    #expect(10 * held >= 9 * count, "\(held) of \(count)")
  }

  /// The entry of an object says within what its numbers lie.
  @Test func intervalsAreInTheEntry() throws {
    let scene = Self.scenes[1]
    let entry = ObjectExtent.json([Self.measured(scene, Self.warped(scene, seed: 4), .lidar)])["objects"]?[0]
    let box = try #require(entry?["box3D"])
    func number(_ value: JSONValue?) throws -> Double { try #require(value?.number) }
    for axis in 0..<3 {
      let range = box["interval95"]?["dimensions"]?[axis]
      let middle = try (number(range?[0]) + number(range?[1])) / 2
      #expect(try abs(middle - number(box["dimensions"]?[axis])) < 1e-5)
    }
    let volume = try [0, 1, 2].map { try number(box["dimensions"]?[$0]) }.reduce(1, *)
    #expect(try abs(number(box["volume"]) - volume) < 1e-5)
    // All three sides err by 1 % alike: a volume by 3 %, to either side.
    let range = box["interval95"]?["volume"]
    #expect(try number(range?[1]) - number(range?[0]) > 2 * BoxErrors.deviations * 0.03 * volume)
    let distance = try number(entry?["distanceMeters"])
    #expect(try number(entry?["distanceInterval95"]?[1]) > 1.02 * distance)
  }

  /// A thin thing whose height is within what the sensor's neighborhoods err by has no observed top.
  @Test func whatASensorCannotTellIsNotObserved() throws {
    let scene = SurfaceBoxTests.scene((0.6, 0.02, 0.4), distance: 2.5, pitch: 35)
    let depth = Self.warped(scene, seed: 2)
    #expect(Self.measured(scene, depth, .lidar).sides?.maxY != .observed)
  }

  // MARK: Ramps

  /// Steps turned into ramps by a Gaussian of some cells over inverse depth.
  static func blurred(_ depth: Plane<Float>, cells: Double) -> Plane<Float> {
    var values = depth.elements.map { 1 / Double($0) }
    let reach = Int((4 * cells).rounded(.up))
    let weights = (-reach...reach).map { exp(-0.5 * Double($0 * $0) / (cells * cells)) }
    let total = weights.reduce(0, +)
    for (dx, dy) in [(1, 0), (0, 1)] {
      let before = values
      for y in 0..<depth.height {
        for x in 0..<depth.width {
          values[y * depth.width + x] =
            (-reach...reach).reduce(0) { sum, step in
              let column = min(max(x + step * dx, 0), depth.width - 1)
              let row = min(max(y + step * dy, 0), depth.height - 1)
              return sum + weights[step + reach] * before[row * depth.width + column]
            } / total
        }
      }
    }
    return Plane(width: depth.width, height: depth.height, elements: values.map { Float(1 / $0) })
  }

  private static func readings(_ depth: Plane<Float>, _ kind: SensorModel.Kind) throws -> [Float] {
    let scene = scenes[1]
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: depth, sensor: SensorModel(kind),
      intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose, orientation: .right)
    return try #require(DepthScene(frame: frame).readings).values.elements
  }

  /// A ramp becomes a step where it was; planes and creases stay as they are read.
  @Test func rampsBecomeSteps() throws {
    // 6 cm, slanted, from column 100 on; a crease at row 96.
    let (width, height) = (256, 192)
    func exact(_ x: Int, _ y: Int) -> Double {
      let near = 1 + 0.0004 * Double(y), crease = 0.0015 * abs(Double(y) - 96)
      return x < 100 ? near : near + 0.06 + crease
    }
    let truth = (0..<width * height).map { Float(exact($0 % width, $0 / width)) }
    let ramps = Self.blurred(Plane(width: width, height: height, elements: truth), cells: 0.8)
    let sharp = try Self.readings(ramps, .lidar)
    func errors(_ values: [Float], _ columns: Range<Int>) -> [Float] {
      (10..<height - 10).flatMap { y -> [Float] in
        columns.map { x -> Float in
          let place = y * width + x
          return abs(values[place] / truth[place] - 1)
        }
      }
    }
    func worst(_ values: [Float], _ columns: Range<Int>) -> Float { errors(values, columns).max() ?? 0 }
    func total(_ values: [Float], _ columns: Range<Int>) -> Float { errors(values, columns).reduce(0, +) }
    let sharpened: Float = total(sharp, 90..<110), read: Float = total(ramps.elements, 90..<110)
    #expect(sharpened < 0.2 * read)
    #expect(worst(sharp, 130..<200) < 0.003)
    #expect(try Self.readings(ramps, .structuredLight) == ramps.elements, "its steps are steps")
    #expect(try Self.readings(ramps, .unknown) == ramps.elements)
  }

  /// Far stereo is uncertain by more than a size should be, however smooth it looks; the same map of an unknown sensor is not.
  @Test func whatNeighborsShareIsUncertain() throws {
    let scene = SurfaceBoxTests.scene((0.9, 0.5, 0.6), distance: 8, pitch: 25)
    let depth = scene.sensor(width: 256, 192).depth
    let doubts: [ExtentWarning] = [.uncertainSize, .uncertainYaw]
    let (far, ideal) = (Self.measured(scene, depth, .stereo), Self.measured(scene, depth, .unknown))
    for doubt in doubts {
      #expect(far.warnings.contains(doubt), "\(doubt)")
      #expect(!ideal.warnings.contains(doubt), "\(doubt)")
    }
  }

  /// An exact map stays exact under a phone's model.
  @Test func exactReadingsStayExact() throws {
    for scene in Self.scenes {
      let box = try #require(Self.measured(scene, scene.sensor(width: 256, 192).depth, .lidar).box3D)
      #expect(SurfaceBoxTests.errors(box, scene).allSatisfy { $0 < SurfaceBoxTests.worstSide })
    }
  }

  /// Objects spread over threads are the same, in the same order.
  @Test func threadsChangeNothing() throws {
    let scene = Self.scenes[1]
    let frame = CapturedFrame(
      name: "table", image: nil, imageSize: TableScene.imageSize, depth: Self.warped(scene, seed: 5),
      sensor: SensorModel(.lidar), intrinsics: TableScene.intrinsics, cameraToWorld: scene.pose,
      orientation: .right)
    let estimator = ExtentEstimator(scene: DepthScene(frame: frame))
    let detections = (0..<5).map { number -> Detection in
      let found = number % 2 == 0 ? scene.exactDetection() : scene.detection()
      return Detection(
        id: number, classId: 73, className: "book", confidence: 0.9, box: found.box, mask: found.mask)
    }
    let one = ObjectExtent.json(estimator.extents(of: detections))
    for threads in [2, 3, 7] {
      #expect(ObjectExtent.json(estimator.extents(of: detections, threads: threads)) == one, "\(threads)")
      // With one object all threads share its own loops, and those of the frame's depth.
      let first = FrameDepth(nil, isFitted: false).extents(
        of: [detections[0]], in: frame, threads: threads)
      #expect(ObjectExtent.json(first) == ObjectExtent.json([estimator.extent(of: detections[0])]))
    }
    #expect(one["objects"]?.array?.compactMap { $0["id"]?.integer } == [0, 1, 2, 3, 4])
  }
}
