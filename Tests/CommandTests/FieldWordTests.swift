import FileFormats
import Foundation
import TestSupport
import Testing
import ardf

/// The words that users of other detectors type first.
@Suite struct FieldWordTests {
  private func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "bus.png")
    return place
  }

  private func translated(_ line: String) throws -> String {
    try FieldWords.translated(
      line.split(separator: " ").map(String.init), subcommands: line.hasPrefix("inspect") ? ["weights"] : []
    ).joined(separator: " ")
  }

  @Test func wordsThatMeanOursAreTaken() throws {
    let pairs = [
      (
        "detect --model best.pt --source bus.jpg --conf-thres 0.3", "detect bus.jpg --yolo=best.pt --conf=0.3"
      ),
      ("run bus.jpg --weights=best.pt --device cpu --save --verbose", "run bus.jpg --yolo=best.pt"),
      (
        "detect model=best.pt source=bus.jpg conf=0.25 save=True", "detect bus.jpg --yolo=best.pt --conf=0.25"
      ),
      ("detect bus.jpg --max_det 5 --retina_masks -t4", "detect bus.jpg --max-det 5 --masks retina -t 4"),
      (
        "depth --img-path bus.jpg --model metric-indoor --outdir d",
        "depth bus.jpg --depth=metric-indoor --out=d"
      ),
      (
        "bench --model yolo11n.pt -n20 --imgsz 320 --json",
        "bench yolo11n.pt -n 20 --size=320x320 --report json"
      ),
      ("bench yolo11n.pt --imgsz 480,640 -t1,2", "bench yolo11n.pt --size=480x640 -t 1,2"),
      ("quantize --calibrate a b --weights n.pt", "quantize n.pt --calibrate a b"),
      ("inspect weights --model n.pt", "inspect weights n.pt"),
      ("evaluate --source labeled --model n.pt --half=False", "evaluate labeled --weights=n.pt"),
      (
        "verify --weights n.pt --label" + "led f --int8", "verify --weights n.pt --labeled=f --precision int8"
      ),
      ("profile n.pt --warmup 3 --runs 9 --batch 1", "profile n.pt --warm-up=3 --iterations=9"),
      ("bench -m n.pt -d CPU -niter 10 -nthreads 2 -nireq 4", "bench n.pt --runs=10 --threads=2 --streams=4"),
      ("serve --models n.pt --lanes 2", "serve --models n.pt --workers=2"),
      ("soak --workers 2", "soak --threads=2"),
      ("detect predict model=best.pt source=bus.jpg", "detect bus.jpg --yolo=best.pt"),
      ("run bus.jpg --conf -1", "run bus.jpg --conf=-1"),
      ("detect f.mp4 --tracker bytetrack.yaml --persist", "detect f.mp4 --track=bytetrack.yaml"),
      ("detect f.mp4 tracker=botsort.yaml persist=True", "detect f.mp4 --track=botsort.yaml"),
      ("detect bus.jpg --slice 640 --overlap 20%", "detect bus.jpg --tile=640 --overlap 20e-2"),
      ("run bus.jpg --conf=25% --iou 12.5%", "run bus.jpg --conf=25e-2 --iou 12.5e-2"),
    ]
    for (typed, ours) in pairs { #expect(try translated(typed) == ours) }
    // Ours stay as they are, and so does any other word.
    for line in [
      "verify --weights n.pt --model yolo11n", "infer m.onnx --input images=x.npy",
      "run s --effect model=snow",
      "run a -- --half", "trace --input bus.jpg --out t", "run s --tap 3,4=smoke",
      "run s --max-errors 1%", "run s -- --conf 25%",
    ] {
      #expect(try translated(line) == line)
    }
  }

  @Test func theVersionIsAskedForInSeveralWays() throws {
    let version = try CommandRun(["--version"]).output
    #expect(!version.isEmpty)
    for word in ["version", "-v", "-V"] {
      let run = try CommandRun([word])
      #expect(run.status == 0 && run.output == version, "\(word): \(run.error)")
    }
    #expect(FieldWords.asked(["detect", "-v"]) == ["detect", "-v"])
  }

  /// A percentage is the share to the last bit, and out of range where its share is.
  @Test func sharesAreTakenInPercent() throws {
    let place = try place()
    let options = ["detect", "bus.png", "--yolo", TinyNetwork.detector, "--imgsz", "64", "--out", "-"]
    let runs = try ["5%", "0.05"].map { try CommandRun(options + ["--conf", $0], in: place.path) }
    #expect(runs[0].status == 0 && runs[0].output == runs[1].output, "\(runs[0].error)")
    let over = try CommandRun(options + ["--conf", "150%"], in: place.path)
    #expect(
      over.status == 64 && over.error.contains("--conf 1.5: give a number from 0 to 1"), "\(over.error)")
  }

  @Test func otherWordsAreAnsweredWithOurs() throws {
    let place = try place()
    let asked = [
      (["--half"], "--precision"), (["--device", "0"], "--threads"), (["--batch", "8"], "leave it out"),
      (["--project", "runs"], "--out"), (["--name", "exp"], "--out"), (["--show"], "ardf serve"),
      (["--save-txt"], "--format"), (["--exist-ok"], "--force"), (["--nosave"], "--out -"),
      (["--agnostic-nms"], "classes"), (["half=True"], "--precision"),
    ]
    for (words, answer) in asked {
      let run = try CommandRun(["detect", "bus.png", "--out", "out"] + words, in: place.path)
      #expect(run.status == 64 && run.error.contains(answer), "\(words): \(run.error)")
      #expect(!run.error.contains("Did you mean") && !run.error.contains("USAGE"), "\(run.error)")
    }
    let bench = try CommandRun(["bench", "n.pt", "--batch", "8"], in: place.path)
    #expect(bench.status == 64 && bench.error.contains("--streams"))
  }

  /// The parser takes any word for near: `--half` and `--yolo` differ in all but one letter.
  @Test func suggestionsAreNearOrNone() throws {
    let place = try place()
    for word in ["--gold", "--helf", "--zoom", "--fuzz"] {
      let run = try CommandRun(["detect", "bus.png", "--out", "out", word], in: place.path)
      #expect(run.status == 64 && !run.error.contains("Did you mean"), "\(run.error)")
      #expect(run.error.contains("'\(word)'"), "\(run.error)")
    }
    let near = try CommandRun(["detect", "bus.png", "--out", "out", "--clases", "person"], in: place.path)
    #expect(near.status == 64 && near.error.contains("Did you mean '--classes'?"), "\(near.error)")
  }

  @Test func commandsOfOthersAreAnswered() throws {
    let place = try place()
    for (name, ours) in [
      ("predict", "ardf detect"), ("val", "ardf evaluate"), ("export", "ardf convert"), ("train", "nothing"),
    ] {
      let run = try CommandRun([name, "bus.png"], in: place.path)
      #expect(run.status == 64 && run.error.contains(ours), "\(run.error)")
    }
    for name in ["bus.png", "./gone.jpg"] {
      let run = try CommandRun([name], in: place.path)
      #expect(run.status == 64 && run.error.contains("ardf run \(name)"), "\(run.error)")
    }
  }

  /// A word in the table would hide an option of the same name, and one that leads to no option would be refused.
  @Test func theTableAgreesWithEveryCommandsOptions() throws {
    let dump = try CommandRun(["--experimental-dump-help"]).json()
    let commands = try #require(dump["command"]?["subcommands"]?.array)
    func options(_ command: JSONValue) -> [String] {
      let own = (command["arguments"]?.array ?? []).flatMap { argument in
        (argument["names"]?.array ?? []).compactMap { name in
          name["kind"]?.string == "long" ? name["name"]?.string : nil
        }
      }
      return own
        + (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
        .flatMap(options)
    }
    var seen = 0
    for command in commands {
      guard let verb = command["commandName"]?.string, verb != "help" else { continue }
      let own = options(command)
      for word in FieldWord.all {
        guard let meaning = word.meaning(to: verb) else { continue }
        seen += 1
        for name in word.names {
          // Ours, of which the value is checked.
          if case .side("--\(name)") = meaning { continue }
          #expect(!own.contains(name), "\(verb) has --\(name)")
        }
        let ours: String? =
          switch meaning {
          case .option(let name), .square(let name), .side(let name): name
          case .words(let words): words[0].split(separator: "=")[0].description
          case .argument, .done, .answer: nil
          }
        if let ours { #expect(own.contains(String(ours.dropFirst(2))), "\(verb) lacks \(ours)") }
      }
    }
    #expect(seen > 100)
  }

  @Test func everyCommandTakesQuiet() throws {
    let dump = try CommandRun(["--experimental-dump-help"]).json()
    func check(_ command: JSONValue, _ path: [String]) {
      let name = command["commandName"]?.string ?? ""
      guard name != "help", command["shouldDisplay"] != .bool(false), name != "infer" else { return }
      let children = (command["subcommands"]?.array ?? []).filter { $0["commandName"]?.string != "help" }
      if children.isEmpty {
        let names = (command["arguments"]?.array ?? []).flatMap { $0["names"]?.array ?? [] }
        #expect(names.contains { $0["name"]?.string == "quiet" }, "\(path + [name])")
      }
      for child in children { check(child, path + [name]) }
    }
    for command in try #require(dump["command"]?["subcommands"]?.array) { check(command, []) }
  }
}
