import Archives
import FileFormats
import Foundation
import Imaging
import TestSupport
import Testing

/// Runs over many frames: resumed, sharded, of many sources.
@Suite struct BatchTests {
  private func run(_ sources: [String], out: String, _ more: [String] = []) throws -> CommandRun {
    try CommandRun(
      ["run"] + sources + ["--out", out] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions + more)
  }

  private func lines(_ path: String) throws -> [JSONValue] {
    try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map {
      try JSONValue.parse(String($0))
    }
  }

  /// The error for an archive that is not a clip, or a damaged one: never a text of the system's.
  @Test func archivesThatAreNoClipsAreTold() throws {
    let place = try TemporaryDirectory()
    let sound = ZipWriter.archive([("scan/frame.json", Array("{}".utf8))])
    let clip = ZipWriter.archive([("index.jsonl", [UInt8(ascii: "x")]), ("messages.bin", [1])])
    for (name, bytes, message) in [
      ("scan.zip", sound, "frame.json: field \"schema\" is missing"),
      ("SCAN.ZIP", sound, "frame.json: field \"schema\" is missing"),
      ("empty.zip", ZipWriter.archive([]), "neither a known capture nor pictures"),
      ("cut.zip", Array(sound.dropLast(9)), "no zip directory at the end of the file"),
      ("clip.zip", clip, "index.jsonl, line 1: JSON has 'x' at byte 0"),
    ] {
      let path = place.file(name)
      try place.write(bytes, to: name)
      let result = try run([path], out: place.file("out"))
      #expect(result.status == 65, "\(name): \(result.error)")
      #expect(result.error.contains(message), "\(name): \(result.error)")
      #expect(!result.error.contains("Error Domain"))
      #expect(try place.entries().contains("out") == false)
    }
    // In a folder they are left out, and the rest is run.
    try SyntheticCapture.write(to: place.file("scans/a"))
    let results = try TemporaryDirectory()
    let rest = try run([place.path], out: results.file("out"))
    #expect(rest.status == 65, "\(rest.error)")
    #expect(rest.error.contains("left out 1 file or folder that is no picture"), "\(rest.error)")
    #expect(rest.error.contains("and no known capture: empty.zip"), "\(rest.error)")
  }

  @Test func resumingDoesOnlyWhatIsMissing() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 4, to: place.file("sequence"))
    let whole = try run([place.file("sequence")], out: place.file("out"))
    #expect(whole.status == 0, "\(whole.error)")
    let expected = try digests(of: place.file("out"))
    #expect(expected["results.jsonl"] != nil)

    // As a killed run leaves it: two frames done, one begun, no list.
    try FileManager.default.removeItem(atPath: place.file("out/00001"))
    try FileManager.default.removeItem(atPath: place.file("out/00003"))
    try FileManager.default.removeItem(atPath: place.file("out/results.jsonl"))
    let leftover = place.file("out/.00003.999999999-1.partial")
    try FileManager.default.createDirectory(atPath: leftover, withIntermediateDirectories: true)

    #expect(try run([place.file("sequence")], out: place.file("out")).status == 73)
    let resumed = try run([place.file("sequence")], out: place.file("out"), ["--resume"])
    #expect(resumed.status == 0, "\(resumed.error)")
    #expect(resumed.error.contains("2 frames in"))
    #expect(resumed.error.contains("2 finished before"))
    #expect(try digests(of: place.file("out")) == expected)
    #expect(!FileManager.default.fileExists(atPath: leftover))
  }

  @Test func aKilledRunGoesOnWhereItWas() throws {
    let place = try TemporaryDirectory()
    let (sequence, out) = (place.file("sequence"), place.file("out"))
    try SyntheticCapture.writeSequence(of: 8, to: sequence)
    #expect(try run([sequence], out: place.file("whole")).status == 0)
    let victim = try RunningCommand(
      ["run", sequence, "--out", out] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions)
    try victim.until("the second frame is there") { FileManager.default.fileExists(atPath: "\(out)/00001") }
    kill(victim.process.processIdentifier, SIGKILL)
    _ = try victim.finished()
    let resumed = try run([sequence], out: out, ["--resume"])
    #expect(resumed.status == 0, "\(resumed.error)")
    #expect(try digests(of: out) == digests(of: place.file("whole")))
  }

  /// The objects of the frames' files, each once: what one frame saw is among the sightings of an object of its class.
  @Test func aSequencesObjectsArePutTogether() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("scans/hall"))
    try SyntheticCapture.writeSequence(of: 1, to: place.file("scans/door"))
    let run = try run([place.file("scans")], out: place.file("out"))
    #expect(run.status == 0, "\(run.error)")
    #expect(!FileManager.default.fileExists(atPath: place.file("out/sequence-objects.json")))
    #expect(!FileManager.default.fileExists(atPath: place.file("out/door/sequence-objects.json")))
    let sequence = try JSONValue.read(path: place.file("out/hall/sequence-objects.json"))
    #expect(sequence["schema"] == "ardf.sequence-objects/1")
    var seen: [String: Int] = [:]
    for (number, name) in ["f1000", "f1001", "f1002"].enumerated() {
      let folder = place.file("out/hall/0000\(number)")
      for object in try JSONValue.read(path: "\(folder)/objects.json")["objects"]?.array ?? [] {
        guard let box = object["box3D"], !box.isNull, let id = object["id"]?.integer else { continue }
        seen["\(name) \(object["className"]?.string ?? "")", default: 0] += 1
        guard box["method"]?.string != "sixpoint" else { continue }
        let points = try NPYArray.read(path: "\(folder)/points/00\(id).npy")
        #expect(points.shape == [box["points"]?.integer ?? -1, 3])
      }
    }
    #expect(!seen.isEmpty)
    var gathered: [String: Int] = [:]
    for object in sequence["objects"]?.array ?? [] {
      let frames = object["frames"]?.array ?? []
      #expect(object["sightings"]?.integer == frames.count)
      for frame in frames {
        gathered["\(frame["frame"]?.string ?? "") \(object["className"]?.string ?? "")", default: 0] += 1
      }
    }
    #expect(gathered == seen)
  }

  @Test func otherOptionsAndOtherInputsAreDoneAgain() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("sequence"))
    #expect(try run([place.file("sequence")], out: place.file("out")).status == 0)
    let again = try run([place.file("sequence")], out: place.file("out"), ["--resume"])
    #expect(again.error.contains("2 finished before"))
    let lower = try run([place.file("sequence")], out: place.file("out"), ["--resume", "--iou", "0.4"])
    #expect(lower.error.contains("2 frames in"))
    try SyntheticCapture.write(
      to: place.file("sequence/f1001"), options: SyntheticCapture.Options(flatDepth: true))
    let moved = try run([place.file("sequence")], out: place.file("out"), ["--resume", "--iou", "0.4"])
    #expect(moved.error.contains("1 frame in"))
    #expect(moved.error.contains("1 finished before"))
  }

  @Test func shardsTogetherAreTheWhole() throws {
    let place = try TemporaryDirectory()
    let sequence = place.file("sequence")
    try SyntheticCapture.writeSequence(of: 5, to: sequence)
    #expect(try run([sequence], out: place.file("whole")).status == 0)
    for shard in ["2/2", "1/2"] {
      let part = try run([sequence], out: place.file("parts"), ["--shard", shard])
      #expect(part.status == 0, "\(part.error)")
    }
    #expect(try run([sequence], out: place.file("parts"), ["--shard", "1/2"]).status == 73)
    let joined =
      try place.read("parts/results-1-of-2.jsonl") + place.read("parts/results-2-of-2.jsonl")
    #expect(joined == (try place.read("whole/results.jsonl")))
    #expect(!FileManager.default.fileExists(atPath: place.file("parts/sequence-objects.json")))
    // A run of the whole then finds everything finished, and lists it.
    let gathered = try run([sequence], out: place.file("parts"), ["--resume"])
    #expect(gathered.error.contains("5 finished before"))
    var parts = try digests(of: place.file("parts"))
    parts["results-1-of-2.jsonl"] = nil
    parts["results-2-of-2.jsonl"] = nil
    #expect(parts == (try digests(of: place.file("whole"))))
  }

  @Test func manySourcesGetAFolderEach() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scans/hall"))
    try SyntheticCapture.writeSequence(of: 1, to: place.file("scans/door"))
    try place.write("not a capture", to: "scans/README.md")
    let folder = try run([place.file("scans")], out: place.file("folder"))
    #expect(folder.status == 0, "\(folder.error)")
    let folders = try lines(place.file("folder/results.jsonl")).compactMap { $0["folder"]?.string }
    #expect(folders == ["door", "hall/00000", "hall/00001"])
    let pattern = try run([place.file("scans/[dh]*")], out: place.file("pattern"))
    #expect(pattern.status == 0, "\(pattern.error)")
    #expect(
      try place.read("pattern/hall/00001/objects.json") == place.read("folder/hall/00001/objects.json"))
    #expect(try run([place.file("nothing*")], out: place.file("none")).status == 66)
    let chosen = try run([place.file("scans")], out: place.file("none"), ["--frame", "0"])
    #expect(chosen.status == 64)
  }

  /// Single frames, sequences, pictures and clips of other layouts in one folder are read as `folder/*` is.
  @Test func mixedFoldersAreReadAsTheirContents() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("scans/door"))
    try SyntheticCapture.writeSequence(of: 2, to: place.file("scans/hall"))
    try SyntheticCapture.write(
      ImageCodec.encodePNG(SyntheticCapture.picture()), to: place.file("scans/photo.png"))
    try FileManager.default.createDirectory(
      atPath: place.file("scans/notes"), withIntermediateDirectories: true)
    let folder = try run([place.file("scans")], out: place.file("folder"))
    #expect(folder.status == 0, "\(folder.error)")
    #expect(folder.error.contains("scans: left out 1 file or folder that is no picture"), "\(folder.error)")
    #expect(folder.error.contains("and no known capture: notes"), "\(folder.error)")
    let expected = ["door", "hall/00000", "hall/00001", "photo"]
    #expect(try lines(place.file("folder/results.jsonl")).compactMap { $0["folder"]?.string } == expected)
    let pattern = try run([place.file("scans/[dhp]*")], out: place.file("pattern"))
    #expect(pattern.status == 0, "\(pattern.error)")
    #expect(try place.read("pattern/results.jsonl") == place.read("folder/results.jsonl"))
    // What takes one source says which there are.
    let one = try CommandRun(["capture", "check", place.file("scans")])
    #expect(one.status == 65)
    #expect(one.error.contains("holds several captures (door, hall)"))
  }

  @Test func aBadFrameIsRecordedAndTheOthersAreDone() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 4, to: place.file("sequence"))
    try place.write("no picture", to: "sequence/f1001/image.png")
    var pictureless = try #require(try JSONValue.read(path: place.file("sequence/f1003/frame.json")).object)
    pictureless["image"] = nil
    try place.write(JSONValue.object(pictureless).serialized(), to: "sequence/f1003/frame.json")
    let run = try run([place.file("sequence")], out: place.file("out"))
    #expect(run.status == 65)
    #expect(run.error.contains("2 of 4 frames could not be read"))
    #expect(run.error.contains("the frame has no picture"))
    let results = try lines(place.file("out/results.jsonl"))
    #expect(results.map { $0["error"]?.string != nil } == [false, true, false, true])
    #expect(!FileManager.default.fileExists(atPath: place.file("out/00001")))
  }

  @Test func linesComeOnStandardOutput() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 3, to: place.file("sequence"))
    let run = try run([place.file("sequence")], out: "-")
    #expect(run.status == 0, "\(run.error)")
    let names = try run.output.split(separator: "\n").map { try JSONValue.parse(String($0))["name"]?.string }
    #expect(names == ["f1000", "f1001", "f1002"])
  }

  @Test func sameBytesForAnyNumberOfWorkers() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.writeSequence(of: 5, to: place.file("sequence"))
    var results: [[String: String]] = []
    for threads in ["1", "2", "8"] {
      let out = place.file("out\(threads)")
      #expect(try run([place.file("sequence")], out: out, ["--threads", threads]).status == 0)
      results.append(try digests(of: out))
    }
    #expect(results[1] == results[0])
    #expect(results[2] == results[0])
  }

  @Test(arguments: [
    (["--shard", "0/2"], "i/n"), (["--shard", "3/2"], "i/n"), (["--resume", "--force"], "one of the two"),
    (["--shard", "1/2", "--force"], "other shards"),
  ])
  func refusesWhatMakesNoSense(options: [String], hint: String) throws {
    let place = try TemporaryDirectory()
    let run = try run([place.path], out: place.file("out"), options)
    #expect(run.status == 64)
    #expect(run.error.contains(hint), "\(run.error)")
  }

  @Test func plainPictureWithDepthAndCameraIsMeasured() throws {
    let place = try TemporaryDirectory()
    let capture = place.file("capture")
    try SyntheticCapture.write(to: capture)
    let camera = ["--depth-map", "\(capture)/depth.npy", "--intrinsics", "100,100,63.5,47.5"]
    let plain = try run(["\(capture)/image.png"], out: place.file("plain"), camera + ["--json"])
    #expect(plain.status == 0, "\(plain.error)")
    let distances = { (run: CommandRun) in
      try run.summary()["objects"]?.array?.map { $0["distanceMeters"]?.number } ?? []
    }
    let native = try run([capture], out: place.file("native"), ["--json"])
    #expect(try distances(plain) == distances(native))
    #expect(try distances(plain).contains { $0 != nil })
    #expect(try run([capture], out: place.file("x"), ["--intrinsics", "100,100,63.5,47.5"]).status == 64)
    #expect(try run([capture], out: place.file("x"), ["--depth-map", "d.png"]).status == 64)
  }
}
