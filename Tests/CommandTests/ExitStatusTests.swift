import FileFormats
import Foundation
import TestSupport
import Testing

/// Each kind of failure: its message, its exit status, and that no files are left.
@Suite struct ExitStatusTests {
  /// Runs and expects a failure with `status`, a message with each of `words`, no output and no temporary files.
  private func expect(
    _ arguments: [String], in place: TemporaryDirectory, environment: [String: String] = [:], status: Int32,
    _ words: [String], location: SourceLocation = #_sourceLocation
  ) throws {
    let before = try place.entries()
    let run = try CommandRun(arguments, in: place.path, environment: environment)
    #expect(run.status == status, "\(arguments): \(run.error)", sourceLocation: location)
    for word in words {
      #expect(run.error.contains(word), "\(arguments): \(run.error)", sourceLocation: location)
    }
    #expect(run.output.isEmpty, sourceLocation: location)
    #expect(try place.entries() == before, "something was left behind", sourceLocation: location)
  }

  private func place(_ options: SyntheticCapture.Options = .init()) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"), options: options)
    return place
  }

  private static let detect = ["detect", "capture", "--out", "out"]

  @Test func helpAndVersion() throws {
    let help = try CommandRun(["--help"])
    #expect(help.status == 0)
    for verb in ["run", "detect", "depth", "fuse", "place", "compose", "convert", "inspect", "capture"] {
      #expect(help.output.contains("  \(verb) "))
      #expect(try CommandRun([verb, "--help"]).status == 0)
    }
    #expect(try CommandRun(["--version"]).status == 0)
  }

  @Test(arguments: [
    ["run"], ["detect", "capture"], ["detect", "capture", "--out", "out", "--threads", "0"],
    ["detect", "capture", "--out", "out", "--conf", "1.5"],
    ["detect", "capture", "--out", "out", "--imgsz", "100"],
    ["run", "capture", "--out", "out", "--effect", "0=teapot"],
    ["run", "capture", "--out", "out", "--tap", "3=smoke"],
    ["convert", "a.pt", "b.bin"], ["fuse", "--relative", "r.npy"],
  ])
  func wrongUsage(arguments: [String]) throws {
    try expect(arguments, in: place(), status: 64, ["Usage"])
  }

  @Test func unknownVerb() throws {
    try expect(["dance"], in: place(), status: 64, ["there is no command \"dance\"", "run, detect"])
  }

  @Test func wrongFrame() throws {
    try expect(
      Self.detect + TinyNetwork.detectorOptions + ["--frame", "7"], in: place(), status: 64,
      ["--frame 7", "one frame"])
  }

  @Test func missingInputs() throws {
    let place = try place()
    try expect(["detect", "nothing", "--out", "out"], in: place, status: 66, ["nothing", "no such file"])
    try expect(Self.detect + ["--yolo", "none.safetensors"], in: place, status: 66, ["none.safetensors"])
    try expect(Self.detect, in: place, status: 66, ["YOLO11-seg", "./weights", "--yolo"])
    try expect(["depth", "capture", "--out", "out"], in: place, status: 66, ["Depth Anything", "--depth"])
    try expect(["convert", "none.pt", "x.safetensors"], in: place, status: 66, ["none.pt"])
    try expect(["inspect", "weights", "none.safetensors"], in: place, status: 66, ["none.safetensors"])
  }

  @Test func truncatedWeights() throws {
    let place = try place()
    let whole = [UInt8](try Data(contentsOf: URL(fileURLWithPath: TinyNetwork.detector)))
    try place.write(Array(whole.prefix(whole.count / 2)), to: "half.safetensors")
    try expect(
      Self.detect + ["--yolo", "half.safetensors"], in: place, status: 65, ["an incomplete download"])
    try place.write([], to: "empty.safetensors")
    try expect(Self.detect + ["--yolo", "empty.safetensors"], in: place, status: 65, ["empty"])
  }

  @Test func weightsOfAnotherNetwork() throws {
    let place = try place()
    try expect(
      Self.detect + ["--yolo", TinyNetwork.depth], in: place, status: 65, ["depth network", "--depth"])
    try expect(
      ["depth", "capture", "--out", "out", "--depth", TinyNetwork.detector], in: place, status: 65,
      ["holds a detector", "ardf detect", "--yolo"])
    try expect(
      ["convert", TinyNetwork.detector, "x.safetensors"], in: place, status: 65,
      ["not a network that can be converted"])
  }

  @Test func damagedCheckpointsAreNamed() throws {
    let place = try place()
    try place.write([0x50, 0x4B, 0x03, 0x04] + [UInt8](repeating: 0, count: 100), to: "yolo.pt")
    try expect(
      Self.detect + ["--yolo", "yolo.pt"], in: place, environment: ["HOME": place.path], status: 65,
      ["yolo.pt"])
    try expect(["convert", "yolo.pt", "x.safetensors"], in: place, status: 65, ["yolo.pt"])
  }

  @Test func whereThereAreNoWeightsTheCommandThatGetsThemIsNamed() throws {
    try expect(Self.detect, in: place(), status: 66, ["ardf weights get yolo11n-seg", "./weights"])
    try expect(
      Self.detect + ["--yolo", "yolo11s-seg"], in: place(), status: 66, ["ardf weights get yolo11s-seg"])
  }

  @Test func nonFiniteWeights() throws {
    let place = try place()
    var bytes = [UInt8](try Data(contentsOf: URL(fileURLWithPath: TinyNetwork.detector)))
    // The last four bytes are the last values of some tensor, float16 or float32: all ones is NaN in both.
    for index in bytes.count - 4..<bytes.count { bytes[index] = 0xFF }
    try place.write(bytes, to: "nan.safetensors")
    try expect(
      Self.detect + ["--yolo", "nan.safetensors", "--imgsz", "64"], in: place, status: 65,
      ["not a number", "--allow-nonfinite"])
  }

  @Test func otherClassesAreNotCOCOs() throws {
    try expect(
      Self.detect + TinyNetwork.detectorOptions + ["--format", "coco"], in: place(), status: 65,
      ["4 classes", "80"])
  }

  @Test func badPictures() throws {
    let place = try place()
    let whole = try place.read("capture/image.png")
    try place.write(Array(whole.prefix(whole.count / 2)), to: "half.png")
    try place.write("no picture", to: "text.png")
    for (name, word) in [("half.png", "end too early"), ("text.png", "no picture of a known format")] {
      try expect(
        ["detect", name, "--out", "out"] + TinyNetwork.detectorOptions, in: place, status: 65, [name, word])
    }
  }

  @Test func badCaptures() throws {
    let place = try place()
    try place.write(
      NPYArray(shape: [10, 10], floats: .init(repeating: 1, count: 100)).encoded(), to: "capture/depth.npy")
    try expect(Self.detect + TinyNetwork.detectorOptions, in: place, status: 65, ["not of the same shape"])
    let depth = NPYArray(shape: [48, 64], floats: .init(repeating: 1, count: 3072)).encoded()
    try place.write(Array(depth.dropLast(100)), to: "capture/depth.npy")
    try expect(Self.detect + TinyNetwork.detectorOptions, in: place, status: 65, ["depth.npy"])
  }

  @Test func badDocuments() throws {
    let place = try place()
    let options = ["--capture", "capture", "--out", "out"]
    try expect(["place", "--detections", "d.json"] + options, in: place, status: 66, ["d.json"])
    try place.write("{\"schema\": \"ardf.objects/1\"", to: "d.json")
    try expect(
      ["place", "--detections", "d.json"] + options, in: place, status: 65, ["d.json", "truncated"])
    try place.write("{\"schema\": \"ardf.objects/1\"}", to: "d.json")
    try expect(["place", "--detections", "d.json"] + options, in: place, status: 65, ["ardf.detections/1"])
    try place.write(
      "{\"schema\": \"ardf.detections/1\", \"imageSize\": [5, 5], \"detections\": []}", to: "d.json")
    try expect(["place", "--detections", "d.json"] + options, in: place, status: 65, ["5x5", "128x96"])

    let square = NPYArray(shape: [64, 64], floats: .init(repeating: 1, count: 4096))
    try place.write(square.encoded(), to: "r.npy")
    try expect(["fuse", "--relative", "r.npy"] + options, in: place, status: 65, ["64x64", "128x96"])
    try place.write(NPYArray(shape: [2, 2, 2], floats: .init(repeating: 1, count: 8)).encoded(), to: "r.npy")
    try expect(["fuse", "--relative", "r.npy"] + options, in: place, status: 65, ["(height, width)"])
  }

  @Test func degenerateFitSaysWhy() throws {
    let place = try place()
    let flat = NPYArray(shape: [96, 128], floats: .init(repeating: 1, count: 96 * 128))
    try place.write(flat.encoded(), to: "r.npy")
    let run = try CommandRun(
      ["fuse", "--relative", "r.npy", "--capture", "capture", "--out", "out"], in: place.path)
    #expect(run.status == 1)
    #expect(run.error.contains("degenerate"))
    #expect(try JSONValue.read(path: place.file("out/fusion.json"))["status"]?.string == "degenerate")
    #expect(!FileManager.default.fileExists(atPath: place.file("out/metric.npy")))
  }

  @Test func noDepthToFitTo() throws {
    let place = try place(.init(withDepth: false))
    try place.write(SyntheticCapture.relative().encoded(), to: "r.npy")
    try expect(
      ["fuse", "--relative", "r.npy", "--capture", "capture", "--out", "out"], in: place, status: 65,
      ["no sensor depth"])
  }

  @Test func existingOutputIsRefused() throws {
    let place = try place()
    try place.write("mine", to: "note.txt")
    try FileManager.default.createDirectory(atPath: place.file("out"), withIntermediateDirectories: true)
    try place.write("mine", to: "out/note.txt")
    try expect(
      Self.detect + TinyNetwork.detectorOptions, in: place, status: 73, ["already exists", "--force"])
    #expect(try place.read("out/note.txt") == Array("mine".utf8))
    try expect(
      Self.detect + TinyNetwork.detectorOptions + ["--force"], in: place, status: 73, ["not written by ardf"])
    #expect(try place.read("out/note.txt") == Array("mine".utf8))
    try expect(
      ["convert", TinyNetwork.detector, place.file("existing.safetensors")].dropLast() + ["out.safetensors"],
      in: place, status: 65, [])
  }

  @Test func outputsThatCannotBeCreated() throws {
    let place = try place()
    try place.write("mine", to: "file")
    for out in ["none/out", "file/out", "file"] {
      try expect(
        ["detect", "capture", "--out", out] + TinyNetwork.detectorOptions, in: place, status: 73, [])
    }
    try expect(
      ["detect", "capture", "--out", "/proc/out"] + TinyNetwork.detectorOptions, in: place, status: 73, [])
  }

  @Test func fullDeviceOnStandardOutput() throws {
    let full = Process()
    full.executableURL = URL(fileURLWithPath: CommandRun.executable)
    full.arguments = ["inspect", "weights", TinyNetwork.detector]
    full.standardOutput = FileHandle(forWritingAtPath: "/dev/full")
    full.standardError = FileHandle.nullDevice
    try full.run()
    full.waitUntilExit()
    #expect(full.terminationStatus == 74)
  }

  /// A picture may be being written while the line of the next one cannot be printed.
  @Test func aStreamThatCannotBePrintedLeavesNothing() throws {
    let place = try TemporaryDirectory()
    try place.write(Array(repeating: SyntheticCapture.encoded(), count: 4).flatMap(\.self), to: "pipe")
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.currentDirectoryURL = URL(fileURLWithPath: place.path)
    shell.arguments =
      [
        "-c", "exec \"$0\" \"$@\" - --json --out full < pipe > /dev/full 2> /dev/null", CommandRun.executable,
        "detect",
      ] + TinyNetwork.detectorOptions
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 74)
    #expect(try place.entries() == ["pipe"])
  }

  @Test func aReaderThatGoesAwayIsNoFailure() throws {
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/bash")
    shell.arguments = [
      "-c", "set -o pipefail; \"$0\" inspect weights \"$1\" 2>&1 | head -n 1 >/dev/null",
      CommandRun.executable,
      TinyNetwork.detector,
    ]
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
  }
}
