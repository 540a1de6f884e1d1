import Archives
import FileFormats

/// Formats of networks that are not supported: the error names the format, and the file to use instead.
///
/// Recognized by the content where the format has a signature, else by the file name. No other code recognizes them.
enum ForeignModel: String, CaseIterable {
  case tensorRT, tensorFlowLite, coreML, openVINO, torchScript, exportedProgram, execuTorch, gguf, tensorFlow
  case keras, ncnn, mnn, paddle, caffe, darknet, rknn, onnxRuntime, lfsPointer, webPage

  /// Throws `CommandError.unsupported` for a path to such a format, `.input` for a path to no network at all.
  ///
  /// - Parameters:
  ///   - path: The file or folder.
  ///   - wanted: What to give in place of a file that is not a network.
  /// - Throws: `CommandError`.
  static func refuse(_ path: String, give wanted: String = MistakenInput.weights) throws {
    // Some of these are texts.
    guard let kind = recognized(path) else {
      return try MistakenInput.refuseAsWeights(path, give: wanted)
    }
    throw CommandError.unsupported("\(path): \(kind.name), which is not read here; \(kind.remedy)")
  }

  /// The format of a file or folder; nil for any other, and for one that cannot be read.
  static func recognized(_ path: String) -> ForeignModel? {
    switch pathKind(path) {
    case .folder: ofFolder(path)
    case .file: ofContent(path) ?? ofName(path)
    case .pipe, .characterDevice, .other, nil: nil
    }
  }

  private static func ofFolder(_ path: String) -> ForeignModel? {
    let names = (try? folderNames(of: path)) ?? []
    if names.contains("saved_model.pb") { return .tensorFlow }
    if hasEnding(path, ".mlpackage") || hasEnding(path, ".mlmodelc") { return .coreML }
    if names.contains(where: { hasEnding($0, ".param") }) { return .ncnn }
    if names.contains(where: { hasEnding($0, ".pdmodel") }) { return .paddle }
    let models = names.filter { hasEnding($0, ".xml") }
    return models.contains { ofContent("\(path)/\($0)") == .openVINO } ? .openVINO : nil
  }

  /// The format by the first bytes of a file.
  private static func ofContent(_ path: String) -> ForeignModel? {
    guard let bytes = try? FileBytes(path: path) else { return nil }
    let start = bytes.slice(0..<min(bytes.count, 4096)).array()
    func has(_ text: String, at offset: Int) -> Bool { start.dropFirst(offset).starts(with: text.utf8) }
    if has("TFL3", at: 4) { return .tensorFlowLite }
    if has("ORTM", at: 4) { return .onnxRuntime }
    if has("ET", at: 4), start.count > 7, (0x30...0x39).contains(start[6]), (0x30...0x39).contains(start[7]) {
      return .execuTorch
    }
    if has("GGUF", at: 0) { return .gguf }
    if has("RKNN", at: 0) { return .rknn }
    if has("ftrt", at: 0) || isUltralyticsEngine(start) { return .tensorRT }
    if start.starts(with: [0x89, 0x48, 0x44, 0x46, 0x0d, 0x0a, 0x1a, 0x0a]) { return .keras }
    // 7767517, as a text and as a number.
    if has("7767517\n", at: 0) || has("7767517\r", at: 0) || start.starts(with: [0xdd, 0x85, 0x76, 0x00]) {
      return .ncnn
    }
    if has("version https://git-lfs", at: 0) { return .lfsPointer }
    if start.starts(with: [0x50, 0x4b, 0x03, 0x04]) { return ofArchive(bytes) }
    if isTensorFlowGraph(start) { return .tensorFlow }
    let text = String(decoding: start, as: UTF8.self).drop { $0.isWhitespace || $0 == "\u{FEFF}" }
    if text.hasPrefix("<?xml") || text.hasPrefix("<net ") {
      return text.contains("<net ") ? .openVINO : nil
    }
    let lower = text.prefix(64).lowercased()
    if lower.hasPrefix("<!doctype html") || lower.hasPrefix("<html") { return .webPage }
    return nil
  }

  /// Four bytes of a length, metadata as JSON, and the engine.
  private static func isUltralyticsEngine(_ start: [UInt8]) -> Bool {
    guard start.count > 5, start[4] == UInt8(ascii: "{") else { return false }
    let length = Int(littleEndianBytes: start[..<4])
    return (2..<1 << 24).contains(length) && start[5] == UInt8(ascii: "\"")
  }

  /// Whether the bytes begin with a node (its name and operator); ONNX begins with a number field.
  private static func isTensorFlowGraph(_ start: [UInt8]) -> Bool {
    guard start.count > 8, start[0] == 0x0a, let (_, inner) = length(start, 1), inner < start.count,
      start[inner] == 0x0a, let (name, text) = length(start, inner + 1), name > 0, text + name < start.count
    else { return false }
    return start[text..<text + name].allSatisfy { (0x21...0x7e).contains($0) } && start[text + name] == 0x12
  }

  private static func length(_ bytes: [UInt8], _ start: Int) -> (value: Int, next: Int)? {
    var (value, position) = (0, start)
    for shift in stride(from: 0, to: 35, by: 7) {
      guard position < bytes.count else { return nil }
      value |= Int(bytes[position] & 0x7f) << shift
      position += 1
      if bytes[position - 1] & 0x80 == 0 { return (value, position) }
    }
    return nil
  }

  private static func ofArchive(_ bytes: FileBytes) -> ForeignModel? {
    guard let archive = try? ZipArchive(bytes) else { return nil }
    let names = archive.members.map(\.name)
    if names.contains(where: { $0.hasSuffix("/constants.pkl") || $0.contains("/code/") }) {
      return .torchScript
    }
    if names.contains(where: {
      $0.hasSuffix("archive_format") || $0.hasSuffix("serialized_exported_program.json")
    }) {
      return .exportedProgram
    }
    if names.contains("model.weights.h5") { return .keras }
    return names.contains { $0.hasSuffix("coremldata.bin") || $0.hasSuffix(".mlmodel") } ? .coreML : nil
  }

  /// Formats without a signature, and companion files of formats that have one.
  private static func ofName(_ path: String) -> ForeignModel? {
    let endings: [(String, ForeignModel)] = [
      (".engine", .tensorRT), (".plan", .tensorRT), (".trt", .tensorRT), (".tflite", .tensorFlowLite),
      (".mlmodel", .coreML), (".torchscript", .torchScript), (".pt2", .exportedProgram),
      (".pte", .execuTorch),
      (".gguf", .gguf), (".h5", .keras), (".hdf5", .keras), (".keras", .keras), (".param", .ncnn),
      (".mnn", .mnn), (".pdmodel", .paddle), (".pdiparams", .paddle), (".caffemodel", .caffe),
      (".prototxt", .caffe), (".weights", .darknet), (".rknn", .rknn), (".ort", .onnxRuntime),
    ]
    if let found = endings.first(where: { hasEnding(path, $0.0) }) { return found.1 }
    if lastComponent(path) == "saved_model.pb" { return .tensorFlow }
    guard hasEnding(path, ".bin") else { return nil }
    let stem = String(path.dropLast(4))
    if fileExists(stem + ".xml") { return .openVINO }
    return fileExists(stem + ".param") ? .ncnn : nil
  }

  /// The format in words.
  var name: String {
    switch self {
    case .tensorRT: "a TensorRT engine, built for one graphics card"
    case .tensorFlowLite: "a TensorFlow Lite model"
    case .coreML: "a Core ML model"
    case .openVINO: "an OpenVINO model"
    case .torchScript: "a TorchScript module"
    case .exportedProgram: "a program of torch.export"
    case .execuTorch: "an ExecuTorch program"
    case .gguf: "a GGUF file of a language model"
    case .tensorFlow: "a TensorFlow graph"
    case .keras: "a Keras model (HDF5)"
    case .ncnn: "an ncnn model"
    case .mnn: "an MNN model"
    case .paddle: "a PaddlePaddle model"
    case .caffe: "a Caffe model"
    case .darknet: "a Darknet weight file"
    case .rknn: "an RKNN model, built for one processor"
    case .onnxRuntime: "a model in ONNX Runtime's own format"
    case .lfsPointer: "a pointer of Git LFS, not the file itself"
    case .webPage: "a web page, not a model"
    }
  }

  /// The file to use instead, for the message.
  var remedy: String {
    switch self {
    case .tensorRT, .openVINO, .ncnn, .mnn, .rknn, .coreML:
      "bring the .onnx file or the checkpoint (.pt) that it was made from: yolo export model=best.pt format=onnx"
    case .tensorFlowLite, .tensorFlow, .keras:
      "bring an .onnx file: python -m tf2onnx.convert (--tflite, --saved-model or --graphdef) --output model.onnx"
    case .torchScript, .exportedProgram, .execuTorch:
      "bring the checkpoint (.pt) that it was made from, or an .onnx file: torch.onnx.export"
    case .gguf: "this engine runs networks for pictures: bring an .onnx file of one"
    case .paddle: "bring an .onnx file: paddle2onnx"
    case .caffe, .darknet: "bring an .onnx file that was converted from it"
    case .onnxRuntime: "bring the .onnx file that it was made from"
    case .lfsPointer: "fetch it: git lfs pull"
    case .webPage: "download the file itself"
    }
  }
}
