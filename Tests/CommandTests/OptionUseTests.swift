import FileFormats
import TestSupport
import Testing
import ardf

/// No option is ignored without a word, whichever mode of its command it is given in.
@Suite struct OptionUseTests {
  /// The options of every command, each by all its names, and what its help says of it.
  private static func options() throws -> [String: [(names: [String], help: String)]] {
    var found: [String: [(names: [String], help: String)]] = [:]
    func walk(_ command: JSONValue, _ path: [String]) {
      let path = path + [command["commandName"]?.string ?? ""]
      found[path.joined(separator: " ")] = (command["arguments"]?.array ?? []).map { argument in
        let names = (argument["names"]?.array ?? []).compactMap { name in
          name["name"]?.string.map { (name["kind"]?.string == "short" ? "-" : "--") + $0 }
        }
        return (names, argument["abstract"]?.string ?? "")
      }
      for child in command["subcommands"]?.array ?? [] { walk(child, path) }
    }
    for child in try CommandRun(["--experimental-dump-help"]).json()["command"]?["subcommands"]?.array ?? [] {
      walk(child, [])
    }
    return found
  }

  /// A name that is misspelled, or has another beside it, would let the option pass.
  @Test func namesAreThoseOfTheCommands() throws {
    let known = try Self.options()
    #expect(GivenOptions.modal.count > 10)
    for (command, options) in GivenOptions.modal {
      let names = try #require(known[command]).map(\.names)
      for option in options {
        let all = try #require(names.first { $0.contains(option) }, "\(command): \(option)")
        #expect(all.allSatisfy(options.contains), "\(command): \(all)")
      }
    }
  }

  /// Refused by the checks of their values.
  private static let checked: Set = [
    "--overlap", "--track-high-thresh", "--track-low-thresh", "--new-track-thresh", "--track-buffer",
    "--match-thresh", "--fuse-score", "--no-fuse-score", "--gmc", "--max-errors", "--stage",
  ]

  /// An option that goes with another by its own help is one that can be ignored.
  @Test func optionsThatGoWithAnotherAreAmongThem() throws {
    var count = 0
    for (command, options) in try Self.options() {
      let modal = GivenOptions.modal.filter { $0.command == command }.flatMap(\.options)
      for (names, help) in options where help.hasPrefix("With --") {
        count += 1
        #expect(names.contains { modal.contains($0) || Self.checked.contains($0) }, "\(command): \(names)")
      }
    }
    #expect(count > 15)
  }

  @Test(arguments: [
    ("serve cap --workers 2", "--workers goes with --models"),
    ("serve cap --timeout=5", "--timeout goes with --models"),
    ("serve --max-body 1M", "--max-body goes with --models"),
    ("serve --log json", "--log goes with --models"),
    ("serve --frame 2", "--frame goes with SOURCE"),
    ("serve --capture cap", "--capture goes with a folder of results"),
    ("serve --models a --port 80", "--port is for the page"),
    ("serve --models a --max-frames 2", "--max-frames is for captures"),
    ("run a.png --out - --usdz", "--usdz is about files"),
    ("run a.png --out o --keep records --picture-format png", "--picture-format is about files"),
    ("run a.png --out o --masks-rle", "--masks-rle goes with --out -"),
    ("run a.png --out o --depth-unit 0.01", "--depth-unit goes with --depth-map"),
    ("run a.png --out o --depth none --fit linear", "--fit goes with a depth network"),
    ("run a.png --out o --keep all --on-change", "--on-change belongs to a film"),
    ("run --from list --out o --live", "--live belongs to a film"),
    ("run clip.mp4 --out o --sensor tof", "--sensor is about a capture's depth"),
    ("detect a.png --out - --picture-format png", "--picture-format goes with --out DIR"),
    ("depth a.png --out - --picture-format png", "--picture-format goes with --out DIR"),
    ("fuse --relative r.npy --capture c --out - --pfm", "--pfm goes with --out DIR"),
    ("place --detections d --capture c --out - --usda", "--usda goes with --out DIR"),
    ("capture check cap --depth-unit 0.01", "--depth-unit goes with --depth-map"),
    ("capture convert cap --depth-unit 0.01 --out o", "--depth-unit goes with --depth-map"),
    ("replay cap --out o --seed 3", "--seed goes with --effect or --tap"),
    ("replay cap --out o --ffmpeg f", "--ffmpeg goes with --video or --assets"),
    ("replay cap --out - --video", "--video goes with --out DIR"),
    ("replay cap --out - --frames png", "--frames goes with --out DIR"),
    ("bench w --flow cap --precision bf16", "--precision cannot be used with --flow"),
    ("bench w --flow cap --streams 2", "--streams cannot be used with --flow"),
    ("bench w --kernels --seconds 3", "--seconds cannot be used with --kernels"),
    ("bench w --kernels --flow cap", "--flow cannot be used with --kernels"),
    ("bench w --conf 0.5", "--conf goes with --flow"),
    ("bench w --tolerance 0.1", "--tolerance goes with --compare"),
    ("bench w --input x.npy --seed 3", "--seed goes with inputs that are drawn"),
    ("profile w --turns 5", "--turns goes with --compare and a program"),
    ("profile w --trace-iterations 5", "--trace-iterations goes with --report trace or html"),
    ("profile w --compare /bin/sh --top 3", "--top does not go with --compare"),
    ("inspect graph w --openblas", "--openblas changes how layers run"),
    ("infer m.onnx --plain -t 2 --out o", "-t goes with the planned engine"),
    ("evaluate cap --weights w --boxes --laser", "--laser does not go with --boxes"),
    ("verify --cases a b --json", "--json does not go with --cases"),
    (
      "verify m.onnx --reference r.npz --threads 2",
      "--threads cannot be used with an ONNX file and --reference"
    ),
    ("verify a.safetensors b.safetensors --no-fuse", "--no-fuse says what to run"),
    ("verify a.safetensors b.safetensors --sensitivity --calibrate p", "--sensitivity says what to run"),
    (
      "verify --weights w --sensitivity --calibrate p --precision int8 --mode isolated",
      "--mode does not go with --sensitivity"
    ),
    (
      "verify --weights w --against openblas --calibrate-count 5", "--calibrate-count goes with --sensitivity"
    ),
    ("verify --weights w --against openblas --pictures 5", "--pictures goes with --out"),
    ("verify --weights w --against openblas --layers-only", "--layers-only goes with --reference"),
    ("verify --weights w --reference r --size 64x64", "--size goes with --against"),
  ])
  func ignoredOptionsAreRefused(_ line: String, _ message: String) throws {
    let said = try GivenOptions.refusal(of: line.split(separator: " ").map(String.init))
    #expect(said?.hasPrefix(message) ?? false, "\(line): \(said ?? "taken")")
  }

  @Test(arguments: [
    "serve cap --frame 1 --max-memory 1G", "serve --models a --workers 2 --listen 127.0.0.1:0",
    "run a.png --out o --picture-format png --usdz", "run a.png --out - --masks-rle",
    "run a.png --depth-map d --intrinsics 1,1,1,1 --depth-unit 0.01 --out -",
    "run --from list --out o --depth-unit 0.01", "run clip.mp4 --live --out -",
    "replay cap --at 0 --conf 0.3 --out o", "replay cap --out - --frames none",
    "bench w --flow cap --depth d --conf 0.3 --frame 1 --quiet -n 3 -t 1",
    "bench w --kernels --openblas --size 64x64 -o json", "bench w --compare old --tolerance 0.1",
    "profile w --report html --trace-iterations 5", "profile w --out page.html --trace-iterations 5",
    "profile w --compare old.json --top 3 --sort time", "profile w --compare /bin/sh --turns 5",
    "verify --cases a b --quiet", "verify m.onnx --axis n=1 -t 2 --json --wide",
    "verify m.onnx --reference r.npz --mode both --failed",
    "verify a.safetensors b.safetensors --failed --out o --pictures 3 --force",
    "verify --weights w --sensitivity --calibrate p --calibrate-count 5 --precision int8 --max-pixels 1M",
  ])
  func optionsThatAreUsedAreTaken(_ line: String) throws {
    #expect(try GivenOptions.refusal(of: line.split(separator: " ").map(String.init)) == nil)
  }

  /// A variable of a shell that is not set gives an empty word.
  @Test(arguments: [
    (["detect", "p.png", "--out", ""], "--out"), (["run", "p.png", "--out=", "--force"], "--out"),
    (["detect", "p.png", "-o", ""], "-o"), (["trace", "--weights", "", "--input", "p.png"], "--weights"),
    (["weights", "get", "yolo11n", "--out", ""], "--out"), (["merge", "job", "--out", ""], "--out"),
  ])
  func emptyValuesAreRefused(_ words: [String], _ option: String) throws {
    let place = try TemporaryDirectory()
    let run = try CommandRun(words, in: place.path)
    #expect(run.status == 64, "\(words): \(run.error)")
    #expect(run.error.contains("\(option): its value is empty; give one"), "\(run.error)")
    try GivenOptions.refuseEmptyValues(in: ["detect", "--"] + words)
  }

  /// An option that a run leaves out, and is useful without, is named, and the run continues.
  @Test func leftOutOptionsAreNamed() throws {
    let place = try TemporaryDirectory()
    try SyntheticCapture.write(to: place.file("cap"))
    let run = try CommandRun(
      ["replay", "cap", "--max-speed", "--frames", "none", "--out", "o"] + TinyNetwork.detectorOptions,
      in: place.path)
    #expect(
      run.status == 0 && run.error.contains("--yolo, --imgsz, --conf, --max-det left out"), "\(run.error)")
  }
}
