import AppCore
import Geometry
import Imaging
import TestSupport
import Testing

/// Which topics of a recording are taken for a camera, its depth and its numbers.
@Suite struct BagTopicsTests {
  private static let size = PixelSize(width: 16, height: 12)
  private static let depth = Array(repeating: BagWriter.little(2000, 2), count: 192).flatMap(\.self)

  private static func open(
    _ topics: String = "", _ fill: (inout BagWriter) -> Void
  ) throws -> any CaptureSource {
    var bag = BagWriter()
    fill(&bag)
    let place = try TemporaryDirectory()
    let path = try place.write(bag.file(), to: "robot.mcap")
    return try CaptureReader.open(path + topics)
  }

  private static func addDepth(_ bag: inout BagWriter, _ topic: String, frame: String) {
    bag.add(image: depth, topic, "16UC1", size: size, time: BagWriter.start, frame: frame)
  }

  private static func isUnregistered(_ fill: (inout BagWriter) -> Void) throws -> Bool {
    do {
      _ = try open("", fill)
    } catch CaptureError.unregisteredDepth {
      return true
    }
    return false
  }

  @Test func aNamedCameraWithoutDepthHasNoneOfOthers() throws {
    for above in ["", "/robot"] {
      let source = try Self.open(":\(above)/front") {
        $0.addCamera(at: "\(above)/front", hasDepth: false)
        $0.addCamera(at: "\(above)/rear")
      }
      #expect(source.notes[0] == "color \(above)/front/color/image_raw, depth none")
      #expect(try source.frame(at: 0).depth == nil)
    }
  }

  @Test func depthIsRegisteredByNameBesideItsOwnColor() throws {
    for (topic, isRegistered) in [
      ("/front/aligned_depth_to_color/image_raw", true), ("/rear/aligned_depth_to_color/image_raw", false),
      ("/front/aligned_depth_to_infra1/image_raw", false), ("/depth_to_rgb/image_raw", false),
    ] {
      let fill = { (bag: inout BagWriter) in
        bag.addCamera(at: "/front", hasDepth: false)
        Self.addDepth(&bag, topic, frame: "elsewhere")
      }
      #expect(try Self.isUnregistered(fill) == !isRegistered, "\(topic)")
    }
  }

  @Test func depthInTheColorCamerasFrameIsPreferred() throws {
    let source = try Self.open {
      $0.addCamera(at: "/a", hasDepth: false)
      Self.addDepth(&$0, "/a/aligned_depth_to_infra1/image_raw", frame: "infra")
      Self.addDepth(&$0, "/a/aligned_depth_to_color/image_raw", frame: "a_optical")
    }
    #expect(source.notes[0].hasSuffix("depth /a/aligned_depth_to_color/image_raw"))
  }

  @Test func picturesOfBothEyesAreTwoCameras() throws {
    func add(_ forms: [String]) throws -> any CaptureSource {
      try Self.open {
        for form in forms {
          $0.add(
            image: [UInt8](repeating: 9, count: 3 * 192), "/eyes/\(form)", "rgb8", size: Self.size,
            time: BagWriter.start, frame: form)
        }
      }
    }
    #expect {
      _ = try add(["image_left", "image_right"])
    } throws: { error in
      guard case CaptureError.severalTopics(_, "color", let names) = error else { return false }
      return names == ["/eyes/image_left", "/eyes/image_right"]
    }
    let source = try add(["image_raw", "image_color", "image_rect_color"])
    #expect(source.notes[0] == "color /eyes/image_rect_color, depth none")
  }

  @Test func aCameraThatWasNotCalibratedIsNone() throws {
    func fill(_ bag: inout BagWriter, hasDepth: Bool) {
      bag.add(camera: [0, 0, 0, 0], "/a/color/camera_info", size: Self.size, frame: "a_optical")
      bag.addCamera(at: "/a", hasDepth: hasDepth, hasInfo: false)
    }
    let source = try Self.open { fill(&$0, hasDepth: false) }
    #expect(source.notes.contains { $0.contains("was not calibrated") })
    #expect(try source.frame(at: 0).intrinsics == nil)
    #expect(
      throws: CaptureError.badIntrinsics(
        file: "/a/color/image_raw", reason: "are not stated: the camera was not calibrated")
    ) { _ = try Self.open { fill(&$0, hasDepth: true) } }
  }

  @Test func aDamagedFirstMessageIsLeftOut() throws {
    let source = try Self.open {
      $0.add("/a/color/image_raw", "sensor_msgs/msg/Image", [])
      $0.add("/a/color/camera_info", "sensor_msgs/msg/CameraInfo", [0, 1, 0, 0, 9])
      $0.addCamera(at: "/a")
    }
    #expect(source.frames.count == 2 && source.skipped.isEmpty)
    #expect(source.notes.contains("/a/color/image_raw: 1 message at its start is damaged and left out"))
    #expect(try source.frame(at: 0).intrinsics?.fx == 20)
  }

  /// Cameras in the pictures' frame count where all of them are the same.
  @Test func theOnlyCameraOfAFrame() throws {
    for (focals, isOnly) in [([20.0, 20], true), ([20, 30], false), ([20, 30, 20], false)] {
      let source = try Self.open {
        $0.addCamera(at: "/a", hasDepth: false, hasInfo: false)
        for (index, focal) in focals.enumerated() {
          $0.add(
            camera: [focal, focal, 7.5, 5.5], "/b\(index)/camera_info", size: Self.size, frame: "a_optical")
        }
      }
      #expect(try source.frame(at: 0).intrinsics?.fx == (isOnly ? 20 : nil))
    }
  }
}
