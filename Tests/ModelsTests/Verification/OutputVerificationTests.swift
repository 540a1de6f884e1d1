import Geometry
import Models
import NNRuntime
import NNVerification
import TestSupport
import Testing

/// A reference of a network of least width, of whose tensors some can be changed.
struct ChangedReference {
  let name: String
  var tensors: [String: Tensor] = [:]

  static let thresholds = ObjectThresholds(confidence: 0.02, overlap: 0.3, limit: 40)

  /// All of the golden reference, and the objects that the network's own decoding makes of its raw outputs.
  init(_ name: String) throws {
    self.name = name
    let file = try ReferenceFile(path: Golden.path("\(name).ref.safetensors"))
    for key in file.names {
      let (shape, elements) = try file.tensor(key)
      tensors[key] = Tensor(shape: shape, floats: elements)
    }
    try addObjects()
  }

  private func input() throws -> MapShape {
    let shape = try #require(tensors["input"]?.shape)
    return MapShape(height: shape[2], width: shape[3], channels: 3)
  }

  private mutating func addObjects() throws {
    let decoding = try InspectedNetwork(weights: Golden.store(name)).decoding
    guard let kind = decoding.objectKind else { return }
    var raw: [String: [Float]] = [:]
    for (key, tensor) in tensors where tensor.shape.count == 4 && key != "input" {
      let (channels, pixels) = (tensor.shape[1], tensor.shape[2] * tensor.shape[3])
      let planes = tensor.floats()
      raw[key] = (0..<pixels * channels).map { planes[$0 % channels * pixels + $0 / channels] }
    }
    let objects = try decoding.objects(of: raw, input: input(), thresholds: Self.thresholds)
    try #require(objects.count > 3, "\(name): too few objects to test with")
    let rows = objects.flatMap { $0.box + [$0.score, Float($0.classIndex)] + $0.extras }
    tensors["objects"] = Tensor(shape: [objects.count, kind.count], floats: rows)
    tensors["objects.thresholds"] = Tensor(
      shape: [3],
      floats: [Self.thresholds.confidence, Self.thresholds.overlap, Float(Self.thresholds.limit)])
    let masks = objects.compactMap(\.mask)
    guard let grid = masks.first else { return }
    tensors["objects.masks"] = Tensor(
      shape: [masks.count, grid.height, grid.width],
      floats: masks.flatMap { $0.probabilities.map { $0 > 0.5 ? 1 : 0 } })
  }

  /// Changes the elements of a tensor, which are rows of as many columns as its last axis has.
  mutating func edit(_ name: String, _ change: (_ row: Int, _ column: Int, _ value: Float) -> Float) throws {
    let tensor = try #require(tensors[name])
    let columns = try #require(tensor.shape.last)
    tensors[name] = Tensor(
      shape: tensor.shape,
      floats: tensor.floats().enumerated().map {
        change($0.offset / columns, $0.offset % columns, $0.element)
      })
  }

  /// A reference's rows of `output0`, replaced by others of its rows.
  mutating func reorder(_ name: String, _ source: (Int) -> Int) throws {
    let values = try #require(tensors[name]).floats()
    let columns = try #require(tensors[name]?.shape.last)
    try edit(name) { row, column, _ in values[source(row) * columns + column] }
  }

  func reports(layersOnly: Bool = false) throws -> [VerificationReport] {
    let folder = try TemporaryDirectory()
    let path = folder.file("reference.safetensors")
    try SafetensorsWriter.write(tensors, to: path, overwrite: false)
    let network = try InspectedNetwork(weights: Golden.store(name))
    let shape = try input()
    let session = try network.session(for: PixelSize(width: shape.width, height: shape.height))
    return try LayerVerifier.Mode.allCases.map { mode in
      try LayerVerifier(mode: mode, layersOnly: layersOnly).verify(
        session, against: ReferenceFile(path: path), decoding: network.decoding)
    }
  }
}

/// A fault in what a reference says of outputs.
struct ReferenceFault: Sendable, CustomTestStringConvertible {
  let kind: String
  let network: String
  /// The tensor that must be named.
  let tensor: String
  let change: @Sendable (inout ChangedReference) throws -> Void

  var testDescription: String { "\(network): \(kind)" }

  init(
    _ kind: String, in network: String, _ tensor: String,
    _ change: @escaping @Sendable (inout ChangedReference) throws -> Void
  ) {
    (self.kind, self.network, self.tensor, self.change) = (kind, network, tensor, change)
  }
}

@Suite("Outputs against the reference frameworks")
struct OutputVerificationTests {
  static let networks = [
    "yolo11-least", "yolo11-pose-least", "yolo11-obb-least", "yolov8-least", "yolov8-seg-least",
    "yolov8-pose-least", "yolov8-obb-least", "yolo26-least", "yolo26-seg-least", "yolo26-pose-least",
    "yolo26-obb-least", "yolo11-cls-least", "yolov8-cls-least",
  ]

  @Test("a right reference passes, and nothing of it is left uncompared", arguments: networks)
  func passes(name: String) throws {
    let reference = try ChangedReference(name)
    for report in try reference.reports() {
      #expect(report.passed, "\(report.summary)")
      #expect(report.leftOut.isEmpty, "\(report.leftOut)")
      #expect(report.absent.isEmpty, "\(report.absent)")
      guard !name.contains("cls") else { continue }
      #expect(report.outputs.contains { $0.name == "output0" && $0.part.name == "boxes" })
      #expect((report.objects.first?.matched ?? 0) > 3)
    }
  }

  /// Faults of every detector.
  private static func common(_ network: String) -> [ReferenceFault] {
    [
      ReferenceFault("boxes by half a stride aside", in: network, "output0") {
        try $0.edit("output0") { row, _, value in row < 2 ? value + 4 : value }
      },
      ReferenceFault("boxes by corners, or by centers", in: network, "output0") {
        let values = try #require($0.tensors["output0"]).floats()
        let columns = try #require($0.tensors["output0"]?.shape.last)
        try $0.edit("output0") { row, column, value in
          switch row {
          case 0, 1: value - values[(row + 2) * columns + column] / 2
          case 2, 3: value / 2 + values[(row - 2) * columns + column]
          default: value
          }
        }
      },
      ReferenceFault("strides of another level", in: network, "output0") {
        try $0.edit("output0") { row, column, value in row < 4 && column < 96 ? value * 2 : value }
      },
      ReferenceFault("classes permuted", in: network, "output0") {
        try $0.reorder("output0") { (4..<8).contains($0) ? 4 + ($0 - 3) % 4 : $0 }
      },
      ReferenceFault("scores above one", in: network, "output0") {
        try $0.edit("output0") { row, _, value in (4..<8).contains(row) ? value * 8 - 4 : value }
      },
      ReferenceFault("a number that is none", in: network, "output0") {
        try $0.edit("output0") { row, column, value in row == 1 && column == 50 ? .nan : value }
      },
      ReferenceFault("a box map negative", in: network, "box.1") { try $0.edit("box.1") { -$2 } },
      ReferenceFault("anchors at corners of cells", in: network, "anchors") {
        $0.tensors["anchors"] = Tensor(shape: [2, 126], floats: [Float](repeating: 0, count: 252))
      },
      ReferenceFault("objects scaled", in: network, "objects") {
        try $0.edit("objects") { _, column, value in column < 4 ? value * 2 : value }
      },
      ReferenceFault("classes of objects from one", in: network, "objects") {
        try $0.edit("objects") { _, column, value in column == 5 ? value + 1 : value }
      },
      ReferenceFault("objects of another threshold", in: network, "objects") {
        try $0.edit("objects.thresholds") { _, column, value in column == 0 ? 0.9 : value }
      },
      ReferenceFault("an output that the network has not", in: network, "output7") {
        $0.tensors["output7"] = Tensor(shape: [1], floats: [1])
      },
      ReferenceFault("thresholds that are missing", in: network, "objects.thresholds") {
        $0.tensors["objects.thresholds"] = nil
      },
    ]
  }

  static let faults: [ReferenceFault] =
    [
      "yolo11-least", "yolov8-seg-least", "yolo11-pose-least", "yolo11-obb-least", "yolo26-least",
      "yolo26-obb-least",
    ]
    .flatMap(common) + [
      ReferenceFault("coefficients negative", in: "yolov8-seg-least", "output0") {
        try $0.edit("output0") { row, _, value in row >= 8 ? -value : value }
      },
      ReferenceFault("masks inverted", in: "yolo26-seg-least", "mask") {
        try $0.edit("objects.masks") { 1 - $2 }
      },
      ReferenceFault("prototypes negative", in: "yolo26-seg-least", "proto") { try $0.edit("proto") { -$2 } },
      ReferenceFault("visibility is a logit", in: "yolo11-pose-least", "visibility") {
        try $0.edit("output0") { row, _, value in row >= 8 && row % 3 == 1 ? value * 10 - 5 : value }
      },
      ReferenceFault("key points half a cell aside", in: "yolo26-pose-least", "key points") {
        try $0.edit("output0") { row, _, value in row >= 8 && row % 3 != 1 ? value + 4 : value }
      },
      ReferenceFault("angles a quarter turn off", in: "yolo11-obb-least", "angles") {
        try $0.edit("output0") { row, _, value in row == 8 ? value + .pi / 2 : value }
      },
      ReferenceFault("angles in degrees", in: "yolo26-obb-least", "angles") {
        try $0.edit("output0") { row, _, value in row == 8 ? value * 180 / .pi : value }
      },
      ReferenceFault("probabilities that do not add up", in: "yolo11-cls-least", "probabilities") {
        try $0.edit("probabilities") { _, _, value in value * 2 }
      },
      ReferenceFault("an export's output that is wrong", in: "yolov8-cls-least", "output0") {
        let right = try #require($0.tensors["probabilities"])
        $0.tensors["output0"] = Tensor(shape: right.shape, floats: right.floats().reversed())
      },
    ]

  @Test("a fault in a reference's outputs is found and named", arguments: faults)
  func found(fault: ReferenceFault) throws {
    var reference = try ChangedReference(fault.network)
    try fault.change(&reference)
    for report in try reference.reports() {
      #expect(!report.passed, "\(report.summary)")
      #expect(report.summary.contains(fault.tensor), "\(report.summary)")
    }
  }

  @Test(
    "what hooks record of the head is compared as its output",
    arguments: [
      ("yolo11-least", "model.23"), ("yolov8-seg-least", "model.22"), ("yolo26-obb-least", "model.23"),
    ],
    ["", ".0"])
  func resultsOfTheHead(network: (name: String, head: String), place: String) throws {
    let name = network.head + place
    var reference = try ChangedReference(network.name)
    let output = try #require(reference.tensors["output0"])
    reference.tensors[name] = output
    for report in try reference.reports() {
      #expect(report.passed && report.leftOut.isEmpty, "\(report.summary)")
      #expect(report.outputs.contains { $0.name == name }, "\(report.summary)")
    }
    try reference.edit(name) { $2 * 2 }
    for report in try reference.reports() {
      #expect(
        !report.passed && report.summary.contains("first diverging output \(name)"), "\(report.summary)")
    }
    reference.tensors[name] = Tensor(shape: [3], floats: [1, 2, 3])
    for report in try reference.reports() {
      #expect(!report.passed && report.uncompared.map(\.name) == [name], "\(report.summary)")
    }
    reference.tensors[name] = nil
    reference.tensors["\(network.head).1"] = Tensor(shape: [1], floats: [1])
    for report in try reference.reports() {
      #expect(!report.passed && report.uncompared.map(\.name) == ["\(network.head).1"], "\(report.summary)")
    }
  }

  @Test("with layers alone outputs pass, are counted and named; without any they are said to be absent")
  func layersOnly() throws {
    var reference = try ChangedReference("yolo11-least")
    try reference.edit("output0") { -$2 }
    for report in try reference.reports(layersOnly: true) {
      #expect(report.passed && report.layersOnly)
      #expect(Set(report.uncompared.map(\.name)) == ["output0", "objects", "objects.thresholds"])
      #expect(report.summary.contains("3 outputs of the reference not compared: "))
    }
    for name in ["output0", "objects", "objects.thresholds"] { reference.tensors[name] = nil }
    for report in try reference.reports() {
      #expect(report.passed && report.absent == ["output0", "objects"])
    }
  }

  @Test("an end-to-end network's export is its objects, in any order of equals")
  func exported() throws {
    let names = ["yolo26", "yolo26-seg", "yolo26-pose", "yolo26-obb"]
    let file = try ReferenceFile(path: Golden.path("yolo26-exported.safetensors"))
    for name in names {
      var reference = try ChangedReference("\(name)-least")
      reference.tensors = [:]
      for (key, other) in [("input", "input"), ("output0", "\(name).output0")] {
        let (shape, elements) = try file.tensor(other)
        reference.tensors[key] = Tensor(shape: shape, floats: elements)
      }
      for report in try reference.reports() {
        #expect(report.passed && report.objects.first?.expected == 300, "\(report.summary)")
        #expect(report.absent.contains("objects"))
      }
      try reference.edit("output0") { row, column, value in column == 2 && row < 9 ? value + 3 : value }
      for report in try reference.reports() {
        #expect(!report.passed && report.summary.contains("output0"), "\(report.summary)")
      }
    }
  }

  @Test("shapes that cannot be the output are refused, and the message says what they look like")
  func shapes() throws {
    let transposed = try ChangedReference("yolo11-least")
    func refusal(_ shape: [Int], of name: String) throws -> String {
      var reference = transposed
      let count = shape.reduce(1, *)
      reference.tensors[name] = Tensor(shape: shape, floats: [Float](repeating: 0, count: count))
      let error = try #require(throws: VerificationError.self) { try reference.reports() }
      return "\(error)"
    }
    #expect(try refusal([1, 126, 8], of: "output0").contains("axes are transposed"))
    #expect(try refusal([8, 100], of: "output0").contains("of another network"))
    #expect(try refusal([2, 7], of: "objects").contains("not (objects, 6)"))
    #expect(try refusal([2], of: "objects.thresholds").contains("objects.thresholds"))
  }
}
