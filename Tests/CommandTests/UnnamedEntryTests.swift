import FileFormats
import Foundation
import TestSupport
import Testing

/// A frame or picture whose name is not UTF-8 is a bad input of every command that reads its folder.
@Suite struct UnnamedEntryTests {
  private func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("clip"))
    try place.rename("clip/f1001", toBytes: "caf\\351")
    for phase in 0..<3 { try place.write(SyntheticCapture.encoded(phase: phase), to: "p/\(phase).png") }
    try place.rename("p/2.png", toBytes: "\\377.png")
    return place
  }

  @Test(arguments: [
    (["capture", "check", "clip"], "clip/caf\\xE9"),
    (["capture", "check", "clip", "--json"], "clip/caf\\xE9"),
    (["capture", "check", "p"], "p/\\xFF.png"),
    (["capture", "convert", "clip", "--out", "out"], "clip/caf\\xE9"),
    (["replay", "clip", "--max-speed", "--out", "out"], "clip/caf\\xE9"),
    (["detect", "clip", "--out", "out"] + TinyNetwork.detectorOptions, "clip/caf\\xE9"),
    (["depth", "p", "--out", "out"] + TinyNetwork.depthOptions, "p/\\xFF.png"),
    (["run", "p", "--out", "out"] + TinyNetwork.detectorOptions, "p/\\xFF.png"),
    (
      ["run", "p", "--keep", "records", "--out", "out"] + TinyNetwork.detectorOptions,
      "p/\\xFF.png"
    ),
  ])
  func isNamedAndEndsWith65(_ arguments: [String], _ entry: String) throws {
    let place = try place()
    let run = try CommandRun(arguments, in: place.path)
    #expect(run.status == 65 && run.error.contains("the others are done"), "\(arguments): \(run.error)")
    #expect(
      run.error.contains(entry) && run.error.contains("not UTF-8; rename it"), "\(arguments): \(run.error)")
  }

  @Test func stopsACalibration() throws {
    let place = try place()
    let run = try CommandRun(
      ["quantize", TinyNetwork.detectorOptions[1], "--calibrate", "p", "--out", "q.safetensors"],
      in: place.path)
    #expect(run.status == 65 && run.error.contains("--calibrate: 1 of 3 pictures"), "\(run.error)")
    #expect(run.error.contains("p/\\xFF.png") && !fileExists(place.file("q.safetensors")), "\(run.error)")
  }

  @Test func picturesOfOtherKindsAreNamedByCaptureCheck() throws {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "p/a.png")
    try place.write("GIF8", to: "p/old.gif")
    let run = try CommandRun(["capture", "check", "p"], in: place.path)
    #expect(run.status == 10 && run.error.contains("p/old.gif"), "\(run.error)")
  }

  @Test("frames that a conversion leaves out are named")
  func gapsAreToldByConversion() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("scan"))
    for name in ["0", "1"] { try place.write(SyntheticCapture.encoded(), to: "p/\(name).png") }
    try place.write(place.read("scan/depth.npy"), to: "d/0.npy")
    let run = try CommandRun(
      ["capture", "convert", "p", "--depth-map", "d", "--intrinsics", "100,100,64,48", "--out", "out"],
      in: place.path)
    #expect(
      run.status == 0 && run.error.contains("p: skipped 1: d has no depth of that name"), "\(run.error)")
  }
}
