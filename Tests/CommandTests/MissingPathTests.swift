import FileFormats
import Foundation
import TestSupport
import Testing

/// A path at which there is nothing ends every command with 66, whichever of its arguments or options has it.
@Suite struct MissingPathTests {
  private static let det = "--yolo det.safetensors --imgsz 64"

  /// Missing files are called `nowhere`, with or without an ending.
  private static let lines = #"""
    run nowhere --out o
    run p.png --out o --yolo nowhere
    run p.png --out o DET --depth nowhere
    run p.png --out o DET --depth-map nowhere --intrinsics 1,1,1,1
    run p.png --out o DET --depth-map p.png --intrinsics nowhere.json
    run p.png --out o DET --depth-map p.png --intrinsics 1,1,1,1 --confidence-map nowhere
    run p.png --out o DET --plan nowhere
    run --from nowhere --out o DET
    detect nowhere --out o
    detect p.png --out o --yolo nowhere
    detect p.png --out o DET --plan nowhere
    depth nowhere --out o
    depth p.png --out o --depth nowhere
    depth p.png --out o --depth depth.safetensors --plan nowhere
    demo --out o --yolo nowhere
    demo --out o --yolo det.safetensors --depth nowhere
    fuse --relative nowhere.npy --capture cap --out o
    fuse --relative found/relative.npy --capture nowhere --out o
    fuse --relative r.npy --capture p.png --depth-map nowhere --intrinsics 1,1,1,1 --out o
    fuse --relative r.npy --capture p.png --depth-map p.png --intrinsics nowhere.json --out o
    fuse --relative r.npy --capture p.png --depth-map p.png --intrinsics 1,1,1,1 --confidence-map nowhere --out o
    place --detections nowhere --capture p.png --out o
    place --detections found/detections.json --capture nowhere --out o
    place --detections found/detections.json --capture cap --fusion nowhere --out o
    place --detections d.json --capture p.png --depth-map nowhere --intrinsics 1,1,1,1 --out o
    place --detections d.json --capture p.png --depth-map p.png --intrinsics nowhere.json --out o
    place --detections d.json --capture p.png --depth-map p.png --intrinsics 1,1,1,1 --confidence-map nowhere --out o
    compose --detections nowhere --capture p.png --out o
    compose --detections found/detections.json --capture nowhere --out o
    compose --detections found/detections.json --objects nowhere --capture cap --out o
    report nowhere --capture cap
    report found --capture nowhere --out o.html
    serve nowhere --port 0
    serve p.png --yolo nowhere --port 0
    serve p.png DET --depth nowhere --port 0
    serve p.png DET --plan nowhere --port 0
    serve found --capture nowhere DET --port 0
    serve --models nowhere --listen 127.0.0.1:0
    serve --models det.safetensors --token-file nowhere --listen 127.0.0.1:0
    replay nowhere --out o
    replay p.png --out o --yolo nowhere --at 0
    replay p.png --out o DET --depth nowhere --at 0
    replay p.png --out o DET --plan nowhere --at 0
    replay p.png --out o DET --effect 0=smoke --assets nowhere
    replay p.png --out o DET --video --ffmpeg nowhere
    capture check nowhere
    capture check p.png --depth-map nowhere --intrinsics 1,1,1,1
    capture check p.png --intrinsics nowhere.json
    capture check p.png --depth-map p.png --intrinsics 1,1,1,1 --confidence-map nowhere
    capture convert nowhere --out o
    capture convert p.png --depth-map nowhere --intrinsics 1,1,1,1 --out o
    capture convert p.png --intrinsics nowhere.json --out o
    capture convert p.png --depth-map p.png --intrinsics 1,1,1,1 --confidence-map nowhere --out o
    capture frames nowhere
    convert nowhere.pt o.safetensors
    inspect checkpoint nowhere
    inspect checkpoint nowhere.onnx
    inspect weights nowhere
    inspect graph nowhere
    inspect plan nowhere
    inspect plan nowhere.onnx
    inspect plan det.safetensors --plan nowhere
    infer nowhere.onnx --out o
    infer nowhere --out o
    infer m.onnx --input images=nowhere.npy --out o
    infer m.onnx --input images=nowhere.pb --out o
    infer m.onnx --input images=nowhere.jpg --out o
    infer m.onnx --input images=p.png --resize 64x64 --plan nowhere --out o
    evaluate nowhere --weights det.safetensors
    evaluate nowhere --weights cls.safetensors
    evaluate nowhere --weights depth.safetensors
    evaluate pics --weights nowhere
    evaluate pics --weights det.safetensors --annotations nowhere.json
    evaluate pics --weights det.safetensors --plan nowhere
    quantize nowhere --calibrate p.png --out o.safetensors
    quantize det.safetensors --calibrate nowhere --out o.safetensors
    verify nowhere.safetensors nowhere.safetensors
    verify nowhere.onnx
    verify --cases nowhere
    verify --weights nowhere --against openblas
    verify --weights det.safetensors --reference nowhere
    verify --weights det.safetensors --against openblas --input nowhere.png
    verify --weights det.safetensors --against openblas --plan nowhere
    verify --weights det.safetensors --precision int8 --sensitivity --calibrate nowhere
    verify --weights det.safetensors --precision int8 --sensitivity --calibrate p.png --labeled nowhere
    verify m.onnx --reference nowhere
    trace --weights nowhere --input p.png --out o
    trace --weights det.safetensors --input nowhere --out o
    trace --weights det.safetensors --input p.png --plan nowhere --out o
    profile nowhere
    profile nowhere.onnx
    profile det.safetensors --input nowhere.npy
    profile det.safetensors --compare nowhere
    profile det.safetensors --plan nowhere
    tune nowhere --out o
    tune det.safetensors --plan nowhere --out o
    bench nowhere
    bench nowhere.onnx
    bench det.safetensors --input nowhere.npy
    bench det.safetensors --compare nowhere
    bench det.safetensors --plan nowhere
    bench det.safetensors --flow nowhere
    bench det.safetensors --flow p.png --depth nowhere
    simulate nowhere
    status nowhere
    merge nowhere
    merge job --from nowhere
    """#.split(separator: "\n").map(String.init)

  @Test(arguments: lines) func missingPathsEndWith66(_ line: String) throws {
    let place = try TemporaryDirectory()
    let goldens = "\(SharedData.packageRoot)/Tests/ModelsTests/Goldens"
    for (name, file) in [
      ("det.safetensors", "yolo11-tiny-n.safetensors"), ("depth.safetensors", "depth-tiny.safetensors"),
      ("cls.safetensors", "yolo11-cls-least.safetensors"), ("m.onnx", "yolo11-cls-least.onnx"),
    ] {
      try FileManager.default.copyItem(atPath: "\(goldens)/\(file)", toPath: place.file(name))
    }
    for name in ["p.png", "pics/a.png"] { try place.write(SyntheticCapture.encoded(), to: name) }
    try SyntheticCapture.write(to: place.file("cap"))
    try place.write("{}", to: "job/part-00001-of-00001.jsonl")
    if line.contains("found") {
      let words =
        ["run", "cap", "--out", "found", "--quiet"] + TinyNetwork.detectorOptions + TinyNetwork.depthOptions
      try #require(try CommandRun(words, in: place.path).status == 0)
    }
    let before = try place.entries()
    let words = line.replacing("DET", with: Self.det).split(separator: " ").map(String.init)
    let run = try CommandRun(words, in: place.path, environment: ["HOME": place.path])
    #expect(run.status == 66, "\(line): \(run.error)")
    let isOfDemo = words[0] == "demo" && run.error.contains("share/ardf/captures")
    #expect((run.error + run.output).contains("nowhere") || isOfDemo, "\(line): \(run.error)")
    #expect(try place.entries() == before, "\(line)")
  }

  /// Names of values that are paths of what is read.
  private static let paths: Set = [
    "file", "file|none", "file|folder", "fx,fy,cx,cy[,w,h]|file", "file|-", "plan.json", "capture",
    "detections",
    "relative", "objects", "dir", "folder", "yolo11n-seg,depth.safetensors", "name=file", "pictures", "x.npy",
    "old.json|ardf", "old.json", "picture|capture",
  ]
  /// Options with such values of what is written, or of a number.
  private static let others: Set = ["--out", "--stage", "--pictures"]

  @Test func everyPathOptionIsAmongThem() throws {
    var count = 0
    func walk(_ command: JSONValue, _ path: [String]) {
      let path = path + [command["commandName"]?.string ?? ""]
      let children = command["subcommands"]?.array ?? []
      for child in children { walk(child, path) }
      guard children.isEmpty, command["shouldDisplay"] != .bool(false), path.last != "help" else { return }
      let verb = path.joined(separator: " ") + " "
      for argument in command["arguments"]?.array ?? [] {
        let names = (argument["names"]?.array ?? []).compactMap { $0["name"]?.string }.filter { $0.count > 1 }
        guard let name = names.first.map({ "--\($0)" }), !Self.others.contains(name),
          argument["valueName"]?.string.map(Self.paths.contains) ?? false
        else { continue }
        // Of a listing that no plan changes it is refused.
        guard verb != "inspect graph " || name != "--plan" else { continue }
        count += 1
        #expect(
          Self.lines.contains { line in
            line.hasPrefix(verb) && line.firstRange(of: "\(name) nowhere") != nil
              || line.hasPrefix(verb) && line.firstRange(of: "\(name) images=nowhere") != nil
          }, "\(verb)\(name)")
      }
    }
    let dump = try CommandRun(["--experimental-dump-help"]).json()
    for child in dump["command"]?["subcommands"]?.array ?? [] { walk(child, []) }
    #expect(count > 60)
  }
}
