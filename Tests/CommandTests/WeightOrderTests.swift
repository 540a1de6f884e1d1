import Foundation
import NNRuntime
import TestSupport
import Testing

/// Which depth weights a command takes when none are named.
@Suite struct WeightOrderTests {
  static let own = "dav2s-ardf-fp16.safetensors"
  static let published = "depth_anything_v2_vits.safetensors"

  /// A folder with a capture and tiny networks under the given names.
  static func place(_ weights: [String]) throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let network = try [UInt8](Data(contentsOf: URL(fileURLWithPath: TinyNetwork.depth)))
    for path in weights {
      let folder = URL(fileURLWithPath: place.file(path)).deletingLastPathComponent()
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      try place.write(network, to: path)
    }
    return place
  }

  static func depth(in place: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(
      ["depth", "capture", "--depth-size", "42", "--out", "out", "--force"], in: place.path,
      environment: ["ARDF_WEIGHTS": place.file("elsewhere"), "HOME": place.path])
  }

  @Test func ownWeightsServeWhereNoOthersAre() throws {
    let run = try Self.depth(in: try Self.place(["weights/\(Self.own)"]))
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("from weights/\(Self.own)"))
  }

  @Test(arguments: ["weights", "elsewhere"])
  func publishedWeightsComeFirstWhereverTheyLie(_ folder: String) throws {
    let run = try Self.depth(in: try Self.place(["weights/\(Self.own)", "\(folder)/\(Self.published)"]))
    #expect(run.status == 0, "\(run.error)")
    #expect(run.error.contains("\(folder)/\(Self.published)"))
    #expect(!run.error.contains(Self.own))
  }

  /// A published checkpoint that cannot be used is named, not passed over.
  @Test func damagedPublishedCheckpointIsNamed() throws {
    let place = try Self.place(["weights/\(Self.own)"])
    try place.write([1, 2, 3], to: "weights/depth_anything_v2_vits.pth")
    let run = try Self.depth(in: place)
    #expect(run.status == 65)
    #expect(run.error.contains("depth_anything_v2_vits.pth"))
  }

  /// By default a network trained on small pictures is run on small pictures.
  @Test func picturesHaveTheSizeThatTheNetworkWasTrainedOn() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let store = try WeightStore(path: TinyNetwork.detector)
    var tensors: [String: Tensor] = [:]
    for name in store.names { tensors[name] = try store.tensor(named: name) }
    for (trained, options, used) in [
      ("96", [], "96x96"), ("96", ["--imgsz", "64"], "64x64"), ("100", [], "640x640"), (nil, [], "640x640"),
    ] {
      var metadata = store.metadata
      metadata["imgsz"] = trained
      try SafetensorsWriter.write(
        tensors, metadata: metadata, to: place.file("trained.safetensors"), overwrite: true)
      let run = try CommandRun(
        ["detect", "capture", "--yolo", "trained.safetensors", "--out", "out", "--force"] + options,
        in: place.path)
      #expect(run.status == 0 && run.error.contains(used), "\(trained ?? "-") \(options): \(run.error)")
    }
  }

  /// The folders, in their order: the first that holds weights wins.
  @Test func foldersAreSearchedInOrder() throws {
    let folders = ["weights", "elsewhere", "data/ardf", "prefix/share/ardf/weights"]
    let place = try Self.place(folders.map { "\($0)/\(Self.own)" })
    try FileManager.default.createDirectory(
      atPath: place.file("prefix/bin"), withIntermediateDirectories: true)
    try FileManager.default.copyItem(atPath: CommandRun.executable, toPath: place.file("prefix/bin/ardf"))
    for folder in folders {
      let run = try CommandRun(
        ["depth", "capture", "--depth-size", "42", "--out", "out", "--force"], in: place.path,
        environment: ["ARDF_WEIGHTS": place.file("elsewhere"), "XDG_DATA_HOME": place.file("data")],
        program: place.file("prefix/bin/ardf"))
      #expect(run.status == 0, "\(run.error)")
      #expect(run.error.contains("\(folder)/\(Self.own)"), "\(run.error)")
      try FileManager.default.removeItem(atPath: place.file("\(folder)/\(Self.own)"))
    }
  }
}
