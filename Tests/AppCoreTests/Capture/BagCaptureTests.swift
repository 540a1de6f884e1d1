import AppCore
import Archives
import FileFormats
import Geometry
import Imaging
import TestSupport
import Testing

/// Recordings of ROS 2, made by the writers of MCAP, of mcap-ros2-support and of rosbags (make-bag-goldens.py).
@Suite struct BagGoldenTests {
  private static let size = PixelSize(width: 16, height: 12)
  /// Tolerance of poses that were composed of several.
  private static let tolerance = 1e-9

  private static func golden(_ name: String) -> String {
    SharedData.packageRoot + "/Tests/AppCoreTests/Goldens/\(name)"
  }

  /// Whether the library that a golden needs is there.
  static func isReadable(_ name: String) -> Bool {
    do {
      _ = try CaptureReader.open(golden(name))
      return true
    } catch CaptureError.missingLibrary {
      return false
    } catch {
      return true
    }
  }

  /// Color is (8 column, 10 row, 60 frame), depth 1 + row / 16 + column / 64 meters plus a quarter for each frame.
  private func check(_ source: any CaptureSource, depthError: Float, height: Double) throws {
    #expect(source.layout == .rosBag && source.skipped.isEmpty && source.hasPoses)
    #expect(source.frames.map(\.name) == ["000000", "000001", "000002"])
    for index in 0..<3 {
      let frame = try source.frame(at: index)
      let image = try #require(frame.image)
      #expect(image.size == Self.size)
      for (x, y) in [(0, 0), (15, 0), (3, 7), (15, 11)] {
        #expect(
          image[x, y] == Color(red: UInt8(8 * x), green: UInt8(10 * y), blue: UInt8(60 * index)))
      }
      let depth = try #require(frame.depth)
      #expect(depth.size == Self.size)
      for (cell, value) in depth.elements.enumerated() {
        let expected = 1 + Float(cell / 16) / 16 + Float(cell % 16) / 64 + Float(index) / 4
        #expect(abs(value - expected) <= depthError, "cell \(cell)")
      }
      let camera = try #require(frame.intrinsics)
      #expect(camera.columnMajor == [20, 0, 0, 0, 20, 0, 7.5, 5.5, 1])
      // Along the robot's x axis, which the camera looks along, half a meter above its middle.
      let origin = frame.cameraToWorld.origin
      #expect(abs(origin.x - Double(index) / 10) < Self.tolerance)
      #expect(abs(origin.y - height) < Self.tolerance && abs(origin.z) < Self.tolerance)
      #expect((frame.cameraToWorld.forward - Vector3<World>(1, 0, 0)).length < Self.tolerance)
      #expect(frame.isPosed && frame.orientation == .up)
      #expect(abs(frame.timestamp - 1_700_000_000 - Double(index) / 10) < 1e-6)
    }
  }

  @Test(.enabled(if: isReadable("zstd.mcap"), "libzstd1 is not installed"))
  func zstandardAndPosesByTransforms() throws {
    let source = try CaptureReader.open(Self.golden("zstd.mcap"))
    // Whole millimeters.
    try check(source, depthError: 0.00051, height: 1.5)
    #expect(source.notes.contains("poses of camera_optical in map, by tf"))
    #expect(try source.encodedPicture(at: 1)?.format == .pnm)
  }

  @Test(.enabled(if: isReadable("lz4.mcap"), "liblz4-1 is not installed"))
  func lz4AndCompressedPicturesAndOdometry() throws {
    let source = try CaptureReader.open(Self.golden("lz4.mcap"))
    // Half a step of 1 / 10100 in inverse depth, at 2.4 meters.
    try check(source, depthError: 0.0003, height: 0.5)
    #expect(source.notes.contains("poses of camera_optical in odom, by /odom"))
    #expect(try source.encodedPicture(at: 1)?.format == .png)
  }

  @Test func bigEndianWithoutChunksAndPosesByThemselves() throws {
    let source = try CaptureReader.open(Self.golden("plain.mcap"))
    try check(source, depthError: 0, height: 0.5)
    #expect(source.notes.contains { $0.contains("/slam/pose") && $0.contains("camera_optical") })
  }

  @Test(.enabled(if: isReadable("rosbag2"), "libsqlite3-0 is not installed"))
  func databaseWithDepthOfAnotherCamera() throws {
    for path in ["rosbag2", "rosbag2/rosbag2.db3"] {
      let source = try CaptureReader.open(Self.golden(path))
      #expect(source.layout == .rosBag && !source.hasPoses && source.skipped.isEmpty)
      let frame = try source.frame(at: 0)
      #expect(!frame.isPosed)
      let depth = try #require(frame.depth)
      // Half as fine as the picture, as the depth camera is. What is 2 m away in its left half ends at 10.0 pixels of the
      // picture, seen from a quarter of a meter beside.
      #expect(depth.size == PixelSize(width: 8, height: 6))
      let millimeters = depth.map { ($0 * 1000).rounded() }
      for row in 0..<6 {
        #expect((0..<8).map { millimeters[$0, row] } == [2000, 2000, 2000, 2000, 2000, 3000, 3000, 3000])
      }
      #expect(source.notes.contains { $0.contains("carried over") })
      #expect(source.notes.contains { $0.contains("up to 2 pixels") })
    }
  }
}
