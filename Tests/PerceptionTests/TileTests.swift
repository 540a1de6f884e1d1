import AppCore
import Geometry
import Imaging
import Models
import NNRuntime
import Perception
import Synchronization
import TestSupport
import Testing

/// Large pictures in parts, and what is put together of them.
@Suite struct TileTests {
  /// Finds given objects in pictures of a size, in the order in which they come.
  private final class Scripted: ObjectNetwork {
    let name = "scripted"
    let classNames = ["cup", "bowl"]
    let form: ObjectForm
    let suppressesOverlaps = true
    let inputText = "any"
    let weights = WeightSource(file: "scripted")
    private let found: [[DetectedObject]]
    let pictures = Mutex([PixelSize]())

    init(_ found: [[DetectedObject]], form: ObjectForm = .boxes) { (self.found, self.form) = (found, form) }

    func detect(_ picture: RGBImage, _ request: DetectionRequest) throws -> DetectedObjects {
      let index = pictures.withLock { pictures in
        pictures.append(picture.size)
        return pictures.count - 1
      }
      let timings = StageTimings(preprocess: .zero, inference: .seconds(1), postprocess: .zero)
      return DetectedObjects(index < found.count ? found[index] : [], in: picture.size, timings: timings)
    }

    func running(on pool: ThreadPool) -> Self { self }
  }

  private static func object(
    _ x: Double, _ y: Double, _ width: Double, _ height: Double, _ confidence: Float, classIndex: Int = 0
  ) -> DetectedObject {
    DetectedObject(
      classIndex: classIndex, className: classIndex == 0 ? "cup" : "bowl", confidence: confidence,
      box: Rect(x: x, y: y, width: width, height: height))
  }

  private static func picture(_ width: Int, _ height: Int) -> RGBImage {
    RGBImage(width: width, height: height, pixels: [UInt8](repeating: 0, count: 3 * width * height))
  }

  private static func detector(
    _ network: Scripted, confidence: Float = 0.25, tiling: Tiling
  ) -> ObjectDetector {
    var rules = ObjectRules(thresholds: DetectionThresholds(confidence: confidence))
    rules.tiling = tiling
    return ObjectDetector(network, rules: rules)
  }

  /// As `get_slice_bboxes` of sahi 0.12 for a picture of 150 x 100, tiles of 64 and a fifth in common: columns from 0, 52
  /// and 86, rows from 0 and 36.
  @Test func tilesCoverThePictureAndThenTheWholeFollows() throws {
    let network = Scripted([[], [Self.object(0, 0, 10, 10, 0.5)]])
    let detector = Self.detector(network, tiling: Tiling(side: 64, overlap: 0.2))
    let found = try detector.detect(in: Self.picture(150, 100))
    let tile = PixelSize(width: 64, height: 64)
    #expect(
      network.pictures.withLock { $0 }
        == [PixelSize](repeating: tile, count: 6) + [PixelSize(width: 150, height: 100)])
    #expect(found.map(\.box) == [Rect(x: 52, y: 0, width: 10, height: 10)])
  }

  @Test func aPictureOfOneTileIsLookedAtOnce() throws {
    let network = Scripted([])
    _ = try Self.detector(network, tiling: Tiling(side: 64)).detect(in: Self.picture(64, 40))
    #expect(network.pictures.withLock { $0 } == [PixelSize(width: 64, height: 40)])
  }

  /// Two tiles see an object's halves, the whole picture all of it; a cup in a bowl stays one of each.
  @Test func whatSharesHalfOfTheSmallerIsOneObject() throws {
    let network = Scripted([
      [Self.object(40, 10, 24, 20, 0.6)], [Self.object(0, 10, 20, 20, 0.7)],
      [Self.object(41, 10, 27, 21, 0.9), Self.object(41, 10, 20, 20, 0.5, classIndex: 1)],
    ])
    let detector = Self.detector(network, tiling: Tiling(side: 64, overlap: 0.2))
    let found = try detector.detect(in: Self.picture(116, 64))
    #expect(found.map(\.className) == ["cup", "bowl"])
    #expect(found.map(\.id) == [0, 1])
    #expect(found[0].box == Rect(minX: 40, minY: 10, maxX: 72, maxY: 31))
    #expect(found[0].confidence == 0.9)
  }

  /// An object is merged if it shares half of the surest one as found, not as grown by merging; the same as in sahi.
  @Test func whatSharesHalfOfTheSurestAloneGoes() throws {
    let surest = Self.object(0, 0, 10, 10, 0.9)
    let large = Self.object(0, 0, 40, 40, 0.8)
    let beside = Self.object(5, 5, 50, 9, 0.7)
    // Of the surest the third holds 5 x 5; half would be 50.
    let network = Scripted([[surest, large, beside]])
    let found = try Self.detector(network, tiling: Tiling(side: 64)).detect(in: Self.picture(64, 64))
    #expect(found.map(\.box) == [large.box, beside.box])
    // It holds all of the surest; of what the first two make, a third.
    let wide = Self.object(0, 0, 60, 20, 0.7)
    let narrow = Self.object(5, 0, 6, 60, 0.8)
    let second = Scripted([[surest, narrow, wide]])
    let other = try Self.detector(second, tiling: Tiling(side: 64)).detect(in: Self.picture(64, 64))
    #expect(other.map(\.box) == [Rect(minX: 0, minY: 0, maxX: 11, maxY: 60)])
  }

  /// Below a score of 0.1 boxes are suppressed by intersection over union, as sahi does of itself.
  @Test func boxesOfLowScoresDoNotGrow() throws {
    let objects = [
      Self.object(0, 0, 20, 20, 0.9), Self.object(0, 0, 20, 15, 0.8), Self.object(0, 0, 8, 8, 0.7),
    ]
    let network = Scripted([objects])
    let found = try Self.detector(network, confidence: 0.05, tiling: Tiling(side: 64))
      .detect(in: Self.picture(64, 64))
    #expect(found.map(\.box) == [objects[0].box, objects[2].box])
  }

  /// Masks of a real network: those of a tile lie where they are in the picture, and merged ones cover both.
  @Test func masksLieWhereTheirPixelsAre() throws {
    let golden = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens/yolo11-tiny-n.safetensors"
    let network = try YOLODetector(
      weights: WeightStore(path: golden), input: .fixed(height: 64, width: 64), pool: ThreadPool(threads: 1))
    let picture = RGBImage(
      width: 150, height: 100,
      pixels: (0..<150 * 100 * 3).map { UInt8(truncatingIfNeeded: $0 &* 29 &+ $0 / 53) })
    var detector = ObjectDetector(
      network, rules: ObjectRules(thresholds: DetectionThresholds(confidence: 0.1, overlap: 0.7)))
    detector.rules.tiling = Tiling(side: 64, overlap: 0.2)
    let found = try detector.detect(in: picture)
    #expect(!found.isEmpty)
    for object in found {
      let mask = try #require(object.mask)
      let pixels = mask.turnedBack(from: .up, stored: picture.size).binary()
      let set = pixels.elements.indices.filter { pixels.elements[$0] != 0 }
      let columns = set.map { $0 % 150 }
      let rows = set.map { $0 / 150 }
      let box = Rect<UprightPixels>(
        minX: Double(try #require(columns.min())), minY: Double(try #require(rows.min())),
        maxX: Double(try #require(columns.max()) + 1), maxY: Double(try #require(rows.max()) + 1))
      #expect(object.box == box)
    }
  }
}
