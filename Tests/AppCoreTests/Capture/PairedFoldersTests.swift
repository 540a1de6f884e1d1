import AppCore
import FileFormats
import Foundation
import Geometry
import Imaging
import TestSupport
import Testing

/// Pictures and depths in two folders with one camera, as tools of depth cameras leave them.
@Suite struct PairedFoldersTests {
  private static let camera = StatedCamera(fx: 30, fy: 30, cx: 15.5, cy: 11.5)

  private static func write(_ pictures: [String], _ depths: [(String, UInt16)], in place: TemporaryDirectory)
    throws
  {
    for name in pictures {
      try place.write(
        ImageCodec.encodePNG(RGBImage(width: 32, height: 24, color: Color(red: 1, green: 2, blue: 3))),
        to: "color/\(name)")
    }
    for (name, value) in depths {
      let plane = Plane(width: 16, height: 12, elements: [UInt16](repeating: value, count: 16 * 12))
      try place.write(ImageCodec.encodePNG(plane), to: "depth/\(name)")
    }
  }

  private static func open(
    _ place: TemporaryDirectory, unit: Double = 0.001
  ) throws -> any CaptureSource {
    try CaptureReader.open(
      image: place.file("color"), depth: place.file("depth"), camera: camera, depthUnit: unit)
  }

  private static func depths(_ source: any CaptureSource) throws -> [Float?] {
    try source.frames.indices.map { try source.frame(at: $0).depth?.elements.first }
  }

  @Test func byTheirNames() throws {
    let place = try TemporaryDirectory()
    try Self.write(
      ["a.png", "b.png", "lost.png"], [("b.png", 2000), ("a.png", 1000), ("c.png", 9)], in: place)
    let source = try Self.open(place)
    #expect(source.layout == .imageWithDepth && !source.layout.hasPoses)
    #expect(source.frames.map(\.name) == ["a", "b"] && source.frames.map(\.timestamp) == [0, 1])
    #expect(try Self.depths(source) == [1, 2])
    #expect(source.skipped.map(\.name) == ["lost"])
    let frame = try source.frame(at: 0)
    #expect(!frame.isPosed && frame.cameraToWorld.origin == .origin && frame.intrinsics?.fx == 30)
    let fine = try Self.depths(Self.open(place, unit: 0.0002))
    #expect(zip(fine, [0.2, 0.4]).allSatisfy { abs(($0 ?? 0) - $1) < 1e-6 }, "\(fine)")
  }

  @Test func byTheirNumbersOrTheirOrder() throws {
    let place = try TemporaryDirectory()
    try Self.write(["frame-000002.color.png", "frame-000010.color.png"], [], in: place)
    try Self.write([], [("d10.png", 1000), ("d2.png", 2000)], in: place)
    #expect(try Self.depths(Self.open(place)) == [2, 1])
    // Times of two clocks have nothing in common but their order.
    let other = try TemporaryDirectory()
    try Self.write(["1.71.png", "1.83.png"], [("1.70.png", 1000), ("1.82.png", 2000)], in: other)
    #expect(try Self.depths(Self.open(other)) == [1, 2])
    let uneven = try TemporaryDirectory()
    try Self.write(["x.png"], [("y.png", 1), ("z.png", 2)], in: uneven)
    #expect(throws: CaptureError.self) { try Self.open(uneven) }
  }

  @Test func aUnitThatCannotBeIsDoubted() throws {
    let place = try TemporaryDirectory()
    try Self.write(["a.png"], [("a.png", 12_000)], in: place)
    #expect(try Self.open(place).frame(at: 0).depthDoubt?.contains("--depth-unit") == true)
    #expect(try Self.open(place, unit: 0.0002).frame(at: 0).depthDoubt == nil)
    #expect(try Self.open(place, unit: 0.000001).frame(at: 0).depthDoubt?.contains("before") == true)
    let empty = try TemporaryDirectory()
    try Self.write(["a.png"], [("a.png", 0)], in: empty)
    #expect(try Self.open(empty).frame(at: 0).depthDoubt == "the depth map holds no reading")
  }

  @Test(arguments: [
    (
      "{\"width\": 640, \"height\": 480, \"fx\": 600.5, \"fy\": 601, \"ppx\": 320, \"ppy\": 240, \"coeffs\": [0,0,0,0,0]}",
      true
    ),
    ("{\"width\":640,\"height\":480,\"intrinsic_matrix\":[600.5,0,0,0,601,0,320,240,1]}", true),
    ("{\"width\":640,\"height\":480,\"K\":[600.5,0,320,0,601,240,0,0,1],\"D\":[0,0,0,0,0]}", true),
    (
      "{\"depth\": {\"fx\": 1}, \"color\": {\"fx\": 600.5, \"fy\": 601, \"cx\": 320, \"cy\": 240, \"width\": 640, \"height\": 480}}",
      true
    ),
    (
      "image_width: 640\nimage_height: 480\ncamera_matrix:\n  rows: 3\n  cols: 3\n  data: [600.5, 0, 320,\n    0, 601, 240, 0, 0, 1]\ndistortion_coefficients:\n  rows: 1\n  cols: 5\n  data: [0, 0, 0, 0, 0]\n",
      true
    ),
    (
      "height: 480\nwidth: 640\nD: [0.0, 0.0, 0.0, 0.0, 0.0]\nK: [600.5, 0.0, 320.0, 0.0, 601.0, 240.0, 0.0, 0.0, 1.0]\n",
      true
    ),
    (
      "width: 640\nheight: 480\nk:\n- 600.5\n- 0.0\n- 320.0\n- 0.0\n- 601.0\n- 240.0\n- 0.0\n- 0.0\n- 1.0\n",
      true
    ),
    ("600.5 601 320 240 640 480\n", true), ("600.5 0 320\n0 601 240\n0 0 1\n", false),
    ("600.5,601,320,240", false),
  ])
  func cameraFiles(text: String, hasSize: Bool) throws {
    let place = try TemporaryDirectory()
    let camera = try StatedCamera(textOrFile: place.write(text, to: "camera"))
    #expect(
      camera
        == StatedCamera(
          fx: 600.5, fy: 601, cx: 320, cy: 240, size: hasSize ? PixelSize(width: 640, height: 480) : nil))
  }

  /// Neither a camera nor an archive is a pipe, whose permissions would be no remedy.
  @Test(arguments: ["camera", "x.zip"]) func filesThatAreNamedPipes(name: String) throws {
    let place = try TemporaryDirectory()
    let path = place.file(name)
    let made = unsafe mkfifo(path, 0o600)
    #expect(made == 0)
    let error = #expect(throws: CaptureError.self) {
      if name == "camera" { _ = try StatedCamera(textOrFile: path) } else { _ = try CaptureReader.open(path) }
    }
    #expect(
      error.map { "\($0)" }?.contains("not a regular file; give") == true && error?.fault == .malformedInput)
  }

  @Test(arguments: [
    "", "{}", "fx: 3", "{\"fx\": 1, \"fy\": 1, \"cx\": 1}", "1 2 3", "K: [1, 2, 3]",
    "{\"fx\": 1, \"fy\": 1, \"cx\": 1, \"cy\": 1, \"width\": 0.5, \"height\": 3}",
    "K: [600, 0, 320, 0, 600, 240, 0, 0, 1]\nD: [0.1, 0, 0, 0, 0]",
    "{\"left\": {\"fx\": 1, \"fy\": 1, \"cx\": 1, \"cy\": 1}, \"right\": {\"fx\": 2, \"fy\": 1, \"cx\": 1, \"cy\": 1}}",
    "{\"k\": [1, 5, 2, 0, 1, 2, 0, 0, 1]}",
  ])
  func filesThatAreNoCamera(text: String) throws {
    let place = try TemporaryDirectory()
    let path = try place.write(text, to: "camera")
    #expect(throws: CaptureError.self) { try StatedCamera(textOrFile: path) }
  }
}
