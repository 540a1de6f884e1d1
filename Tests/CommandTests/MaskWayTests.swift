import FileFormats
import Foundation
import TestSupport
import Testing

/// `--masks` and `--rect`.
@Suite struct MaskWayTests {
  private func detect(_ place: TemporaryDirectory, _ name: String, _ more: [String]) throws -> JSONValue {
    let run = try CommandRun(
      ["detect", place.file("capture"), "--out", place.file(name)] + TinyNetwork.detectorOptions + more)
    #expect(run.status == 0, "\(run.error)")
    return try JSONValue.read(path: place.file("\(name)/detections.json"))
  }

  private func masks(_ document: JSONValue) -> [String?] {
    document["detections"]?.array?.map { $0["mask"]?["counts"]?.string } ?? []
  }

  @Test func everyNameMakesItsMasks() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let usual = try detect(place, "usual", [])
    let fast = try detect(place, "fast", ["--masks", "fast"])
    let native = try detect(place, "native", ["--masks", "native"])
    let retina = try detect(place, "retina", ["--masks", "retina"])
    #expect(!masks(usual).isEmpty)
    #expect(usual == retina && native == retina)
    #expect(masks(fast) != masks(retina))
    #expect(usual["model"]?["masks"]?.string == "retina")
    #expect(fast["model"]?["masks"]?.string == "fast")
    #expect(fast["detections"]?.array?.map { $0["box"] } == usual["detections"]?.array?.map { $0["box"] })
    let run = try CommandRun(["detect", place.file("capture"), "--masks", "exact", "--out", "out"])
    #expect(run.status == 64 && run.error.contains("fast") && run.error.contains("retina"), "\(run.error)")
  }

  @Test func runHasTheMasksOfThePicture() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    func run(_ name: String, _ more: [String]) throws -> JSONValue {
      let run = try CommandRun(
        ["run", place.file("capture"), "--out", place.file(name)] + TinyNetwork.detectorOptions
          + TinyNetwork.depthOptions + more)
      #expect(run.status == 0, "\(run.error)")
      return try JSONValue.read(path: place.file("\(name)/detections.json"))
    }
    let usual = try run("usual", [])
    #expect(usual["model"]?["masks"]?.string == "retina")
    #expect(try usual == run("retina", ["--masks", "retina"]))
    #expect(try usual != run("fast", ["--masks", "fast"]))
  }

  @Test func theRectangleIsTheLeastOneThatHoldsThePicture() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let square = try detect(place, "square", [])
    let rectangle = try detect(place, "rectangle", ["--rect"])
    #expect(square["model"]?["input"]?.string == "64x64")
    #expect(rectangle["model"]?["input"]?.string == "within 64x64")
    // 128x96 becomes 64x48, which needs 64 rows all the same; at 96 it is 96x72 in 96x96.
    #expect(masks(square) == masks(rectangle))
    let wide = try detect(place, "wide", ["--imgsz", "128", "--rect"])
    let full = try detect(place, "full", ["--imgsz", "128"])
    #expect(wide["detections"] != full["detections"])
  }
}
