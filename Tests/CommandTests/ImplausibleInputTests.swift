import FileFormats
import Foundation
import NNRuntime
import TestSupport
import Testing

/// Implausible inputs are refused or reported; none gives a wrong result silently.
@Suite struct ImplausibleInputTests {
  private static let options =
    TinyNetwork.detectorOptions + TinyNetwork.depthOptions + ["--threads", "1"]

  private static func change(_ path: String, _ edit: (inout NameTable<JSONValue>) -> Void) throws {
    var fields = try JSONValue.read(path: path).object ?? [:]
    edit(&fields)
    try SyntheticCapture.write(Array(JSONValue.object(fields).serialized().utf8), to: path)
  }

  // MARK: Cameras

  @Test(arguments: [Double.leastNonzeroMagnitude, 1.0, 13_000, 1e9, 1e300]) func focalLengthsThatNoCameraHas(
    _ focal: Double
  ) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    try Self.change(place.file("capture/frame.json")) {
      $0["intrinsics"] = [.number(focal), 0, 0, 0, 100.0, 0, 63.5, 47.5, 1]
    }
    for arguments in [
      ["capture", "check", "capture"], ["run", "capture", "--out", "out"] + Self.options,
      ["replay", "capture", "--max-speed", "--out", "out"] + TinyNetwork.detectorOptions,
    ] {
      let run = try CommandRun(arguments, in: place.path)
      #expect(run.status == 65, "\(arguments[0]): \(run.error)")
      #expect((run.output + run.error).contains("outside 1.28 to 12800.0"), "\(run.error)")
    }
    #expect(try place.entries() == ["capture"])
  }

  @Test(arguments: [1.1e8, -1e39, 1.7e308]) func placesThatNoCameraHas(_ place: Double) throws {
    let folder = try TemporaryDirectory()
    try SyntheticCapture.write(to: folder.file("capture"))
    try Self.change(folder.file("capture/frame.json")) {
      $0["cameraToWorld"] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, .number(place), 0, 0, 1]
    }
    for arguments in [
      ["capture", "check", "capture"], ["run", "capture", "--usda", "--out", "out"] + Self.options,
    ] {
      let run = try CommandRun(arguments, in: folder.path)
      #expect(run.status == 65, "\(arguments[0]): \(run.error)")
      #expect((run.output + run.error).contains("beyond 100000000.0 meters"), "\(run.error)")
    }
  }

  /// Coordinates of map projections: sizes must not depend on where a scene stands.
  @Test(arguments: [5e5, 5e6, 1e7]) func farScenesAreMeasuredAsNearOnes(_ offset: Double) throws {
    let place = try TemporaryDirectory()
    for (name, shift) in [("near", 0), ("far", offset)] {
      try SyntheticCapture.writeSequence(of: 2, to: place.file(name))
      for frame in ["f1000", "f1001"] {
        try Self.change(place.file("\(name)/\(frame)/frame.json")) {
          $0["cameraToWorld"] = [1, 0, 0, 0, 0, 1, 0, 0, 0, 0, 1, 0, .number(shift), 0, .number(-shift), 1]
        }
      }
      let run = try CommandRun(
        ["run", name, "--usda", "--out", "\(name)-run"] + Self.options, in: place.path)
      #expect(run.status == 0, "\(run.error)")
      let replay = try CommandRun(
        ["replay", name, "--max-speed", "--detect-every", "0s", "--frames", "none", "--out", "\(name)-live"]
          + Self.options, in: place.path)
      #expect(replay.status == 0, "\(replay.error)")
    }
    func sides(_ folder: String) throws -> [[Double]] {
      try JSONValue.read(path: place.file("\(folder)/sequence-objects.json"))["objects"]?.array?.compactMap {
        $0["box3D"]?["dimensions"]?.numbers
      } ?? []
    }
    for command in ["run", "live"] {
      let (near, far) = (try sides("near-\(command)"), try sides("far-\(command)"))
      #expect(!near.isEmpty && far.count == near.count, "\(command)")
      for (a, b) in zip(near.joined(), far.joined()) { #expect(abs(a - b) < 0.001, "\(command)") }
    }
    let text = String(decoding: try place.read("far-run/00000/scene.usda"), as: UTF8.self)
    #expect(text.contains("double3 xformOp:translate = (\(offset), 0.0, \(-offset))\n"))
    #expect(
      String(decoding: try place.read("far-run/00000/points.ply"), as: UTF8.self).contains(
        "property double x"))
  }

  // MARK: Networks

  /// A network of finite numbers so great that nothing but infinities and NaN comes out.
  private static func overflowing(_ network: String, to path: String) throws {
    let store = try WeightStore(path: network)
    var tensors: [String: Tensor] = [:]
    for name in store.names {
      let tensor = try store.tensor(named: name)
      tensors[name] =
        tensor.dtype.isFloat && !name.contains(".dfl.")
        ? Tensor(shape: tensor.shape, floats: tensor.floats().map { _ in 1e38 }) : tensor
    }
    try SafetensorsWriter.write(tensors, metadata: store.metadata, to: path, overwrite: false)
  }

  @Test func networksThatGiveNoNumbers() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("clip"))
    try Self.overflowing(TinyNetwork.detector, to: place.file("yolo.safetensors"))
    try Self.overflowing(TinyNetwork.depth, to: place.file("depth.safetensors"))
    let detector = ["--yolo", "yolo.safetensors", "--imgsz", "64"]
    let depth = ["--depth", "depth.safetensors", "--depth-size", "42"]
    let commands: [(arguments: [String], file: String)] = [
      (["detect", "clip/f1000"] + detector, "yolo"), (["depth", "clip/f1000"] + depth, "depth"),
      (["run", "clip/f1000"] + detector + TinyNetwork.depthOptions, "yolo"),
      (["run", "clip"] + TinyNetwork.detectorOptions + depth, "depth"),
      (["replay", "clip", "--max-speed", "--detect-every", "0s"] + detector, "yolo"),
      (
        ["replay", "clip", "--max-speed", "--detect-every", "0s"] + TinyNetwork.detectorOptions + depth,
        "depth"
      ),
    ]
    for (arguments, file) in commands {
      let run = try CommandRun(arguments + ["--out", "out", "--force"], in: place.path)
      #expect(run.status == 65, "\(arguments): \(run.error)")
      #expect(run.error.contains("\(file).safetensors: the network's"), "\(run.error)")
      #expect(run.error.contains("infinite or not a number"), "\(run.error)")
    }
  }

  // MARK: Names

  @Test func namesThatAreNotUTF8AreTold() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("clip"))
    let shell = Process()
    shell.executableURL = URL(fileURLWithPath: "/bin/sh")
    shell.arguments = [
      "-c",
      """
      mv clip/f1001 "$(printf 'clip/caf\\351')"
      mkdir pictures && cp clip/f1000/image.png pictures/a.png
      cp clip/f1000/image.png "$(printf 'pictures/\\377.png')"
      """,
    ]
    shell.currentDirectoryURL = URL(fileURLWithPath: place.path)
    try shell.run()
    shell.waitUntilExit()
    #expect(shell.terminationStatus == 0)
    let check = try CommandRun(["capture", "check", "clip"], in: place.path)
    #expect(
      check.status == 65 && (check.output + check.error).contains("skipped caf\\xE9: its name is not UTF-8"),
      "\(check)")
    for (source, name) in [("clip", "caf\\xE9"), ("pictures", "\\xFF.png")] {
      let run = try CommandRun(
        ["detect", source, "--out", "\(source)-out"] + TinyNetwork.detectorOptions, in: place.path)
      #expect(run.status == 65 && run.error.contains("the others are done"), "\(run.error)")
      #expect(run.error.contains("skipped \(name): its name is not UTF-8; rename it"), "\(run.error)")
    }
  }
}
