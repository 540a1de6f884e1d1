import FileFormats
import NNRuntime
import TestSupport
import Testing

/// Malformed safetensors files, each built here and refused with its own message.
@Suite struct HostileSafetensorsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    let bytes: [UInt8]
    let message: String
    var testDescription: String { message }

    init(_ bytes: [UInt8], _ message: String) {
      self.bytes = bytes
      self.message = "w: " + message
    }

    /// A file of a header text and some data.
    init(_ header: String, data: Int = 0, _ message: String) {
      self.init(HostileSafetensorsTests.file(header, data: data), message)
    }

    /// A file of one tensor "a" with this entry.
    init(entry: String, data: Int = 4, _ message: String) {
      self.init(#"{"a":\#(entry)}"#, data: data, #"tensor "a": "# + message)
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
    Case([], "file is 0 bytes, too small for a safetensors header"),
    Case([1], "file is 1 byte, too small for a safetensors header"),
    Case([0, 0, 0, 0, 0, 0, 0], "file is 7 bytes, too small for a safetensors header"),
    Case(length(0), "header does not start with '{': damaged, or not a safetensors file"),
    Case(
      [0x50, 0x4b, 3, 4, 0, 0, 0, 0, 0, 0],
      "this is a zip archive such as a PyTorch checkpoint: run `ardf convert` on it first"),
    Case(
      length(.max) + [0x7b, 0x7d],
      "header length 18446744073709551615 is over the limit of 16 MiB: damaged, or not a safetensors file"),
    Case(
      length(16_777_217),
      "header length 16777217 is over the limit of 16 MiB: damaged, or not a safetensors file"),
    Case(
      length(100) + [0x7b, 0x7d],
      "file is 10 bytes, its header alone takes 108 bytes: an incomplete download, or not a safetensors file"),
    Case(
      length(5_000_000) + [0x7b, 0x7d],
      "file is 10 bytes, its header alone takes 5.0 MB: an incomplete download, or not a safetensors file"),
    Case("[]", "header does not start with '{': damaged, or not a safetensors file"),
    Case(" {}", "header does not start with '{': damaged, or not a safetensors file"),
    Case("{", "malformed header: JSON ends early, at byte 1: the file is truncated"),
    Case("{}}", "malformed header: JSON document is followed by more text at byte 2"),
    Case("{}\0", "malformed header: JSON document is followed by more text at byte 2"),
    Case("{\"a\"}", "malformed header: JSON has '}' at byte 4 where ':' is expected"),
    Case("{\"a\":NaN}", "malformed header: JSON has 'N' at byte 5 where a value is expected"),
    Case(
      "{\"\u{1}\":1}", "malformed header: JSON string holds the control character 0x01 at byte 2"),
    Case(
      [2, 0, 0, 0, 0, 0, 0, 0, 0x7b, 0xff],
      "malformed header: JSON has 0xff at byte 1 where a key is expected"),
    Case(
      file([0x7b, 0x22, 0xff, 0x22, 0x3a, 0x31, 0x7d], data: 0),
      "malformed header: JSON string at byte 1 is not UTF-8"),
    Case(
      #"{"a":\#(entry("[1]", 0, 4)),"a":\#(entry("[1]", 0, 4))}"#, data: 4,
      "malformed header: JSON names the key \"a\" twice, again at byte 54"),
    Case(
      #"{"a":{"dtype":"F32","dtype":"F32","shape":[1],"data_offsets":[0,4]}}"#, data: 4,
      "malformed header: JSON names the key \"dtype\" twice, again at byte 20"),
    Case(#"{"a":[[[[1]]]]}"#, "malformed header: JSON nested deeper than 4 levels at byte 8"),
    Case(#"{"__metadata__":1}"#, "__metadata__ is not an object of strings"),
    Case(#"{"__metadata__":{"a":1}}"#, "__metadata__ is not an object of strings"),
    Case(#"{"__metadata__":null}"#, "__metadata__ is not an object of strings"),
    Case("{}", data: 1, "1 byte after the last tensor belong to no tensor"),
  ]

  static let entries: [Case] = [
    Case(
      #"{"":\#(entry("[1]", 0, 4))}"#, data: 4, #"tensor "": the name is empty or holds control characters"#),
    Case(
      #"{"\u0007":\#(entry("[1]", 0, 4))}"#, data: 4,
      "tensor \"\\u{7}\": the name is empty or holds control characters"),
    Case(entry: "1", "the entry is not an object"),
    Case(entry: "{}", "the entry has no \"dtype\""),
    Case(entry: #"{"dtype":"F32"}"#, "the entry has no \"shape\""),
    Case(entry: #"{"dtype":"F32","shape":[1]}"#, "the entry has no \"data_offsets\""),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0,4],"strides":[1]}"#,
      "the entry has the unknown field \"strides\""),
    Case(entry: entry("[1]", 0, 4, type: "F31"), "element type \"F31\" is not supported"),
    Case(entry: entry("[1]", 0, 4, type: "f32"), "element type \"f32\" is not supported"),
    Case(entry: #"{"dtype":7,"shape":[1],"data_offsets":[0,4]}"#, "element type \"7\" is not supported"),
    Case(entry: entry("1", 0, 4), "\"shape\" is not a list of whole numbers from 0"),
    Case(entry: entry("[-1]", 0, 4), "\"shape\" is not a list of whole numbers from 0"),
    Case(entry: entry("[1.0]", 0, 4), "\"shape\" is not a list of whole numbers from 0"),
    Case(entry: entry("[\"1\"]", 0, 4), "\"shape\" is not a list of whole numbers from 0"),
    Case(entry: entry("[18446744073709551616]", 0, 4), "\"shape\" is not a list of whole numbers from 0"),
    Case(entry: entry("[1,1,1,1,1,1,1,1,1]", 0, 4), "9 dimensions, at most 8 are allowed"),
    Case(
      entry: entry("[4294967296,4294967296]", 0, 4),
      "shape [4294967296, 4294967296] has too many elements"),
    Case(entry: entry("[2305843009213693952]", 0, 4), "shape [2305843009213693952] has too many elements"),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0]}"#,
      "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":[0,4,8]}"#,
      "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    Case(
      entry: #"{"dtype":"F32","shape":[1],"data_offsets":"0,4"}"#,
      "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    Case(entry: entry("[1]", 4, 0), "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    Case(entry: entry("[1]", -4, 0), "\"data_offsets\" is not [begin, end] with 0 <= begin <= end"),
    Case(entry: entry("[1]", 0, 8), "\"data_offsets\" enclose 8 bytes, the shape needs 4 bytes"),
    Case(entry: entry("[2]", 0, 4), "\"data_offsets\" enclose 4 bytes, the shape needs 8 bytes"),
    Case(entry: entry("[]", 0, 0), "\"data_offsets\" enclose 0 bytes, the shape needs 4 bytes"),
    Case(
      entry: entry("[0]", 0, 9_223_372_036_854_775_807),
      "\"data_offsets\" enclose 9223372037 GB, the shape needs 0 bytes"),
    Case(entry: entry("[1]", 4, 8), data: 8, "4 bytes before its data belong to no tensor"),
  ]

  static let tiling: [Case] = [
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 4, 12))}"#, data: 12,
      #"tensor "b": its data overlaps that of "a""#),
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 0, 8))}"#, data: 8,
      #"tensor "b": its data overlaps that of "a""#),
    Case(
      #"{"a":\#(entry("[2]", 0, 8)),"b":\#(entry("[2]", 12, 20))}"#, data: 20,
      #"tensor "b": 4 bytes before its data belong to no tensor"#),
    Case(#"{"a":\#(entry("[2]", 0, 8))}"#, data: 9, "1 byte after the last tensor belong to no tensor"),
    Case(
      #"{"a":\#(entry("[2]", 0, 8))}"#, data: 7,
      "file is 69 bytes, header promises 70 bytes: an incomplete download"),
    Case(
      #"{"a":\#(entry("[5500000]", 0, 22_000_000))}"#, data: 12_000_000,
      "file is 12 MB, header promises 22 MB: an incomplete download"),
    Case(
      #"{"a":\#(entry("[2305843009213693951]", 0, 9_223_372_036_854_775_804))}"#,
      "file is 98 bytes, header promises 9223372037 GB: an incomplete download"),
  ]

  @Test(arguments: structure + entries + tiling)
  func isRefused(file: Case) {
    let error = #expect(throws: WeightError.self) { try WeightStore(bytes: file.bytes, file: "w") }
    #expect(error?.description.hasPrefix(file.message) ?? false, "\(error?.description ?? "")")
  }

  @Test func headersWithTooManyValuesAreRefused() {
    let header = #"{"a":["# + String(repeating: "0,", count: 500_000) + "0]}"
    let error = #expect(throws: WeightError.self) {
      try WeightStore(bytes: Self.file(header, data: 0), file: "w")
    }
    let message = "w: malformed header: JSON with more than 500000 values at byte 1000002; "
    #expect(error?.description.hasPrefix(message) ?? false)
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
