import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// `ardf evaluate` against laser depth and annotated boxes, in the layouts of ARKitScenes and CA-1M.
@Suite("ardf evaluate --laser, --boxes")
struct GroundTruthTests {
  private static let (width, height) = (SyntheticCapture.width, SyntheticCapture.height)
  private static let times = ["1000000000", "2000000000"]

  /// Meters of which the tiny network's relative depth is the inverse, but for scale and shift.
  private static func truth(_ picture: [UInt8], _ temporary: TemporaryDirectory) throws -> [Float] {
    try temporary.write(picture, to: "picture.png")
    let run = try CommandRun(
      ["depth", temporary.file("picture.png"), "--out", temporary.file("depth")] + TinyNetwork.depthOptions)
    #expect(run.status == 0, "\(run.error)")
    let array = try NPYArray.read(path: temporary.file("depth/relative.npy"))
    guard case .float32(let relative) = array.storage else { return [] }
    let (least, greatest) = (relative.min() ?? 0, relative.max() ?? 1)
    try FileManager.default.removeItem(atPath: temporary.file("depth"))
    return relative.map { 1 / (0.25 + 0.3 * ($0 - least) / (greatest - least)) }
  }

  private static func millimeters(_ meters: [Float], width: Int) throws -> [UInt8] {
    try ImageCodec.encodePNG(
      Plane<UInt16>(
        width: width, height: meters.count / width, elements: meters.map { UInt16(clamping: Int($0 * 1000)) })
    )
  }

  /// A sensor of half the resolution that reads 2 % too far.
  private static func sensor(_ truth: [Float]) -> [Float] {
    (0..<width / 2 * (height / 2)).map { cell in
      let (x, y) = (2 * (cell % (width / 2)), 2 * (cell / (width / 2)))
      let sum = [(0, 0), (1, 0), (0, 1), (1, 1)].reduce(Float(0)) {
        $0 + truth[(y + $1.1) * width + x + $1.0]
      }
      return 1.02 * sum / 4
    }
  }

  private static func write(_ text: String, _ temporary: TemporaryDirectory, _ name: String) throws {
    try temporary.write(text, to: name)
  }

  /// A video of CA-1M in `video`: a level camera at the origin, looking along the laser's world's y.
  private static func writeCA1M(_ temporary: TemporaryDirectory) throws {
    for (phase, time) in times.enumerated() {
      let picture = try SyntheticCapture.encoded(phase: phase)
      let truth = try truth(picture, temporary)
      let folder = "video/\(time)"
      try temporary.write(picture, to: "\(folder).wide/image.png")
      try temporary.write(millimeters(sensor(truth), width: width / 2), to: "\(folder).wide/depth.png")
      try write("[[100, 0, 63.5], [0, 100, 47.5], [0, 0, 1]]", temporary, "\(folder).wide/image/K.json")
      try write("[[1,0,0,0],[0,0,1,0],[0,-1,0,0],[0,0,0,1]]", temporary, "\(folder).gt/RT.json")
      try temporary.write(millimeters(truth, width: width), to: "\(folder).gt/depth.png")
    }
  }

  /// The same as a video of ARKitScenes' upsampling, the second frame without the laser's depth.
  private static func writeUpsampling(_ temporary: TemporaryDirectory) throws {
    for phase in 0..<2 {
      let picture = try SyntheticCapture.encoded(phase: phase)
      let truth = try truth(picture, temporary)
      let name = "41069021_\(300 + phase).244.png"
      try temporary.write(picture, to: "video/color/\(name)")
      try temporary.write(millimeters(sensor(truth), width: width / 2), to: "video/lowres_depth/\(name)")
      if phase == 0 {
        try temporary.write(millimeters(truth, width: width), to: "video/highres_depth/\(name)")
      }
    }
  }

  @Test("the sensor's bias is that of all three, on every layout", arguments: [true, false])
  func laser(isCA1M: Bool) throws {
    let temporary = try TemporaryDirectory()
    try isCA1M ? Self.writeCA1M(temporary) : Self.writeUpsampling(temporary)
    let arguments = [
      "evaluate", temporary.file("video"), "--laser", "--weights", TinyNetwork.depth, "--depth-size", "42",
    ]
    let run = try CommandRun(arguments + ["--report", "json"])
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["task"] == "laser" && document["frames"] == .integer(isCA1M ? 2 : 1))
    #expect(document["leftOut"]?.array?.count == (isCA1M ? 0 : 1))
    let rows = try #require(document["results"]?.array)
    #expect(rows.compactMap { $0["depth"]?.string } == ["raw", "fused", "fit"])
    for row in rows {
      let all = try #require(row["all"]?["absRel"]?.number)
      #expect(abs(all - 0.02) < 0.004, "\(row["depth"]?.string ?? ""): \(all)")
      #expect(row["perFrame"]?.array?.count == (isCA1M ? 2 : 1))
      let parts = (row["smooth"]?["pixels"]?.integer ?? 0) + (row["edges"]?["pixels"]?.integer ?? 0)
      #expect(parts > 0 && row["all"]?["pixels"]?.integer == parts)
    }
    let table = try CommandRun(arguments)
    for word in ["raw", "fused", "fit", "smooth", "edges"] { #expect(table.output.contains(word)) }
  }

  @Test("boxes annotated as they are measured are found, all their sides")
  func boxes() throws {
    let temporary = try TemporaryDirectory()
    try Self.writeCA1M(temporary)
    let detector = ["--imgsz", "64", "--conf", TinyNetwork.conf, "--max-det", "8", "--iou", "0.5"]
    var count = 0
    for (index, time) in Self.times.enumerated() {
      let run = try CommandRun(
        [
          "run", temporary.file("video"), "--frame", "\(index)", "--yolo", TinyNetwork.detector, "--depth",
          "none", "--out", temporary.file("run\(index)"),
        ] + detector)
      #expect(run.status == 0, "\(run.error)")
      let objects =
        try JSONValue.read(path: temporary.file("run\(index)/objects.json"))["objects"]?.array ?? []
      let instances = objects.compactMap { object -> JSONValue? in
        guard let box = object["box3D"], let center = box["center"]?.numbers,
          let sides = box["dimensions"]?.numbers, let yaw = box["yaw"]?.number
        else { return nil }
        let (c, s) = (cos(yaw), sin(yaw))
        func row(_ values: [Double]) -> JSONValue { .array(values.map(JSONValue.number)) }
        return [
          "id": "a", "category": "thing", "position": row([center[0], -center[1], -center[2]]),
          "scale": row(sides), "R": .array([row([c, 0, s]), row([0, -1, 0]), row([s, 0, -c])]),
        ]
      }
      count += instances.count
      try Self.write(
        JSONValue.array(instances).serialized(), temporary, "video/\(time).wide/instances.json")
    }
    #expect(count > 0)
    let run = try CommandRun(
      [
        "evaluate", temporary.file("video"), "--boxes", "--weights", TinyNetwork.detector, "--report", "json",
      ] + detector)
    #expect(run.status == 0, "\(run.error)")
    let document = try run.json()
    #expect(document["task"] == "boxes" && document["frames"] == 2)
    let all = try #require(document["results"]?[0])
    #expect(
      all["boxes"] == "all" && all["annotated"] == .integer(count) && all["measured"] == .integer(count))
    #expect((all["AP25"]?.number ?? 0) > 0.999 && (all["AP50"]?.number ?? 0) > 0.999)
    #expect((all["sides"]?["worst"]?.number ?? 1) < 1e-3)
  }

  @Test("what has no ground truth, or options of the other kind, are refused with a way out")
  func refusals() throws {
    let temporary = try TemporaryDirectory()
    try SyntheticCapture.write(to: temporary.file("capture"))
    let capture = temporary.file("capture")
    let laser = try CommandRun(["evaluate", capture, "--laser", "--weights", TinyNetwork.depth])
    #expect(laser.status == 65 && laser.error.contains("ARKitScenes or CA-1M"), "\(laser.error)")
    let boxes = try CommandRun(["evaluate", capture, "--boxes", "--weights", TinyNetwork.detector])
    #expect(boxes.status == 65 && boxes.error.contains("ARKitScenes or CA-1M"), "\(boxes.error)")
    #expect(try CommandRun(["evaluate", capture, "--laser", "--weights", TinyNetwork.detector]).status == 64)
    #expect(try CommandRun(["evaluate", capture, "--boxes", "--weights", TinyNetwork.depth]).status == 64)
    #expect(
      try CommandRun(["evaluate", capture, "--laser", "--align", "none", "--weights", TinyNetwork.depth])
        .status
        == 64)
  }
}
