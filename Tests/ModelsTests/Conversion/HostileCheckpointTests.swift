import Archives
import FileFormats
import Models
import NNRuntime
import Testing

/// Malformed pickles and checkpoints, each built here and refused with its own error.
@Suite struct HostileCheckpointTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: CheckpointError
    var testDescription: String { "\(error)" }

    init(file: [UInt8], _ kind: CheckpointError.Kind, tensor: String? = nil) {
      bytes = file
      error = CheckpointError(kind, tensor: tensor, file: "c")
    }

    /// A checkpoint of this pickle.
    init(pickle: [UInt8], _ kind: CheckpointError.Kind, tensor: String? = nil) {
      self.init(file: Pickle.archive(pickle), kind, tensor: tensor)
    }

    /// A checkpoint of this one pickled value.
    init(_ value: [UInt8], _ kind: CheckpointError.Kind, tensor: String? = nil) {
      self.init(pickle: Pickle.file(value), kind, tensor: tensor)
    }

    /// A checkpoint of one tensor "w".
    init(tensor: [UInt8], _ kind: CheckpointError.Kind) {
      self.init(Pickle.dictionary([("w", tensor)]), kind, tensor: "w")
    }
  }

  /// The tensor by which YOLO11 is recognized.
  private static let attention = ("model.10.m.0.attn.qkv.conv.weight", pair)

  private static func code(_ text: String) -> [UInt8] { Array(text.utf8) }

  static let instructions: [Case] = [
    Case(pickle: [], .pickle(.unexpectedEnd(offset: 0))),
    Case(pickle: [0x80], .pickle(.unexpectedEnd(offset: 1))),
    Case(pickle: code("(dp0\n."), .pickle(.unsupportedProtocol(0))),
    Case(pickle: [0x80, 1] + code("N."), .pickle(.unsupportedProtocol(1))),
    Case(pickle: [0x80, 6] + code("N."), .pickle(.unsupportedProtocol(6))),
    Case(pickle: [0x80, 2] + code("N"), .pickle(.unexpectedEnd(offset: 3))),
    Case(pickle: Pickle.file(code("N")) + [0], .pickle(.trailingBytes(offset: 4))),
    Case([0xff], .pickle(.unsupportedInstruction(0xff, offset: 2))),
    Case(code("I1\n"), .pickle(.unsupportedInstruction(0x49, offset: 2))),
    Case(code("ios\nsystem\n"), .pickle(.unsupportedInstruction(0x69, offset: 2))),
    Case(code("(o"), .pickle(.unsupportedInstruction(0x6f, offset: 3))),
    Case(code("Pid\n"), .pickle(.unsupportedInstruction(0x50, offset: 2))),
    Case([0x82, 1], .pickle(.unsupportedInstruction(0x82, offset: 2))),
    Case([0x97], .pickle(.unsupportedInstruction(0x97, offset: 2))),
    Case([], .pickle(.unbalancedEnd)),
    Case(code("NN"), .pickle(.unbalancedEnd)),
    Case(code("N("), .pickle(.unbalancedEnd)),
    Case(code("0"), .pickle(.stackUnderflow(offset: 2))),
    Case(code("2"), .pickle(.stackUnderflow(offset: 2))),
    Case(code("a"), .pickle(.stackUnderflow(offset: 2))),
    Case(code("N(0"), .pickle(.stackUnderflow(offset: 4))),
    Case([0x4e, 0x86], .pickle(.stackUnderflow(offset: 3))),
    Case(code("q\0"), .pickle(.stackUnderflow(offset: 2))),
    Case(code("]e"), .pickle(.missingMark(offset: 3))),
    Case(code("1"), .pickle(.missingMark(offset: 2))),
    Case(code("h\u{7}"), .pickle(.unknownMemo(7, offset: 2))),
    Case(code("j") + Pickle.u32(70_000), .pickle(.unknownMemo(70000, offset: 2))),
    Case(code("X") + Pickle.u32(99) + code("abc"), .pickle(.unexpectedEnd(offset: 11))),
    Case(code("X") + Pickle.u32(1) + [0xff], .pickle(.invalidText(offset: 2))),
    Case([0x8d] + [UInt8](repeating: 0xff, count: 8), .pickle(.invalidLength(offset: 2))),
    Case([0x8e] + [UInt8](repeating: 0x7f, count: 8), .pickle(.unexpectedEnd(offset: 12))),
    Case([0x95] + [UInt8](repeating: 0xff, count: 8), .pickle(.invalidLength(offset: 2))),
    Case([0x95] + Pickle.u32(100) + Pickle.u32(0), .pickle(.invalidLength(offset: 2))),
    Case(code("cos"), .pickle(.unexpectedEnd(offset: 6))),
    Case(code("NN") + [0x93], .pickle(.wrongOperand("a class is not named by texts", offset: 4))),
    Case(code("NNa"), .pickle(.wrongOperand("elements are added to a plain value", offset: 4))),
    Case(code("}Na"), .pickle(.wrongOperand("elements are added to a value of another kind", offset: 4))),
    Case(code("]NNs"), .pickle(.wrongOperand("elements are added to a value of another kind", offset: 5))),
    Case(code("}(Nu"), .pickle(.wrongOperand("a key has no value", offset: 5))),
    Case(code("(Nd"), .pickle(.wrongOperand("a key has no value", offset: 4))),
    Case(code("NNb"), .pickle(.wrongOperand("a plain value is given a state", offset: 4))),
    Case(code("]Nb"), .pickle(.wrongOperand("a value that has no state is given one", offset: 4))),
    Case(
      code("N)R"), .pickle(.wrongOperand("the pickle constructs something that is not a class", offset: 4))),
    Case(
      Pickle.global("a", "b") + code("NR"), .pickle(.wrongOperand("the arguments must be a tuple", offset: 8))
    ),
    Case(code("NN)") + [0x92], .pickle(.wrongOperand("a dictionary is needed", offset: 5))),
    Case(
      Pickle.call("collections", "OrderedDict", [Pickle.tuple([code("N")])]),
      .pickle(.wrongOperand("a dictionary is made from something else than pairs", offset: 32))),
  ]

  static let tensors: [Case] = [
    Case(code("NQ"), .pickle(.wrongOperand("a persistent identifier names no tensor storage", offset: 3))),
    Case(
      Pickle.storage("FloatStorage", key: "0", count: -1),
      .pickle(.wrongOperand("a persistent identifier names no tensor storage", offset: 55))),
    Case(
      Pickle.storage("ComplexFloatStorage", key: "0", count: 1),
      .pickle(.unsupportedStorage("torch.ComplexFloatStorage", offset: 62))),
    Case(
      Pickle.call("torch._utils", "_rebuild_tensor_v2", []),
      .pickle(.malformedTensor("its storage is missing", offset: 37))),
    Case(
      Pickle.call("torch._utils", "_rebuild_parameter", [code("N")]),
      .pickle(.malformedTensor("a parameter holds no tensor", offset: 38))),
    Case(
      tensor: Pickle.half([3], storage: 3),
      .wrongStorageSize(found: 4, needed: 6)),
    Case(tensor: Pickle.half([3], storage: 2), .outsideStorage),
    Case(tensor: view(offset: 1, [2], [1]), .outsideStorage),
    Case(tensor: view([2], [2]), .outsideStorage),
    Case(tensor: view([1000], [0]), .outsideStorage),
    Case(tensor: view(offset: 0x7fff_ffff, [1], [1]), .outsideStorage),
    Case(
      tensor: view([2, 0x7fff_ffff], [0x7fff_ffff, 0x7fff_ffff]), .outsideStorage),
    Case(
      tensor: view([0x7fff_ffff, 0x7fff_ffff, 0x7fff_ffff], [0, 0, 0]),
      .invalidShape([2147483647, 2147483647, 2147483647])),
    Case(
      tensor: view([1, 1, 1, 1, 1, 1, 1, 1, 1], [1, 1, 1, 1, 1, 1, 1, 1, 1]),
      .invalidShape([1, 1, 1, 1, 1, 1, 1, 1, 1])),
    Case(
      tensor: Pickle.tensor(
        Pickle.storage("HalfStorage", key: "../../etc/passwd", count: 2), shape: [2], strides: [1]),
      .zip(.noSuchMember("c/data/../../etc/passwd"))),
    Case(
      Pickle.dictionary([("w", view(offset: -1, [2], [1]))]),
      .pickle(.malformedTensor("its offset is not a whole number from 0", offset: 146))),
    Case(
      Pickle.dictionary([("w", view([2], [1, 1]))]),
      .pickle(.malformedTensor("its shape and strides are not lists of whole numbers", offset: 151))),
    Case(
      Pickle.dictionary([("w", view([-2], [1]))]),
      .pickle(.malformedTensor("its shape and strides are not lists of whole numbers", offset: 146))),
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
    Case(file: [], .weights(.tooSmall(bytes: 0))),
    Case(file: code("hello, this is text"), .unknownFormat),
    Case(file: [0x80, 2, 0x8a, 0x0a, 0x6c, 0xfc, 0x9c, 0x46, 0xf9, 0x20], .unknownFormat),
    Case(
      file: [0x50, 0x4b, 3, 4],
      .zip(.noDirectory)),
    Case(file: ZipWriter.archive([(name: "a", bytes: [])]), .notTorch),
    Case(
      file: ZipWriter.archive([(name: "a/data.pkl", bytes: []), (name: "b/data.pkl", bytes: [])]),
      .notTorch),
    Case(
      file: Pickle.archive(Pickle.file(code("N")), byteOrder: "big"),
      .bigEndian),
    Case(code("N"), .noTensors),
    Case(Pickle.dictionary([("model", code("]"))]), .noTensors),
    Case(Pickle.call("os", "system", [Pickle.text("false")]), .noTensors),
    Case(Pickle.dictionary([("a", pair), ("a", pair)]), .duplicateName, tensor: "a"),
    Case(Pickle.dictionary([("a", pair)]), .unknownArchitecture("its first tensor is \"a\"")),
    Case(cycle, .tooDeep(limit: 64)),
    Case(bush, .tooManyModules(limit: 20000)),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.0.conv.bias", pair), ("model.23.proto.cv1.conv.weight", pair),
        attention,
      ]),
      .fused),
    Case(
      Pickle.dictionary([("model.0.conv.weight", pair)]),
      .unsupportedNetwork("another network of Ultralytics'")),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.23.proto.cv1.conv.weight", pair), attention,
      ]),
      .missing, tensor: "model.23.cv3.0.2.weight"),
    Case(
      Pickle.dictionary([
        ("model.0.conv.weight", pair), ("model.23.proto.cv1.conv.weight", pair),
        ("model.23.cv3.0.2.weight", pair), attention,
      ]),
      .unknownArchitecture("the first layer has 2 channels and layer 2 0 blocks, as no published size has")),
    Case(
      Pickle.dictionary([("pretrained.cls_token", pair)]),
      .unknownArchitecture("its encoder is 2 wide, those of Small, Base and Large are 384, 768 and 1024")),
    Case(
      Pickle.dictionary([("pretrained.norm.weight", pair)]),
      .missing, tensor: "pretrained.cls_token"),
  ]

  @Test(arguments: instructions + tensors + checkpoints)
  func isRefused(file: Case) {
    #expect(throws: file.error) { try CheckpointConverter.read(FileBytes(file.bytes), file: "c") }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(CheckpointError.Kind, String)] = [
    (.pickle(.unexpectedEnd(offset: 0)), "pickle ends early, at byte 0"),
    (.pickle(.unsupportedProtocol(0)), "pickle protocol 0 is not supported; 2 to 5 are"),
    (.pickle(.trailingBytes(offset: 4)), "pickle has bytes after its end, at byte 4"),
    (.pickle(.unsupportedInstruction(0xff, offset: 2)), "pickle instruction 0xff at byte 2 is not supported"),
    (.pickle(.unbalancedEnd), "pickle does not end with exactly one value"),
    (.pickle(.stackUnderflow(offset: 2)), "pickle instruction at byte 2 takes from an empty stack"),
    (.pickle(.missingMark(offset: 3)), "pickle instruction at byte 3 needs a mark"),
    (.pickle(.unknownMemo(7, offset: 2)), "pickle refers to the unknown memo entry 7 at byte 2"),
    (.pickle(.invalidText(offset: 2)), "pickle text at byte 2 is not UTF-8"),
    (.pickle(.invalidLength(offset: 2)), "pickle declares an impossible length at byte 2"),
    (
      .pickle(.wrongOperand("a class is not named by texts", offset: 4)),
      "pickle instruction at byte 4: a class is not named by texts"
    ),
    (
      .pickle(.unsupportedStorage("torch.ComplexFloatStorage", offset: 62)),
      "pickled tensor storage \"torch.ComplexFloatStorage\" at byte 62 is not supported"
    ),
    (
      .pickle(.malformedTensor("its storage is missing", offset: 37)),
      "pickled tensor at byte 37: its storage is missing"
    ),
    (
      .wrongStorageSize(found: 4, needed: 6),
      "its storage has 4 bytes where 6 are declared: the file is damaged"
    ),
    (.outsideStorage, "its elements lie outside its storage"),
    (
      .invalidShape([2147483647, 2147483647, 2147483647]),
      "shape [2147483647, 2147483647, 2147483647] is impossible"
    ),
    (.notTorch, "a zip archive without PyTorch's data.pkl"),
    (.bigEndian, "written on a big-endian machine, which is not supported"),
    (.duplicateName, "the name appears twice"),
    (.tooDeep(limit: 64), "modules are nested deeper than 64 levels"),
    (.tooManyModules(limit: 20000), "holds more than 20000 modules"),
    (.fused, "batch normalization was folded before saving: convert the original checkpoint"),
    (.missing, "is missing"),
    (
      .unknownFormat,
      "neither a PyTorch zip checkpoint nor a safetensors file; a checkpoint from before PyTorch 1.6 must be saved again"
    ),
    (.noTensors, "holds no table of tensors and no module under \"ema\", \"model\" or \"state_dict\""),
    (.pickle(.limitReached("nested marks", limit: 1000)), "pickle has more than 1000 nested marks"),
    (
      .unknownArchitecture("its first tensor is \"a\""),
      "not a network that can be converted (YOLOv8-cls, YOLO11-cls, YOLOv8, YOLO11 and YOLO26 (detect, -seg, -pose, -obb), Depth Anything V2 Small, Base or Large or Prompt Depth Anything Small): its first tensor is \"a\""
    ),
  ]

  @Test(arguments: wordings)
  func wording(_ error: CheckpointError.Kind, _ sentence: String) {
    #expect("\(error)".hasPrefix(sentence), "\(error)")
  }

  @Test func errorsNameFileAndTensor() {
    #expect(CheckpointError(.missing, file: "c").description.hasPrefix("c: is missing"))
    #expect(
      CheckpointError(.missing, tensor: "w", file: "c").description.hasPrefix("c: tensor \"w\": is missing"))
  }

  private static func repeated(_ instructions: String, _ count: Int) -> [UInt8] {
    (0..<count).flatMap { _ in code(instructions) }
  }

  /// A program that passes a limit; named by its error, since its bytes are many.
  struct Excess: Sendable, CustomTestStringConvertible {
    let code: [UInt8]
    let error: PickleError
    var testDescription: String { "\(error)" }

    init(_ code: [UInt8], _ what: String, limit: Int) {
      self.code = code
      error = .limitReached(what, limit: limit)
    }
  }

  static let limits: [Excess] = [
    Excess(repeated("(", 1001), "nested marks", limit: 1_000),
    Excess(repeated("N", 200_001), "values on its stack", limit: 200_000),
    Excess(repeated("]0", 200_001), "compound values", limit: 200_000),
    Excess(code("N") + [UInt8](repeating: 0x94, count: 250_001), "memo entries", limit: 250_000),
    Excess(
      code("]") + repeated("(" + String(repeating: "N", count: 100_000) + "e", 6),
      "elements", limit: 500_000
    ),
  ]

  @Test(arguments: limits)
  func limitsHold(excess: Excess) {
    #expect(throws: CheckpointError(.pickle(excess.error), file: "c")) {
      try CheckpointConverter.read(FileBytes(Pickle.archive(Pickle.file(excess.code))), file: "c")
    }
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
    #expect(refusal(Self.small)?.kind == .unknownArchitecture("its first tensor is \"w\""))
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
