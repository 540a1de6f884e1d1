import FileFormats
import Foundation
import Imaging
import OutputFolders
import TestSupport
import Testing

/// The whole flow and the same stage by stage, file by file.
struct StagedFlow {
  let capture: String
  let frame: String
  let place: TemporaryDirectory
  let detector: [String]
  let depth: [String]
  /// Options of fusion, for `run` and `fuse` alike.
  var fusion: [String] = []
  /// Options about the sensor, for every stage that reads depth.
  var sensor: [String] = []

  /// Runs both, and expects the same bytes in every file that a stage writes.
  func compare() throws {
    let source = [capture, "--frame", frame]
    let effect = ["--effect", "0=debugCube"]
    let files = ["--usda", "--pfm"]
    try command(["run"] + source + detector + depth + fusion + sensor + effect + files, "run")
    try command(["detect"] + source + detector, "detect")
    try command(["depth"] + source + depth, "depth")
    try command(
      ["fuse", "--relative", place.file("depth/relative.npy"), "--capture"] + source + fusion + sensor
        + ["--pfm"], "fuse")
    try command(
      ["place", "--detections", place.file("detect/detections.json"), "--capture"] + source + sensor
        + ["--fusion", place.file("fuse"), "--usda"] + effect, "place")
    try command(
      [
        "compose", "--detections", place.file("detect/detections.json"), "--objects",
        place.file("place/objects.json"), "--capture",
      ] + source, "compose")
    let whole = try digests(of: place.file("run"))
    var compared = 0
    for stage in ["detect", "depth", "fuse", "place", "compose"] {
      for (name, digest) in try digests(of: place.file(stage)) where name != OutputRecord.fileName {
        #expect(whole[name] == digest, "\(stage)/\(name)")
        compared += 1
      }
    }
    // All of run's but its summary, its page and its record.
    #expect(compared == whole.count - 3)
  }

  private func command(_ arguments: [String], _ folder: String) throws {
    let run = try CommandRun(arguments + ["--out", place.file(folder)])
    #expect(run.status == 0, "\(arguments[0]): \(run.error)")
  }
}

@Suite struct StagedFlowTests {
  /// A linear fit takes any network's depth, random ones as well.
  @Test(arguments: [
    ["--fit", "linear"], ["--fit", "linear", "--fusion", "fit"],
  ]) func stagesGiveTheBytesOfTheWholeFlow(_ fusion: [String]) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let flow = StagedFlow(
      capture: place.file("capture"), frame: "0", place: place, detector: TinyNetwork.detectorOptions,
      depth: TinyNetwork.depthOptions, fusion: fusion, sensor: ["--sensor-range", "2.5"])
    try flow.compare()
    let report = try JSONValue.read(path: place.file("run/fusion.json"))
    #expect(report["status"]?.string == "ok", "there is metric depth to compare")
    #expect(report["method"]?.string == fusion.last.map { $0 == "fit" ? "fit" : "guided" })
    #expect(report["sensor"]?["maximumRangeMeters"]?.number == 2.5)
    #expect(try !FileManager.default.contentsOfDirectory(atPath: place.file("run/probabilities")).isEmpty)
  }

  /// Without the files next to it the document still works, and what is missing is reported.
  @Test func placeGoesOnWithoutProbabilities() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let detect = try CommandRun(
      ["detect", place.file("capture"), "--out", place.file("detect")] + TinyNetwork.detectorOptions)
    #expect(detect.status == 0, "\(detect.error)")
    let document = place.file("detect/detections.json")
    let arguments = ["place", "--detections", document, "--capture", place.file("capture"), "--out"]
    let whole = try CommandRun(arguments + [place.file("with")])
    #expect(whole.status == 0 && !whole.error.contains("probabilities"), "\(whole.error)")

    let folder = place.file("detect/probabilities")
    let name = try #require(FileManager.default.contentsOfDirectory(atPath: folder).min())
    try place.write([1, 2, 3], to: "detect/probabilities/\(name)")
    let damaged = try CommandRun(arguments + [place.file("damaged")])
    #expect(damaged.status == 65 && damaged.error.contains(name), "\(damaged.error)")
    let nonsense = NPYArray(shape: [2, 2], floats: [0, 1, 2, 0]).encoded()
    try place.write(nonsense, to: "detect/probabilities/\(name)")
    #expect(try CommandRun(arguments + [place.file("nonsense")]).status == 65)

    try FileManager.default.removeItem(atPath: folder)
    let alone = try CommandRun(arguments + [place.file("without")])
    #expect(alone.status == 0, "\(alone.error)")
    #expect(alone.error.contains("masks are missing"))
  }

  /// Codes that belong to other depth are refused.
  @Test func placeRefusesForeignCodes() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    try SyntheticCapture.write(SyntheticCapture.relative().encoded(), to: place.file("relative.npy"))
    let fuse = try CommandRun([
      "fuse", "--relative", place.file("relative.npy"), "--capture", place.file("capture"), "--out",
      place.file("fuse"),
    ])
    #expect(fuse.status == 0, "\(fuse.error)")
    let detect = try CommandRun(
      ["detect", place.file("capture"), "--picture-format", "png", "--out", place.file("detect")]
        + TinyNetwork.detectorOptions)
    #expect(detect.status == 0)
    let arguments = [
      "place", "--detections", place.file("detect/detections.json"), "--capture", place.file("capture"),
      "--fusion", place.file("fuse"), "--out",
    ]
    #expect(try CommandRun(arguments + [place.file("a")]).status == 0)
    try place.write(place.read("detect/annotated.png"), to: "fuse/metric-source.png")
    let colored = try CommandRun(arguments + [place.file("b")])
    #expect(colored.status == 65 && colored.error.contains("metric-source.png"), "\(colored.error)")
    try FileManager.default.removeItem(atPath: place.file("fuse/metric-source.png"))
    #expect(try CommandRun(arguments + [place.file("c")]).status == 0)
  }

  @Test func checkTellsTheSensorAndItsRange() throws {
    let place = try TemporaryDirectory()
    let capture = place.file("capture")
    try SyntheticCapture.write(to: capture)
    let open = try CommandRun(["capture", "check", capture])
    #expect(open.status == 0, "\(open.error)")
    #expect(open.output.contains("sensor lidar, noise 0.3 % of depth"))
    #expect(open.output.contains("none is stated (--sensor-range METERS states one)"))

    let cut = try CommandRun(["capture", "check", capture, "--sensor-range", "2.5", "--sensor", "stereo"])
    #expect(cut.output.contains("sensor stereo, noise 3.8 mm at 1 m"))
    #expect(cut.output.contains("range 2.5 m: "))
    let json = try CommandRun(["capture", "check", capture, "--sensor-range", "2.5", "--json"]).json()
    let sensor = try #require(json["frames"]?[0]?["sensor"])
    #expect(sensor["kind"]?.string == "lidar")
    #expect(sensor["maximumRangeMeters"]?.number == 2.5)
    // Of 64 x 48 cells at 2 + x / 64 m those of the right half but for the block, which is nearer.
    #expect(sensor["readingsBeyondRange"]?.integer == 31 * 48 - 11 * 26)

    let converted = try CommandRun([
      "capture", "convert", capture, "--sensor-range", "2.5", "--sensor", "stereo", "--out",
      place.file("native"),
    ])
    #expect(converted.status == 0, "\(converted.error)")
    let again = try CommandRun(["capture", "check", place.file("native")])
    #expect(again.output.contains("sensor stereo") && again.output.contains("range 2.5 m: "))

    for bad in ["0", "-1", "0.05", "nan", "inf", "1001"] {
      #expect(try CommandRun(["capture", "check", capture, "--sensor-range=\(bad)"]).status == 64, "\(bad)")
    }
    #expect(try CommandRun(["capture", "check", capture, "--sensor", "radar"]).status == 64)
  }

  @Test func capturesStateTheirSensor() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let path = place.file("capture/frame.json")
    func check(_ field: String, _ value: JSONValue) throws -> CommandRun {
      var fields = try #require(JSONValue.read(path: path).object)
      fields["sensor"] = nil
      fields["sensorRange"] = nil
      fields[field] = value
      try place.write(JSONValue.object(fields).serialized(), to: "capture/frame.json")
      return try CommandRun(["capture", "check", place.file("capture")])
    }
    #expect(try check("sensor", "structured-light").output.contains("sensor structured-light"))
    #expect(try check("sensorRange", 2.5).output.contains("range 2.5 m: "))
    let unknown = try check("sensor", "radar")
    #expect(unknown.status == 65 && unknown.error.contains("structured-light"), "\(unknown.error)")
    #expect(try check("sensorRange", -1).status == 65)
    #expect(try check("sensorRange", "far").status == 65)
  }

  /// Readings that do not count are reported, not dropped silently.
  @Test func fuseTellsWhatTheRangeCosts() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    try SyntheticCapture.write(SyntheticCapture.relative().encoded(), to: place.file("relative.npy"))
    func fuse(_ more: [String], _ out: String) throws -> CommandRun {
      try CommandRun(
        [
          "fuse", "--relative", place.file("relative.npy"), "--capture", place.file("capture"), "--out",
          place.file(out),
        ] + more)
    }
    let cut = try fuse(["--sensor-range", "2.5"], "cut")
    #expect(cut.status == 0)
    #expect(cut.error.contains("\(31 * 48 - 11 * 26) depth readings beyond the range of 2.5 m do not count"))
    let all = try fuse([], "all")
    #expect(!all.error.contains("do not count"))
    #expect(try fuse(["--follow"], "follow").status == 0)
    #expect(try place.read("follow/metric.npy") == place.read("all/metric.npy"))
    #expect(try fuse(["--fusion", "fit"], "fit").status == 0)
    #expect(try place.read("fit/metric.npy") != place.read("all/metric.npy"))
    let codes = try ImageCodec.decodeGray8(place.read("fit/metric-source.png")).elements
    #expect(Set(codes).isSubset(of: [3, 4]))
    #expect(try ImageCodec.decodeGray8(place.read("all/metric-source.png")).elements.contains(1))
  }
}
