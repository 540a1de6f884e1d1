import FileFormats
import Geometry
import Imaging
import Models
import TestSupport
import Testing

/// The masks of Ultralytics 8.4.190 for random prototypes, coefficients and boxes
/// (`tools/reference/goldens/make-mask-goldens.py`).
@Suite("Masks against Ultralytics")
struct UltralyticsMaskTests {
  /// Pixels that single-precision sums in another order may turn over, of all masks of a case.
  private static let undecided = 2

  private static let cases: [JSONValue] = {
    let golden = try? JSONValue.read(path: Golden.path("ultralytics-8.4.190-masks.json"))
    return golden?["cases"]?.array ?? []
  }()

  @Test("there are cases of padding in whole, half and quarter cells")
  func goldens() throws {
    let paddings = try Self.cases.map { try MaskCase($0).letterbox.padTop % 4 }
    #expect(Self.cases.count == 9 && Set(paddings).count > 2)
    let differing = try Self.cases.map(MaskCase.init).count { $0.masks[.fast] != $0.masks[.retina] }
    #expect(differing >= 7)
  }

  @Test("both ways, pixel by pixel", arguments: cases.indices)
  func masks(index: Int) throws {
    let golden = try MaskCase(Self.cases[index])
    let decoder = MaskDecoder(letterbox: golden.letterbox)
    for method in MaskMethod.allCases {
      let expected = try #require(golden.masks[method])
      #expect(expected.count == 5)
      var different = 0
      for (object, reference) in zip(golden.objects, expected) {
        let mask =
          switch method {
          case .fast:
            decoder.imageMask(
              decoder.networkMask(
                prototypes: golden.prototypes.span, coefficients: object.coefficients, box: object.box))
          case .retina:
            decoder.imageMask(
              prototypes: golden.prototypes.span, coefficients: object.coefficients,
              box: golden.letterbox.fromNetwork(object.box))
          }
        different += zip(mask.plane().elements, reference.mask).count { ($0 != 0) != ($1 != 0) }
      }
      #expect(different <= Self.undecided, "\(method)")
    }
  }
}

/// One case of the golden.
private struct MaskCase {
  let letterbox: Letterbox
  /// (rows, columns, channels).
  let prototypes: [Float]
  let objects: [(coefficients: [Float], box: Rect<NetworkPixels>)]
  let masks: [MaskMethod: [RunLengthMask]]

  init(_ value: JSONValue) throws {
    let network = try Self.size(value["network"])
    let picture = try Self.size(value["picture"])
    letterbox = Letterbox(imageSize: picture, networkSize: network)
    prototypes = try #require(value["prototypes"]?.numbers).map { Float($0) / 64 }
    let coefficients = try #require(value["coefficients"]?.array).map { row in
      try #require(row.numbers).map { Float($0) / 64 }
    }
    let boxes = try #require(value["boxes"]?.array).map { row in
      let edges = try #require(row.numbers)
      return Rect<NetworkPixels>(minX: edges[0], minY: edges[1], maxX: edges[2], maxY: edges[3])
    }
    objects = zip(coefficients, boxes).map { ($0, $1) }
    var masks: [MaskMethod: [RunLengthMask]] = [:]
    for method in MaskMethod.allCases {
      masks[method] = try #require(value[method.rawValue]?.array).map { counts in
        try RunLengthMask(
          height: picture.height, width: picture.width, counts: try #require(counts.string))
      }
    }
    self.masks = masks
  }

  private static func size(_ value: JSONValue?) throws -> PixelSize {
    let sides = try #require(value?.numbers)
    return PixelSize(width: Int(sides[1]), height: Int(sides[0]))
  }
}
