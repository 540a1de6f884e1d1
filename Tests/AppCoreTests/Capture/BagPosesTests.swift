import AppCore
import Geometry
import TestSupport
import Testing

/// Which transforms, odometry and poses of a recording are taken for the camera's.
@Suite struct BagPosesTests {
  private static let times = [0, 100]
  /// From the axes of a robot to those of an optical frame.
  private static let optical = [-0.5, 0.5, -0.5, 0.5]

  private static func open(_ fill: (inout BagWriter) -> Void) throws -> any CaptureSource {
    var bag = BagWriter()
    bag.addCamera(at: "/a", times: times, depthTimes: times)
    fill(&bag)
    let place = try TemporaryDirectory()
    return try CaptureReader.open(place.write(bag.file(), to: "robot.mcap"))
  }

  private static func time(_ milliseconds: Int) -> Int { BagWriter.start + milliseconds * 1_000_000 }

  /// The way of the camera from the first picture to the last.
  private static func way(_ source: any CaptureSource) throws -> Double {
    try source.frame(at: 0).cameraToWorld.origin.distance(to: source.frame(at: 1).cameraToWorld.origin)
  }

  /// The camera half a meter above the robot's middle, as it is published again and again.
  private static func addMount(_ bag: inout BagWriter) {
    for time in times {
      bag.add(
        transform: [0, 0, 0.5] + optical, "/tf", time: Self.time(time), parent: "base", child: "a_optical")
    }
  }

  @Test func goalsAreNoPosesOfTheCamera() throws {
    for topic in ["/goal_pose", "/move_base_simple/goal", "/arm/target_pose"] {
      let source = try Self.open { bag in
        for time in Self.times {
          bag.add(pose: [Double(time), 0, 0, 0, 0, 0, 1], topic, time: Self.time(time))
        }
      }
      #expect(!source.hasPoses && source.frames.count == 2, "\(topic)")
    }
  }

  /// One pose, or several long before the pictures, say nothing of them.
  @Test func posesAreTwoAroundThePictures() throws {
    for (times, counts) in [([0], false), ([-9000, -8000], false), ([0, 100], true), ([-400, 500], true)] {
      let source = try Self.open { bag in
        for time in times { bag.add(pose: [0, 0, 0, 0, 0, 0, 1], "/slam/pose", time: Self.time(time)) }
      }
      #expect(source.hasPoses == counts, "\(times)")
    }
  }

  @Test func odometryGoesOnAboveAMountThatIsPublishedAgainAndAgain() throws {
    let source = try Self.open { bag in
      Self.addMount(&bag)
      for time in Self.times {
        bag.add(odometry: [Double(time) / 100, 0, 0, 0, 0, 0, 1], time: Self.time(time), child: "base")
      }
    }
    #expect(source.notes.contains("poses of a_optical in odom, by /odom"))
    #expect(abs(try Self.way(source) - 1) < 1e-9)
    #expect(abs(try source.frame(at: 0).cameraToWorld.origin.y - 0.5) < 1e-9)
  }

  @Test func odometryCarriesACameraThatMovesOnTheRobot() throws {
    let source = try Self.open { bag in
      for time in Self.times {
        bag.add(
          transform: [0, 0, 0.5 + Double(time) / 100] + Self.optical, "/tf", time: Self.time(time),
          parent: "base", child: "a_optical")
        bag.add(odometry: [Double(time) / 100, 0, 0, 0, 0, 0, 1], time: Self.time(time), child: "base")
        bag.add(
          transform: [0, 3, 0, 0, 0, 0, 1], "/tf", time: Self.time(time), parent: "map", child: "odom")
      }
    }
    #expect(source.notes.contains("poses of a_optical in map, by /odom"))
    #expect(abs(try Self.way(source) - 2.0.squareRoot()) < 1e-9)
  }

  /// A pose of the robot in tf counts for more than odometry of another origin.
  @Test func odometryOfAnotherOriginIsNotTaken() throws {
    let source = try Self.open { bag in
      Self.addMount(&bag)
      for time in Self.times {
        bag.add(
          transform: [Double(time) / 50, 0, 0, 0, 0, 0, 1], "/tf", time: Self.time(time), parent: "map",
          child: "base")
        bag.add(odometry: [Double(time) / 100, 0, 0, 0, 0, 0, 1], time: Self.time(time), child: "base")
      }
    }
    #expect(source.notes.contains("poses of a_optical in map, by tf"))
    #expect(abs(try Self.way(source) - 2) < 1e-9)
  }

  @Test func aMountAloneIsNoPose() throws {
    #expect(try !Self.open(Self.addMount).hasPoses)
    // A robot that stands still in its map has one.
    let source = try Self.open { bag in
      Self.addMount(&bag)
      bag.add(transform: [1, 0, 0, 0, 0, 0, 1], "/tf", time: BagWriter.start, parent: "map", child: "base")
    }
    #expect(try source.hasPoses && Self.way(source) == 0)
  }

  @Test func damagedTransformsAreLeftOut() throws {
    let source = try Self.open { bag in
      bag.add("/tf", "tf2_msgs/msg/TFMessage", [0, 1, 0, 0, 1, 0, 0, 0, 5])
      bag.add("/odom", "nav_msgs/msg/Odometry", [])
      Self.addMount(&bag)
      for time in Self.times {
        bag.add(odometry: [Double(time) / 100, 0, 0, 0, 0, 0, 1], time: Self.time(time), child: "base")
      }
    }
    #expect(source.hasPoses)
    for topic in ["/tf", "/odom"] {
      #expect(source.notes.contains("\(topic): 1 message is damaged and left out"))
    }
  }
}

extension BagWriter {
  /// `pose`: x y z qx qy qz qw.
  fileprivate mutating func add(pose: [Double], _ topic: String, time: Int) {
    var message = CDRWriter()
    message.header(time, "map")
    message.doubles(pose)
    add(topic, "geometry_msgs/msg/PoseStamped", time: time, message.bytes)
  }

  fileprivate mutating func add(odometry pose: [Double], time: Int, child: String) {
    var message = CDRWriter()
    message.header(time, "odom")
    message.text(child)
    message.doubles(pose)
    add("/odom", "nav_msgs/msg/Odometry", time: time, message.bytes)
  }
}
