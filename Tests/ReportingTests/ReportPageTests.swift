import AppCore
import Archives
import FileFormats
import Foundation
import Geometry
import Imaging
import Reporting
import TestSupport
import Testing

@Suite struct ReportPageTests {
  /// A turned frame of 8x6 pixels with depth on a grid of 4x3, and one object.
  private static func report(name: String = "00030", className: String = "cup") throws -> FrameReport {
    let size = PixelSize(width: 8, height: 6)
    let frame = CapturedFrame(
      name: name, image: RGBImage(width: 8, height: 6, color: Color(red: 200, green: 80, blue: 40)),
      imageSize: size,
      depth: Plane(width: 4, height: 3, elements: [0.5, 1, 1.5, 2, 2.5, 3, 3.5, 4, 0, .nan, 1.0004, 70]),
      confidence: Plane(width: 4, height: 3, elements: [0, 1, 2, 2, 2, 2, 2, 2, 2, 2, 2, 1]),
      intrinsics: try Intrinsics(
        columnMajor: [8, 0, 0, 0, 8, 0, 3.5, 2.5, 1], imageWidth: 8, imageHeight: 6),
      orientation: .right)
    var inside = [UInt8](repeating: 0, count: 48)
    for index in [18, 19, 26, 27] { inside[index] = 255 }
    let detection = Detection(
      id: 0, classId: 41, className: className, confidence: 0.953, box: Rect(x: 2, y: 2, width: 2, height: 2),
      mask: InstanceMask(binary: Plane(width: 8, height: 6, elements: inside)))
    let file = DetectionsFile(
      image: "00030", imageSize: size, model: ["name": "yolo11n-seg"], detections: [detection])
    let extents = ExtentEstimator(scene: DepthScene(frame: frame)).extents(of: [detection])
    return FrameReport(
      frame: frame, capture: "a capture", detections: file, objects: ObjectExtent.json(extents),
      metric: Plane(width: 2, height: 2, elements: [1.2345, 0, 65.6, 2]),
      path: [FrameReport.Pose(name: "00030", cameraToWorld: .identity)],
      timings: [FrameReport.Timing(stage: "yolo11n-seg inference", milliseconds: 12.5)])
  }

  /// The JSON of one of the page's elements.
  private static func element(_ id: String, of page: String) throws -> JSONValue {
    let opening = "<script type=\"application/json\" id=\"\(id)\">"
    let start = try #require(page.range(of: opening)?.upperBound)
    let end = try #require(page[start...].range(of: "</script>")?.lowerBound)
    return try JSONValue.parse(String(page[start..<end]))
  }

  private static func text(_ bytes: [UInt8]) -> String { String(decoding: bytes, as: UTF8.self) }

  /// Undoes what the page undoes: base64, zlib, codes of steps from the value above.
  private static func millimeters(_ plane: JSONValue?, large: Int) throws -> [UInt16] {
    let plane = try #require(plane)
    let (width, height) = (try #require(plane["width"]?.integer), try #require(plane["height"]?.integer))
    let packed = try #require(plane["data"]?.string.flatMap { Data(base64Encoded: $0) })
    let codes = try #require(ZlibStream.decompress(Array(packed), size: width * height + 2 * large))
    var values: [UInt16] = []
    var next = width * height
    for index in 0..<width * height {
      var code = Int(codes[index])
      if code == 255 {
        code = Int(codes[next]) + 256 * Int(codes[next + 1])
        next += 2
      }
      let above = index < width ? 0 : Int(values[index - width])
      let step = code.isMultiple(of: 2) ? code / 2 : -(code + 1) / 2
      values.append(UInt16(truncatingIfNeeded: above + step))
    }
    #expect(next == codes.count)
    return values
  }

  @Test func depthsAreThoseOfTheFilesToTheMillimeter() throws {
    let data = try Self.element("data", of: Self.text(ReportPage.html(Self.report())))
    #expect(try Self.millimeters(data["metric"], large: 3) == [1235, 0, 65535, 2000])
    #expect(
      try Self.millimeters(data["lidar"], large: 12) == [
        500, 1000, 1500, 2000, 2500, 3000, 3500, 4000, 0, 0, 1000, 65535,
      ])
  }

  @Test func thePageSaysHowDepthIsKnown() throws {
    var report = try Self.report()
    #expect(try report.content()["metricSource"] == .null)
    report.metricSource = Plane(width: 2, height: 2, elements: [1, 0, 4, 2])
    let data = try Self.element("data", of: Self.text(ReportPage.html(report)))
    #expect(try Self.millimeters(data["metricSource"], large: 0) == [1, 0, 4, 2])
  }

  /// Steps of 0, 1, -1, 127, -127, which have a byte each, and the first ones that have not.
  @Test func smallStepsTakeAByte() throws {
    var report = try Self.report()
    report.metric = Plane(
      width: 1, height: 8, elements: [0.1, 0.1, 0.101, 0.1, 0.227, 0.1, 0.228, 0.1].map { Float($0) })
    let data = try Self.element("data", of: Self.text(ReportPage.html(report)))
    #expect(try Self.millimeters(data["metric"], large: 2) == [100, 100, 101, 100, 227, 100, 228, 100])
  }

  @Test func uprightPointsLeadToStoredOnes() throws {
    let report = try Self.report()
    let data = try report.content()
    let m = try #require(data["image"]?["uprightToStored"]?.numbers)
    #expect(data["image"]?["upright"]?.numbers == [6, 8])
    for (u, v) in [(0.0, 0.0), (6, 8), (1.5, 7.25)] {
      let stored = report.frame.orientation.stored(
        Point2<UprightPixels>(u, v), stored: report.frame.imageSize)
      #expect(m[0] + m[2] * u + m[3] * v == stored.x)
      #expect(m[1] + m[4] * u + m[5] * v == stored.y)
    }
  }

  @Test func onlyTheTimesDifferBetweenRuns() throws {
    let first = try Self.report()
    var second = first
    second.timings[0].milliseconds = 99
    #expect(try first.content() == second.content())
    let pages = try [first, second].map { Self.text(try ReportPage.html($0)).split(separator: "\n") }
    let different = zip(pages[0], pages[1]).filter { $0 != $1 }
    #expect(different.count == 1)
    #expect(different[0].0.contains("id=\"timing\""))
  }

  /// A frame's name may hold whatever a file system takes.
  @Test func namesAreEscapedInTheTitle() throws {
    let page = Self.text(try ReportPage.html(Self.report(name: "a\u{9b}31m<b>\u{202e}")))
    #expect(page.contains("a\\u{9b}31m&lt;b>\\u{202e}"))
    #expect(!page.unicodeScalars.contains("\u{9b}") && !page.unicodeScalars.contains("\u{202e}"))
  }

  @Test func nothingInTheDataEndsItsElement() throws {
    let page = Self.text(try ReportPage.html(Self.report(className: "</script><script>alert(1)//<!--")))
    #expect(!page.contains("alert(1)//<!--"))
    let data = try Self.element("data", of: page)
    #expect(data["detections"]?[0]?["className"]?.string == "</script><script>alert(1)//<!--")
  }

  @Test func needsNothingElse() throws {
    let page = Self.text(try ReportPage.html(Self.report()))
    #expect(!page.contains("{{"))
    #expect(page.hasPrefix("<!doctype html>"))
    let addresses = page.matches(of: /(src|href)="([^"]+)"/).map(\.2)
    #expect(addresses.allSatisfy { $0.hasPrefix("data:") })
    #expect(
      !page.contains("http://")
        || page.ranges(of: "http://").count == page.ranges(of: "http://www.w3.org").count)
    #expect(!page.contains("https://"))
    #expect(!page.contains("@import"))
  }

  @Test func fileAndServedPageDifferByTheService() throws {
    let report = try Self.report()
    #expect(try Self.element("service", of: Self.text(ReportPage.html(report))).isNull)
    let service = ReportPage.Service(
      placePath: "/frames/0/place", turnPath: nil, uploadPath: nil, filesPath: "/frames/0",
      files: ["scene.glb"], token: "t")
    let served = try Self.element("service", of: Self.text(ReportPage.html(report, service: service)))
    #expect(served["token"]?.string == "t")
    #expect(served["upload"]?.isNull == true && served["turn"]?.isNull == true)
    #expect(try Self.element("data", of: Self.text(ReportPage.welcome(service: service))).isNull)
  }

  @Test func aServedFrameSaysWhichOfItsCaptureItIs() throws {
    var report = try Self.report()
    #expect(try Self.element("data", of: Self.text(ReportPage.html(report)))["position"]?.isNull == true)
    report.position = FrameReport.Position(index: 3, of: 12)
    let position = try Self.element("data", of: Self.text(ReportPage.html(report)))["position"]
    #expect(position == ["index": 3, "count": 12])
  }

  @Test func aFrameWithoutPictureHasNoPage() throws {
    var report = try Self.report()
    report.frame = CapturedFrame(name: "x", image: nil, imageSize: report.frame.imageSize)
    #expect(throws: ReportError.noPicture(frame: "x")) { try ReportPage.html(report) }
  }
}
