import AppCore
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

private enum Tolerance {
  /// Tolerance of poses and camera numbers that went through decimal text.
  static let pose = 1e-9
  /// Meters times cells across: a cell is compared with its neighbors' walls, seen at a slant.
  static let reprojection = 1.4
  /// Meters; what the wrong axes must exceed, many times the above.
  static let wrongAxes = 0.5
  /// Seconds.
  static let time = 1e-6
}

@Suite struct PublishedLayoutTests {
  @Test(arguments: PublishedLayout.allCases)
  func framesAreToldAgain(_ published: PublishedLayout) throws {
    let fixture = try published.write()
    let source = try CaptureReader.open(fixture.path)
    #expect(source.layout == published.layout)
    #expect(source.skipped.isEmpty)
    #expect(source.frames.map(\.name) == published.names)
    let poses = try RoomScene.poses()
    for index in poses.indices {
      let frame = try source.frame(at: index)
      #expect(abs(frame.timestamp - published.timestamps[index]) < Tolerance.time)
      #expect(frame.image?.size == RoomScene.pictureSize)
      #expect(frame.orientation == published.orientations[index])
      let stored = try RoomScene.depth(
        from: poses[index], size: published.depthSize, unitsPerMeter: published.unitsPerMeter)
      let meters = stored.elements.map { Double($0) / published.unitsPerMeter }
      let found = try #require(frame.depth)
      #expect(found.size == published.depthSize)
      #expect(maximumAbsoluteDifference(found.elements.map(Double.init), meters).value < 1e-6)
      let confidence = published.hasConfidence ? RoomScene.confidence(size: published.depthSize) : nil
      #expect(frame.confidence == confidence)
      let difference = maximumAbsoluteDifference(frame.cameraToWorld.columnMajor, poses[index].columnMajor)
      #expect(difference.value < Tolerance.pose)
      let camera = try #require(frame.intrinsics)
      #expect(
        maximumAbsoluteDifference(camera.columnMajor, try RoomScene.intrinsics().columnMajor).value
          < Tolerance.pose)
      #expect(camera.imageSize == RoomScene.pictureSize)
    }
  }

  @Test(arguments: PublishedLayout.allCases)
  func framesReproject(_ published: PublishedLayout) throws {
    let fixture = try published.write()
    let source = try CaptureReader.open(fixture.path)
    let summary = try CaptureSummary(of: source)
    let error = try #require(summary.reprojection).medianError
    #expect(error < Tolerance.reprojection / Double(published.depthSize.width))
    // Their third picture is taken as upright, against gravity.
    #expect(summary.warnings.count == ([.redwood, .ca1m].contains(published) ? 1 : 0))
    #expect(summary.json["conventions"]?.string == source.layout.conventions)
  }

  /// The reprojection tells right axes from wrong ones.
  @Test(arguments: PublishedLayout.allCases)
  func wrongAxesWouldShow(_ published: PublishedLayout) throws {
    let fixture = try published.write()
    let source = try CaptureReader.open(fixture.path)
    let flipped = try (0..<2).map { index in
      let frame = try source.frame(at: index)
      let rows = Matrix(frame.cameraToWorld).withOpenCVCamera.rows.flatMap { $0 }
      return CapturedFrame(
        name: frame.name, image: nil, imageSize: frame.imageSize, depth: frame.depth,
        intrinsics: frame.intrinsics, cameraToWorld: try RigidTransform(rowMajor: rows))
    }
    let error = Reprojection(from: flipped[0], to: flipped[1])?.medianError ?? .infinity
    #expect(error > Tolerance.wrongAxes)
  }

  @Test(arguments: PublishedLayout.allCases)
  func convertsToNative(_ published: PublishedLayout) throws {
    let fixture = try published.write()
    let source = try CaptureReader.open(fixture.path)
    let folder = try TemporaryDirectory()
    try NativeCaptureWriter.convert(source, to: folder.file("native"))
    let native = try CaptureReader.open(folder.file("native"))
    #expect(native.layout == .native)
    #expect(native.frames.count == source.frames.count)
    for index in source.frames.indices {
      let (before, after) = (try source.frame(at: index), try native.frame(at: index))
      #expect(after.image == before.image)
      #expect(after.depth == before.depth)
      #expect(after.confidence == before.confidence)
      #expect(after.intrinsics == before.intrinsics)
      #expect(after.orientation == before.orientation)
      #expect(after.timestamp == before.timestamp)
      let difference = maximumAbsoluteDifference(
        after.cameraToWorld.columnMajor, before.cameraToWorld.columnMajor)
      #expect(difference.value < Tolerance.pose)
      #expect(
        try native.encodedPicture(at: index)?.bytes == (try source.encodedPicture(at: index)?.bytes))
    }
  }

  /// A frame whose depth is gone stays in its place and throws why; the others are read.
  @Test(arguments: [
    (PublishedLayout.strayScanner, "depth/000001.png", "odometry.csv, line 3"),
    (.transforms, "depths/image_1.png", "transforms.json, frame 1"),
    (.tumRGBD, "depth/1.png", "rgb/1305031102.211214.png"), (.redwood, "depth/00001.png", "color/00001.png"),
    (.polycam, "keyframes/depth/5510300000.png", "keyframes/cameras/5510300000.json"),
  ])
  func frameWithoutDepthIsDamaged(_ published: PublishedLayout, _ depth: String, _ file: String) throws {
    let fixture = try published.write()
    try fixture.remove(depth)
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == published.names && source.skipped.isEmpty)
    #expect(source.defects == [1: .missingFile(file: file, name: depth)])
    for index in [0, 2] { #expect(try source.frame(at: index).depth != nil) }
    #expect(throws: CaptureError.missingFile(file: file, name: depth)) { try source.frame(at: 1) }
    #expect(throws: CaptureError.missingFile(file: file, name: depth)) { try source.encodedPicture(at: 1) }
  }

  /// Pictures and depths that belong together by their time alone may be recorded without a partner.
  @Test func frameThatWasRecordedWithoutDepthIsSkipped() throws {
    let fixture = try PublishedLayout.arkitScenes.write()
    try fixture.remove("lowres_depth/41048190_3308.723.png")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.count == 2 && source.defects.isEmpty)
    #expect(source.skipped.map(\.name) == [PublishedLayout.arkitScenes.names[1]])
    #expect(source.skipped[0].reason.contains("lowres_depth/41048190_3308.723.png"))
  }

  @Test(arguments: PublishedLayout.allCases)
  func conventionsNameUnitsAndAxes(_ published: PublishedLayout) throws {
    let conventions = try #require(published.layout).conventions
    #expect(conventions.contains("depth u16"))
    #expect(conventions.contains("axes"))
    #expect(conventions.contains("confidence") == published.hasConfidence)
  }
}
