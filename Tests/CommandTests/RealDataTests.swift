import Digests
import FileFormats
import Foundation
import TestSupport
import Testing

/// Commands on the real checkpoint and the real capture beside the package.
@Suite(.serialized, .enabled(if: SharedData.available, "real data is not present beside the package"))
struct RealDataTests {
  private func converted(in place: TemporaryDirectory) throws -> String {
    let run = try CommandRun(
      ["convert", SharedData.path("weights/yolo11n-seg.pt"), place.file("yolo11n-seg.safetensors"), "--json"])
    #expect(run.status == 0, "\(run.error)")
    let metadata = try run.json()["metadata"]
    #expect(metadata?["variant"]?.string == "n")
    #expect(metadata?["license"]?.string == "AGPL-3.0")
    #expect(metadata?["imgsz"]?.string == "640")
    #expect(
      metadata?["source_sha256"]?.string == "55ed65c56c91713d23e8402371c6c49a6fd84f257f7dce452e8d70e41dcbe152"
    )
    return place.file("yolo11n-seg.safetensors")
  }

  @Test func convertRefusesToReplace() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    let again = ["convert", SharedData.path("weights/yolo11n-seg.pt"), weights]
    #expect(try CommandRun(again).status == 73)
    let before = try sha256Hex(path: weights)
    #expect(try CommandRun(again + ["--force"]).status == 0)
    #expect(try sha256Hex(path: weights) == before)
    #expect(try place.entries() == ["yolo11n-seg.safetensors"])
  }

  @Test func truncatedCheckpointIsMalformed() throws {
    let place = try TemporaryDirectory()
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: SharedData.path("weights/yolo11n-seg.pt"))))
    try place.write(Array(whole.prefix(1_000_000)), to: "half.pt")
    let run = try CommandRun(["convert", place.file("half.pt"), place.file("x.safetensors")])
    #expect(run.status == 65)
    #expect(run.error.contains("half.pt"))
    #expect(try place.entries() == ["half.pt"])
  }

  /// The bed and the teddy bears of the bedroom, upright although the picture is stored sideways.
  @Test func bedroomShowsBedAndBears() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    var arguments = [
      "run", SharedData.path("data/captures/bedroom"), "--frame", "00000", "--yolo", weights,
      "--out", place.file("out"), "--json", "--effect", "0=debugCube",
    ]
    let hasDepth = SharedData.exists("weights/dav2s-ardf-fp16.safetensors")
    if hasDepth { arguments += ["--depth", SharedData.path("weights/dav2s-ardf-fp16.safetensors")] }
    let run = try CommandRun(arguments)
    #expect(run.status == 0, "\(run.error)")
    let summary = try run.summary()
    let objects = summary["objects"]?.array ?? []
    #expect(objects.contains { $0["className"]?.string == "bed" })
    #expect(objects.contains { $0["className"]?.string == "teddy bear" })
    for object in objects {
      #expect(object["distanceSource"]?.string == "lidar")
      #expect((0.3...4).contains(object["distanceMeters"]?.number ?? 0))
    }
    if hasDepth { #expect(summary["fusion"]?["status"]?.string == "ok") }
  }

  @Test func cocoResultsHaveCOCOsCategories() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    let run = try CommandRun([
      "detect", SharedData.path("data/images/bus.jpg"), "--yolo", weights, "--conf", "0.25", "--format",
      "coco",
      "--out", place.file("out"),
    ])
    #expect(run.status == 0, "\(run.error)")
    let results = try JSONValue.read(path: place.file("out/detections.json"))
    // Bus is category 6 and person 1 of COCO's 90; the image's id is its name.
    let categories = Set(results.array?.compactMap { $0["category_id"]?.integer } ?? [])
    #expect(categories.isSuperset(of: [1, 6]))
    #expect(results[0]?["image_id"]?.string == "bus")
  }

  @Test func aTapMeansTheObjectAtThePixel() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    // In the picture as stored; one of the bears, which lies on the bed.
    let run = try CommandRun([
      "run", SharedData.path("data/captures/bedroom"), "--frame", "00000", "--yolo", weights, "--tap",
      "800,500=smoke", "--tap", "1,1=magic", "--out", place.file("out"), "--json",
    ])
    #expect(run.status == 0, "\(run.error)")
    let effects = try run.summary()["effects"]?.array ?? []
    #expect(effects.map { $0["type"]?.string } == ["smoke"])
    #expect(run.error.contains("1,1=magic: no object is at this pixel"))
  }

  /// An effect on a teddy bear of the bedroom stays on it.
  ///
  /// Across the view by less than the LiDAR's noise; along it the sensor's own readings of the fur change by up to 2 %
  /// of the distance from view to view.
  @Test func placedEffectsStayOnTheirObject() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    let run = try CommandRun([
      "replay", SharedData.path("data/captures/bedroom"), "--frame", "00000", "--frame", "00010", "--frame",
      "00015", "--max-speed", "--yolo", weights, "--effect", "teddy bear=love", "--drift", "--frames", "none",
      "--out", "-",
    ])
    #expect(run.status == 0, "\(run.error)")
    let drift = try #require(try run.json()["effects"]?[0]?["drift"])
    let noise = try #require(drift["lidarNoiseMedianMeters"]?.number)
    let frames = try #require(drift["frames"]?.array)
    #expect(frames.count == 2)
    for frame in frames {
      #expect(try #require(frame["lateralMeters"]?.number) <= noise)
      #expect(try abs(#require(frame["depthMeters"]?.number)) < 0.06)
    }
  }

  /// Stage by stage the bytes are those of the whole flow, and guided depth is the better one.
  @Test(
    .enabled(
      if: SharedData.exists("weights/dav2s-ardf-fp16.safetensors"), "no depth weights beside the package"))
  func stagesGiveTheBytesOfTheWholeFlow() throws {
    let place = try TemporaryDirectory()
    let weights = try converted(in: place)
    let flow = StagedFlow(
      capture: SharedData.path("data/captures/bedroom"), frame: "00035", place: place,
      detector: ["--yolo", weights],
      depth: ["--depth", SharedData.path("weights/dav2s-ardf-fp16.safetensors")])
    try flow.compare()
    let hidden = try #require(JSONValue.read(path: place.file("run/fusion.json"))["repeatability"])
    func error(_ method: String, _ field: String) -> Double { hidden[method]?[field]?.number ?? .infinity }
    #expect(error("guided", "medianMeters") < 0.1 * error("fit", "medianMeters"))
    #expect(error("guided", "medianMeters") < 0.002)
    #expect(error("guided", "meanMeters") < error("bilinear", "meanMeters"))
  }
}
