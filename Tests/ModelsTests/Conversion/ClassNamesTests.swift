import FileFormats
import Models
import NNRuntime
import TestSupport
import Testing

/// Class names as checkpoints and weight files have them: Ultralytics' `str` of each by `int` of its key, or a refusal.
@Suite struct ClassNamesTests {
  private static let layout = YOLOArchitecture(.n, classCount: 3)

  private func names(_ value: [UInt8]) throws -> String? {
    var network = PickledNetwork(yolo: Self.layout)
    network.attributes = [("names", value)]
    return try CheckpointConverter.read(FileBytes(network.checkpoint()), file: "c").metadata["names"]
  }

  private func table(_ members: [([UInt8], [UInt8])]) -> [UInt8] {
    Pickle.dictionary(members.map { (key: $0.0, value: $0.1) })
  }

  private static let indices = (0..<3).map(Pickle.integer)

  /// A text of NumPy's, as protocol 2 writes it.
  private func numpyText(_ text: String) -> [UInt8] {
    let bytes = text.unicodeScalars.flatMap { scalar in
      (0..<4).map { UInt8(truncatingIfNeeded: scalar.value >> (8 * UInt32($0))) }
    }
    return numpy("<U\(text.unicodeScalars.count)", bytes)
  }

  private func numpy(_ type: String, _ bytes: [UInt8]) -> [UInt8] {
    let code = Pickle.call("numpy", "dtype", [Pickle.text(String(type.drop { $0 == "<" })), [0x89], [0x88]])
    let latin = String(String.UnicodeScalarView(bytes.map { Unicode.Scalar($0) }))
    return Pickle.call(
      "numpy.core.multiarray", "scalar",
      [code, Pickle.call("_codecs", "encode", [Pickle.text(latin), Pickle.text("latin1")])])
  }

  @Test func valuesAreShownAsPythonShowsThem() throws {
    let values: [([UInt8], String)] = [
      (Pickle.text("cat"), "cat"), (Pickle.integer(-7), "-7"), ([0x88], "True"), ([0x89], "False"),
      (Pickle.double(0.5), "0.5"), (Pickle.double(2), "2.0"), (numpyText("dög"), "dög"),
      (numpy("<i8", [9, 0, 0, 0, 0, 0, 0, 0]), "9"), ([0x4e], "None"),
    ]
    for (value, shown) in values {
      let found = try names(
        table([
          (Self.indices[0], value), (Self.indices[1], Pickle.text("b")), (Self.indices[2], Pickle.text("c")),
        ]))
      #expect(found == "[\"\(shown)\",\"b\",\"c\"]")
      #expect(try names(Pickle.tuple([value, Pickle.text("b"), Pickle.text("c")])) == found)
    }
  }

  @Test func keysAreNumbersOfAnyKind() throws {
    let a = Pickle.text("a"), b = Pickle.text("b"), c = Pickle.text("c")
    let two = numpy("<i8", [2, 0, 0, 0, 0, 0, 0, 0])
    for keys in [
      [Pickle.text("0"), Pickle.text("1"), Pickle.text("2")], [[0x89], [0x88], Self.indices[2]],
      [Pickle.double(0), Pickle.double(1), Pickle.double(2)], [Self.indices[0], Self.indices[1], two],
    ] {
      #expect(try names(table(Array(zip(keys, [a, b, c])).reversed())) == "[\"a\",\"b\",\"c\"]")
    }
  }

  @Test func whatCannotBeReadIsRefused() {
    let a = Pickle.text("a"), b = Pickle.text("b"), c = Pickle.text("c")
    let bad: [([UInt8], ClassNames.Defect)] = [
      (Pickle.text("a, b, c"), .noTable),
      (Pickle.tuple([a, b, Pickle.tuple([c])]), .noName(2)),
      (Pickle.tuple([Pickle.object("some", "Name", state: [0x4e]), b, c]), .noName(0)),
      (table([(Self.indices[1], a), (Self.indices[2], b), (Pickle.integer(3), c)]), .badIndex),
      (table([(Self.indices[0], a), (Self.indices[0], b), (Self.indices[2], c)]), .badIndex),
      (table([(a, a), (b, b), (c, c)]), .badIndex),
      (Pickle.object("some", "Names", state: [0x4e]), .noTable),
    ]
    for (value, defect) in bad {
      let error = #expect(throws: CheckpointError.self) { try names(value) }
      #expect(error?.kind == .classNames(defect))
    }
  }

  @Test func textsAreJSONOrPython() throws {
    let sound = [
      #"["a", "it's", "c"]"#, #"{"0": "a", "1": "it's", "2": "c"}"#, #"{0: 'a', 1: "it's", 2: 'c'}"#,
      #"{0: 'a', 1: 'it\'s', 2: '\x63',}"#, #"('a', "it's", 'c')"#, #" [ 'a' , "it's",'c' ] "#,
    ]
    for text in sound { #expect(try ClassNames.parse(text) == ["a", "it's", "c"], "\(text)") }
    #expect(try ClassNames.parse("{0: True, 1: 2, 2: 1.5, 3: None}") == ["True", "2", "1.5", "None"])
    for text in [
      "", "a", "{0: 'a'", "{0 'a'}", "{0: 'a'} x", "{'a': 0}", "[['a']]", "{0: a}", "['a' 'b']", "{-1: 'a'}",
      "[[[[[[[[[[[[1",
    ] {
      #expect(throws: ClassNames.Defect.self, "\(text)") { try ClassNames.parse(text) }
    }
  }

  /// COCO's names never stand in for those that a file has.
  @Test func metadataThatCannotBeReadIsRefused() throws {
    let checkpoint = try CheckpointConverter.read(
      FileBytes(PickledNetwork(yolo: YOLOArchitecture(.n, classCount: 80)).checkpoint()), file: "c")
    func loaded(_ names: String?) throws -> [String] {
      var metadata = checkpoint.metadata
      metadata["names"] = names
      return try YOLODetector(weights: WeightStore(tensors: checkpoint.tensors, metadata: metadata))
        .architecture
        .classNames
    }
    let written = "{\((0..<80).map { "\($0): 'thing\($0)'" }.joined(separator: ", "))}"
    #expect(try loaded(written)[59] == "thing59")
    for names in ["{0: 'thing'}", "things", "[]"] {
      #expect(throws: YOLOError.self) { try loaded(names) }
    }
    #expect(try loaded(nil)[59] == "bed")
  }

  @Test func aTableWithoutNamesSaysSo() throws {
    for (count, told) in [(80, "those of COCO are taken for its 80 classes"), (3, "called class0, class1")] {
      let network = PickledNetwork(yolo: YOLOArchitecture(.n, classCount: count))
      let bytes = Pickle.archive(
        Pickle.file(Pickle.dictionary(network.tensors.map { ($0.key, $0.value) })),
        storages: ["0": network.storage, "2": PickledNetwork.bins])
      let checkpoint = try CheckpointConverter.read(FileBytes(bytes), file: "c")
      #expect(checkpoint.remarks.contains { $0.contains(told) })
      #expect(checkpoint.remarks.contains { $0.contains("a bare table of tensors") })
      #expect(checkpoint.metadata["modules"] == "untold")
      let store = WeightStore(tensors: checkpoint.tensors, metadata: checkpoint.metadata)
      #expect(
        try YOLODetector(weights: store).architecture.classNames[0] == (count == 80 ? "person" : "class0"))
    }
  }

  /// Files of a converter that did not read modules are recognized, unless their checkpoint is a published one.
  @Test func olderConversionsAreMadeAgain() throws {
    let checkpoint = try CheckpointConverter.read(
      FileBytes(PickledNetwork(yolo: Self.layout).checkpoint()), file: "best.pt")
    func error(_ changes: [String: String]) -> YOLOError? {
      let metadata = checkpoint.metadata.merging(changes) { _, new in new }
      do throws(YOLOError) {
        _ = try YOLODetector(weights: WeightStore(tensors: checkpoint.tensors, metadata: metadata))
        return nil
      } catch {
        return error
      }
    }
    let old = ["format": "ardf.weights/1"]
    #expect(error([:]) == nil)
    #expect(error(old) == .convertedBefore("best.pt"))
    #expect(error(old.merging(["source_file": "best.safetensors"]) { $1 }) == nil)
    let published = "55ed65c56c91713d23e8402371c6c49a6fd84f257f7dce452e8d70e41dcbe152"
    #expect(error(old.merging(["source_sha256": published]) { $1 }) == nil)
    let place = try TemporaryDirectory()
    let file = place.file("old.safetensors")
    try SafetensorsWriter.write(
      checkpoint.tensors, metadata: checkpoint.metadata.merging(old) { $1 }, to: file, overwrite: false)
    #expect(throws: CheckpointError.self) { try CheckpointConverter.read(file) }
    // A later version's files are not read as if they were this one's.
    for later in ["ardf.weights/3", "ardf.weights/10", "ardf.weights/2.1"] {
      #expect(error(["format": later]) == .convertedLater(later))
      #expect("\(YOLOError.convertedLater(later))".contains(CheckpointConverter.formatVersion))
      let file = place.file("later.safetensors")
      try SafetensorsWriter.write(
        checkpoint.tensors, metadata: checkpoint.metadata.merging(["format": later]) { $1 }, to: file,
        overwrite: true)
      #expect(throws: CheckpointError(.convertedLater(later), file: file)) {
        try CheckpointConverter.read(file)
      }
    }
    // What transformers writes.
    #expect(error(["format": "pt"]) == nil)
  }
}
