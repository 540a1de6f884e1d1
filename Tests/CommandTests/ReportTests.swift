import Archives
import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// The page and the files for other programs.
@Suite struct ReportTests {
  @Test func pageIsMadeAgainFromTheFiles() throws {
    let place = try TemporaryDirectory()
    let capture = place.file("capture")
    try SyntheticCapture.write(to: capture)
    let run = try CommandRun(
      ["run", capture, "--out", place.file("out"), "--effect", "0=smoke"] + TinyNetwork.detectorOptions
        + TinyNetwork.depthOptions)
    #expect(run.status == 0, "\(run.error)")
    let page = String(decoding: try place.read("out/report.html"), as: UTF8.self)
    #expect(page.contains("yolo11"))

    let refused = try CommandRun(["report", place.file("out"), "--capture", capture])
    #expect(refused.status == 73)
    let again = try CommandRun([
      "report", place.file("out"), "--capture", capture, "-o", place.file("again.html"),
    ])
    #expect(
      again.status == 0 && again.error.contains("page in \(place.file("again.html"))"), "\(again.error)")
    let second = String(decoding: try place.read("again.html"), as: UTF8.self)
    // Masks and measures went through files in between; a file's mask has no soft rim, so the picture may differ.
    let contents = try [page, second].map { page in
      let line = try #require(page.split(separator: "\n").first { $0.contains("id=\"data\"") })
      let json = try #require(
        line.dropFirst(line.prefix { $0 != ">" }.count + 1).components(separatedBy: "</").first)
      var content = try #require(try JSONValue.parse(json).object)
      content["pictures"] = nil
      return content
    }
    #expect(contents[0] == contents[1])
    #expect(contents[0]["effects"]?[0]?["type"]?.string == "smoke")
    #expect(second.contains("id=\"timing\">[]</script>"))
  }

  @Test func pageNeedsTheCapture() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let run = try CommandRun(["report", place.file("none"), "--capture", place.file("capture")])
    #expect(run.status == 66)
  }

  @Test func writesFilesForOtherPrograms() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    try SyntheticCapture.write(SyntheticCapture.relative().encoded(), to: place.file("relative.npy"))
    let fuse = try CommandRun([
      "fuse", "--relative", place.file("relative.npy"), "--capture", place.file("capture"), "--out",
      place.file("fuse"), "--pfm", "--depth-scale", "5000",
    ])
    #expect(fuse.status == 0, "\(fuse.error)")
    let metric = try NPYArray.read(path: place.file("fuse/metric.npy"))
    let plane = Plane(width: metric.shape[1], height: metric.shape[0], elements: metric.floats())
    #expect(try place.read("fuse/metric.pfm") == PortableFloatMap.encode(plane))
    let picture = try ImageCodec.decodeGray16(place.read("fuse/metric.png"))
    #expect(picture.elements == plane.elements.map { UInt16(min(($0 * 5000).rounded(), 65_535)) })

    let detect = try CommandRun(
      ["detect", place.file("capture"), "--out", place.file("detect")] + TinyNetwork.detectorOptions)
    #expect(detect.status == 0, "\(detect.error)")
    let placed = try CommandRun([
      "place", "--detections", place.file("detect/detections.json"), "--capture", place.file("capture"),
      "--out", place.file("place"), "--usda", "--usdz",
    ])
    #expect(placed.status == 0, "\(placed.error)")
    let archive = try ZipArchive(path: place.file("place/scene.usdz"))
    #expect(try archive.contents("scene.usda").array() == place.read("place/scene.usda"))
    #expect(try CommandRun(["fuse", "--depth-scale", "0"]).status == 64)
  }
}
