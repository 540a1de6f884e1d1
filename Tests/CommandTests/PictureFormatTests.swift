import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// How pictures for people are written, and that many are drawn side by side.
@Suite struct PictureFormatTests {
  private static let networks = TinyNetwork.detectorOptions + TinyNetwork.depthOptions

  private func kind(_ file: String, _ place: TemporaryDirectory) throws -> ImageFormat {
    try ImageCodec.header(path: place.file(file)).format
  }

  @Test func jpegByDefaultAndPNGOnRequest() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scan"))
    for (format, name, kind) in [("jpeg", "jpg", ImageFormat.jpeg), ("png", "png", .png)] {
      let option = ["--picture-format", format]
      let run = try CommandRun(
        ["run", "scan", "--out", "run-\(format)"] + option + Self.networks, in: place.path)
      #expect(run.status == 0, "\(run.error)")
      for stem in ["annotated", "relative", "results"] {
        #expect(try self.kind("run-\(format)/00001/\(stem).\(name)", place) == kind)
      }
      let index = String(decoding: try place.read("run-\(format)/index.html"), as: UTF8.self)
      #expect(index.contains("src=\"00001/results.\(name)\""))
      // What other commands read loses nothing.
      for mask in try FileManager.default.contentsOfDirectory(atPath: place.file("run-\(format)/00001/masks"))
      {
        #expect(try self.kind("run-\(format)/00001/masks/\(mask)", place) == .png)
      }
      let again = try CommandRun(
        ["run", "scan", "--resume", "--out", "run-\(format)"] + option + Self.networks, in: place.path)
      #expect(again.status == 0 && !again.error.contains("done again"), "\(again.error)")
    }
    // Another form is another result.
    let other = try CommandRun(
      ["run", "scan", "--resume", "--picture-format", "png", "--out", "run-jpeg"] + Self.networks,
      in: place.path)
    #expect(other.status == 0 && other.error.contains("done again"), "\(other.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("run-jpeg/00000/results.jpg")))
    // The drawing is the same.
    for (jpeg, png) in [("annotated.jpg", "annotated.png"), ("relative.jpg", "relative.png")] {
      let fresh = try CommandRun(
        ["run", "scan", "--frame", "1", "--force", "--out", "one"] + Self.networks, in: place.path)
      #expect(fresh.status == 0, "\(fresh.error)")
      let (lossy, exact) = (
        try ImageCodec.decode(path: place.file("one/\(jpeg)")).image,
        try ImageCodec.decode(path: place.file("run-png/00001/\(png)")).image
      )
      #expect(lossy.size == exact.size)
      let difference = zip(lossy.pixels, exact.pixels).reduce(0) { $0 + abs(Int($1.0) - Int($1.1)) }
      #expect(Double(difference) / Double(exact.pixels.count) < 12)
    }
  }

  @Test func wordsOfTheOption() throws {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "p.png")
    let detect = ["detect", "p.png"] + TinyNetwork.detectorOptions
    let short = try CommandRun(detect + ["--picture-format", "jpg", "--out", "a"], in: place.path)
    #expect(short.status == 0, "\(short.error)")
    #expect(try kind("a/annotated.jpg", place) == .jpeg)
    let unknown = try CommandRun(detect + ["--picture-format", "webp", "--out", "b"], in: place.path)
    #expect(unknown.status == 64 && unknown.error.contains("'jpeg' and 'png'"), "\(unknown.error)")
  }

  /// libjpeg takes 65,500 pixels per side.
  @Test func aPictureTooLongForJPEGSaysWhatToGive() throws {
    let place = try TemporaryDirectory()
    try place.write(
      ImageCodec.encodePNG(RGBImage(width: 65_501, height: 8, color: .green)), to: "long.png")
    let detect = ["detect", "long.png"] + TinyNetwork.detectorOptions
    let refused = try CommandRun(detect + ["--out", "jpeg"], in: place.path)
    #expect(refused.status == 65 && refused.error.contains("--picture-format png"), "\(refused.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("jpeg")))
    // Of several it is left out, and the others are done.
    try place.write(SyntheticCapture.encoded(), to: "both/a.png")
    try place.write(place.read("long.png"), to: "both/long.png")
    let both = try CommandRun(
      ["detect", "both", "--out", "some"] + TinyNetwork.detectorOptions, in: place.path)
    #expect(both.status == 65 && both.error.contains("--picture-format png"), "\(both.error)")
    #expect(FileManager.default.fileExists(atPath: place.file("some/a")))
    #expect(!FileManager.default.fileExists(atPath: place.file("some/long")))
    let png = try CommandRun(detect + ["--picture-format", "png", "--out", "png"], in: place.path)
    #expect(png.status == 0, "\(png.error)")
  }

  /// Workers work side by side, and what they write and say is in the order of the pictures.
  @Test(arguments: [["detect"] + TinyNetwork.detectorOptions, ["depth"] + TinyNetwork.depthOptions])
  func manyPicturesAreTheSameForAnyNumberOfThreads(command: [String]) throws {
    let place = try TemporaryDirectory()
    for index in 0..<9 { try place.write(SyntheticCapture.encoded(phase: index), to: "photos/p\(index).png") }
    try place.write("no picture", to: "photos/p4.png")
    var made: [([String: String], String)] = []
    for threads in ["1", "3", "8"] {
      let run = try CommandRun(
        command + ["photos", "--threads", threads, "--out", "out\(threads)"], in: place.path)
      #expect(run.status == 65 && run.error.contains("1 of 9 pictures could not be read"), "\(run.error)")
      #expect(run.error.contains("p4.png"), "\(run.error)")
      made.append((try digests(of: place.file("out\(threads)")), run.output))
    }
    #expect(made[0].0.count > 16 && made.allSatisfy { $0.0 == made[0].0 && $0.1 == made[0].1 })
  }

  /// A sequence whose objects are followed is the same too: identities are given in order.
  @Test func followedObjectsAreTheSameForAnyNumberOfThreads() throws {
    let place = try TemporaryDirectory()
    for index in 0..<6 { try place.write(SyntheticCapture.encoded(phase: index), to: "film/p\(index).png") }
    var made: [[String: String]] = []
    for threads in ["1", "4"] {
      let run = try CommandRun(
        ["detect", "film", "--track", "bytetrack", "--threads", threads, "--out", "out\(threads)"]
          + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 0, "\(run.error)")
      made.append(try digests(of: place.file("out\(threads)")))
    }
    #expect(made[0].count > 6 && made[0] == made[1])
  }

  /// A film's pictures are drawn beside the next one's network, and are all there.
  @Test func picturesOfAPipeAreAllWritten() throws {
    let place = try TemporaryDirectory()
    let pictures = try (0..<5).map { try SyntheticCapture.encoded(phase: $0) }
    try place.write(pictures.flatMap(\.self), to: "pipe")
    for (command, file) in [
      (["detect"] + TinyNetwork.detectorOptions, "annotated.jpg"),
      (["depth"] + TinyNetwork.depthOptions, "relative.jpg"),
    ] {
      let run = try CommandRun(
        command + ["-", "--out", command[0]], in: place.path, input: place.file("pipe"))
      #expect(run.status == 0, "\(run.error)")
      for (index, picture) in pictures.enumerated() {
        try place.write(picture, to: "alone.png")
        let alone = try CommandRun(
          command + ["alone.png", "--force", "--out", "alone"], in: place.path)
        #expect(alone.status == 0, "\(alone.error)")
        #expect(try place.read("\(command[0])/00000\(index)/\(file)") == place.read("alone/\(file)"))
      }
    }
  }
}
