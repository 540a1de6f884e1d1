import Archives
import FileFormats
import Models
import Testing

/// Malformed pickles and checkpoints, each built here and refused with its own message.
@Suite struct HostileCheckpointTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let message: String
    var testDescription: String { message }

    /// A checkpoint of this pickle.
    init(pickle: [UInt8], _ message: String) {
      bytes = Pickle.archive(pickle)
      self.message = "c: " + message
    }

    /// A checkpoint of this one pickled value.
    init(_ value: [UInt8], _ message: String) { self.init(pickle: Pickle.file(value), message) }

    /// A checkpoint of one tensor "w".
    init(tensor: [UInt8], _ message: String) {
      self.init(Pickle.dictionary([("w", tensor)]), "tensor \"w\": " + message)
    }

    init(file: [UInt8], _ message: String) {
      bytes = file
      self.message = "c: " + message
    }
  }

  private static let noTensors =
    "holds no table of tensors and no module under \"ema\", \"model\" or \"state_dict\""
  private static let unknown =
    "not a network that can be converted (YOLOv8-cls, YOLO11-cls, YOLOv8, YOLO11 and YOLO26 (detect, -seg, -pose, -obb), "
    + "Depth Anything V2 Small, Base or Large or Prompt Depth Anything Small): "

  /// The tensor by which YOLO11 is recognized.
  private static let attention = ("model.10.m.0.attn.qkv.conv.weight", pair)

  private static func code(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let instructions: [Case] = [
    Case(pickle: [], "pickle ends early, at byte 0"),
    Case(pickle: [0x80], "pickle ends early, at byte 1"),
    Case(pickle: code("(dp0\n."), "pickle protocol 0 is not supported; 2 to 5 are"),
    Case(pickle: [0x80, 1] + code("N."), "pickle protocol 1 is not supported; 2 to 5 are"),
    Case(pickle: [0x80, 6] + code("N."), "pickle protocol 6 is not supported; 2 to 5 are"),
    Case(pickle: [0x80, 2] + code("N"), "pickle ends early, at byte 3"),
    Case(pickle: Pickle.file(code("N")) + [0], "pickle has bytes after its end, at byte 4"),
    Case([0xff], "pickle instruction 0xff at byte 2 is not supported"),
    Case(code("I1\n"), "pickle instruction 0x49 at byte 2 is not supported"),
    Case(code("ios\nsystem\n"), "pickle instruction 0x69 at byte 2 is not supported"),
    Case(code("(o"), "pickle instruction 0x6f at byte 3 is not supported"),
    Case(code("Pid\n"), "pickle instruction 0x50 at byte 2 is not supported"),
    Case([0x82, 1], "pickle instruction 0x82 at byte 2 is not supported"),
    Case([0x97], "pickle instruction 0x97 at byte 2 is not supported"),
    Case([], "pickle does not end with exactly one value"),
    Case(code("NN"), "pickle does not end with exactly one value"),
    Case(code("N("), "pickle does not end with exactly one value"),
    Case(code("0"), "pickle instruction at byte 2 takes from an empty stack"),
    Case(code("2"), "pickle instruction at byte 2 takes from an empty stack"),
    Case(code("a"), "pickle instruction at byte 2 takes from an empty stack"),
    Case(code("N(0"), "pickle instruction at byte 4 takes from an empty stack"),
    Case([0x4e, 0x86], "pickle instruction at byte 3 takes from an empty stack"),
    Case(code("q\0"), "pickle instruction at byte 2 takes from an empty stack"),
    Case(code("]e"), "pickle instruction at byte 3 needs a mark"),
    Case(code("1"), "pickle instruction at byte 2 needs a mark"),
    Case(code("h\u{7}"), "pickle refers to the unknown memo entry 7 at byte 2"),
    Case(code("j") + Pickle.u32(70_000), "pickle refers to the unknown memo entry 70000 at byte 2"),
    Case(code("X") + Pickle.u32(99) + code("abc"), "pickle ends early, at byte 11"),
    Case(code("X") + Pickle.u32(1) + [0xff], "pickle text at byte 2 is not UTF-8"),
    Case([0x8d] + [UInt8](repeating: 0xff, count: 8), "pickle declares an impossible length at byte 2"),
    Case([0x8e] + [UInt8](repeating: 0x7f, count: 8), "pickle ends early, at byte 12"),
    Case([0x95] + [UInt8](repeating: 0xff, count: 8), "pickle declares an impossible length at byte 2"),
    Case([0x95] + Pickle.u32(100) + Pickle.u32(0), "pickle declares an impossible length at byte 2"),
    Case(code("cos"), "pickle ends early, at byte 6"),
    Case(code("NN") + [0x93], "pickle instruction at byte 4: a class is not named by texts"),
    Case(code("NNa"), "pickle instruction at byte 4: elements are added to a plain value"),
    Case(code("}Na"), "pickle instruction at byte 4: elements are added to a value of another kind"),
    Case(code("]NNs"), "pickle instruction at byte 5: elements are added to a value of another kind"),
    Case(code("}(Nu"), "pickle instruction at byte 5: a key has no value"),
    Case(code("(Nd"), "pickle instruction at byte 4: a key has no value"),
    Case(code("NNb"), "pickle instruction at byte 4: a plain value is given a state"),
    Case(code("]Nb"), "pickle instruction at byte 4: a value that has no state is given one"),
    Case(code("N)R"), "pickle instruction at byte 4: something that is no class is to be constructed"),
    Case(Pickle.global("a", "b") + code("NR"), "pickle instruction at byte 8: the arguments are no tuple"),
    Case(code("NN)") + [0x92], "pickle instruction at byte 5: a dictionary is needed"),
    Case(
      Pickle.call("collections", "OrderedDict", [Pickle.tuple([code("N")])]),
      "pickle instruction at byte 32: a dictionary is made from something else than pairs"),
  ]

  static let tensors: [Case] = [
    Case(code("NQ"), "pickle instruction at byte 3: a persistent identifier names no tensor storage"),
    Case(
      Pickle.storage("FloatStorage", key: "0", count: -1),
      "pickle instruction at byte 55: a persistent identifier names no tensor storage"),
    Case(
      Pickle.storage("ComplexFloatStorage", key: "0", count: 1),
      "pickled tensor storage \"torch.ComplexFloatStorage\" at byte 62 is not supported"),
    Case(
      Pickle.call("torch._utils", "_rebuild_tensor_v2", []),
      "pickled tensor at byte 37: its storage is missing"),
    Case(
      Pickle.call("torch._utils", "_rebuild_parameter", [code("N")]),
      "pickled tensor at byte 38: a parameter holds no tensor"),
    Case(
      tensor: Pickle.half([3], storage: 3),
      "its storage has 4 bytes where 6 are declared: the file is damaged"),
    Case(tensor: Pickle.half([3], storage: 2), "its elements lie outside its storage"),
    Case(tensor: view(offset: 1, [2], [1]), "its elements lie outside its storage"),
    Case(tensor: view([2], [2]), "its elements lie outside its storage"),
    Case(tensor: view([1000], [0]), "its elements lie outside its storage"),
    Case(tensor: view(offset: 0x7fff_ffff, [1], [1]), "its elements lie outside its storage"),
    Case(
      tensor: view([2, 0x7fff_ffff], [0x7fff_ffff, 0x7fff_ffff]), "its elements lie outside its storage"),
    Case(
      tensor: view([0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff], [0, 0, 0]),
      "shape [2147483647, 2147483647, 2147483647] is impossible"),
    Case(
      tensor: view([1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1]),
      "shape [1, 1, 1, 1, 1, 1, 1, 1, 1] is impossible"),
    Case(
      tensor: Pickle.tensor(
        Pickle.storage("HalfStorage", key: "../../etc/passwd", count: 2), shape: [2], strides: [1]),
      "zip archive has no member \"c/data/../../etc/passwd\""),
    Case(
      Pickle.dictionary([("w", view(offset: -1, [2], [1]))]),
      "pickled tensor at byte 146: its offset is not a whole number from 0"),
    Case(
      Pickle.dictionary([("w", view([2], [1, 1]))]),
      "pickled tensor at byte 151: its shape and strides are not lists of whole numbers"),
    Case(
      Pickle.dictionary([("w", view([-2], [1]))]),
      "pickled tensor at byte 146: its shape and strides are not lists of whole numbers"),
  ]

  private static func view(offset: Int = 0, _ shape: [Int], _ strides: [Int]) -> [UInt8] {
    Pickle.tensor(
      Pickle.storage("HalfStorage", key: "0", count: 2), offset: offset, shape: shape, strides: strides)
  }

  private static let pair = Pickle.half([2], storage: 2)

  /// A module that is its own child, through the memo.
  private static let cycle =
    Pickle.global("some.library", "Block") + code(")") + [0x81] + code("q\0")
    + Pickle.dictionary([
      ("_modules", Pickle.dictionary([("self", code("h\0"))]))
    ]) + code("b")

  /// 60 modules, each twice the child of the next: 2 to the power of 60 paths.
  private static let bush = (0..<60).reduce(Pickle.module()) { module, level in
    let memo: [UInt8] = code("q") + [UInt8(level)]
    return Pickle.module(children: [("a", module + memo), ("b", code("h") + [UInt8(level)])])
  }

  static let checkpoints: [Case] = [
    Case(file: [], "file is 0 bytes, too small for a safetensors header"),
    Case(file: code("hello, this is text"), formatMessage),
    Case(file: [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20], formatMessage),
    Case(
      file: [0x50, 0x4b, 3, 4],
      "no zip directory at the end of the file: an incomplete download, or not a zip archive"),
    Case(file: ZipWriter.archive([(name: "a", bytes: [])]), "a zip archive without PyTorch's data.pkl"),
    Case(
      file: ZipWriter.archive([(name: "a/data.pkl", bytes: []), (name: "b/data.pkl", bytes: [])]),
      "a zip archive without PyTorch's data.pkl"),
    Case(
      file: Pickle.archive(Pickle.file(code("N")), byteOrder: "big"),
      "written on a big-endian machine, which is not supported"),
    Case(code("N"), noTensors),
    Case(Pickle.dictionary([("model", code("]"))]), noTensors),
    Case(Pickle.call("os", "system", [Pickle.text("false")]), noTensors),
    Case(Pickle.dictionary([("a", pair), ("a", pair)]), "tensor \"a\": the name appears twice"),
    Case(Pickle.dictionary([("a", pair)]), unknown + "its first tensor is \"a\""),
    Case(cycle, "modules are nested deeper than 64 levels"),
    Case(bush, "holds more than 20000 modules"),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.0.conv.bias", pair), ("model.23.proto.cv1.conv.weight", pair),
        attention,
      ]),
      "batch normalization was folded before saving: convert the original checkpoint"),
    Case(
      Pickle.dictionary([("model.0.conv.weight", pair)]),
      unknown + "it is another network of Ultralytics'"),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.23.proto.cv1.conv.weight", pair), attention,
      ]),
      "tensor \"model.23.cv3.0.2.weight\": is missing"),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.23.proto.cv1.conv.weight", pair),
        ("model.23.cv3.0.2.weight", pair), attention,
      ]), unknown + "the first layer has 2 channels and layer 2 0 blocks, as no published size has"),
    Case(
      Pickle.dictionary([("pretrained.cls_token", pair)]),
      unknown + "its encoder is 2 wide, those of Small, Base and Large are 384, 768 and 1024"),
    Case(
      Pickle.dictionary([("pretrained.norm.weight", pair)]),
      "tensor \"pretrained.cls_token\": is missing"),
  ]

  private static let formatMessage =
    "neither a PyTorch zip checkpoint nor a safetensors file; a checkpoint from before PyTorch 1.6 must be "
    + "saved again"

  @Test(arguments: instructions + tensors + checkpoints)
  func isRefused(file: Case) {
    let error = #expect(throws: CheckpointError.self) {
      try CheckpointConverter.read(FileBytes(file.bytes), file: "c")
    }
    #expect(error?.description.hasPrefix(file.message) ?? false, "\(error?.description ?? "")")
  }

  private static func repeated(_ instructions: String, _ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in code(instructions) }
  }

  /// A program that passes a limit; named by its message, for its bytes are many.
  struct Excess: Sendable, CustomTestStringConvertible {
    let code: [UInt8]
    let message: String
    var testDescription: String { message }

    init(_ code: [UInt8], _ message: String) {
      self.code = code
      self.message = message
    }
  }

  static let limits: [Excess] = [
    Excess(repeated("(", 1001), "more than 1000 nested marks"),
    Excess(repeated("N", 200_001), "more than 200000 values on its stack"),
    Excess(repeated("]0", 200_001), "more than 200000 compound values"),
    Excess(code("N") + [UInt8](repeating: 0x94, count: 250_001), "more than 250000 memo entries"),
    Excess(
      code("]") + repeated("(" + String(repeating: "N", count: 100_000) + "e", 6),
      "more than 500000 elements"
    ),
  ]

  @Test(arguments: limits)
  func limitsHold(excess: Excess) {
    let error = #expect(throws: CheckpointError.self) {
      try CheckpointConverter.read(FileBytes(Pickle.archive(Pickle.file(excess.code))), file: "c")
    }
    #expect(error?.description.hasPrefix("c: pickle has \(excess.message); ") ?? false)
  }

  private static let small = Pickle.file(
    Pickle.dictionary([
      ("model", Pickle.module(parameters: [("w", pair)], attributes: [("names", Pickle.text("x"))]))
    ]))

  private func refusal(_ pickle: [UInt8]) -> CheckpointError? {
    do throws(CheckpointError) {
      _ = try CheckpointConverter.read(FileBytes(Pickle.archive(pickle)), file: "c")
      return nil
    } catch {
      return error
    }
  }

  /// The archive's checksum is right each time, so that the pickle itself is what is tried.
  @Test func everyTruncatedPickleIsRefused() {
    #expect(
      refusal(Self.small)?.description.hasPrefix("c: " + Self.unknown + "its first tensor is \"w\"; ")
        ?? false)
    for count in Self.small.indices {
      guard case .pickle? = refusal(Array(Self.small[..<count]))?.kind else {
        Issue.record("\(count) bytes were not refused as a pickle")
        continue
      }
    }
  }

  @Test func everyChangedByteOfAPickleIsSurvived() {
    for position in Self.small.indices {
      for value in UInt8.min...UInt8.max where value != Self.small[position] {
        var pickle = Self.small
        pickle[position] = value
        // One tensor is no network, whatever the change.
        #expect(refusal(pickle) != nil)
      }
    }
  }
}
