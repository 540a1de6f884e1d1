import Foundation
import TestSupport
import Testing

/// The likeliest mistakes of each command: what is said names the word that was wrong, and what to do.
@Suite struct MistakeTests {
  /// What was typed, the exit code, and what the message must hold.
  struct Mistake: Sendable, CustomStringConvertible {
    let words: [String]
    let status: Int32
    let hints: [String]

    init(_ line: String, _ status: Int32, _ hints: String...) {
      words = line.split(separator: " ").map(String.init)
      (self.status, self.hints) = (status, hints)
    }

    var description: String { words.joined(separator: " ") }
  }

  /// `det`, `depth` and `cls` are weights, `p.png` a picture, `pics` a folder of two, `taken` a folder that is not ours.
  private static func place() throws -> TemporaryDirectory {
    let place = try TemporaryDirectory()
    let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"
    for (name, file) in [
      ("det", "yolo11-tiny-n.safetensors"), ("depth", "depth-tiny.safetensors"),
      ("cls", "yolo11-cls-least.safetensors"), ("m.onnx", "yolo11-cls-least.onnx"),
    ] {
      let path = place.file(name == "m.onnx" ? name : "\(name).safetensors")
      try FileManager.default.copyItem(atPath: "\(goldens)/\(file)", toPath: path)
    }
    for name in ["p.png", "pics/a.png", "pics/b.png"] {
      try place.write(SyntheticCapture.encoded(), to: name)
    }
    try place.write("text", to: "notes.txt")
    try place.write("no picture", to: "bad.png")
    try place.write("mine", to: "taken/mine")
    try FileManager.default.createDirectory(
      atPath: place.file("empty"), withIntermediateDirectories: true)
    return place
  }

  private static func check(_ mistakes: [Mistake]) throws {
    let place = try place()
    for mistake in mistakes {
      let run = try CommandRun(mistake.words, in: place.path, environment: ["HOME": place.path])
      #expect(run.status == mistake.status, "\(mistake): \(run.error)")
      for hint in mistake.hints { #expect(run.error.contains(hint), "\(mistake): \(run.error)") }
    }
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: place.file("taken")) == ["mine"],
      "what is not ours stays")
    #expect(!FileManager.default.fileExists(atPath: place.file("o")), "a mistake leaves nothing")
  }

  private static let detector = "--yolo det.safetensors --imgsz 64"

  @Test func ofRun() throws {
    try Self.check([
      Mistake("run p.jpg --out o", 66, "p.jpg: no such file or folder"),
      Mistake("run p.png", 64, "--out <dir>"),
      Mistake("run --out o", 64, "no SOURCES"),
      Mistake("run p.png --out o", 66, "ardf weights get yolo11n-seg", "--yolo FILE"),
      Mistake("run p.png --out taken \(Self.detector)", 73, "--force"),
      Mistake("run p.png --out taken --force \(Self.detector)", 73, "was not written by ardf"),
      Mistake("run p.png --out o --yolo depth.safetensors", 65, "give it as --depth"),
      Mistake("run p.png --out o \(Self.detector) --depth det.safetensors", 65, "give it as --yolo"),
      Mistake("run p.png --out o \(Self.detector) --frame 7", 64, "--frame 7", "position from 0"),
      Mistake("run p.png --out o \(Self.detector) --effect 0=rain", 64, "no effect \"rain\"", "snow"),
      Mistake("run p.png --out o \(Self.detector) --conf 50", 64, "from 0 to 1"),
      Mistake("run p.png --out o \(Self.detector) --fov 400", 64, "degrees from 1 to 170"),
      Mistake("run empty --out o \(Self.detector)", 65, "empty: not a known capture", "pictures (JPEG, PNG"),
      Mistake("run notes.txt --out o \(Self.detector)", 65, "notes.txt: no picture of a known format"),
      Mistake("run x*.jpg --out o \(Self.detector)", 66, "no file or folder has such a name"),
      Mistake("run p.png --out o \(Self.detector) --resume --force", 64, "give one of the two"),
      Mistake("run p.png --out o \(Self.detector) --depth-map d.png", 64, "--intrinsics"),
      Mistake("run p.png --out o \(Self.detector) --picture-format gif", 64, "'jpeg' and 'png'"),
    ])
  }

  @Test func ofDetectAndDepth() throws {
    try Self.check([
      Mistake("detect p.png --out o --yolo nosuch", 66, "yolo11n-seg"),
      Mistake("detect p.png --out o --yolo yolo11n-seg", 66, "ardf weights get yolo11n-seg"),
      Mistake("detect p.png --out o --yolo notes.txt", 65, "notes.txt"),
      Mistake(
        "detect p.png --out o \(Self.detector) --classes unicorn", 64, "no unicorn", "ardf inspect weights"),
      Mistake("detect p.png --out o --yolo det.safetensors --imgsz 65", 64, "multiple of 32"),
      Mistake("detect p.png --out o \(Self.detector) --format dota", 65, "oriented boxes"),
      Mistake("detect p.png --out o \(Self.detector) --format xml", 64, "'coco', 'csv'"),
      Mistake("detect p.png --out o \(Self.detector) --max-det 0", 64, "from 1 to 10000"),
      Mistake("detect p.png --out o \(Self.detector) --track bytetrack", 64, "film, camera or sequence"),
      Mistake("detect p.png --out o \(Self.detector) --on-change", 64, "a film, a pipe"),
      Mistake("detect p.png --out nowhere/o/x \(Self.detector)", 73, "nowhere/o"),
      Mistake("detect bad.png --out o \(Self.detector)", 65, "bad.png: no picture of a known format"),
      Mistake("depth p.png --out o --depth det.safetensors", 65, "give it as --yolo"),
      Mistake("depth p.png --out o --depth none", 64, "--depth none"),
      Mistake("depth p.png --out o --depth depth.safetensors --depth-size 100", 64, "multiple of 14"),
      Mistake("depth --out o", 64, "<sources>"),
      Mistake("depth p.png", 64, "--out <dir>"),
      Mistake("depth notes.txt --out o --depth depth.safetensors", 65, "notes.txt"),
    ])
  }

  @Test func ofStages() throws {
    try Self.check([
      Mistake("fuse --relative r.npy --capture p.png --out o", 66, "r.npy: no such file"),
      Mistake("fuse --capture p.png --out o", 64, "--relative"),
      Mistake("place --detections d.json --capture p.png --out o", 66, "d.json: no such file"),
      Mistake("compose --detections d.json --capture p.png --out o", 66, "d.json: no such file"),
      Mistake("compose --detections notes.txt --capture p.png --out o", 65, "notes.txt: JSON"),
      Mistake("report nowhere --capture p.png", 66, "nowhere: no such file"),
      Mistake("report p.png --capture p.png", 65, "p.png: is no folder", "ardf run"),
      Mistake("replay nowhere --out o \(Self.detector)", 66, "nowhere: no such file or folder"),
      Mistake("replay p.png --out o \(Self.detector) --rate 0", 64, "frames a second"),
      Mistake("replay p.png --out o \(Self.detector) --effect bed", 64, "OBJECT=EFFECT"),
      Mistake("replay p.png --out o \(Self.detector) --effect bed=rain", 64, "snow"),
      Mistake("capture check nowhere", 66, "nowhere: no such file or folder"),
      Mistake("capture check empty", 65, "not a known capture"),
      Mistake("capture convert p.png --out o", 65, "no camera"),
      Mistake("capture convert nowhere --out o", 66, "nowhere"),
      Mistake("capture frames p.png", 66, "Stray Scanner"),
      Mistake("demo --out -", 64, "give its name"),
      Mistake("demo --out taken", 73, "--force"),
      Mistake("demo --yolo nowhere.pt", 66, "nowhere.pt: no such file"),
      Mistake("foo", 64, "no command \"foo\"", "detect"),
    ])
  }

  @Test func ofNetworks() throws {
    try Self.check([
      Mistake("weights get yolo12n", 64, "yolo12n: no such checkpoint", "yolo11n-seg"),
      Mistake("weights get", 64, "<name>"),
      Mistake("convert nowhere.pt o.safetensors", 66, "nowhere.pt: no such file"),
      Mistake("convert", 64, "<input>"),
      Mistake("inspect nowhere.pt", 66, "nowhere.pt: no such file"),
      Mistake("inspect plan det.safetensors --size 64", 64, "HEIGHTxWIDTH"),
      Mistake("inspect plan det.safetensors --size 63x64", 65, "multiples of 32"),
      Mistake("infer m.onnx", 64, "--out <folder>"),
      Mistake("infer m.onnx --out o", 65, "images"),
      Mistake("infer m.onnx --out o --input x", 64, "NAME=FILE"),
      Mistake("infer m.onnx --out o --input foo=p.png", 65, "no input \"foo\"", "\"images\""),
      Mistake("evaluate pics --weights det.safetensors", 66, "images/ and labels/"),
      Mistake("evaluate nowhere --weights det.safetensors", 66, "nowhere: no such file"),
      Mistake("evaluate pics", 64, "--weights <file>"),
      Mistake("evaluate pics --weights det.safetensors --precision fp8", 64, "or auto"),
      Mistake("evaluate pics --weights det.safetensors --depth-size 42", 64, "goes with depth networks"),
      Mistake("evaluate pics --weights cls.safetensors", 66, "CLASS/NAME.jpg"),
      Mistake("evaluate pics p.png --weights det.safetensors", 64, "give one folder"),
      Mistake("evaluate pics --weights det.safetensors --annotations no.json", 66, "no.json"),
      Mistake("quantize det.safetensors --out o.safetensors", 64, "--calibrate PICTURES"),
    ])
  }

  @Test func ofTools() throws {
    try Self.check([
      Mistake("verify --weights det.safetensors", 64, "--reference or --against"),
      Mistake("verify --weights nowhere --against openblas", 66, "nowhere: no such file"),
      Mistake("verify --weights det.safetensors --reference no.npz", 66, "no.npz: no such file"),
      Mistake("verify --weights det.safetensors --against openblas --size 10", 64, "HEIGHTxWIDTH"),
      Mistake("verify", 64, "--model, --weights"),
      Mistake("trace --weights det.safetensors --input no.jpg --out o", 66, "no.jpg: no such file"),
      Mistake("profile nowhere.pt", 66, "nowhere.pt: no such file"),
      Mistake("profile det.safetensors -i 0", 64, "from 1 to 100000"),
      Mistake("profile det.safetensors -o out.xyz", 64, ".json", "--report"),
      Mistake("profile", 64, "<weights>"),
      Mistake("tune nowhere --out o", 66, "nowhere: no such file"),
      Mistake("tune det.safetensors", 64, "--out <out>"),
      Mistake("bench nowhere", 66, "nowhere: no such file"),
      Mistake("bench det.safetensors -o out.xyz", 64, ".json", "--report"),
      Mistake("bench det.safetensors --streams 0", 64, "from 1 to 64"),
      Mistake("bench det.safetensors --flow nowhere", 66, "nowhere: no such file or folder"),
      Mistake("simulate nowhere.json", 66, "nowhere.json: no such file"),
      Mistake("simulate p.png", 65, "p.png: JSON"),
      Mistake("status nowhere", 66, "nowhere: no such file"),
      Mistake("status", 64, "<job>"),
      Mistake("merge nowhere", 66, "nowhere: no such file"),
      Mistake("merge p.png", 65, "p.png: not a directory"),
    ])
  }
}
