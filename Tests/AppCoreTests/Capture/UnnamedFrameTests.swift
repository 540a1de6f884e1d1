import AppCore
import FileFormats
import TestSupport
import Testing

/// A file whose name is not UTF-8 names no frame that could be opened: in every layout whose frames the names of files
/// list, it is skipped with a word, and counts as bad.
@Suite struct UnnamedFrameTests {
  private func unnamed(_ fixture: CaptureFixture) throws -> [String] {
    try CaptureReader.open(fixture.path).skipped.filter(\.isUnnamed).map(\.name)
  }

  @Test(arguments: [
    (PublishedLayout.redwood, "color/00001.png", "\\351.png", "color/\\xE9.png"),
    (.polycam, "keyframes/cameras/5510300000.json", "551\\351.json", "keyframes/cameras/551\\xE9.json"),
    (.arkitScenes, "lowres_wide/41048190_3308.723.png", "\\351.PNG", "lowres_wide/\\xE9.PNG"),
    (.ca1m, "3308723000000.wide", "scan\\377", "scan\\xFF"),
  ])
  func publishedLayouts(_ layout: PublishedLayout, _ entry: String, _ bytes: String, _ shown: String) throws {
    let fixture = try layout.write()
    if layout == .redwood { try fixture.remove("rgbd.match") }
    try fixture.directory.rename(entry, toBytes: bytes)
    #expect(try unnamed(fixture) == [shown])
    let frames = try CaptureReader.open(fixture.path).frames.map(\.name)
    #expect(frames == [layout.names[0], layout.names[2]])
  }

  @Test func clips() throws {
    let fixture = try CaptureFixture.empty()
    for stem in ["00005", "00010"] { try fixture.writeClipFrame(stem) }
    for ending in [".json", "_rgb.jpg"] {
      try fixture.directory.rename("00010\(ending)", toBytes: "1\\351\(ending)")
    }
    #expect(try unnamed(fixture) == ["1\\xE9.json", "1\\xE9_rgb.jpg"])
    try fixture.directory.write("mine", to: "notes.txt")
    try fixture.directory.rename("notes.txt", toBytes: "notes\\351.txt")
    let skipped = try CaptureReader.open(fixture.path).skipped
    #expect(skipped.count == 3 && skipped.allSatisfy { $0.reason == SkippedFrame.notText })
    // A text is no frame.
    #expect(try unnamed(fixture).count == 2)
  }

  @Test func scannerExports() throws {
    let fixture = try CaptureFixture.empty()
    for number in ["00000", "00001"] { try fixture.writeScannerFrame(number) }
    try fixture.directory.rename("frame_00001.json", toBytes: "frame\\351.json")
    #expect(try unnamed(fixture) == ["frame\\xE9.json"])
  }
}
