import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import Testing

/// The camera's motion, found in pictures of which it is known.
@Suite struct CameraMotionTests {
  private static let (width, height) = (480, 360)
  /// How far the map may bring an edge of the texture from where it belongs: a quarter of a pixel of the halved picture.
  private static let nearness = 0.5
  /// The same beside OpenCV, which computes flow in fixed point and draws its pairs by other numbers.
  private static let nearnessToOpenCV = 0.1

  /// A texture in the middle, gray around: nothing of it leaves the picture.
  private static let scene: MovedTexture = {
    var scene = MovedTexture(seed: 3)
    scene.patch = (240, 180, 140)
    return scene
  }()

  /// A turn about the picture's middle in degrees, a scale and a shift.
  private static func map(turn degrees: Double, scale: Double, x: Double, y: Double) -> Similarity {
    let angle = degrees * .pi / 180
    let turn = SIMD2(scale * cos(angle), scale * sin(angle))
    let middle = SIMD2(240.0, 180.0)
    let turned = SIMD2(turn.x * middle.x - turn.y * middle.y, turn.y * middle.x + turn.x * middle.y)
    return Similarity(turn: turn, shift: middle + SIMD2(x, y) - turned)
  }

  /// How far two maps bring the edges of the texture apart.
  private static func distance(_ one: Similarity, _ other: Similarity) -> Double {
    let edges: [SIMD2<Double>] = [SIMD2(100, 180), SIMD2(380, 180), SIMD2(240, 40), SIMD2(240, 320)]
    return edges.map { edge in
      let apart = one.image(of: edge) - other.image(of: edge)
      return (apart * apart).sum().squareRoot()
    }.max() ?? .infinity
  }

  private static let maps = [
    map(turn: 0, scale: 1, x: 0, y: 0), map(turn: 0, scale: 1, x: 14, y: -8),
    map(turn: 0, scale: 1, x: -3.3, y: 5.7), map(turn: 2, scale: 1, x: 4, y: 2),
    map(turn: -1.5, scale: 1.03, x: -6, y: 3), map(turn: 1, scale: 0.97, x: 9, y: 9),
  ]

  @Test(arguments: maps.indices) func theMotionIsThatOfTheTexture(_ index: Int) {
    let map = Self.maps[index]
    var camera = CameraMotion()
    let first = camera.similarity(to: Self.scene.picture(width: Self.width, height: Self.height))
    #expect(first == .identity, "there is no picture before the first")
    let found = camera.similarity(to: Self.scene.picture(width: Self.width, height: Self.height, map))
    #expect(Self.distance(found, map) < Self.nearness, "\(found) in place of \(map)")
    // Nothing of the state depends on threads or on chance.
    var again = CameraMotion()
    _ = again.similarity(to: Self.scene.picture(width: Self.width, height: Self.height))
    #expect(again.similarity(to: Self.scene.picture(width: Self.width, height: Self.height, map)) == found)
  }

  /// The motion that Ultralytics' `GMC` finds with OpenCV 5.0 in these pictures: turns come out a little small in both.
  @Test func theMotionIsThatOfOpenCV() {
    let expected: [(map: Int, turn: SIMD2<Double>, shift: SIMD2<Double>)] = [
      (1, SIMD2(0.99999886, 6.9758e-07), SIMD2(14.000352, -7.999985)),
      (3, SIMD2(0.99933002, 0.03323317), SIMD2(10.117994, -5.828581)),
      (4, SIMD2(1.02855979, -0.02576467), SIMD2(-17.461494, 4.027147)),
      (5, SIMD2(0.97076596, 0.0162406), SIMD2(18.915208, 10.371816)),
    ]
    for (index, turn, shift) in expected {
      var camera = CameraMotion()
      _ = camera.similarity(to: Self.scene.picture(width: Self.width, height: Self.height))
      let found = camera.similarity(
        to: Self.scene.picture(width: Self.width, height: Self.height, Self.maps[index]))
      let theirs = Similarity(turn: turn, shift: shift)
      #expect(Self.distance(found, theirs) < Self.nearnessToOpenCV, "\(found) in place of \(theirs)")
    }
  }

  /// A third of the texture moves by itself.
  @Test func whatMovesByItselfDoesNotMoveTheCamera() {
    let map = Self.map(turn: 1, scale: 1.01, x: 10, y: -6)
    var camera = CameraMotion()
    _ = camera.similarity(to: Self.scene.picture(width: Self.width, height: Self.height))
    let found = camera.similarity(
      to: Self.scene.picture(
        width: Self.width, height: Self.height, map,
        other: [(140..<220, 100..<170, 30, 17), (260..<330, 200..<270, -25, 21)]))
    #expect(Self.distance(found, map) < Self.nearness, "\(found) in place of \(map)")
  }

  @Test func withoutTextureOrWithAnotherSizeNothingIsKnown() {
    let gray = RGBImage(width: 200, height: 120, color: Color(red: 90, green: 90, blue: 90))
    let scene = Self.scene.picture(width: 200, height: 120)
    var camera = CameraMotion()
    for image in [gray, gray, scene, RGBImage(width: 1, height: 1), scene] {
      #expect(camera.similarity(to: image) == .identity)
    }
    #expect(camera.similarity(to: Self.scene.picture(width: 202, height: 120)) == .identity)
    for (width, height) in [(1, 1), (2, 2), (3, 90), (4, 4), (5, 7), (44, 6)] {
      let small = MovedTexture(seed: 5).picture(width: width, height: height)
      var camera = CameraMotion()
      _ = camera.similarity(to: small)
      #expect(Self.distance(camera.similarity(to: small), .identity) < Self.nearness, "\(width) x \(height)")
    }
  }

  @Test func cornersOfASquareAreFoundAndNotItsSides() {
    var levels = [Int32](repeating: 20, count: 60 * 50)
    for row in 15..<35 { for column in 20..<45 { levels[row * 60 + column] = 220 } }
    let picture = GrayPicture(width: 60, height: 50, levels: levels)
    // As cv2.goodFeaturesToTrack has them, in this order.
    let expected: [SIMD2<Float>] = [SIMD2(44, 34), SIMD2(20, 34), SIMD2(44, 15), SIMD2(20, 15)]
    #expect(ShiTomasiCorners.corners(of: picture) == expected)
    #expect(ShiTomasiCorners.corners(of: picture, most: 2) == Array(expected.prefix(2)))
  }

  @Test func levelsAreThoseOfOpenCV() throws {
    // cv2.cvtColor of pure colors, averaged by cv2.resize.
    let pixels: [UInt8] = [255, 0, 0, 0, 255, 0, 0, 0, 255, 255, 255, 255]
    let gray = try #require(GrayPicture(halfOf: RGBImage(width: 2, height: 2, pixels: pixels)))
    #expect(gray == GrayPicture(width: 1, height: 1, levels: [(76 + 150 + 29 + 255 + 2) / 4]))
    // cv2.pyrDown of a single point in the middle of five by five pixels.
    var levels = [Int32](repeating: 0, count: 25)
    levels[12] = 255
    let small = GrayPicture(width: 5, height: 5, levels: levels).reduced()
    #expect(small.levels == [4, 12, 4, 12, 36, 12, 4, 12, 4], "mirrored, an outer weight counts twice")
  }

  @Test func theMapOfMostPairsIsFoundAmongOthers() throws {
    var numbers = SplitMix64(seed: 8)
    let map = Self.map(turn: 12, scale: 1.2, x: 40, y: -20)
    let pairs = (0..<60).map { index in
      let from = SIMD2(Double(numbers.unit()) * 300, Double(numbers.unit()) * 200)
      let away = SIMD2(Double(numbers.signed()) * 200, Double(numbers.signed()) * 200)
      return PointPair(from: from, to: index % 5 < 2 ? from + away : map.image(of: from))
    }
    let found = try #require(SimilarityConsensus.similarity(of: pairs))
    #expect(Self.distance(found, map) < 1e-6, "the pairs that agree are exact")
    #expect(SimilarityConsensus.similarity(of: [pairs[0], pairs[0], pairs[0]]) == nil)
    #expect(SimilarityConsensus.similarity(of: []) == nil)
  }

  /// Pairs of which many lie at the bound: which of them agree is a matter of the draws.
  @Test func drawsAreThoseOfOpenCV() throws {
    let pairs = (0..<60).map { i in
      let from = SIMD2(Double(37 * i % 101), Double(53 * i % 97))
      let shift = SIMD2(Double(10 + 7 * i * i % 9 - 4), Double(5 * i * i % 11 - 10))
      let far = SIMD2(Double(61 * i % 101), Double(29 * i % 97))
      return PointPair(from: from, to: i % 4 == 3 ? far : from + shift)
    }
    let found = try #require(SimilarityConsensus.similarity(of: pairs))
    // OpenCV 5.0: cv2.estimateAffinePartial2D(from, to), of which 20 pairs agree.
    let expected = Similarity(
      turn: SIMD2(0.99339865, 0.05070778), shift: SIMD2(11.20069465, -9.10164421))
    #expect(Self.distance(found, expected) < 1e-5)
  }

  /// A camera that jumps by more than an object's width: without it all objects are lost.
  @Test func identitiesAreKeptWhileTheCameraPans() {
    let scene = MovedTexture(seed: 5)
    let things = [(x: 60.0, y: 120.0), (x: 200.0, y: 220.0), (x: 330.0, y: 90.0)]
    let shifts = (0..<7).map { number in number < 3 ? 0 : 26 * Double(number - 2) }
    let pictures = shifts.map { shift in
      scene.picture(
        width: Self.width, height: Self.height, Similarity(turn: SIMD2(1, 0), shift: SIMD2(shift, 0)))
    }
    func identities(_ rules: TrackingRules) -> [[Int?]] {
      var tracker = MultiObjectTracker(rules)
      return zip(shifts, pictures).map { shift, picture in
        let detections = things.enumerated().map { index, thing in
          Detection(
            id: index, classId: 0, className: "thing", confidence: 0.9,
            box: Rect(x: thing.x + shift, y: thing.y, width: 22, height: 40))
        }
        return tracker.update(detections, in: picture)
      }
    }
    var rules = TrackingRules(.botsort)
    let followed = identities(rules)
    #expect(followed.allSatisfy { $0 == [1, 2, 3] }, "\(followed)")
    rules.followsCamera = false
    let lost = identities(rules)
    #expect(lost.prefix(3).allSatisfy { $0 == [1, 2, 3] }, "\(lost)")
    #expect(lost.dropFirst(3).allSatisfy { $0 == [nil, nil, nil] }, "\(lost)")
    // ByteTrack has no such compensation.
    #expect(identities(TrackingRules(.bytetrack)).last == [nil, nil, nil])
  }

  /// A camera that comes nearer.
  @Test func boxesFollowAScaledPicture() {
    let scene = Self.scene
    var tracker = MultiObjectTracker(TrackingRules(.botsort))
    for number in 0..<5 {
      let map = Self.map(turn: 0, scale: pow(1.05, Double(number)), x: 0, y: 0)
      let corner = map.image(of: SIMD2(40, 40))
      let side = 16 * pow(1.05, Double(number))
      let detection = Detection(
        id: 0, classId: 0, className: "thing", confidence: 0.9,
        box: Rect(x: corner.x, y: corner.y, width: side, height: side))
      let image = scene.picture(width: Self.width, height: Self.height, map)
      #expect(tracker.update([detection], in: image) == [1], "picture \(number)")
    }
  }
}
