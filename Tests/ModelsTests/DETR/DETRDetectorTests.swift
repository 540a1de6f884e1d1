import FileFormats
import Geometry
import Imaging
import Models
import NNRuntime
import ONNX
import TestSupport
import Testing

/// Detectors of ONNX files that are run as they are.
@Suite struct DETRDetectorTests {
  private let picture = RGBImage(width: 40, height: 20, pixels: [UInt8](repeating: 51, count: 2400))

  private func detector(
    _ file: DetectorFile, config: JSONValue? = nil, preprocessor: JSONValue? = nil, side: Int? = nil
  ) throws -> DETRDetector {
    let place = try TemporaryDirectory()
    try place.write(file.bytes, to: "small.onnx")
    if let config { try place.write(Array(config.serialized().utf8), to: "config.json") }
    if let preprocessor {
      try place.write(Array(preprocessor.serialized().utf8), to: "preprocessor_config.json")
    }
    return try DETRDetector(path: place.file("small.onnx"), side: side, pool: ThreadPool(threads: 1))
  }

  private func sigmoid(_ x: Float) -> Float { Models.sigmoid(x) }

  @Test func findsObjectsInThePicture() throws {
    let network = try detector(DetectorFile())
    #expect(network.name == "small" && network.classNames == ["class0", "class1"])
    #expect(network.inputText == "8x8" && network.form == .boxes && !network.suppressesOverlaps)
    let found = try network.detect(
      picture, DetectionRequest(thresholds: DetectionThresholds(confidence: 0.5)))
    // A gray of 51 is 0.2, which the network adds to its logits.
    #expect(found.objects.map(\.className) == ["class0", "class1"])
    for (object, logit) in zip(found.objects, [Float(3.2), 1.7]) {
      #expect(abs(object.confidence - sigmoid(logit)) < 1e-5)
    }
    #expect(found.objects[0].box == Rect(minX: 5, minY: 5, maxX: 15, maxY: 15))
    #expect(found.objects[1].box == Rect(minX: 20, minY: 7.5, maxX: 40, maxY: 12.5))
    #expect(found.objects[0].networkBox == Rect(minX: 1, minY: 2, maxX: 3, maxY: 6))
  }

  @Test func tellsTheSurestWhereNothingIsFound() throws {
    let found = try detector(DetectorFile()).detect(
      picture, DetectionRequest(thresholds: DetectionThresholds(confidence: 0.99)))
    #expect(found.objects.isEmpty && found.surest?.className == "class0")
  }

  @Test func keepsToTheLimitAndTheThreshold() throws {
    let one = try detector(DetectorFile()).detect(
      picture, DetectionRequest(thresholds: DetectionThresholds(confidence: 0.5, limit: 1)))
    #expect(one.objects.map(\.classIndex) == [0])
  }

  /// The file's own statements, and those of the files beside it.
  @Test func readsTheFilesBesideIt() throws {
    let config: JSONValue = ["model_type": "detr", "id2label": ["0": "cup"]]
    let network = try detector(
      DetectorFile(), config: config,
      preprocessor: ["do_normalize": true, "image_mean": [0, 0, 0], "image_std": [0.5, 0.5, 0.5]])
    #expect(network.classNames == ["cup"] && network.design == .detr)
    let found = try network.detect(
      picture, DetectionRequest(thresholds: DetectionThresholds(confidence: 0.01)))
    // Softmax of 3.4 and -3.6, the last no object; the other query is no object.
    #expect(found.objects.map(\.className) == ["cup"])
    #expect(abs(found.objects[0].confidence - sigmoid(7)) < 1e-5)
  }

  @Test func namesFollowTheNumberOfClasses() throws {
    func names(_ perQuery: Int) throws -> (DETRDesign, [String]) {
      var file = DetectorFile()
      (file.perQuery, file.logits) = (perQuery, [Float](repeating: 0, count: 2 * perQuery))
      let network = try detector(file)
      return (network.design, network.classNames)
    }
    let (plain, coco) = try names(80)
    #expect(plain == .rtDETR && coco == cocoClassNames)
    let (numbered, all) = try names(91)
    #expect(numbered == .deformable && all.count == 91 && all[1] == "person" && all[90] == "toothbrush")
    #expect(all[0] == "N/A" && all[12] == "N/A")
    let (exclusive, same) = try names(92)
    #expect(exclusive == .detr && same == all)
    var file = DetectorFile()
    file.metadata = [("names", "{0: 'cup', 1: 'tea pot'}")]
    #expect(try detector(file).classNames == ["cup", "tea pot"])
  }

  @Test func takesPortsWithoutNamesAndMasks() throws {
    var file = DetectorFile()
    (file.pixels, file.outputs) = ("input", ("411", "412"))
    #expect(try detector(file).classNames.count == 2)
    file = DetectorFile()
    file.hasMask = true
    #expect(try detector(file).detect(picture, DetectionRequest()).objects.count == 2)
    file = DetectorFile()
    (file.sides, file.batch, file.isStated) = (nil, nil, false)
    #expect(try detector(file).inputText == "640x640")
    #expect(try detector(file, side: 64).inputText == "64x64")
    #expect(
      try detector(file, config: ["model_type": "deformable_detr"]).inputText
        == "shorter side 800, longer side at most 1333")
  }

  @Test func otherNetworksAreNotTaken() throws {
    var file = DetectorFile()
    file.outputs = ("scores", "boxes")
    #expect(throws: DETRError.otherPorts) { try detector(file) }
    file.outputs = ("411", "boxes")
    #expect(throws: DETRError.otherPorts) { try detector(file) }
    file = DetectorFile()
    file.batch = 4
    #expect(throws: DETRError.severalPictures) { try detector(file) }
    #expect(throws: DETRError.otherSide(64, PixelSize(width: 8, height: 8))) {
      try detector(DetectorFile(), side: 64)
    }
  }

  @Test(arguments: [
    (#"{"model_type": "yolos"}"#, "{}", "yolos"), (#"{"id2label": {"0": "a"}}"#, "{}", "2 classes"),
    ("[", "{}", "config.json"), ("{}", #"{"resample": 3}"#, "resample"),
    ("{}", #"{"do_resize": false}"#, "do_resize"),
    ("{}", #"{"image_std": [1, 0, 1], "do_normalize": true}"#, "image_std"),
    ("{}", #"{"pad_size": {"height": 8, "width": 8}}"#, "pad_size"),
    ("{}", #"{"size": {"height": -3}}"#, "size"),
  ])
  func refusesWhatItCannotDo(_ config: String, _ preprocessor: String, _ named: String) throws {
    let place = try TemporaryDirectory()
    try place.write(DetectorFile().bytes, to: "small.onnx")
    try place.write(Array(config.utf8), to: "config.json")
    try place.write(Array(preprocessor.utf8), to: "preprocessor_config.json")
    let error = #expect(throws: DETRError.self) { try DETRDetector(path: place.file("small.onnx")) }
    #expect(error.map { "\($0)" }?.contains(named) == true, "\(String(describing: error))")
  }

  @Test func theFolderNamesAModel() throws {
    let place = try TemporaryDirectory()
    try place.write(DetectorFile().bytes, to: "d-fine/onnx/model.onnx")
    try place.write(
      Array(#"{"model_type": "d_fine", "id2label": {"0": "a", "1": "b"}}"#.utf8), to: "d-fine/config.json")
    let network = try DETRDetector(path: place.file("d-fine/onnx/model.onnx"))
    #expect(network.name == "d-fine" && network.classNames == ["a", "b"] && network.design == .dFine)
  }

  @Test func familyIsRecognizedByPorts() throws {
    let model = try ONNXModel(FileBytes(DetectorFile().bytes), path: "small.onnx")
    #expect(RecognizedNetwork.onnxFamily(of: model) == DETRFamily.self)
    let export = try ONNXModel(path: Golden.path("yolo11-cls-least.onnx"))
    #expect(RecognizedNetwork.onnxFamily(of: export) == nil)
  }

  @Test func servesItsTensors() throws {
    let network = try detector(DetectorFile())
    let ports = network.exportedPorts
    #expect(ports.input == "pixel_values" && ports.sides == PixelSize(width: 8, height: 8))
    let made = try network.exportedTensors(
      planar: [Float](repeating: 0.5, count: 192)[...], size: network.exportedInput)
    #expect(made.map(\.shape) == [[2, 2], [2, 4]])
    #expect(zip(made[0].elements, [Float(3.5), -3.5, -4.5, 2]).allSatisfy { abs($0 - $1) < 1e-5 })
    #expect(made[1].elements == DetectorFile().boxes)
  }
}
