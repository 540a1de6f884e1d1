import FileFormats
import Foundation
import TestSupport
import Testing

/// Weights by a network's name, in every command that reads any.
@Suite struct NamedWeightTests {
  /// A folder whose weights are a tiny detector and a tiny depth network under published names.
  private func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    for (name, network) in [
      ("yolo11n-seg", TinyNetwork.detector), ("depth_anything_v2_metric_hypersim_vits", TinyNetwork.depth),
    ] {
      try FileManager.default.createDirectory(
        atPath: place.file("weights"), withIntermediateDirectories: true)
      try FileManager.default.copyItem(atPath: network, toPath: place.file("weights/\(name).safetensors"))
    }
    try SyntheticCapture.write(to: place.file("capture"))
    return place
  }

  private func run(_ line: String, in place: TemporaryDirectory) throws -> CommandRun {
    try CommandRun(
      line.split(separator: " ").map(String.init), in: place.path, environment: ["HOME": place.path])
  }

  @Test(arguments: ["yolo11n-seg", "yolo11n_seg", "yolo11n-seg.pt"])
  func everyCommandTakesNames(_ name: String) throws {
    let place = try place()
    for line in [
      "bench \(name) --size 64x64 --runs 1 --warm-up 0", "profile \(name) --size 64x64 --iterations 3",
      "inspect \(name)", "inspect weights \(name)", "inspect plan \(name) --size 64x64",
      "inspect graph \(name) --size 64x64", "tune \(name) --size 64x64 --runs 1 --out tuned.json --force",
      "trace --weights \(name) --input capture --size 64x64 --out t.safetensors --force",
      "verify --weights \(name) --against openblas --size 64x64",
      "detect capture --yolo \(name) --imgsz 64 --out found --force",
    ] {
      let run = try run(line, in: place)
      #expect(run.status == 0, "\(line): \(run.error)")
    }
  }

  /// The weight file that was made from a checkpoint lies in the cache; users know the checkpoint alone.
  @Test func everyCommandNamesTheCheckpoint() throws {
    let place = try place()
    try TinyNetwork.writeConverted(TinyNetwork.detector, in: place)
    for (line, text) in [
      ("detect capture --yolo mine.pt --imgsz 64 --out found", "detector yolo11-seg from mine.pt"),
      ("run capture --yolo mine.pt --imgsz 64 --out results", "detector yolo11-seg from mine.pt"),
      ("replay capture --yolo mine.pt --imgsz 64 --max-speed --at 0 --out -", "yolo11-seg from mine.pt"),
      (
        "verify --weights mine.pt --against openblas --precision auto --size 64x64",
        "mine.pt: --precision auto"
      ),
      ("evaluate capture --weights mine.pt --align none", "mine.pt: holds a detector; --align"),
      ("depth capture --depth mine.pt --out depth", "mine.pt: holds a detector, which estimates no depth"),
      ("verify --weights mine.pt --model yolo11n-pose --against openblas", "mine.pt: holds yolo11-seg, not"),
      ("bench mine.pt --size 64x64 --runs 1 --warm-up 0", ""), ("inspect weights mine.pt", ""),
    ] {
      try expect(text, of: line, in: place)
    }
    try TinyNetwork.writeConverted(TinyNetwork.depth, in: place)
    try expect(
      "depth-anything-v2 from mine.pt", of: "depth capture --depth mine.pt --depth-size 42 --out d",
      in: place)
    try expect(
      "mine.pt: holds a depth network", of: "detect capture --yolo mine.pt --out found --force", in: place)
  }

  @Test func everyCommandNamesTheCheckpointOfDamagedWeights() throws {
    let place = try place()
    for index in 0..<6 {
      try place.write(SyntheticCapture.encoded(phase: index * 7), to: "pictures/\(index).png")
    }
    try TinyNetwork.writeConverted(TinyNetwork.detector, in: place, isDamaged: true)
    for line in [
      "detect capture --yolo mine.pt --out out", "run capture --yolo mine.pt --out out",
      "replay capture --yolo mine.pt --max-speed --at 0 --out -", "bench mine.pt", "bench mine.pt --kernels",
      "bench mine.pt --flow capture", "profile mine.pt", "tune mine.pt --out tuned.json",
      "inspect plan mine.pt",
      "inspect graph mine.pt", "trace --weights mine.pt --input capture --out t.safetensors",
      "verify --weights mine.pt --against openblas", "evaluate capture --weights mine.pt",
      "quantize mine.pt --calibrate pictures --out small.safetensors",
      "serve --models mine.pt --listen 127.0.0.1:0", "serve capture --yolo mine.pt --port 0",
    ] {
      try expect("ardf: mine.pt: 1 tensor is not part of the network", of: line, in: place)
    }
    try TinyNetwork.writeConverted(TinyNetwork.depth, in: place, isDamaged: true)
    for line in [
      "depth capture --depth mine.pt --out out", "run capture --yolo yolo11n-seg --depth mine.pt --out out",
    ] {
      try expect("ardf: mine.pt: 1 tensor is not part of the network", of: line, in: place)
    }
  }

  /// Runs a command that says `text`, and does not name the file in the cache.
  private func expect(_ text: String, of line: String, in place: TemporaryDirectory) throws {
    let run = try run(line, in: place)
    #expect(text.isEmpty || run.error.contains(text), "\(line): \(run.error)")
    #expect(!(run.output + run.error).contains(".cache"), "\(line): \(run.output)\(run.error)")
  }

  /// A path into a folder is that file and no other, whatever the file is called.
  @Test(arguments: ["detect capture --yolo", "depth capture --depth"])
  func aPathThatIsNotThereIsNoName(_ line: String) throws {
    let place = try place()
    for name in ["nowhere/yolo11n-seg.pt", "./yolo11n-seg.pt", "nowhere/metric-indoor.pth"] {
      let run = try run("\(line) \(name) --out out", in: place)
      #expect(run.status == 66 && run.error.contains("\(name): "), "\(run.error)")
      #expect(!run.error.contains("weights/"), "\(run.error)")
    }
  }

  @Test func depthNetworksHaveNamesToo() throws {
    let place = try place()
    for name in ["metric-indoor", "depth_anything_v2_metric_hypersim_vits"] {
      let run = try run("depth capture --depth \(name) --depth-size 42 --out d --force", in: place)
      #expect(run.status == 0 && run.error.contains("hypersim"), "\(run.error)")
    }
    let gone = try run("depth capture --depth metric-outdoor --out d2", in: place)
    #expect(gone.status == 66 && gone.error.contains("ardf weights get depth_anything_v2_metric_vkitti_vits"))
    let unknown = try run("depth capture --depth midas --out d3", in: place)
    #expect(unknown.status == 66 && unknown.error.contains("depth_anything_v2_vits"), "\(unknown.error)")
  }

  /// Names as Hugging Face has them; ardf's own weights answer to the network's name, not to the checkpoint's.
  @Test func depthNetworksHaveTheirPublishedNames() throws {
    let place = try place()
    for name in [
      "Depth-Anything-V2-Metric-Indoor-Small-hf", "depth-anything/Depth-Anything-V2-Metric-Hypersim-Small",
    ] {
      let run = try run("depth capture --depth \(name) --depth-size 42 --out d --force", in: place)
      #expect(run.status == 0 && run.error.contains("hypersim"), "\(run.error)")
    }
    let small = "depth capture --depth-size 42 --out s --force --depth"
    let gone = try run("\(small) depth-anything-v2-small", in: place)
    #expect(gone.status == 66 && gone.error.contains("ardf weights get depth_anything_v2_vits"))
    try FileManager.default.copyItem(
      atPath: TinyNetwork.depth, toPath: place.file("weights/\(WeightOrderTests.own)"))
    for line in [
      "\(small) depth-anything-v2-small", "\(small) depth-anything/Depth-Anything-V2-Small-hf",
      "bench depth-anything-v2-small --size 42x42 --runs 1 --warm-up 0",
      "verify --weights depth-anything-v2-small --against openblas --size 42x42",
    ] {
      let run = try run(line, in: place)
      #expect(run.status == 0, "\(line): \(run.error)")
      #expect(run.error.contains("weights/\(WeightOrderTests.own) is ardf's own"), "\(line): \(run.error)")
    }
    for name in ["depth_anything_v2_vits", "depth-anything-v2-vits"] {
      let run = try run("\(small) \(name)", in: place)
      #expect(run.status == 66, "\(run.error)")
      #expect(run.error.contains("or give ardf's own weights of this network, weights/"), "\(run.error)")
    }
    let file = try run("\(small) depth_anything_v2_vits.pth", in: place)
    #expect(file.status == 66 && file.error.contains("or give their file"), "\(file.error)")
    try FileManager.default.copyItem(
      atPath: TinyNetwork.depth, toPath: place.file("weights/\(WeightOrderTests.published)"))
    let published = try run("\(small) depth-anything-v2-small", in: place)
    #expect(published.status == 0 && published.error.contains("from weights/\(WeightOrderTests.published)"))
  }

  /// Files that are no published network's, and checkpoints, are found where others are.
  @Test func filesOfAnyNameAreFound() throws {
    let place = try place()
    for (name, network) in [("mine", TinyNetwork.detector), ("deep", TinyNetwork.depth)] {
      try FileManager.default.copyItem(atPath: network, toPath: place.file("weights/\(name).safetensors"))
    }
    try place.write("checkpoint", to: "weights/yolo11x-seg.pt")
    for line in [
      "inspect weights mine", "inspect weights deep.safetensors",
      "detect capture --yolo mine --imgsz 64 --out -",
      "depth capture --depth deep --depth-size 42 --out d",
    ] {
      let run = try run(line, in: place)
      #expect(run.status == 0, "\(line): \(run.error)")
    }
    // What is converted is the checkpoint, which this one is not.
    let converted = try run("convert yolo11x-seg converted.safetensors", in: place)
    #expect(
      converted.status == 65 && converted.error.contains("weights/yolo11x-seg.pt"), "\(converted.error)")
    let list = try run("weights list", in: place)
    #expect(list.output.contains("yolo11x-seg: weights/yolo11x-seg.pt"), "\(list.output)")
    #expect(list.output.contains("metric-outdoor is depth_anything_v2_metric_vkitti_vits"), "\(list.output)")
  }

  @Test func whatIsNotThereIsNamedWithTheCommandThatFetchesIt() throws {
    let place = try place()
    for line in ["bench yolo11x", "profile yolo26s.pt", "verify --weights yolov8n --against openblas"] {
      let run = try run(line, in: place)
      #expect(run.status == 66 && run.error.contains("ardf weights get yolo"), "\(run.error)")
    }
  }

  @Test func reportsAreWhatTheirNamesSay() throws {
    let place = try place()
    let bench = "bench yolo11n-seg --size 64x64 --runs 1 --warm-up 0"
    for (name, first) in [
      ("out.json", "{"), ("out.csv", "network,"), ("out.jsonl", "{"), ("out.md", "ardf "),
    ] {
      let run = try run("\(bench) -o \(name)", in: place)
      #expect(run.status == 0, "\(run.error)")
      #expect(try String(contentsOfFile: place.file(name), encoding: .utf8).hasPrefix(first), "\(name)")
    }
    let profile = "profile yolo11n-seg --size 64x64 --iterations 3"
    for (name, text) in [("p.html", "<html"), ("p.json", "ardf.profile/1"), ("p.txt", "GFLOP/s")] {
      let run = try run("\(profile) -o \(name)", in: place)
      #expect(run.status == 0, "\(run.error)")
      #expect(try String(contentsOfFile: place.file(name), encoding: .utf8).contains(text), "\(name)")
    }
    #expect(try run("\(profile) --report trace -o trace.json", in: place).status == 0)
    for (line, word) in [
      ("\(bench) -o out.xyz", ".json"), ("\(bench) --report csv -o other.json", "leave one of the two out"),
      ("\(profile) --report html -o p.csv", "leave one of the two out"), ("\(bench) -o report", ".md"),
    ] {
      let run = try run(line, in: place)
      #expect(run.status == 64 && run.error.contains(word), "\(line): \(run.error)")
    }
    #expect(try run("\(bench) --report json -o any.name", in: place).status == 0)
  }

  @Test func effectsTakeClassesInRunAsInReplay() throws {
    let place = try place()
    let options = TinyNetwork.detectorOptions.joined(separator: " ")
    let found = try run("detect capture --out - \(options)", in: place)
    let name = try #require(found.lines().first?["detections"]?[0]?["className"]?.string)
    let run = try CommandRun(
      ["run", "capture", "--effect", "\(name)=debugCube", "--json", "--out", "results"]
        + TinyNetwork.detectorOptions, in: place.path, environment: ["HOME": place.path])
    #expect(run.status == 0, "\(run.error)")
    let summary = try run.summary()
    #expect(summary["effects"]?.array?.count == 1, "\(summary["notes"] ?? .null)")
    let other = try self.run("run capture --effect zebra=debugCube --json --out other \(options)", in: place)
    #expect(other.status == 0 && other.error.contains("zebra=debugCube: no such object"), "\(other.error)")
    #expect(other.error.contains(name), "\(other.error)")
    for wrong in ["=smoke", "bed", "bed=nothing", "-1=smoke"] {
      #expect(try self.run("run capture --effect=\(wrong) --out w \(options)", in: place).status == 64)
    }
  }
}
