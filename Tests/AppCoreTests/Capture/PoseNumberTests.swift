import AppCore
import FileFormats
import Foundation
import Geometry
import TestSupport
import Testing

/// Which pose is whose, where pictures are gone and no list pairs them with poses.
@Suite struct PoseNumberTests {
  @Test(
    arguments: [
      // All there, from 0, from 1, and without numbers.
      (["0", "1", "2"], 0..<3, [0, 1, 2]), (["00001", "00002"], 0..<2, [0, 1]),
      (["a", "b", "c"], 0..<3, [0, 1, 2]),
      (["10", "20", "30"], 0..<3, [0, 1, 2]), (["100", "101", "102"], 0..<3, [0, 1, 2]),
      // Fewer poses than pictures.
      (["0", "1", "2"], 0..<2, [0, 1, 2]), (["a", "b"], 0..<1, [0, 1]),
      // Pictures that are gone.
      (["0", "1", "3"], 0..<4, [0, 1, 3]), (["1", "2", "4"], 0..<4, [0, 1, 3]), (["0"], 0..<4, [0]),
      (["1", "4"], 0..<4, [0, 3]), (["0", "1", "4"], 0..<3, [0, 1, 2]),
      (["1", "2", "3"], 0..<5, nil), (["2", "3"], 0..<3, [1, 2]), (["2"], 0..<9, nil),
      (["a", "b"], 0..<3, nil),
      (["7", "8"], 0..<3, nil),
    ] as [([String], Range<Int>, [Int]?)])
  func posesByNumber(_ stems: [String], _ poses: Range<Int>, _ expected: [Int]?) {
    #expect(PoseNumbers(stems.map { "color/frame-\($0).jpg" }, poses: Set(poses))?.numbers == expected)
  }

  @Test func posesWithGapsGoByNumber() {
    let names = ["0", "1", "3"].map { "color/\($0).jpg" }
    #expect(PoseNumbers(names, poses: [0, 1, 3])?.numbers == [0, 1, 3])
    let ones = ["1", "2", "4"].map { "color/\($0).jpg" }
    #expect(PoseNumbers(ones, poses: [0, 1, 3])?.numbers == [0, 1, 3])
  }

  /// The frames behind a picture that is gone keep their own poses.
  @Test func aPictureThatIsGoneMovesNoPose() throws {
    let fixture = try PublishedLayout.redwood.write()
    try fixture.remove("rgbd.match")
    let sound = try CaptureReader.open(fixture.path)
    let poses = try (0..<3).map { try sound.frame(at: $0).cameraToWorld }
    try fixture.remove("color/00001.png")
    let source = try CaptureReader.open(fixture.path)
    #expect(source.frames.map(\.name) == ["00000", "00002"])
    #expect(try (0..<2).map { try source.frame(at: $0).cameraToWorld } == [poses[0], poses[2]])
    try fixture.remove("color/00000.png")
    #expect(
      throws: CaptureError.malformed(
        file: "trajectory.log",
        reason:
          "has 3 poses for 1 picture, whose names do not tell which is whose; add rgbd.match, a line "
          + "\"DEPTH PICTURE\" a pose")
    ) { try CaptureReader.open(fixture.path) }
  }
}
