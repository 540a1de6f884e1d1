import FileFormats
import Foundation
import Imaging
import NNRuntime
import TestSupport
import Testing

/// Commands with depth networks that give meters.
@Suite struct DepthHeadCommandTests {
  private static let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"

  /// Writes the network of reduced sizes with another head.
  private func weights(_ place: TemporaryDirectory, metric: Bool) throws -> String {
    var tensors: [String: Tensor] = [:]
    var metadata: [String: String] = [:]
    for name in ["depth-tiny", "depth-tiny-prompted"] where name == "depth-tiny" || !metric {
      let store = try WeightStore(path: "\(Self.goldens)/\(name).safetensors")
      for tensor in store.names { tensors[tensor] = try store.tensor(named: tensor) }
      if metadata.isEmpty { metadata = store.metadata }
    }
    if metric { metadata["max_depth"] = "20" }
    let path = place.file(metric ? "metric.safetensors" : "prompted.safetensors")
    try SafetensorsWriter.write(tensors, metadata: metadata, to: path, overwrite: true)
    return path
  }

  private func floats(_ path: String) throws -> [Float] { try NPYArray.read(path: path).floats() }

  private func run(_ place: TemporaryDirectory, _ source: String, _ weights: String, _ more: [String]) throws
    -> CommandRun
  {
    try CommandRun(
      ["run", source, "--json", "--depth", weights, "--depth-size", "42"] + TinyNetwork.detectorOptions + more
    )
  }

  @Test func depthWritesMeters() throws {
    let place = try TemporaryDirectory()
    let picture = place.file("photo.png")
    try SyntheticCapture.write(ImageCodec.encodePNG(SyntheticCapture.picture()), to: picture)
    let network = try weights(place, metric: true)
    let run = try CommandRun(
      ["depth", picture, "--depth", network, "--depth-size", "42", "--out", place.file("out")])
    #expect(run.status == 0, "\(run.error)")
    let (meters, relative) = (
      try floats(place.file("out/metric.npy")), try floats(place.file("out/relative.npy"))
    )
    #expect(meters.count == 128 * 96 && meters.allSatisfy { $0 > 0 && $0 < 20 })
    #expect(zip(meters, relative).allSatisfy { abs($0 * $1 - 1) < 1e-4 })
    #expect(FileManager.default.fileExists(atPath: place.file("out/metric.png")))
    let piped = try CommandRun(
      ["depth", picture, "--depth", TinyNetwork.depth, "--depth-size", "42", "--out", place.file("plain")])
    #expect(piped.status == 0, "\(piped.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("plain/metric.npy")))
  }

  @Test func aPhotographAloneHasDistancesAndWithACameraSizes() throws {
    let place = try TemporaryDirectory()
    let picture = place.file("photo.png")
    try SyntheticCapture.write(ImageCodec.encodePNG(SyntheticCapture.picture()), to: picture)
    let network = try weights(place, metric: true)
    let alone = try run(place, picture, network, ["--out", place.file("alone")])
    #expect(alone.status == 0, "\(alone.error)")
    let objects = try #require(try alone.summary()["objects"]?.array)
    #expect(!objects.isEmpty)
    for object in objects {
      #expect(object["distanceSource"]?.string == "network")
      #expect((object["distanceMeters"]?.number).map { $0 > 0 && $0 < 20 } == true)
    }
    let meters = try floats(place.file("alone/metric.npy"))
    let notes = try alone.summary()["notes"]?.array?.compactMap(\.string) ?? []
    #expect(
      notes.contains { $0.contains("from the picture alone") } && notes.contains { $0.contains("--fov") })
    #expect(!FileManager.default.fileExists(atPath: place.file("alone/fusion.json")))
    #expect(try floats(place.file("alone/metric.npy")) == meters)
    let file = try JSONValue.read(path: place.file("alone/objects.json"))
    #expect(file["objects"]?.array?.allSatisfy { $0["worldWidth"] == .null } == true)

    let measured = try run(place, picture, network, ["--fov", "60", "--out", place.file("measured")])
    #expect(measured.status == 0, "\(measured.error)")
    let sizes = try JSONValue.read(path: place.file("measured/objects.json"))["objects"]?.array ?? []
    #expect(sizes.count == objects.count)
    // 128 pixels span 60 degrees: f = 64 / tan 30 degrees.
    let focal = 64 / (Double.pi / 6 - 0).tangent
    let detections =
      try JSONValue.read(path: place.file("measured/detections.json"))["detections"]?.array ?? []
    for (object, detection) in zip(sizes, detections) {
      let width = try #require(detection["box"]?["width"]?.number)
      let distance = try #require(object["distanceMeters"]?.number)
      #expect(abs(try #require(object["worldWidth"]?.number) - width * distance / focal) < 1e-3)
    }
    let stated = try run(
      place, picture, network, ["--intrinsics", "100,100,63.5,47.5", "--out", place.file("stated")])
    #expect(stated.status == 0, "\(stated.error)")
    #expect(
      try JSONValue.read(path: place.file("stated/objects.json"))["objects"]?.array?.count == sizes.count)

    for options in [["--fov", "0"], ["--fov", "60", "--intrinsics", "100,100,63.5,47.5"]] {
      #expect(try run(place, picture, network, options + ["--out", place.file("no")]).status == 64)
    }
    try SyntheticCapture.write(to: place.file("capture"))
    #expect(
      try run(place, place.file("capture"), network, ["--fov", "60", "--out", place.file("no")]).status == 64)
  }

  @Test func stagesPlaceAPhotographAsRunDoes() throws {
    let place = try TemporaryDirectory()
    let picture = place.file("photo.png")
    try SyntheticCapture.write(ImageCodec.encodePNG(SyntheticCapture.picture()), to: picture)
    let network = try weights(place, metric: true)
    let whole = try run(place, picture, network, ["--fov", "60", "--out", place.file("whole")])
    #expect(whole.status == 0, "\(whole.error)")
    let depth = try CommandRun(
      ["depth", picture, "--depth", network, "--depth-size", "42", "--out", place.file("depth")])
    #expect(depth.status == 0, "\(depth.error)")
    let placed = try CommandRun([
      "place", "--detections", place.file("whole/detections.json"), "--capture", picture, "--fov", "60",
      "--fusion", place.file("depth"), "--out", place.file("placed"),
    ])
    #expect(placed.status == 0, "\(placed.error)")
    #expect(try place.read("placed/objects.json") == place.read("whole/objects.json"))
    let objects = try JSONValue.read(path: place.file("placed/objects.json"))["objects"]?.array ?? []
    #expect(!objects.isEmpty && objects.allSatisfy { $0["distanceSource"]?.string == "network" })
  }

  @Test func aPromptedNetworkFollowsTheSensor() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("capture"))
    let network = try weights(place, metric: false)
    let prompted = try run(place, place.file("capture"), network, ["--out", place.file("out")])
    #expect(prompted.status == 0, "\(prompted.error)")
    let meters = try floats(place.file("out/metric.npy"))
    // The capture's depth is from 1.2 to 3 m.
    #expect(meters.count == 128 * 96 && meters.allSatisfy { $0 >= 1.19 && $0 <= 3 })
    let depth = try CommandRun([
      "depth", place.file("capture"), "--depth", network, "--depth-size", "42", "--out", place.file("depth"),
    ])
    #expect(depth.status == 0, "\(depth.error)")
    #expect(try floats(place.file("depth/metric.npy")) == meters)
  }

  /// Where readings do not count, distances come from the networks alone, in the live loop as in `run`.
  @Test(arguments: [true, false]) func replayMeasuresWithNetworksOfMetersAsRunDoes(metric: Bool) throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("sequence"))
    let unsure = NPYArray(shape: [48, 64], .uint8([UInt8](repeating: 0, count: 48 * 64))).encoded()
    for name in ["f1000", "f1001"] { try place.write(unsure, to: "sequence/\(name)/confidence.npy") }
    let network = try weights(place, metric: metric)
    // The live loop measures the five surest objects.
    let whole = try run(
      place, place.file("sequence"), network, ["--max-det", "5", "--out", place.file("whole")])
    #expect(whole.status == 0, "\(whole.error)")
    let replay = try CommandRun(
      [
        "replay", place.file("sequence"), "--at", "0", "--at", "1", "--max-speed", "--frames", "none",
        "--depth", network, "--depth-size", "42", "--out", place.file("live"),
      ] + TinyNetwork.detectorOptions)
    #expect(replay.status == 0, "\(replay.error)")
    let objects = try JSONValue.read(path: place.file("whole/sequence-objects.json"))
    let live = try JSONValue.read(path: place.file("live/sequence-objects.json"))
    #expect(live["objects"]?.array?.isEmpty == false, "there is something to compare")
    for object in live["objects"]?.array ?? [] {
      #expect(object["tracks"]?.array?.isEmpty == false, "the live loop follows what it finds")
    }
    // `run` reads each frame's objects back from its files, whose meters and radians have six decimals.
    let difference = Self.difference(live, objects)
    #expect(difference <= 1e-5)
    let bare = try CommandRun(
      [
        "replay", place.file("sequence"), "--at", "0", "--at", "1", "--max-speed", "--frames", "none",
        "--out", place.file("bare"),
      ] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions)
    #expect(bare.status == 0, "\(bare.error)")
    let relative = try JSONValue.read(path: place.file("bare/sequence-objects.json"))
    #expect(Self.difference(relative, objects) > 1e-2, "the network's meters count")
  }

  /// The largest difference between the numbers of two documents, over those above 1 (volumes are products of meters), that say
  /// the same but for the identities that the live loop gives; infinite where they do not.
  private static func difference(_ first: JSONValue, _ second: JSONValue) -> Double {
    if let one = first.number, let other = second.number { return abs(one - other) / max(1, abs(one)) }
    if let one = first.array, let other = second.array {
      guard one.count == other.count else { return .infinity }
      return zip(one, other).reduce(0) { max($0, difference($1.0, $1.1)) }
    }
    if let one = first.object, let other = second.object {
      let names = Self.unfollowed(one.keys)
      guard names == Self.unfollowed(other.keys) else { return .infinity }
      return names.reduce(0) { max($0, difference(one[$1] ?? .null, other[$1] ?? .null)) }
    }
    return first == second ? 0 : .infinity
  }

  private static func unfollowed(_ names: some Sequence<String>) -> Set<String> {
    Set(names).subtracting(["track", "tracks"])
  }

  @Test func aPromptedNetworkSaysWhatItLacks() throws {
    let place = try TemporaryDirectory()
    let picture = place.file("photo.png")
    try SyntheticCapture.write(ImageCodec.encodePNG(SyntheticCapture.picture()), to: picture)
    let network = try weights(place, metric: false)
    let run = try run(place, picture, network, ["--out", place.file("out")])
    #expect(run.status == 0, "\(run.error)")
    let notes = try run.summary()["notes"]?.array?.compactMap(\.string) ?? []
    #expect(notes.contains { $0.contains("prompted depth network") }, "\(notes)")
    let depth = try CommandRun(["depth", picture, "--depth", network, "--out", place.file("depth")])
    #expect(depth.status == 65 && depth.error.contains("no sensor depth"), "\(depth.error)")
  }
}

extension Double {
  /// The tangent of an angle in radians.
  fileprivate var tangent: Double { Foundation.tan(self) }
}
