import FileFormats
import Foundation
import TestSupport
import Testing

/// A file of a format that is not read, where weights are taken: every command says what it is and what to bring, whatever
/// else is missing.
@Suite struct ForeignWeightTests {
  /// `FILE` is the file.
  private static let lines = """
    trace --weights FILE
    trace --weights=FILE --out t.safetensors
    trace --yolo FILE
    verify --weights FILE
    verify FILE
    profile FILE
    tune FILE
    bench FILE
    inspect FILE
    inspect checkpoint FILE
    inspect weights FILE
    inspect graph FILE
    inspect plan FILE
    infer FILE
    quantize FILE
    convert FILE
    evaluate --weights FILE
    evaluate -m FILE
    detect --yolo FILE
    detect p.png --model FILE
    detect p.png model=FILE
    run p.png --yolo FILE
    run p.png --depth FILE
    depth p.png --depth FILE
    serve --models net=FILE --workers none --port 0
    replay --yolo FILE
    replay --depth FILE
    demo --yolo FILE --out
    """.split(separator: "\n").map(String.init)

  /// Names, and words of the remedy; by their content, or by their endings alone.
  private static let files: [(name: String, content: String, hint: String)] = [
    ("best.engine", "x", "format=onnx"), ("best.tflite", "x", "tf2onnx"),
    ("graph.bin", "\u{1c}\0\0\0TFL3\0\0\0\0", "tf2onnx"), ("best.mlmodel", "x", "format=onnx"),
    ("best.torchscript", "x", "torch.onnx.export"), ("best.param", "7767517\n1 1\n", "format=onnx"),
    ("frozen.pb", "\n\u{9}\n\u{1}a\u{12}\u{4}Noop", "tf2onnx"), ("best.h5", "x", "tf2onnx"),
  ]

  @Test(arguments: lines) func theFormatComesFirst(line: String) throws {
    let place = try TemporaryDirectory()
    try place.write(SyntheticCapture.encoded(), to: "p.png")
    for (name, content, hint) in Self.files {
      try place.write(content, to: name)
      let words = line.replacing("FILE", with: name).split(separator: " ").map(String.init)
      let run = try CommandRun(words, in: place.path)
      #expect(run.status == 69, "\(words): \(run.error)")
      #expect(run.error.contains("\(name): ") && run.error.contains(hint), "\(words): \(run.error)")
      #expect(run.error.contains("which is not read here; bring"), "\(words): \(run.error)")
    }
  }

  /// Files that other options name are not taken for weights.
  @Test func otherFilesAreNotWeights() throws {
    let place = try TemporaryDirectory()
    try place.write("x", to: "own.plan")
    let run = try CommandRun(["tune", TinyNetwork.detector, "--plan", "own.plan"], in: place.path)
    #expect(run.status == 64 && run.error.contains("--out <out>"), "\(run.error)")
  }
}
