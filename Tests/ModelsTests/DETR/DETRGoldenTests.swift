import FileFormats
import Geometry
import Imaging
import Models
import Testing

/// Objects and inputs as transformers' image processors make them (tools/reference/goldens/make-detr-goldens.py).
@Suite struct DETRGoldenTests {
  private let golden: JSONValue

  init() throws { golden = try JSONValue.read(path: Golden.path("transformers-detr.json")) }

  private func numbers(_ value: JSONValue?) throws -> [Float] {
    try #require(value?.numbers).map { Float($0) }
  }

  @Test(arguments: ["rt_detr", "deformable_detr", "detr"])
  func objectsOfOutputs(_ name: String) throws {
    let (design, known) = (try #require(DETRDesign(rawValue: name)), try #require(golden["designs"]?[name]))
    let (logits, boxes) = (try numbers(known["logits"]), try numbers(known["boxes"]))
    let perQuery = try #require(known["perQuery"]?.integer(in: 1...100))
    let sides = try #require(golden["size"]?.integers(in: 1...1000))
    let size = PixelSize(width: sides[1], height: sides[0])
    let found = design.scoring.choices(
      logits, perQuery: perQuery, confidence: Float(try #require(golden["threshold"]?.number)))
    let expected = try #require(known["objects"]?.array)
    #expect(found.count == expected.count)
    for (choice, object) in zip(found, expected) {
      #expect(choice.classIndex == object["class"]?.integer(in: 0...100))
      #expect(abs(choice.score - Float(try #require(object["score"]?.number))) < 1e-6)
      let box: Rect<UprightPixels> = DETRBox(boxes, query: choice.query).rect(in: size)
      let edges = [box.minX, box.minY, box.maxX, box.maxY]
      for (edge, known) in zip(edges, try #require(object["box"]?.numbers)) {
        #expect(abs(edge - known) < 2e-3)
      }
    }
  }

  /// Design of each case and `size`, as `preprocessor_config.json` has it.
  private static let inputs: [(name: String, design: DETRDesign, size: JSONValue)] = [
    ("rt_detr", .rtDETR, ["height": 12, "width": 16]),
    ("detr", .detr, ["shortest_edge": 12, "longest_edge": 40]),
    ("lower", .rtDETR, ["height": 6, "width": 29]),
  ]

  @Test(arguments: inputs.indices)
  func inputOfPicture(_ index: Int) throws {
    let (name, design, stated) = Self.inputs[index]
    let inputs = try #require(golden["inputs"])
    let sides = try #require(inputs["size"]?.integers(in: 1...100))
    let digits = Array(try #require(inputs["picture"]?.string).utf8)
    let pixels = try stride(from: 0, to: digits.count, by: 2).map {
      try #require(UInt8(String(decoding: digits[$0..<$0 + 2], as: UTF8.self), radix: 16))
    }
    let picture = RGBImage(width: sides[1], height: sides[0], pixels: pixels)
    let config = try DETRConfig(config: nil, preprocessor: ["size": stated])
    let preprocessing = try config.preprocessing(design, fixed: nil)
    let size = preprocessing.inputSize(for: picture.size)
    let known = try #require(inputs[name])
    #expect([size.height, size.width] == known["sides"]?.integers(in: 1...100))
    let planes = preprocessing.planes(of: picture, size: size)
    let points = try #require(known["points"]?.array)
    for (point, value) in zip(points, try numbers(known["values"])) {
      let place = try #require(point.integers(in: 0...100))
      let found = planes[(place[0] * size.height + place[1]) * size.width + place[2]]
      #expect(abs(found - value) < 1e-5, "at \(place)")
    }
  }

  @Test func sizesThatKeepTheRatio() throws {
    let preprocessing = try DETRConfig(config: nil, preprocessor: nil).preprocessing(.detr, fixed: nil)
    for sides in try #require(golden["sizes"]?.array).map({ try #require($0.integers(in: 1...10_000)) }) {
      let size = preprocessing.inputSize(for: PixelSize(width: sides[1], height: sides[0]))
      #expect([size.height, size.width] == Array(sides[2...]), "of \(sides)")
    }
  }
}
