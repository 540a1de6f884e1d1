import FileFormats
import Imaging
import Testing

/// The inputs that helps name.
@Suite struct InputKindTests {
  /// Who has a file looks in the help of the verb for its kind.
  @Test(arguments: [
    ["detect"], ["depth"], ["run"], ["fuse"], ["place"], ["compose"], ["capture", "check"],
    ["capture", "convert"], ["serve"], ["replay"],
  ])
  func helpsNameAllThatIsRead(verb: [String]) throws {
    let help = try CommandRun(verb + ["--help"]).output.split { $0.isWhitespace }.joined(separator: " ")
    for ending in [".zip", ".r3d", ".mcap", ".db3"] { #expect(help.contains(ending), "\(ending)") }
    #expect(help.contains(pictureFormats))
  }

  /// The formats that are named are those that are decoded.
  @Test func picturesAreOfTheFormatsThatAreNamed() {
    for format in [ImageFormat.jpeg, .png, .heic, .avif, .webp, .tiff, .jpeg2000, .bmp, .pnm] {
      #expect(pictureFormats.contains("\(format)"))
    }
  }
}
