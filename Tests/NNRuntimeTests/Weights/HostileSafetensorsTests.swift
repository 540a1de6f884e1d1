import FileFormats
import NNRuntime
import TestSupport
import Testing

/// Malformed safetensors files, each built here and refused with its own error.
@Suite struct HostileSafetensorsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let error: WeightError
    var testDescription: String { "\(error)" }

    init(_ bytes: [UInt8], _ kind: WeightError.Kind, tensor: String? = nil) {
      self.bytes = bytes
      error = WeightError(kind, tensor: tensor, file: "w")
    }

    /// A file of a header text and some data.
    init(_ header: String, data: Int = 0, _ kind: WeightError.Kind, tensor: String? = nil) {
      self.init(HostileSafetensorsTests.file(header, data: data), kind, tensor: tensor)
    }

    /// A file of one tensor "a" with this entry.
    init(entry: String, data: Int = 4, _ kind: WeightError.Kind) {
      self.init(#"{"a":\#(entry)}"#, data: data, kind, tensor: "a")
    }
  }

  static func file(_ header: String, data: Int) -> [UInt8] { file(Array(header.utf8), data: data) }

  static func file(_ header: [UInt8], data: Int) -> [UInt8] {
    length(UInt64(header.count)) + header + [UInt8](repeating: 0, count: data)
  }

  static func length(_ value: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
  }

  static func entry(_ shape: String, _ begin: Int, _ end: Int, type: String = "F32") -> String {
    #"{"dtype":"\#(type)","shape":\#(shape),"data_offsets":[\#(begin),\#(end)]}"#
  }

  static let structure: [Case] = [
    Case([], .tooSmall(bytes: 0)),
    Case([1], .tooSmall(bytes: 1)),
    Case([0, 0, 0, 0, 0, 0, 0], .tooSmall(bytes: 7)),
    Case(length(0), .headerNotAnObject),
    Case(
      [0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0, 0],
      .zipArchive),
    Case(
      length(.max) + [0x7b, 0x7d],
      .headerTooLong(bytes: 18446744073709551615)),
    Case(
      length(16_777_217),
      .headerTooLong(bytes: 16777217)),
    Case(
      length(100) + [0x7b, 0x7d],
      .headerCutOff(fileBytes: 10, promised: 108)),
    Case(
      length(5_000_000) + [0x7b, 0x7d],
      .headerCutOff(fileBytes: 10, promised: 5_000_008)),
    Case("[]", .headerNotAnObject),
    Case(" {}", .headerNotAnObject),
    Case("{", .malformedHeader(.unexpectedEnd(offset: 1))),
    Case("{}}", .malformedHeader(.trailingBytes(offset: 2))),
    Case("{}\0", .malformedHeader(.trailingBytes(offset: 2))),
    Case("{\"a\"}", .malformedHeader(.unexpectedByte(0x7d, expected: "':'", offset: 4))),
    Case("{\"a\":NaN}", .malformedHeader(.unexpectedByte(0x4e, expected: "a value", offset: 5))),
    Case(
      "{\"\u{1}\":1}", .malformedHeader(.controlCharacter(0x01, offset: 2))),
    Case(
      [2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0xff],
      .malformedHeader(.unexpectedByte(0xff, expected: "a key", offset: 1))),
    Case(
      file([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], data: 0),
      .malformedHeader(.invalidUTF8(offset: 1))),
    Case(
      #"{"a":\#(entry("[1]", 0, 4)),"a":\#(entry("[1]", 0, 4))}"#, data: 4,
      .malformedHeader(.duplicateKey("a", offset: 54))),
    Case(
      #"{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, data: 4,
      .malformedHeader(.duplicateKey("dtype", offset: 20))),
    Case(#"{"a":[[[[1]]]]}"#, .malformedHeader(.tooDeep(limit: 4, offset: 8))),
    Case(#"{"__metadata__":1}"#, .invalidMetadata),
    Case(#"{"__metadata__":{"a":1}}"#, .invalidMetadata),
    Case(#"{"__metadata__":null}"#, .invalidMetadata),
    Case("{}", data: 1, .trailingBytes(1)),
  ]

  static let entries: [Case] = [
    Case(
      #"{"":\#(entry("[1]", 0, 4))}"#, data: 4, .invalidName, tensor: ""),
    Case(
      #"{"\u0007":\#(entry("[1]", 0, 4))}"#, data: 4,
      .invalidName, tensor: "\u{7}"),
    Case(entry: "1", .entryNotAnObject),
    Case(entry: "{}", .missingField("dtype")),
    Case(entry: #"{"dtype":"F32"}"#, .missingField("shape")),
    Case(entry: #"{"dtype":"F32","shape":[1]}"#, .missingField("data_offsets")),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0,4],"strides":[1]}"#,
      .unknownField("strides")),
    Case(entry: entry("[1]", 0, 4, type: "F31"), .unknownDType("F31")),
    Case(entry: entry("[1]", 0, 4, type: "f32"), .unknownDType("f32")),
    Case(entry: #"{"dtype":7,"shape":[1],"data_offsets":[0,4]}"#, .unknownDType("7")),
    Case(entry: entry("1", 0, 4), .invalidShape),
    Case(entry: entry("[-1]", 0, 4), .invalidShape),
    Case(entry: entry("[1.0]", 0, 4), .invalidShape),
    Case(entry: entry("[\"1\"]", 0, 4), .invalidShape),
    Case(entry: entry("[18446744073709551616]", 0, 4), .invalidShape),
    Case(entry: entry("[1,1,1,1,1,1,1,1,1]", 0, 4), .tooManyDimensions(9)),
    Case(
      entry: entry("[4294967296,4294967296]", 0, 4),
      .shapeOverflows([4294967296, 4294967296])),
    Case(entry: entry("[2305843009213693952]", 0, 4), .shapeOverflows([2305843009213693952])),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0]}"#,
      .invalidOffsets),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}"#,
      .invalidOffsets),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":"0,4"}"#,
      .invalidOffsets),
    Case(entry: entry("[1]", 4, 0), .invalidOffsets),
    Case(entry: entry("[1]", -4, 0), .invalidOffsets),
    Case(entry: entry("[1]", 0, 8), .wrongByteCount(found: 8, needed: 4)),
    Case(entry: entry("[2]", 0, 4), .wrongByteCount(found: 4, needed: 8)),
    Case(entry: entry("[]", 0, 0), .wrongByteCount(found: 0, needed: 4)),
    Case(
      entry: entry("[0]", 0, 9_223_372_036_854_775_807),
      .wrongByteCount(found: 9_223_372_036_854_775_807, needed: 0)),
    Case(entry: entry("[1]", 4, 8), data: 8, .hole(bytes: 4)),
  ]

  static let tiling: [Case] = [
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 4, 12))}"#, data: 12,
      .overlap(with: "a"), tensor: "b"),
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 0, 8))}"#, data: 8,
      .overlap(with: "a"), tensor: "b"),
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 12, 20))}"#, data: 20,
      .hole(bytes: 4), tensor: "b"),
    Case(#"{"a":\#(entry("[2]", 0, 8))}"#, data: 9, .trailingBytes(1)),
    Case(
      #"{"a":\#(entry("[2]", 0, 8))}"#, data: 7,
      .incomplete(fileBytes: 69, promised: 70)),
    Case(
      #"{"a":\#(entry("[5500000]", 0, 22_000_000))}"#, data: 12_000_000,
      .incomplete(fileBytes: 12_000_075, promised: 22_000_075)),
    Case(
      #"{"a":\#(entry("[2305843009213693951]", 0, 9_223_372_036_854_775_804))}"#,
      .incomplete(fileBytes: 98, promised: .max)),
  ]

  @Test(arguments: structure + entries + tiling)
  func isRefused(file: Case) {
    #expect(throws: file.error) { try WeightStore(bytes: file.bytes, file: "w") }
  }

  /// The sentence of each defect; other tests compare errors.
  static let wordings: [(WeightError.Kind, String)] = [
    (.tooSmall(bytes: 0), "file is 0 bytes, too small for a safetensors header"),
    (.headerNotAnObject, "header does not start with '{': damaged, or not a safetensors file"),
    (.zipArchive, "this is a zip archive such as a PyTorch checkpoint: run `ardf convert` on it first"),
    (
      .headerTooLong(bytes: 18446744073709551615),
      "header length 18446744073709551615 is over the limit of 16 MiB: damaged, or not a safetensors file"
    ),
    (
      .headerCutOff(fileBytes: 10, promised: 108),
      "file is 10 bytes, its header alone takes 108 bytes: an incomplete download, or not a safetensors file"
    ),
    (
      .malformedHeader(.unexpectedEnd(offset: 1)),
      "malformed header: JSON ends early, at byte 1: the file is truncated"
    ),
    (.invalidMetadata, "__metadata__ is not an object of strings"),
    (.trailingBytes(1), "1 byte after the last tensor belong to no tensor"),
    (.invalidName, "the name is empty or holds control characters"),
    (.entryNotAnObject, "the entry is not an object"),
    (.missingField("dtype"), "the entry has no \"dtype\""),
    (.unknownField("strides"), "the entry has the unknown field \"strides\""),
    (.unknownDType("F31"), "element type \"F31\" is not supported"),
    (.invalidShape, "\"shape\" is not a list of whole numbers from 0"),
    (.tooManyDimensions(9), "9 dimensions, at most 8 are allowed"),
    (.shapeOverflows([4294967296, 4294967296]), "shape [4294967296, 4294967296] has too many elements"),
    (.invalidOffsets, "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    (.wrongByteCount(found: 8, needed: 4), "\"data_offsets\" enclose 8 bytes, the shape needs 4 bytes"),
    (.hole(bytes: 4), "4 bytes before its data belong to no tensor"),
    (.overlap(with: "a"), "its data overlaps that of \"a\""),
    (
      .incomplete(fileBytes: 69, promised: 70),
      "file is 69 bytes, header promises 70 bytes: an incomplete download"
    ),
    (
      .incomplete(fileBytes: 12_000_075, promised: .max),
      "file is 12 MB, header promises 9223372037 GB: an incomplete download"
    ),
    (
      .headerCutOff(fileBytes: 10, promised: 5_000_008),
      "file is 10 bytes, its header alone takes 5.0 MB: an incomplete download, or not a safetensors file"
    ),
    (.missing(nearest: []), "is missing"),
    (.missing(nearest: ["a", "b"]), "is missing; nearest names: a, b"),
    (.wrongShape(found: [2, 3], expected: [3, 2]), "shape [2, 3], the network needs [3, 2]"),
    (.notFloat(.int64), "element type I64, floating-point numbers are needed"),
    (
      .nonFinite(index: 1),
      "element 1 is infinite or not a number in single precision: pass --allow-nonfinite to accept it"
    ),
    (.unused(["a"]), "1 tensor is not part of the network: a"),
  ]

  @Test(arguments: wordings)
  func wording(_ error: WeightError.Kind, _ sentence: String) {
    #expect("\(error)".hasPrefix(sentence), "\(error)")
  }

  @Test func errorsNameFileAndTensor() {
    #expect(WeightError(.entryNotAnObject, file: "w").description.hasPrefix("w: the entry is not an object"))
    let named = WeightError(.entryNotAnObject, tensor: "a", file: "w")
    #expect(named.description.hasPrefix("w: tensor \"a\": the entry is not an object"))
  }

  @Test func headersWithTooManyValuesAreRefused() {
    let header = #"{"a":["# + String(repeating: "0,", count: 500_000) + "0]}"
    let kind = WeightError.Kind.malformedHeader(.tooManyValues(limit: 500_000, offset: 1_000_002))
    #expect(throws: WeightError(kind, file: "w")) {
      try WeightStore(bytes: Self.file(header, data: 0), file: "w")
    }
  }

  @Test func hugeNamesAreCutInMessages() {
    let name = String(repeating: "x", count: 1_000_000)
    let error = #expect(throws: WeightError.self) {
      try WeightStore(bytes: Self.file(#"{"\#(name)":1}"#, data: 0), file: "w")
    }
    let head = String(repeating: "x", count: 120)
    #expect(error?.description.hasPrefix("w: tensor \"\(head)...\": the entry is not an object; ") ?? false)
  }

  /// The first infinity or NaN is found wherever it lies, in every element type.
  @Test func nonFiniteElementsAreFound() {
    for position in [0, 1, 4095, 4096, 9999] {
      for (value, single) in [
        (0x7c00 as UInt16, Float.infinity), (0xfc00, -.infinity), (0x7e01, .nan), (0xffff, .nan),
      ] {
        var halves = [UInt16](repeating: 0xfbff, count: 10_000)
        var singles = [Float](repeating: -.greatestFiniteMagnitude, count: 10_000)
        var doubles = [Double](repeating: Double(Float.greatestFiniteMagnitude), count: 10_000)
        var brains = [UInt16](repeating: 0xff7f, count: 10_000)
        let types: [DType] = [.float16, .float32, .float64, .bfloat16]
        for isDamaged in [false, true] {
          if isDamaged {
            halves[position] = value
            singles[position] = single
            doubles[position] = Double(single)
            brains[position] = UInt16(single.bitPattern >> 16)
          }
          let storages = [
            TensorStorage(copying: halves), TensorStorage(copying: singles), TensorStorage(copying: doubles),
            TensorStorage(copying: brains),
          ]
          for (type, storage) in zip(types, storages) {
            let tensor = Tensor(shape: [10_000], dtype: type, storage: storage)
            #expect(tensor.firstNonFinite == (isDamaged ? position : nil), "\(type) \(single)")
          }
        }
      }
    }
  }

  @Test func missingAndEmptyFilesAreNamed() throws {
    let folder = try TemporaryDirectory()
    let path = folder.file("none.safetensors")
    let missing = #expect(throws: WeightError.self) { try WeightStore(path: path) }
    #expect(missing?.description == "\(path): no such file or directory")
    try folder.write([], to: "none.safetensors")
    let empty = #expect(throws: WeightError.self) { try WeightStore(path: path) }
    #expect(empty?.description == "\(path): the file is empty")
  }

  /// A small valid file, whose every damage is tried below.
  static let valid = file(
    #"{"__metadata__":{"k":"v"},"a":\#(entry("[2,1]", 0, 4, type: "F16")),"b":\#(entry("[]", 4, 8))}  "#,
    data: 8)

  @Test func everyTruncationIsRefused() throws {
    #expect(try WeightStore(bytes: Self.valid, file: "w").names == ["a", "b"])
    for count in 0..<Self.valid.count {
      #expect(throws: WeightError.self, "\(count) bytes") {
        try WeightStore(bytes: Array(Self.valid[..<count]), file: "w")
      }
    }
  }

  @Test func everyChangedByteIsSurvived() {
    var accepted = 0
    for position in Self.valid.indices {
      for value in UInt8.min...UInt8.max where value != Self.valid[position] {
        var bytes = Self.valid
        bytes[position] = value
        guard let store = try? WeightStore(bytes: bytes, file: "w", allowNonFinite: true) else { continue }
        accepted += 1
        // What is accepted is still whole: every tensor can be read.
        for name in store.names { _ = try? store.tensor(named: name).floats() }
      }
    }
    // Data bytes may hold anything: the 8 of them alone give 255 valid files each.
    #expect(accepted >= 8 * 255)
  }
}
